use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Shells that take `-c` and the syntax that people and models write.
const FAMILY: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
const BASH_PATHS: [&str; 4] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];
const LAST_RESORT: &str = "/bin/sh";

/// The person's own shell if it is one of the sh family, else bash, else sh.
pub fn pick_shell(own: Option<&OsStr>) -> PathBuf {
    let own = own.map(Path::new).filter(|path| is_of_family(path) && is_executable(path));
    own.or_else(|| BASH_PATHS.iter().map(Path::new).find(|path| is_executable(path)))
        .unwrap_or(Path::new(LAST_RESORT))
        .to_owned()
}

fn is_of_family(path: &Path) -> bool {
    path.is_absolute() && path.file_name().and_then(OsStr::to_str).is_some_and(|name| FAMILY.contains(&name))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_families_relative_names_and_absent_files_are_passed_over() {
        let bash = pick_shell(None);
        assert!(is_executable(&bash));
        for odd in ["/usr/bin/fish", "bash", "/no/such/bash", "/bin/ls", "/bin", ""] {
            assert_eq!(pick_shell(Some(OsStr::new(odd))), bash, "{odd}");
        }
        assert_eq!(pick_shell(Some(OsStr::new("/bin/sh"))), Path::new("/bin/sh"));
    }
}
