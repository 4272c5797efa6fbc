//! A pattern for what is asked about.

use super::super::danger;
use super::super::plain;
use super::super::shell::base;
use super::pattern::Pattern;

/// Tools with many commands, and a command that makes a good example.
const TOOLS: &[(&str, &str)] = &[
    ("npm", "run build"),
    ("pnpm", "run build"),
    ("yarn", "run build"),
    ("bun", "run build"),
    ("deno", "task build"),
    ("cargo", "test"),
    ("git", "status"),
    ("go", "test"),
    ("docker", "ps"),
    ("podman", "ps"),
    ("kubectl", "get"),
    ("helm", "list"),
    ("terraform", "plan"),
    ("tofu", "plan"),
    ("gh", "pr"),
    ("apt", "list"),
    ("apt-get", "update"),
    ("brew", "list"),
    ("pip", "list"),
    ("pip3", "list"),
    ("uv", "sync"),
    ("poetry", "show"),
    ("dotnet", "test"),
    ("rustup", "show"),
    ("systemctl", "status"),
    ("aws", "s3"),
    ("gcloud", "compute"),
    ("az", "vm"),
    ("just", "test"),
    ("bundle", "install"),
    ("composer", "install"),
    ("mix", "test"),
    ("swift", "test"),
    ("flutter", "test"),
    ("nix", "build"),
    ("conda", "list"),
];
/// Programs of one trade, for which a star alone says enough.
const SINGLE: &[&str] = &[
    "pytest",
    "tsc",
    "eslint",
    "prettier",
    "vitest",
    "jest",
    "ruff",
    "mypy",
    "black",
    "rustfmt",
    "gofmt",
    "ctest",
    "ninja",
    "oxlint",
    "biome",
    "playwright",
    "phpunit",
    "rspec",
    "rubocop",
    "shellcheck",
    "clippy-driver",
];
/// Commands of tools that only pass on to a further one.
const SECOND: &[&str] = &["compose", "s3", "pr", "issue", "repo", "workflow"];
/// Commands that bring or run foreign code, or change what later commands mean.
const BROAD: &[&str] = &["install", "i", "add", "exec", "x", "dlx", "publish", "login", "config", "alias"];

/// An example for a tool with many commands.
pub(super) fn narrow(name: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(tool, _)| *tool == name).map(|(_, example)| *example)
}

/// A sensible narrow pattern that matches this command; `None` for what is dangerous, joined, or runs other programs.
pub fn suggest_pattern(command: &str) -> Option<String> {
    let words = plain::single(command)?;
    if !danger::dangers(command).is_empty() {
        return None;
    }
    let (program, rest) = words.split_first()?;
    let name = base(program);
    let text = match narrow(name) {
        Some(_) => {
            let sub = rest.first().filter(|word| is_name(word) && !BROAD.contains(&word.as_str()))?;
            let more = rest.get(1).filter(|word| SECOND.contains(&sub.as_str()) && is_name(word));
            let head = more.map_or_else(|| format!("{program} {sub}"), |more| format!("{program} {sub} {more}"));
            format!("{head} *")
        }
        None if SINGLE.contains(&name) => format!("{program} *"),
        None => return None,
    };
    let pattern = Pattern::parse(&text).ok()?;
    pattern.matches(command).then_some(text)
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
}
