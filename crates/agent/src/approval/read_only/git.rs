//! The commands of git that only look.

use super::spec::GIT;

/// Whether this is one of them.
pub(super) fn looks(rest: &[&str]) -> bool {
    let rest = rest.strip_prefix(&["--no-pager"]).unwrap_or(rest);
    let Some((sub, args)) = rest.split_first() else { return false };
    // A format can ask for a signature, which another program checks.
    let known = GIT.fits(args) && !args.iter().any(|word| word.contains("%G"));
    let plain = match *sub {
        "status" | "log" | "diff" | "show" | "rev-parse" | "ls-files" => true,
        // Without `--list` a name makes a branch.
        "branch" => args.contains(&"--list") || GIT.operands(args).is_empty(),
        _ => false,
    };
    known && plain && !writes(sub, args)
}

/// Letters that mean something else behind this command.
fn writes(sub: &str, args: &[&str]) -> bool {
    let harmless = |word: &&str| {
        matches!(
            *word,
            "-a" | "-r"
                | "-v"
                | "-vv"
                | "-av"
                | "--list"
                | "--all"
                | "--remotes"
                | "--verbose"
                | "--show-current"
                | "--no-color"
        ) || !word.starts_with('-')
    };
    sub == "branch" && !args.iter().all(harmless)
}
