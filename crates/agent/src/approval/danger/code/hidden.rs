//! Options and variables that make a harmless program start another.

use super::super::data::split;
use super::super::{Call, DangerCategory as Kind, Finding};
use super::settings;

const FOUND: Finding = (Kind::HiddenProgram, "Makes a tool start another program");

/// A tool and its options that name a program; a long one may be joined with its value by `=`.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (&["rg"], &["--pre", "--hostname-bin"]),
    (&["sort", "gsort"], &["--compress-program"]),
    (&["man"], &["-P", "--pager", "-H", "--html"]),
    (&["ag", "ack", "bat", "batcat", "delta"], &["--pager"]),
    (
        &["tar", "bsdtar", "gtar"],
        &[
            "--to-command",
            "--checkpoint-action",
            "-I",
            "--use-compress-program",
            "--rsh-command",
            "-F",
            "--info-script",
            "--new-volume-script",
        ],
    ),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["scp", "sftp"], &["-S", "-o"]),
    (&["zip"], &["-TT", "--unzip-command"]),
    (&["wget"], &["--use-askpass"]),
    (&["fzf", "sk"], &["--preview", "--bind"]),
    (&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"]),
    (&["make", "gmake"], &["--eval", "-E"]),
    (&["vim", "vi", "nvim", "ex", "view"], &["-c", "--cmd", "-S"]),
    (&["tcpdump"], &["-z"]),
    (&["split", "csplit"], &["--filter"]),
    (&["ssh-keygen", "ssh-add"], &["-D", "-s"]),
    (&["script"], &["-c", "--command"]),
];
const VARIABLES: &[&str] = &[
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_CONFIG_GLOBAL",
    "LESSOPEN",
    "LESSCLOSE",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "PROMPT_COMMAND",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "RIPGREP_CONFIG_PATH",
    "BROWSER",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "RUSTC_WRAPPER",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "NODE_OPTIONS",
];
/// Values that start nothing that matters.
const HARMLESS: &[&str] = &["", "cat", "less", "more", "true", ":", "/bin/cat", "/bin/true"];
const GIT_KEYS: &[&str] = &[
    "alias.",
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.hookspath",
    "core.askpass",
    "core.gitproxy",
    "credential.",
    "diff.external",
    "difftool.",
    "mergetool.",
    "gpg.",
    "filter.",
    "pager.",
    "sequence.editor",
    "interactive.difffilter",
    "protocol.ext",
    "uploadpack.",
    "include",
];

pub(in super::super) fn options(call: &Call<'_>) -> Option<Finding> {
    let listed = OPTIONS.iter().filter(|(names, _)| names.contains(&call.name)).flat_map(|(_, options)| *options);
    let named = listed.into_iter().any(|option| call.rest.iter().any(|word| names(word, option)));
    let ssh = matches!(call.name, "ssh" | "scp" | "sftp")
        && call.rest.iter().any(|word| {
            let word = word.to_ascii_lowercase();
            word.contains("proxycommand") || word.contains("localcommand") || word.contains("knownhostscommand")
        });
    let sed = matches!(call.name, "sed" | "gsed") && call.operands().next().is_some_and(starts_in_sed);
    (named || ssh || sed || git(call)).then_some(FOUND)
}

fn names(word: &str, option: &str) -> bool {
    let Some(rest) = word.strip_prefix(option) else { return false };
    // A short one carries its value behind it.
    rest.is_empty() || rest.starts_with('=') || !option.starts_with("--")
}

/// `s/a/b/e`, or the command `e`.
fn starts_in_sed(script: &str) -> bool {
    let mut parts = script.rsplit(['/', '|', '#', ',']);
    let flags = parts.next().unwrap_or_default();
    let substitutes =
        script.starts_with('s') && flags.contains('e') && flags.chars().all(|c| "gpiIemM0123456789".contains(c));
    substitutes || script == "e" || script.starts_with("e ") || script.contains(";e ") || script.starts_with("1e ")
}

fn git(call: &Call<'_>) -> bool {
    if call.name != "git" {
        return false;
    }
    let Some((global, sub, args)) = split(&call.rest) else { return false };
    let key = |word: &&str| {
        let word = word.to_ascii_lowercase();
        GIT_KEYS.iter().any(|key| word.starts_with(key)) || word.contains(".textconv") || word.contains(".driver")
    };
    let globals = global.iter().any(|word| key(word) || word.starts_with("--exec-path="));
    let reads = args.iter().any(|word| {
        word.starts_with("--get") || matches!(*word, "--list" | "-l" | "list" | "get" | "--unset" | "unset")
    });
    let sets = sub == "config"
        && !reads
        && args.iter().filter(|word| !word.starts_with('-')).count() > 1
        && args.iter().any(key);
    let option = |word: &&str| {
        ["--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd", "--ext-diff", "--tool"]
            .iter()
            .any(|o| names(word, o))
            || word.starts_with("ext::")
            || (sub == "grep" && word.starts_with("-O"))
            || (matches!(sub, "difftool" | "rebase") && word.starts_with("-x"))
    };
    let runs =
        matches!(sub, "bisect") && args.first() == Some(&"run") || (sub == "submodule" && args.contains(&"foreach"));
    globals || sets || runs || args.iter().any(option)
}

pub(in super::super) fn variables(call: &Call<'_>) -> Option<Finding> {
    let found = settings(call).any(|(name, value)| {
        let harmless = HARMLESS.contains(&value) || (name == "NODE_OPTIONS" && value.starts_with("--max"));
        (VARIABLES.contains(&name) || name.starts_with("GIT_CONFIG_KEY")) && !harmless
    });
    found.then_some(FOUND)
}
