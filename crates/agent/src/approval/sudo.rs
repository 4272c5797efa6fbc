//! Passwords that are guessed: `sudo` that reads one from its input.
//!
//! Nobody gave the agent a password, so what it feeds to `sudo` can only be a guess.

use super::shell::{self, Script, Simple, base};

/// Letters of options that take a value.
const VALUED: &str = "CDghpRrTtUu";
const LONG_VALUED: &[&str] = &[
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
];

/// Whether the command feeds a password to `sudo`.
pub fn sudo_guess(command: &str) -> bool {
    shell::parse(command).is_ok_and(|script| guesses(&script))
}

/// Whether any command of a text does.
pub(super) fn guesses(script: &Script) -> bool {
    script.commands.iter().any(|simple| {
        let words = all_words(simple);
        let starts = words.iter().enumerate().filter(|(_, word)| base(word) == "sudo");
        starts.into_iter().any(|(at, _)| reads_password(&words[at + 1..]))
    })
}

fn all_words(simple: &Simple) -> Vec<&str> {
    // Behind the program's name `sudo` is only a word.
    simple.front.iter().chain(sudo_itself(simple)).map(String::as_str).collect()
}

fn sudo_itself(simple: &Simple) -> &[String] {
    let is_sudo = simple.words.first().is_some_and(|name| base(name) == "sudo");
    if is_sudo { &simple.words } else { &[] }
}

/// Reads the options of `sudo` up to its command.
fn reads_password(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            // A long name may be shortened.
            if long.len() > 1 && "stdin".starts_with(long) {
                return true;
            }
            if long.is_empty() {
                return false;
            }
            if LONG_VALUED.contains(word) {
                words.next();
            }
            continue;
        }
        let Some(letters) = word.strip_prefix('-') else {
            if word.contains('=') {
                continue;
            }
            return false;
        };
        for (at, letter) in letters.char_indices() {
            if letter == 'S' {
                return true;
            }
            if VALUED.contains(letter) {
                if at + letter.len_utf8() == letters.len() {
                    words.next();
                }
                break;
            }
        }
    }
    false
}
