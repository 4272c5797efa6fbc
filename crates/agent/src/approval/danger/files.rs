//! Deleting, rights, disks, and writing where it matters.

use super::super::device::is_raw;
use super::super::words::{only_asks, options, rm_recurses};
use super::places::{Place, place};
use super::{Call, DangerCategory as Kind, Finding, ask};

pub(super) fn find(call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    ask(&[deletes, opens, gives_away, formats], call, add);
    touches(call, add);
}

fn deletes(call: &Call<'_>) -> Option<Finding> {
    let words = match call.name {
        "rm" if rm_recurses(&call.rest) => "Deletes a folder and everything in it",
        "rm" | "shred" | "unlink" if call.is_behind(&["xargs"]) => "Deletes every file of a list",
        "find" if call.says("-delete") => "Deletes every file that a search finds",
        "find" if call.rest.windows(2).any(|two| two[0].starts_with("-exec") && removes(two[1])) => {
            "Deletes every file that a search finds"
        }
        "rsync" if call.rest.iter().any(|word| word.starts_with("--del") || *word == "--remove-source-files") => {
            "Deletes files that the other side does not have"
        }
        "gio" | "trash-empty" if call.name == "trash-empty" || call.says("--empty") => "Empties the trash",
        _ => return None,
    };
    Some((Kind::DeleteTree, words))
}

fn removes(name: &str) -> bool {
    matches!(super::base(name), "rm" | "shred" | "unlink" | "rmdir")
}

/// Rights for everybody, or a program that runs as its owner.
fn opens(call: &Call<'_>) -> Option<Finding> {
    if !matches!(call.name, "chmod" | "install" | "mkdir" | "setfacl" | "setcap" | "chattr") {
        return None;
    }
    let modes = call.rest.iter().map(|word| word.strip_prefix("--mode=").or(word.strip_prefix("-m")).unwrap_or(word));
    let wide = match call.name {
        "chmod" | "install" | "mkdir" => modes.flat_map(|mode| mode.split(',')).any(opens_to_all),
        "setfacl" => call.rest.iter().any(|word| word.contains("o:") && word.contains('w')),
        _ => true,
    };
    wide.then_some((Kind::Permissions, "Lets everybody change files, or lets a program run as its owner"))
}

fn opens_to_all(mode: &str) -> bool {
    if (3..=4).contains(&mode.len()) && mode.chars().all(|c| ('0'..='7').contains(&c)) {
        let digits: Vec<u32> = mode.chars().filter_map(|c| c.to_digit(8)).collect();
        let special = digits.len() == 4 && digits.first().is_some_and(|first| first & 6 != 0);
        return special || digits.last().is_some_and(|last| last & 2 != 0);
    }
    let Some(at) = mode.find(['+', '=']) else { return false };
    let (who, what) = (&mode[..at], &mode[at + 1..]);
    let all = who.chars().all(|c| "ugoa".contains(c));
    all && (what.contains('s') || (who.contains(['o', 'a']) && what.contains('w')))
}

fn gives_away(call: &Call<'_>) -> Option<Finding> {
    let owner = call.operands().next()?;
    let root = match call.name {
        "chown" => owner.split([':', '.']).any(|name| matches!(name, "root" | "0")),
        "chgrp" => matches!(owner, "root" | "wheel" | "0"),
        _ => false,
    };
    root.then_some((Kind::Permissions, "Gives files to the administrator"))
}

fn formats(call: &Call<'_>) -> Option<Finding> {
    let name = call.name;
    let raw = |word: &str| is_raw(word.strip_prefix("of=").unwrap_or(word));
    let makes =
        name.starts_with("mkfs") || name.starts_with("newfs") || matches!(name, "mke2fs" | "mkswap" | "mkdosfs");
    let changes = match name {
        "dd" => call.rest.iter().any(|word| word.starts_with("of=") && *word != "of=/dev/null"),
        "fdisk" | "sfdisk" | "parted" => !call.says_any(&["-l", "--list", "-d", "--dump"]) && !call.rest.is_empty(),
        "gdisk" | "sgdisk" | "cfdisk" | "wipefs" | "blkdiscard" | "cryptsetup" | "mdadm" | "lvremove" | "vgremove"
        | "pvremove" | "hdparm" | "badblocks" => true,
        "zpool" | "zfs" => call.says_any(&["destroy", "labelclear", "rollback"]),
        "diskutil" => !call.says_any(&["list", "info"]),
        "shred" => true,
        "tee" | "cp" | "mv" | "truncate" | "install" => call.rest.iter().any(|word| raw(word)),
        _ => false,
    };
    let writes = call.simple.writes.iter().any(|target| is_raw(target));
    let found = writes || ((makes || changes) && !only_asks(&call.rest));
    found.then_some((Kind::Disk, "Writes straight to a disk, or over a file so that nothing brings it back"))
}

