//! Who runs a text that it is handed, and how it is handed over.

use super::super::super::shell::{FILE_OF_A_COMMAND, is_shell};
use super::super::super::words::only_asks;
use super::super::Call;

/// How an interpreter gets what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handed {
    /// It is no interpreter, or it only says what it is.
    Nothing,
    /// A file, a module, or a project's own script.
    File,
    /// A word of the command.
    Code,
    /// Its input.
    Input,
}

/// An interpreter: its names, the letters of options that carry code, the letters of options that take a value, and
/// the long options that carry code.
struct Interpreter {
    names: &'static [&'static str],
    code: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    /// Whether it reads its program from the input if it is given none.
    reads: bool,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter { names: &["python", "pypy"], code: "c", valued: "WX", long: &[], reads: true },
    Interpreter { names: &["node", "nodejs"], code: "ep", valued: "rC", long: &["--eval", "--print"], reads: true },
    Interpreter { names: &["bun"], code: "ep", valued: "r", long: &["--eval", "--print"], reads: false },
    Interpreter { names: &["perl"], code: "eE", valued: "IMF", long: &[], reads: true },
    Interpreter { names: &["ruby"], code: "e", valued: "Ir", long: &[], reads: true },
    Interpreter { names: &["php"], code: "rBRE", valued: "dcz", long: &["--run"], reads: true },
    Interpreter { names: &["lua", "luajit"], code: "e", valued: "l", long: &[], reads: true },
    Interpreter { names: &["Rscript", "R"], code: "e", valued: "", long: &[], reads: false },
    Interpreter { names: &["osascript"], code: "e", valued: "ls", long: &[], reads: true },
    Interpreter { names: &["tclsh", "expect", "wish"], code: "c", valued: "", long: &[], reads: true },
    Interpreter {
        names: &["julia", "elixir", "groovy", "scala"],
        code: "eE",
        valued: "",
        long: &["--eval"],
        reads: false,
    },
    Interpreter {
        names: &["gdb", "lldb"],
        code: "",
        valued: "",
        long: &["-ex", "--eval-command", "--one-line"],
        reads: false,
    },
    Interpreter { names: &["emacs"], code: "", valued: "", long: &["--eval", "-eval"], reads: false },
];
const SHELL: Interpreter =
    Interpreter { names: &[], code: "c", valued: "oO", long: &["--command", "--init-command"], reads: true };

/// Whether the program runs any text that it is handed.
pub(in crate::approval) fn runs_text(name: &str) -> bool {
    let others = ["deno", "eval", "source", ".", "awk", "gawk", "mawk", "nawk"];
    is_shell(name) || is_powershell(name) || others.contains(&name) || find(name).is_some()
}

/// Whether this option makes the interpreter take its code from the command.
pub(in crate::approval) fn hands_code(name: &str, option: &str) -> bool {
    let known = if is_shell(name) { Some(&SHELL) } else { find(name) };
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let other = known.is_none() && option.starts_with('-');
    other
        || option == "eval"
        || known.is_some_and(|known| known.long.contains(&option) || letters.contains(|c| known.code.contains(c)))
}

fn find(name: &str) -> Option<&'static Interpreter> {
    // `python3.12` is python.
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|known| known.names.contains(&name) || known.names.contains(&plain))
}

fn is_powershell(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.trim_end_matches(".exe"), "pwsh" | "powershell")
}

pub(super) fn handed(call: &Call<'_>) -> Handed {
    let name = call.name;
    if is_powershell(name) {
        let coded = |word: &&str| {
            let word = word.to_ascii_lowercase();
            word.starts_with("-c") || word.starts_with("-e") && !word.starts_with("-ex")
        };
        return if call.rest.iter().any(coded) { Handed::Code } else { by_operand(call) };
    }
    match name {
        "source" | "." => Handed::File,
        "deno" if call.says("eval") => Handed::Code,
        "deno" if call.says_any(&["run", "-"]) => by_operand(call),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let starts = |word: &&str| {
                word.contains("system(")
                    || word.contains("| getline")
                    || word.contains("|getline")
                    || word.contains("| \"")
            };
            if call.rest.iter().any(starts) { Handed::Code } else { Handed::Nothing }
        }
        _ if is_shell(name) => walk(call, &SHELL),
        _ => find(name).map_or(Handed::Nothing, |interpreter| walk(call, interpreter)),
    }
}

fn by_operand(call: &Call<'_>) -> Handed {
    let operand = call.operands().find(|word| *word != "run");
    match operand {
        Some("-" | "/dev/stdin") => Handed::Input,
        Some(_) => Handed::File,
        None if only_asks(&call.rest) => Handed::Nothing,
        None => Handed::Input,
    }
}

/// Options up to the program's file.
fn walk(call: &Call<'_>, interpreter: &Interpreter) -> Handed {
    let rest = &call.rest;
    let asks = only_asks(rest) || matches!(rest.as_slice(), ["-v" | "-h" | "-VV" | "-i"]);
    let mut at = 0;
    let mut long = false;
    while let Some(word) = rest.get(at) {
        at += 1;
        if *word == "--" {
            continue;
        }
        if matches!(*word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            return Handed::Input;
        }
        let carries = interpreter
            .long
            .iter()
            .any(|option| word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')));
        if carries {
            return Handed::Code;
        }
        if word.starts_with("--") {
            long = true;
            // A module to load first.
            at += usize::from(matches!(*word, "--require" | "--import" | "--loader" | "--rcfile" | "--init-file"));
            continue;
        }
        let Some(letters) = word.strip_prefix('-').or_else(|| word.strip_prefix('+')) else { return Handed::File };
        for (index, letter) in letters.char_indices() {
            if interpreter.code.contains(letter) {
                return Handed::Code;
            }
            if letter == 'm' && interpreter.names.contains(&"python") {
                return Handed::File;
            }
            // A shell that is told to read its input takes the rest as arguments.
            if letter == 's' && interpreter.names.is_empty() {
                return Handed::Input;
            }
            if interpreter.valued.contains(letter) {
                at += usize::from(index + letter.len_utf8() == letters.len());
                break;
            }
        }
    }
    let fed = !call.simple.input.is_empty() || call.says(FILE_OF_A_COMMAND);
    let tests = long && interpreter.names.contains(&"node");
    if asks || !interpreter.reads || (tests && !fed) { Handed::Nothing } else { Handed::Input }
}
