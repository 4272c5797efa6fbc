//! What a tool shows of an output, and how it says which part that is.

use gatehouse_domain::Exit;
use gatehouse_text::output::{self, Purpose, ScreenSize, Shown, Source, Window};
use serde_json::{Map, Value, json};

use crate::call::Bench;
use crate::ports::{OutputWindow, ProcessBrief};

/// Whose output is read.
pub(crate) struct Reading<'a> {
    command: &'a str,
    code: Option<i32>,
    screen: ScreenSize,
    open: bool,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(brief: &'a ProcessBrief) -> Self {
        let code = match brief.exit {
            Some(Exit::Code(code)) => Some(code),
            Some(Exit::Signal(_) | Exit::Unknown) | None => None,
        };
        Self { command: &brief.command, code, screen: brief.screen, open: !brief.state.is_final() }
    }

    /// Of a command of which nothing else is known.
    pub(crate) fn of_command(command: &'a str) -> Self {
        Self { command, code: None, screen: ScreenSize::default(), open: true }
    }

    pub(crate) fn shown(&self, bench: &Bench, window: &OutputWindow, purpose: Purpose) -> Shown {
        let OutputWindow { head, tail, total, omitted } = window;
        let window = Window { head, tail, omitted: *omitted, total: *total, open: self.open };
        let (secrets, transforms) = (bench.veil.values(), bench.processes.transforms());
        let Self { command, code, screen, .. } = *self;
        output::render(&window, purpose, &Source { command, code, screen, secrets: &secrets, transforms: &transforms })
    }
}

/// Puts an output into a result, and says what of it is missing.
pub(crate) fn put_part(result: &mut Map<String, Value>, shown: &Shown) {
    result.insert("output".to_owned(), json!(shown.text));
    if let Some(part) = shown.showing() {
        result.insert("showing".to_owned(), json!(part));
        result.insert("omitted_bytes".to_owned(), json!(shown.omitted()));
    }
}
