//! Commands that must not hold a call: they detach themselves, or they never end.
//!
//! A command that puts itself in the background escapes from its card and from Stop; a server keeps the call waiting
//! until its limit. Both are refused with the call that does what was meant.

use serde_json::json;

use crate::approval::shell::{self, DETACHED, Simple};

const PACKAGE_RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];
const SERVING_SCRIPTS: &[&str] = &["dev", "start", "serve", "watch"];
const SERVERS: &[&str] = &["vite", "nodemon", "uvicorn", "gunicorn", "http-server", "live-server"];

/// Why the command should not run in the foreground, and the call to make instead.
pub(crate) fn advice(command: &str) -> Option<String> {
    let why = shell::parse(command).ok().and_then(|script| {
        if script.detaches {
            return Some("puts a part of itself in the background with `&`".to_owned());
        }
        script.commands.iter().find_map(reason)
    })?;
    let plain = command.trim().trim_end_matches('&').trim_end();
    let call = json!({ "command": plain, "background": true });
    Some(format!(
        "This command {why}, so waiting for it makes no sense. It has not run. Let Gatehouse keep it: call terminal \
         with {call}, without nohup, setsid, disown or a trailing `&`."
    ))
}

fn reason(simple: &Simple) -> Option<String> {
    let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
    let (name, rest) = words.split_first()?;
    let name = name.rsplit('/').next().unwrap_or(name);
    if rest.iter().any(|word| matches!(*word, "--help" | "-h" | "--version" | "-V" | "help" | "version")) {
        return None;
    }
    let wrapper = rest.iter().find_map(|word| word.strip_prefix(DETACHED));
    if let Some(wrapper) = wrapper.or(matches!(name, "nohup" | "disown" | "setsid").then_some(name)) {
        return Some(format!("detaches itself with `{wrapper}`"));
    }
    let first = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or("");
    let script = if first == "run" {
        rest.iter().skip_while(|word| **word != "run").nth(1).copied().unwrap_or("")
    } else {
        first
    };
    let serves = (PACKAGE_RUNNERS.contains(&name) && SERVING_SCRIPTS.contains(&script.split(':').next().unwrap_or("")))
        || (SERVERS.contains(&name) && !(name == "vite" && matches!(first, "build" | "optimize")))
        || (name == "next" && matches!(first, "dev" | "start"))
        || (name == "npx" && (SERVERS.contains(&first)))
        || (matches!(name, "docker" | "docker-compose") && composes_up(name, rest))
        || (name.starts_with("python") && rest.windows(2).any(|pair| pair == ["-m", "http.server"]));
    serves.then(|| {
        format!("runs until it is stopped (`{}`)", words.iter().take(3).copied().collect::<Vec<_>>().join(" "))
    })
}

fn composes_up(name: &str, rest: &[&str]) -> bool {
    let composes = name == "docker-compose" || rest.first() == Some(&"compose");
    composes && rest.contains(&"up") && !rest.iter().any(|word| matches!(*word, "-d" | "--detach" | "--wait"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detaching_and_serving_commands_are_sent_to_the_background() {
        for command in [
            "nohup make &",
            "sleep 100 &",
            "make & echo done",
            "cd web && npm run dev",
            "pnpm dev",
            "yarn start:web",
            "docker compose up",
            "python3 -m http.server 8000",
            "env PORT=1 npx vite",
            "setsid server",
            "next dev",
        ] {
            let advice = advice(command).unwrap_or_default();
            assert!(advice.contains("\"background\":true"), "{command}: {advice}");
        }
    }

    #[test]
    fn ordinary_commands_and_quoted_words_pass() {
        for command in [
            "echo 'nohup x &'",
            "make && make test",
            "cmd 2>&1 | tee log",
            "cmd &> log",
            "npm run build",
            "vite build",
            "uvicorn --help",
            "docker compose up -d",
            "man nohup",
            "grep -r 'npm run dev' .",
            "echo a; sleep 1",
            "curl 'http://x/?a=1&b=2'",
        ] {
            assert_eq!(advice(command), None, "{command}");
        }
    }
}
