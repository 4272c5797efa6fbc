//! Programs inside commands: code that an interpreter is handed, and tools that start another program.

use super::super::shell::{FILE_OF_A_COMMAND, assignment, base};
use super::{Call, DangerCategory as Kind, Finding, ask};

mod hidden; // options and variables that name a program
mod interpreter; // who runs what it is handed

use interpreter::{Handed, handed};
pub(in crate::approval) use interpreter::{hands_code, runs_text};

/// A substitution whose words cannot be read off.
const UNKNOWN: &str = "$(…)";
/// So many commands of a text are compared with every other one.
const MOST_SOURCES: usize = 16;
const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "fetch",
    "aria2c",
    "http",
    "https",
    "xh",
    "lwp-request",
    "lwp-download",
    "GET",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "lynx",
    "ftp",
    "tftp",
];

pub(super) fn find(call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    ask(&[nameless, hidden::options, hidden::variables], call, add);
}

/// What only several commands together do.
pub(super) fn find_together(calls: &[Call<'_>], add: &mut impl FnMut(Finding)) {
    let fetchers: Vec<&Call<'_>> = calls.iter().filter(|call| is_fetcher(call)).take(MOST_SOURCES).collect();
    let makers: Vec<&Call<'_>> = calls.iter().filter(|call| makes_runnable(call)).take(MOST_SOURCES).collect();
    let fetches = !fetchers.is_empty();
    let decodes = calls.iter().any(is_decoder);
    for call in calls {
        let handed = handed(call);
        let unseen = match handed {
            Handed::Nothing => is_unknown(call.name) || (call.name == "eval" && unknown_words(call)),
            Handed::File => call.says(FILE_OF_A_COMMAND) || runs_fetched(call, &fetchers),
            Handed::Input => true,
            Handed::Code => unknown_words(call),
        };
        if unseen && fetches {
            add((Kind::RemoteCode, "Runs something from the network without anybody reading it"));
        } else if decodes && (handed == Handed::Input || unseen) {
            add((Kind::DecodedCode, "Runs something that was hidden by an encoding"));
        } else if matches!(handed, Handed::Code | Handed::Input)
            || call.says(FILE_OF_A_COMMAND) && handed == Handed::File
        {
            add((Kind::InlineCode, "Hands code to a shell or an interpreter"));
        }
    }
    if calls.iter().any(|call| runs_one_of(call, &makers)) {
        add((Kind::MadeRunnable, "Makes a file runnable and runs it"));
    }
}

/// A program whose name is only known when it runs.
fn nameless(call: &Call<'_>) -> Option<Finding> {
    let word = call.simple.words.first()?;
    (is_unknown(word) && !word.is_empty()).then_some((Kind::Unreadable, "Runs a program whose name cannot be read"))
}

fn is_unknown(name: &str) -> bool {
    name.starts_with(['$', '`']) || name.contains(UNKNOWN) || name.contains("${") || name == "{}"
}

fn unknown_words(call: &Call<'_>) -> bool {
    call.rest.iter().any(|word| word.contains(UNKNOWN) || word.contains(FILE_OF_A_COMMAND))
}

fn is_fetcher(call: &Call<'_>) -> bool {
    let asks = call.name == "gh" && call.says("api");
    asks || FETCHERS.contains(&call.name)
        || call.simple.input.contains("/dev/tcp/")
        || call.rest.iter().any(|w| w.contains("/dev/tcp/"))
}

fn is_decoder(call: &Call<'_>) -> bool {
    let decode = || call.flag('d') || call.flag('D') || call.rest.iter().any(|word| word.starts_with("--d"));
    match call.name {
        "base64" | "base32" | "basenc" | "uudecode" => decode() || call.name == "uudecode",
        "xxd" => call.flag('r') || call.says("-revert"),
        "openssl" => call.says_any(&["-d", "base64", "enc"]),
        "tr" | "rev" | "zcat" | "gzcat" | "gunzip" | "bzcat" | "xzcat" => true,
        "gzip" | "bzip2" | "xz" | "zstd" => decode(),
        "printf" | "echo" => call.rest.iter().any(|word| word.contains("\\x") || word.contains("\\0")),
        _ => false,
    }
}

/// Whether an interpreter runs a file that a command brought from the network.
fn runs_fetched(call: &Call<'_>, fetchers: &[&Call<'_>]) -> bool {
    let Some(script) = call.operands().next() else { return false };
    fetchers.iter().any(|fetcher| brings(fetcher, script))
}

fn brings(fetcher: &Call<'_>, file: &str) -> bool {
    let name = base(file);
    let same = |word: &&str| base(word) == name || word.ends_with(&format!("={file}"));
    !name.is_empty() && (fetcher.rest.iter().any(same) || fetcher.simple.writes.iter().any(|to| base(to) == name))
}

fn makes_runnable(call: &Call<'_>) -> bool {
    let mode = call.operands().next().unwrap_or_default();
    call.name == "chmod" && mode.contains(['x', '1', '5', '7'])
}

fn runs_one_of(call: &Call<'_>, makers: &[&Call<'_>]) -> bool {
    let Some(program) = call.simple.words.first() else { return false };
    let run: &str = match handed(call) {
        Handed::File => call.operands().next().unwrap_or(program),
        Handed::Nothing | Handed::Code | Handed::Input if program.contains('/') => program,
        Handed::Nothing | Handed::Code | Handed::Input => return false,
    };
    makers.iter().any(|chmod| chmod.operands().skip(1).any(|file| base(file) == base(run)))
}

/// `NAME=value` before a command, or handed to `export` and `env`.
fn settings<'s>(call: &Call<'s>) -> impl Iterator<Item = (&'s str, &'s str)> + use<'s> {
    let exports = matches!(call.name, "export" | "env" | "declare" | "typeset" | "setenv" | "set");
    let words: Vec<&'s str> = if exports { call.rest.clone() } else { Vec::new() };
    call.simple.front.iter().map(String::as_str).chain(words).filter_map(assignment)
}
