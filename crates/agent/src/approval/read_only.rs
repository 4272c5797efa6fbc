//! Commands that only read and print, and so need no answer.
//!
//! The list is small, and a program is on it only with the options that are known: what is not surely understood is
//! asked about. It trusts the settings of the tools themselves, such as those of a repository for `git`.

use super::danger::places::{Place, place};
use super::plain;

mod git; // the commands of git that only look
mod spec; // which options a program may have

/// Whether the command only reads and prints, and reads no secret.
pub fn is_read_only(command: &str) -> bool {
    plain::read(command).is_some_and(|plain| plain.commands.iter().all(|words| reads(words)))
}

fn reads(words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    fits(name, &rest) && (only_speaks(name) || !rest.iter().any(|word| is_private(word)))
}

/// Prints its words and opens nothing.
fn only_speaks(name: &str) -> bool {
    matches!(name, "echo" | "printf" | "true")
}

/// Keys, passwords, the app's own data, and devices that never end.
fn is_private(word: &str) -> bool {
    let secret = |word: &str| matches!(place(word, None), Some(Place::App | Place::Secret));
    // An option may have its value right behind it.
    let value = word.strip_prefix('-').map(|word| word.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    secret(word) || value.is_some_and(secret) || (word.starts_with("/dev/") && word != "/dev/null")
}

fn fits(name: &str, rest: &[&str]) -> bool {
    match name {
        // Whatever their options are, they only look.
        "ls" | "pwd" | "cat" | "head" | "tail" | "wc" | "stat" | "which" | "type" | "whoami" | "id" | "uname"
        | "printf" | "echo" | "true" | "du" | "df" | "basename" | "dirname" | "realpath" | "nproc" | "cut" | "tr" => {
            true
        }
        "command" => matches!(rest, ["-v" | "-V", _]),
        "date" => rest.iter().all(|word| word.starts_with('+') || is_date_option(word)),
        "file" => spec::FILE.fits(rest),
        "ps" => rest.iter().all(|word| is_ps_word(word)),
        "sort" => spec::SORT.fits(rest),
        "uniq" => spec::UNIQ.fits(rest) && spec::UNIQ.operands(rest).is_empty(),
        "grep" | "egrep" | "fgrep" => spec::GREP.fits(rest) && searches_named(rest),
        "rg" => {
            // It passes over hidden files by itself, unless it is sent there.
            spec::RG.fits(rest)
                && places(&spec::RG, rest).iter().all(|place| matches!(*place, "." | "./") || shows_itself(place))
        }
        "find" => rest.iter().all(|word| !word.starts_with('-') || spec::FIND.contains(word)),
        "git" => git::looks(rest),
        _ => false,
    }
}

fn is_date_option(word: &str) -> bool {
    matches!(word, "-u" | "--utc" | "-R" | "--rfc-email")
        || ["-I", "--iso-8601", "--rfc-3339=", "--date="].iter().any(|start| word.starts_with(start))
}

/// Without a dash `e` shows the environment of every process.
fn is_ps_word(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some("ef" | "e" | "A" | "a" | "f" | "x" | "l" | "p" | "u" | "aux" | "-forest" | "-no-headers") => true,
        Some(letters) => letters.starts_with("-sort="),
        None => word.chars().all(|c| "auxwf".contains(c)) || word.chars().all(|c| c.is_ascii_digit() || c == ','),
    }
}

/// A search through a whole folder also reads its `.env`, unless the folder is one that is named.
fn searches_named(rest: &[&str]) -> bool {
    let deep = rest.iter().any(|word| {
        let short = word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R']);
        short || word.contains("recursive")
    });
    let places = places(&spec::GREP, rest);
    !deep || (!places.is_empty() && places.iter().all(|place| !place.starts_with('/') && shows_itself(place)))
}

/// Where a search looks: behind its pattern.
fn places<'w>(spec: &spec::Spec, rest: &[&'w str]) -> Vec<&'w str> {
    spec.operands(rest).into_iter().skip(usize::from(!spec.has(rest, 'e'))).collect()
}

/// Whether no part of the path is hidden, or stands for another folder.
fn shows_itself(path: &str) -> bool {
    !path.starts_with('~')
        && path.trim_start_matches("./").split('/').all(|part| !part.starts_with('.'))
        && path != "./"
}

#[cfg(test)]
mod tests;
