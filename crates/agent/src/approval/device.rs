//! Places that must survive: the roots of a system, homes, and raw devices.

const ROOTS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/sbin",
    "/var",
    "/var/lib",
    "/mnt",
    "/media",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/private/etc",
    "/private/var",
];

/// Whether deleting this tree takes the system or a whole home with it.
pub(super) fn is_vital(path: &str, cwd: Option<&str>) -> bool {
    let joined = match cwd {
        Some(cwd) if !path.starts_with(['/', '~']) => format!("{cwd}/{path}"),
        Some(_) | None => path.to_owned(),
    };
    let Some(path) = tidy(&joined) else { return false };
    let is_home = |rest: &str| !rest.is_empty() && !rest.contains('/');
    path == "/"
        || ROOTS.contains(&path.as_str())
        || path.strip_prefix('~').is_some_and(|rest| !rest.contains('/'))
        || path.strip_prefix("/home/").is_some_and(is_home)
        || path.strip_prefix("/Users/").is_some_and(is_home)
}

/// Whether this is a disk, a partition or the like, and not a file on it.
pub(super) fn is_raw(path: &str) -> bool {
    let Some(path) = tidy(path) else { return false };
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    if let Some(mapped) = name.strip_prefix("mapper/") {
        return mapped != "control";
    }
    if name.starts_with("disk/by-") {
        return true;
    }
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let lettered = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_lowercase())
                && digits(rest.trim_start_matches(|c: char| c.is_ascii_lowercase()))
        })
    };
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit())
                && rest.chars().all(|c| c.is_ascii_digit() || "nps".contains(c))
        })
    };
    ["sd", "hd", "vd", "xvd"].into_iter().any(lettered)
        || ["nvme", "mmcblk", "md", "dm-", "loop", "disk", "rdisk", "sr", "nbd", "zram", "ram"]
            .into_iter()
            .any(numbered)
}

/// The path as the system would walk it; wildcards that match everything below a place stand for the place. `None`
/// for a relative path.
pub(super) fn tidy(path: &str) -> Option<String> {
    let (root, rest) = match path.strip_prefix('/') {
        Some(rest) => (String::new(), rest),
        None if path.starts_with('~') => {
            let (home, rest) = path.split_once('/').unwrap_or((path, ""));
            (home.to_owned(), rest)
        }
        None => return None,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                // Above a home there are only other homes.
                if parts.pop().is_none() && !root.is_empty() {
                    return Some("/home".to_owned());
                }
            }
            other => parts.push(other),
        }
    }
    while parts.last().is_some_and(|part| matches_all(part)) {
        parts.pop();
    }
    let path = format!("{root}/{}", parts.join("/"));
    let trimmed = path.trim_end_matches('/');
    Some(if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() })
}

fn matches_all(part: &str) -> bool {
    part.contains('*') && part.chars().all(|c| matches!(c, '*' | '?' | '.' | '[' | ']' | '!' | '^'))
}
