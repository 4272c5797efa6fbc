//! What a path stands for, by its parts: a relative path or a wildcard hides nothing.

use super::super::device::tidy;
use crate::approval::glob;

/// A place that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What Gatehouse keeps.
    App,
    /// Keys and passwords.
    Secret,
    /// What starts by itself, or runs within another program.
    Startup,
    /// What the system is made of.
    System,
}

const SECRET_FOLDERS: &[&str] =
    &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", "keyrings", "keychains", "gcloud"];
const SECRET_FILES: &[&str] = &[
    ".env",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".vault-token",
    ".htpasswd",
    ".envrc",
    ".bash_history",
    ".zsh_history",
    "credentials",
    "credentials.json",
    "credentials.toml",
    ".credentials.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "secrets.toml",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "shadow",
    "gshadow",
    "sudoers",
    "master.passwd",
    "login data",
    "logins.json",
    "key4.db",
    "cookies.sqlite",
    "terraform.tfstate",
];
const SECRET_ENDINGS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks"];
const STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".kshrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
    ".gitconfig",
    "config.fish",
    "autostart",
    "launchagents",
    "launchdaemons",
    "crontab",
    "cron.d",
    "cron.daily",
    "cron.hourly",
    "cron.weekly",
    "cron.monthly",
    "crontabs",
    ".husky",
];
/// Two neighbours in a path.
const STARTUP_PAIRS: &[(&str, &str)] =
    &[(".config", "fish"), (".config", "systemd"), (".git", "hooks"), (".git", "config"), ("systemd", "user")];
const SECRET_PAIRS: &[(&str, &str)] =
    &[(".docker", "config.json"), (".config", "gh"), (".config", "rclone"), (".codex", "auth.json")];
const SYSTEM: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/boot",
    "/var/lib",
    "/var/spool",
    "/private/etc",
    "/private/var/db",
    "/System",
    "/Library",
    "/sys",
    "/proc/sys",
    "/proc/sysrq-trigger",
];

/// A longer part of a path is not read as a wildcard.
const LONGEST_WILDCARD: usize = 256;

/// What a word of a command stands for. A word may hold more than a path: `--file=x`, `host:x`, `@x`.
pub(in crate::approval) fn place(word: &str, cwd: Option<&str>) -> Option<Place> {
    let whole = [word].into_iter();
    let parts = word.split(['=', ':', '@', ',']).filter(|part| part.len() < word.len() && !part.is_empty());
    whole.chain(parts).filter_map(|path| one(path, cwd)).min_by_key(|place| *place as u8)
}

/// What a file that is there stands for. Its name is meant as it is: brackets in it are no wildcard.
pub fn place_of(path: &str) -> Option<Place> {
    one(&path.replace(['*', '?', '['], "_"), None)
}

fn one(path: &str, cwd: Option<&str>) -> Option<Place> {
    let joined = match cwd {
        Some(cwd) if !path.starts_with(['/', '~']) => format!("{cwd}/{path}"),
        Some(_) | None => path.to_owned(),
    };
    let tidy = tidy(&joined).unwrap_or(joined);
    let lower = tidy.to_lowercase();
    let parts: Vec<&str> = lower.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if is_app(&parts) {
        Some(Place::App)
    } else if is_secret(&parts) {
        Some(Place::Secret)
    } else if parts.iter().any(|part| is(part, STARTUP)) || has_pair(&parts, STARTUP_PAIRS) {
        Some(Place::Startup)
    } else if is_system(&tidy) {
        Some(Place::System)
    } else {
        None
    }
}

fn is_system(path: &str) -> bool {
    let within = |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path == "/" || SYSTEM.iter().any(|root| within(root))
}

fn is_app(parts: &[&str]) -> bool {
    let owned = |part: &&str| part.contains("gatehouse_home") || is_database(part);
    let home = |first: &str| matches!(first, "share" | "application support") || first.ends_with("xdg_data_home");
    parts.iter().any(owned)
        || parts.windows(2).any(|pair| home(pair[0]) && may_be(pair[1], "gatehouse"))
        || parts.windows(3).any(|three| three[0] == "gatehouse" && three[1] == "profiles")
        || (parts.contains(&"gatehouse") && parts.last().is_some_and(|last| *last == "config.toml"))
}

/// The database, and the files that stand beside it while it is open.
fn is_database(part: &str) -> bool {
    let Some((stem, ending)) = part.split_once('.') else { return false };
    let wild = |text: &str| text.starts_with(['*', '?', '[']);
    may_be(stem, "gatehouse")
        && (ending.starts_with("db") || wild(ending) || ending.strip_prefix('d').is_some_and(wild))
}

fn is_secret(parts: &[&str]) -> bool {
    let file = |part: &&str| {
        let sample = [".example", ".sample", ".template", ".dist"].iter().any(|end| part.ends_with(end));
        let ends = SECRET_ENDINGS.iter().any(|end| part.ends_with(end));
        !sample && (ends || is(part, SECRET_FILES) || is(part, SECRET_FOLDERS) || part.starts_with(".env."))
    };
    // What the kernel tells about a process holds its environment.
    let of_process = |pair: &[&str]| {
        let process = matches!(pair[1], "self" | "thread-self")
            || pair[1].starts_with(|c: char| c.is_ascii_digit() || "$*?[".contains(c));
        pair[0] == "proc" && process
    };
    parts.iter().any(file) || has_pair(parts, SECRET_PAIRS) || parts.windows(2).any(of_process)
}

fn has_pair(parts: &[&str], pairs: &[(&str, &str)]) -> bool {
    parts.windows(2).any(|two| pairs.iter().any(|(first, second)| may_be(two[0], first) && may_be(two[1], second)))
}

fn is(part: &str, names: &[&str]) -> bool {
    names.iter().any(|name| may_be(part, name))
}

/// Whether a part of a path is this name, or a wildcard for it that says at least something of the name.
fn may_be(part: &str, name: &str) -> bool {
    if part.len() > LONGEST_WILDCARD || !part.contains(['*', '?', '[']) {
        return part == name;
    }
    // No wildcard begins a name that begins with a dot.
    let fits = part.starts_with('.') == name.starts_with('.');
    let says = part.chars().filter(|c| c.is_alphanumeric()).count() >= 2;
    // A set of characters is one of them, whichever.
    let simple = simplify(part);
    fits && says && glob::matches(&simple, name)
}

/// `?` and `[…]` as `*`: that is wider, and wider is what is wanted here.
fn simplify(part: &str) -> String {
    let mut simple = String::new();
    let mut inside = false;
    for c in part.chars() {
        match c {
            '[' => {
                inside = true;
                simple.push('*');
            }
            ']' => inside = false,
            '?' => simple.push('*'),
            _ if inside => {}
            other => simple.push(other),
        }
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brackets_of_a_file_are_its_name() {
        assert_eq!(place_of("/home/me/app/[slug]/page.tsx"), None);
        assert_eq!(place("/home/me/app/[slug]/page.tsx", None), Some(Place::Secret));
        assert_eq!(place_of("/home/me/[a]/.ssh/x"), Some(Place::Secret));
        assert_eq!(place_of("/etc/hosts"), Some(Place::System));
    }
}
