//! Which commands print secrets by their nature.

const DUMPS: &[&str] = &["env", "printenv"];
/// These print variables when they stand alone or with the flag that asks for it.
const SHELL_DUMPS: &[&str] = &["export", "declare", "typeset", "set"];
const LEADS: &[&str] =
    &["sudo", "doas", "command", "builtin", "exec", "time", "nohup", "nice", "stdbuf", "then", "do", "!"];
const READERS: &[&str] = &[
    "cat", "bat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "sed", "cut", "sort",
    "uniq", "nl", "tac", "strings", "xxd", "od", "hexdump", "diff", "jq", "yq", "type", "source", "tee", "python",
    "python3",
];
const SECRET_FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".kshrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "environ",
];

/// Whether the output of this command is expected to show the environment or a file of secrets, so that
/// assignments in it are secrets and not code.
pub fn reveals_secrets(command: &str) -> bool {
    command.split(['|', ';', '&', '\n', '(', ')', '`', '{', '}']).any(segment_reveals)
}

fn segment_reveals(segment: &str) -> bool {
    let mut words = segment.split_whitespace().map(unquoted).skip_while(|word| is_lead(word));
    let Some(program) = words.next() else { return false };
    let program = base_name(program);
    if DUMPS.contains(&program) {
        return true;
    }
    let arguments: Vec<&str> = words.collect();
    if SHELL_DUMPS.contains(&program) {
        return arguments.iter().all(|word| is_dump_flag(word));
    }
    READERS.contains(&program) && arguments.iter().any(|word| is_secret_file(word))
}

fn is_lead(word: &str) -> bool {
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    assignment || LEADS.contains(&word) || word.starts_with('$')
}

fn is_dump_flag(word: &str) -> bool {
    word.starts_with('-') && word.contains(['p', 'x', 'v'])
}

fn is_secret_file(word: &str) -> bool {
    let word = word.trim_start_matches(['<', '@']);
    let name = base_name(word);
    name.starts_with(".env") || SECRET_FILES.contains(&name) || (name == "config.toml" && word.contains("gatehouse"))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
