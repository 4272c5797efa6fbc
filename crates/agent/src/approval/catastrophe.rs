//! What is on the floor.

use super::device::{is_raw, is_vital};
use super::shell::{DETACHED, Script, Simple, base};
use super::words::{only_asks, operands, options, rm_recurses};

/// Why a command never runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What kind of catastrophe.
    pub category: Category,
    /// What it would do, for a sentence after a colon.
    pub words: String,
}

/// The kinds of catastrophe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Deletes the system or a whole home.
    DeleteSystem,
    /// Makes a file system where one is.
    FormatDisk,
    /// Overwrites a raw device.
    OverwriteDevice,
    /// Multiplies until nothing else runs.
    ForkBomb,
    /// Signals every process.
    KillAll,
    /// Turns the computer off.
    PowerOff,
    /// Cannot be checked.
    Unreadable,
}

/// The first catastrophe in what a text starts.
pub(super) fn find(script: &Script) -> Option<Reason> {
    let bomb = script.skeletons.iter().any(|skeleton| is_fork_bomb(skeleton));
    let bomb = bomb.then(|| reason(Category::ForkBomb, "it is a fork bomb".to_owned()));
    bomb.or_else(|| script.commands.iter().find_map(judge))
}

fn reason(category: Category, words: String) -> Reason {
    Reason { category, words }
}

fn judge(simple: &Simple) -> Option<Reason> {
    if let Some(device) = simple.writes.iter().find(|target| is_raw(target)) {
        return Some(overwrites(device));
    }
    let words: Vec<&str> = simple.words.iter().map(String::as_str).filter(|word| !word.starts_with(DETACHED)).collect();
    let (name, rest) = words.split_first()?;
    let name = base(name);
    let cwd = simple.cwd.as_deref();
    delete(name, rest, cwd)
        .or_else(|| format(name, rest))
        .or_else(|| overwrite(name, rest))
        .or_else(|| kill_all(name, rest))
        .or_else(|| power_off(name, rest))
}

fn delete(name: &str, rest: &[&str], cwd: Option<&str>) -> Option<Reason> {
    let target = match name {
        "rm" if rm_recurses(rest) => operands(rest).find(|path| is_vital(path, cwd)),
        "find" if find_deletes(rest) => {
            let mut places = rest.iter().copied().take_while(|word| !word.starts_with(['-', '(', '!']));
            places.find(|path| is_vital(path, cwd))
        }
        _ => None,
    }?;
    Some(reason(Category::DeleteSystem, format!("it deletes everything under {target}")))
}

/// Deletes whatever it meets, without a test that picks something out.
fn find_deletes(rest: &[&str]) -> bool {
    let deletes = rest.contains(&"-delete")
        || rest
            .windows(2)
            .any(|pair| matches!(pair[0], "-exec" | "-execdir") && matches!(base(pair[1]), "rm" | "shred" | "unlink"));
    let picks = rest.iter().any(|word| {
        let test = word.trim_start_matches('-');
        ["name", "iname", "path", "ipath", "regex", "size", "empty", "user", "mtime", "mmin", "newer", "perm", "inum"]
            .contains(&test)
    });
    deletes && !picks
}

fn format(name: &str, rest: &[&str]) -> Option<Reason> {
    let formats = matches!(name, "mkfs" | "mke2fs" | "mkswap" | "mkdosfs" | "mkntfs" | "mkreiserfs" | "newfs")
        || name.starts_with("mkfs.")
        || name.starts_with("newfs_");
    (formats && !only_asks(rest))
        .then(|| reason(Category::FormatDisk, format!("`{name}` makes a new file system over what is there")))
}

fn overwrite(name: &str, rest: &[&str]) -> Option<Reason> {
    let device = match name {
        "dd" => rest.iter().filter_map(|word| word.strip_prefix("of=")).find(|path| is_raw(path)),
        "wipefs" => {
            let writes = options(rest)
                .any(|option| option == "--all" || (!option.starts_with("--") && option.contains(['a', 'o'])));
            operands(rest).find(|path| writes && is_raw(path))
        }
        "shred" | "blkdiscard" | "tee" | "badblocks" | "scrub" | "nwipe" | "sgdisk" | "truncate" => {
            operands(rest).find(|path| is_raw(path))
        }
        "cp" | "mv" | "install" => operands(rest).last().filter(|path| is_raw(path)),
        _ => None,
    }?;
    Some(overwrites(device))
}

fn overwrites(device: &str) -> Reason {
    reason(Category::OverwriteDevice, format!("it overwrites the device {device}"))
}

fn kill_all(name: &str, rest: &[&str]) -> Option<Reason> {
    let all = match name {
        "killall5" => true,
        "kill" => {
            let signal = match rest.first() {
                Some(&("-s" | "-n" | "--signal")) => 2,
                Some(&"-1") if rest.len() == 1 => 0,
                Some(first) if first.starts_with('-') && *first != "--" => 1,
                Some(_) | None => 0,
            };
            rest.iter().skip(signal).any(|word| *word == "-1")
        }
        _ => false,
    };
    all.then(|| reason(Category::KillAll, "it signals every process".to_owned()))
}

fn power_off(name: &str, rest: &[&str]) -> Option<Reason> {
    let verb = rest.iter().copied().find(|word| !word.starts_with('-')).unwrap_or("");
    let off = match name {
        "shutdown" => !only_asks(rest) && !options(rest).any(|option| option == "-c"),
        "reboot" | "halt" | "poweroff" | "telinit" if only_asks(rest) => false,
        "reboot" | "halt" | "poweroff" => true,
        "init" | "telinit" => matches!(verb, "0" | "6"),
        "systemctl" | "loginctl" => matches!(verb, "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot"),
        _ => false,
    };
    off.then(|| reason(Category::PowerOff, "it turns the computer off or restarts it".to_owned()))
}

/// Characters of a function's body in which a bomb is looked for.
const LONGEST_BOMB: usize = 1_000;

/// A function that starts itself twice, one of them in the background: `x(){x|x&}`.
fn is_fork_bomb(skeleton: &str) -> bool {
    skeleton.match_indices("(").any(|(at, _)| {
        let name: String = skeleton[..at]
            .chars()
            .rev()
            .take_while(|c| c.is_alphanumeric() || matches!(c, ':' | '_' | '.' | '-'))
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let name = name.strip_prefix("function").unwrap_or(&name);
        let Some(body) = skeleton[at + 1..].strip_prefix("){") else { return false };
        let body: String = body.chars().take(LONGEST_BOMB).take_while(|c| *c != '}').collect();
        !name.is_empty() && body.contains(&format!("{name}|{name}")) && body.contains('&')
    })
}