/// Places that matter: some must not even be read, others only not be written.
fn touches(call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    let cwd = call.simple.cwd.as_deref();
    let named = call.places().into_iter().chain(inside(call));
    for place in named.filter_map(|word| place(word, cwd)).filter(|place| matches!(place, Place::App | Place::Secret)) {
        add(finding(place));
    }
    let written = call.simple.writes.iter().map(String::as_str).chain(destinations(call));
    written.filter_map(|word| place(word, cwd)).for_each(|place| add(finding(place)));
    if call.simple.front.iter().chain(&call.simple.words).any(|word| word.starts_with("GATEHOUSE_HOME=")) {
        add(finding(Place::App));
    }
}

fn finding(place: Place) -> Finding {
    match place {
        Place::App => (Kind::AppData, "Touches the data or the settings of Gatehouse"),
        Place::Secret => (Kind::Secrets, "Reads or changes keys, passwords or other secrets"),
        Place::Startup => (Kind::Startup, "Changes what runs by itself, such as a shell's start file or a hook"),
        Place::System => (Kind::SystemFiles, "Changes files of the system"),
    }
}

/// The names within a word, where a program reads the word as a text of its own.
fn inside<'s>(call: &Call<'s>) -> impl Iterator<Item = &'s str> + use<'s> {
    let reads = matches!(
        call.name,
        "sqlite3" | "duckdb" | "ssh" | "sh" | "bash" | "python" | "python3" | "node" | "perl" | "ruby"
    );
    let words: Vec<&'s str> = if reads { call.rest.clone() } else { Vec::new() };
    words.into_iter().chain(reads.then_some(call.simple.input.as_str())).flat_map(|word| {
        word.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | '(' | ')' | ';'))
            .filter(|part| !part.is_empty())
    })
}

/// The operands that a program writes.
fn destinations<'s>(call: &Call<'s>) -> Vec<&'s str> {
    let operands = || call.operands();
    let valued = |names: &[&str]| -> Vec<&'s str> {
        let pairs = call.rest.windows(2).filter(|two| names.contains(&two[0])).map(|two| two[1]);
        pairs
            .chain(
                call.rest
                    .iter()
                    .filter_map(|word| word.split_once('=').filter(|(n, _)| names.contains(n)).map(|(_, v)| v)),
            )
            .collect()
    };
    match call.name {
        "cp" | "install" | "ln" | "link" | "rsync" | "scp" => {
            let into = valued(&["-t", "--target-directory"]);
            operands().last().into_iter().chain(into).collect()
        }
        "sed" | "gsed" if options(&call.rest).any(|o| o.starts_with("--in-place") || edits_in_place(o)) => {
            operands().collect()
        }
        "perl" | "ruby" if options(&call.rest).any(edits_in_place) => operands().collect(),
        "mv" | "tee" | "truncate" | "touch" | "rm" | "unlink" | "rmdir" | "shred" | "mkdir" | "chmod" | "chown"
        | "chgrp" | "ed" | "ex" | "vi" | "vim" | "nvim" | "nano" | "emacs" | "sponge" | "patch" | "ssh-keygen"
        | "visudo" | "rename" => operands().collect(),
        "dd" => valued(&["of"]),
        "curl" => valued(&["-o", "--output", "--output-dir"]),
        "wget" => valued(&["-O", "--output-document", "-P", "--directory-prefix"]),
        "tar" | "bsdtar" => valued(&["-C", "--directory"]),
        "unzip" => valued(&["-d"]),
        "sort" => valued(&["-o", "--output"]),
        "git" if call.says("config") && call.says_any(&["--global", "--system"]) => vec!["~/.gitconfig"],
        _ => Vec::new(),
    }
}

/// `-i`, `-i.bak`, `-pi`, `-ni`; a script behind `-e` is another matter.
fn edits_in_place(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-') else { return false };
    !letters.starts_with(['-', 'e', 'I', 'M', 'f']) && letters.contains('i')
}
