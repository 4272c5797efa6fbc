//! Commands inside commands: wrappers such as `sudo`, and shells that are handed a text.

/// Words that may stand before a command in a script.
const RESERVED: &[&str] = &["then", "do", "else", "elif", "if", "while", "until", "!", "time", "{", "coproc"];
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh"];
/// Programs that run the command behind them: their name, the options that take a value, and how many words of their
/// own come before the command.
const WRAPPERS: &[(&str, &[&str], usize)] = &[
    (
        "sudo",
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-T",
            "-r",
            "-t",
            "-D",
            "-R",
            "-U",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--close-from",
            "--command-timeout",
            "--role",
            "--type",
            "--chdir",
            "--chroot",
            "--other-user",
        ],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("run0", &["-u", "-g", "-D", "--user", "--group", "--chdir", "--unit", "--nice"], 0),
    ("gosu", &[], 1),
    ("env", &["-u", "-C", "--chdir", "--unset"], 0),
    ("nohup", &[], 0),
    ("setsid", &[], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("time", &["-f", "-o"], 0),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"], 1),
    ("exec", &["-a"], 0),
    ("builtin", &[], 0),
    ("command", &[], 0),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    (
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-a",
            "-E",
            "-s",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "--max-chars",
        ],
        0,
    ),
    ("chroot", &[], 1),
    ("strace", &["-o", "-e", "-p", "-s"], 0),
    ("taskset", &[], 1),
    ("watch", &["-n", "--interval"], 0),
    ("flock", &["-w", "-E", "--timeout"], 1),
    ("chrt", &[], 1),
    ("prlimit", &[], 0),
    ("fakeroot", &[], 0),
    ("unbuffer", &[], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("unshare", &[], 0),
    ("nsenter", &["-t", "--target"], 0),
    ("pkexec", &["--user"], 0),
    ("systemd-run", &["-p", "-u", "--unit"], 0),
];
/// Wrappers that change how a command lives: a rule about them must still see their name.
const KEPT: &[&str] = &["nohup", "setsid"];

/// Takes reserved words and wrappers off the front, and returns them and what is left. `xargs` gets its input as
/// further words, once.
pub(super) fn unwrap(mut words: Vec<String>, input: &str) -> (Vec<String>, Vec<String>) {
    let mut front = 0;
    let mut kept = None;
    let mut fed = false;
    while let Some((name, rest)) = words[front..].split_first() {
        if RESERVED.contains(&name.as_str()) && !rest.is_empty() {
            front += 1;
            continue;
        }
        let name = base(name);
        let Some((name, valued, own)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) else { break };
        fed |= *name == "xargs";
        let Some(own_words) = command_at(rest, valued, *own) else { break };
        let flags = &rest[..own_words];
        // `command -v x` only looks for x, and the command of `env -S` is a text of its own.
        let looks = *name == "command" && flags.iter().any(|flag| flag.starts_with('-') && flag.contains(['v', 'V']));
        if looks || (*name == "env" && split_string(flags).is_some()) {
            break;
        }
        if KEPT.contains(name) {
            kept.get_or_insert(*name);
        }
        front += 1 + own_words;
    }
    let front: Vec<String> = words.drain(..front).collect();
    if fed {
        words.extend(input.split_whitespace().map(str::to_owned));
    }
    // The name of a detaching wrapper would hide the command, so it goes behind it.
    words.extend(kept.map(|kept| format!("{DETACHED}{kept}")));
    (front, words)
}

/// Whether the word stands before commands and is none itself.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether the program is a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// The command that a wrapper such as `sudo` starts: empty if none is there to be read, `None` for other programs.
pub(crate) fn wrapped(words: &[String]) -> Option<&[String]> {
    let (name, rest) = words.split_first()?;
    let (_, valued, own) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == base(name))?;
    Some(command_at(rest, valued, *own).map_or(&[], |at| &rest[at..]))
}

