//! Every command of the desktop shell is async: a blocking one would run on the thread that draws the window.

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn tauri_commands_are_async() -> Result {
    let sources = tree::sources("src-tauri", &[".rs"])?;
    let commands: Vec<_> = sources.iter().flat_map(commands).collect();
    assert!(!commands.is_empty(), "no Tauri command was found in src-tauri: this check looks in the wrong place");
    none(commands.into_iter().filter(|command| !command.is_async).map(|command| command.place).collect())
}

#[test]
fn a_blocking_command_is_found() {
    let text = "/// Says a.\n#[tauri::command]\n#[specta::specta]\nfn a() {}\n\
                #[tauri::command(rename_all = \"snake_case\")] pub(crate) async fn b(\n) {}\nfn c() {}\n";
    let source = Source { path: "src-tauri/command.rs".into(), text: text.into() };
    let found: Vec<_> = commands(&source).into_iter().map(|command| (command.place, command.is_async)).collect();
    assert_eq!(
        found,
        [("src-tauri/command.rs:2: fn a".to_owned(), false), ("src-tauri/command.rs:5: fn b".to_owned(), true)]
    );
}

struct Command {
    place: String,
    is_async: bool,
}

/// Each `#[tauri::command]` and the function after it.
fn commands(source: &Source) -> Vec<Command> {
    source.text.match_indices("#[tauri::command").filter_map(|(at, _)| command_at(source, at)).collect()
}

fn command_at(source: &Source, at: usize) -> Option<Command> {
    let (before, after) = source.text.split_at(at);
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.trim_start().starts_with("//") {
        return None; // the attribute is only spoken of
    }
    let (head, tail) = after.split_once("fn ")?;
    let name: String = tail.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
    Some(Command {
        place: format!("{}:{}: fn {name}", source.path, before.matches('\n').count() + 1),
        is_async: head.trim_end().ends_with("async"),
    })
}