/// The commands that `find` starts for what it meets.
pub(super) fn runs(words: &[String]) -> Vec<Vec<String>> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    if base(name) != "find" {
        return Vec::new();
    }
    let starts = |word: &String| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let ends = |word: &&String| !matches!(word.as_str(), ";" | "+");
    let mut runs = Vec::new();
    let mut left = rest;
    while let Some(at) = left.iter().position(starts) {
        left = &left[at + 1..];
        let run: Vec<String> = left.iter().take_while(ends).cloned().collect();
        left = &left[run.len()..];
        runs.push(run);
    }
    runs
}

/// Marks the trace of a detaching wrapper among the words; no shell word contains it.
pub(crate) const DETACHED: char = '\u{1}';

/// Where the command begins among the words behind a wrapper's name.
fn command_at(rest: &[String], valued: &[&str], mut own: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        if word == "--" {
            at += 1;
            break;
        }
        let assigns = word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', '-']));
        if word.starts_with('-') && word.len() > 1 {
            at += if valued.contains(&word.as_str()) { 2 } else { 1 };
        } else if assigns {
            at += 1;
        } else if own > 0 {
            own -= 1;
            at += 1;
        } else {
            break;
        }
    }
    (at < rest.len()).then_some(at)
}

/// The texts that this command hands to a shell.
pub(super) fn inner(words: &[String], input: &str) -> Vec<String> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    match base(name) {
        "eval" => vec![rest.join(" ")],
        "trap" => rest.first().cloned().into_iter().collect(),
        "su" | "runuser" | "script" => after_flag(rest, 'c').into_iter().collect(),
        "env" => split_string(rest).into_iter().collect(),
        shell if SHELLS.contains(&shell) => match after_flag(rest, 'c') {
            Some(text) => vec![text],
            // A shell without a script reads its input.
            None if rest.iter().all(|word| word.starts_with('-')) && !input.is_empty() => vec![input.to_owned()],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The word behind a flag that may be bundled with others, as in `-lc`.
fn after_flag(words: &[String], flag: char) -> Option<String> {
    let has = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains(flag);
    let at = words.iter().position(has)?;
    words[at + 1..].iter().find(|word| !word.starts_with('-')).cloned()
}

/// The command that `env -S` takes apart by itself; it may stand right behind the letter.
fn split_string(words: &[String]) -> Option<String> {
    let text = |word: &str| {
        let long = word.strip_prefix("--split-string").map(|rest| rest.trim_start_matches('='));
        let short =
            || word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.split_once('S'));
        long.or_else(|| short().map(|(_, text)| text)).map(str::to_owned)
    };
    let (at, first) = words.iter().enumerate().find_map(|(at, word)| Some((at, text(word)?)))?;
    let parts: Vec<&str> = std::iter::once(first.as_str()).chain(words[at + 1..].iter().map(String::as_str)).collect();
    Some(parts.join(" "))
}

/// What a command prints, if it does nothing but print its words.
pub(super) fn prints(words: &[String]) -> String {
    match words.split_first() {
        Some((name, rest)) if matches!(base(name), "echo" | "printf") => {
            let said: Vec<&str> =
                rest.iter().map(String::as_str).skip_while(|word| word.starts_with('-') && word.len() < 4).collect();
            said.join(" ").replace("\\n", "\n")
        }
        _ => String::new(),
    }
}

/// What a substitution prints, if it is one plain `echo` or `printf`.
pub(super) fn spoken(inner: &str) -> Option<String> {
    if inner.contains(['|', ';', '&', '$', '`', '<', '>', '(', '\n']) {
        return None;
    }
    let words: Vec<String> = inner.split_whitespace().map(|word| word.replace(['\'', '"', '\\'], "")).collect();
    let known = words.first().is_some_and(|name| matches!(base(name), "echo" | "printf"));
    known.then(|| prints(&words))
}

/// The name of a program without its directory.
pub(crate) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
