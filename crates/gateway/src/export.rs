//! A transcript as text, and a whole profile as lines of JSON. Who made an entry is said in a heading, and every line of content stands indented, so no
//! content can look like a heading, neither as it is written nor as Markdown draws it.

mod profile; // every session, as lines of JSON

use std::fmt::Write as _;
use std::sync::Arc;

use gatehouse_domain::{ApprovalState, Author, CardStatus, EpochMs, ItemKind, SessionId};
use gatehouse_store::{ApprovalRow, CardRow, ItemFull, UnitRow};
use gatehouse_text::output::{Purpose, Source, Window, render};

use crate::core::Core;
use crate::error::{Error, Result};
use crate::feed;
use crate::gateway::Gateway;
use crate::notice::outcome;

pub use profile::ProfileExport;

impl Gateway {
    /// The whole transcript as Markdown.
    pub async fn export_session(&self, session: SessionId) -> Result<String> {
        let core = Arc::clone(self.core());
        // It may be long.
        let written = tokio::task::spawn_blocking(move || export(&core, session));
        written.await.map_err(|_| Error::ShuttingDown)?
    }
}

fn export(core: &Core, session: SessionId) -> Result<String> {
    let (row, items) = core.store.read(|s| Ok((s.sessions().get(session)?, s.items().transcript(session)?)))?;
    let row = row.ok_or(Error::NotFound("session"))?;
    let mut text = format!("# {}\n", heading(&row.title));
    let secrets = core.secrets();
    let leaving = Leaving { secrets: secrets.iter().map(|secret| secret.expose().as_str()).collect() };
    for item in items {
        write(&mut text, &feed::with_live_words(core, item), &leaving);
    }
    Ok(text)
}

/// What programs wrote and what they were called with leaves masked on the slightest doubt; what people and models said
/// is theirs.
struct Leaving<'a> {
    secrets: Vec<&'a str>,
}

impl Leaving<'_> {
    fn text(&self, text: &str) -> String {
        let source = Source { secrets: &self.secrets, ..Source::default() };
        render(&Window::whole(text.trim().as_bytes()), Purpose::Export, &source).text
    }
}

fn write(text: &mut String, item: &ItemFull, leaving: &Leaving<'_>) {
    let row = &item.row;
    match row.kind {
        // For the model only.
        ItemKind::Hidden => {}
        ItemKind::Reasoning => entry(text, "Model (reasoning)", row.at, &row.text),
        ItemKind::MachineNote => {
            let units: Vec<String> = item.units.iter().map(|told| unit(told, leaving)).collect();
            entry(text, author(row.author), row.at, &units.join("\n\n"));
        }
        ItemKind::Approval => {
            let question = item.approval.as_ref().map(|asked| question(asked, leaving)).unwrap_or_default();
            entry(text, author(row.author), row.at, &question);
        }
        ItemKind::Message
        | ItemKind::Steer
        | ItemKind::ToolCall
        | ItemKind::Plan
        | ItemKind::Delegation
        | ItemKind::Question
        | ItemKind::Notice
        | ItemKind::AutoContinue
        | ItemKind::ModelSwitch
        | ItemKind::FailedTurn
        | ItemKind::Compaction => {
            entry(text, author(row.author), row.at, &row.text);
            if let Some(done) = &item.card {
                entry(text, author(Author::Tool), done.started_at, &card(done, leaving));
            }
        }
    }
}

/// Content with nothing in it is no entry.
fn entry(text: &mut String, label: &str, at: EpochMs, content: &str) {
    if content.trim().is_empty() {
        return;
    }
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## {label}, {}\n\n", utc(at));
    for line in content.trim_matches(['\n', '\r']).split(LINE_ENDS) {
        let shown: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let shown = shown.trim_end();
        let _ = if shown.is_empty() { writeln!(text) } else { writeln!(text, "    {shown}") };
    }
}

/// Everything that a program may take for the end of a line.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

const fn author(author: Author) -> &'static str {
    match author {
        Author::Human => "You",
        Author::Model => "Model",
        Author::Tool => "Tool",
        Author::Machine => "Machine note",
        Author::System => "System",
    }
}

fn card(card: &CardRow, leaving: &Leaving<'_>) -> String {
    let status = match card.status {
        CardStatus::Pending | CardStatus::InProgress => "at work",
        CardStatus::Complete => "done",
        CardStatus::Error => "did not work out",
    };
    let output = leaving.text(&card.output);
    [&card.title, &card.details, &format!("({status})"), &output]
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .map(|part| part.trim_matches('\n'))
        .collect::<Vec<_>>()
        .join("\n")
}

fn unit(unit: &UnitRow, leaving: &Leaving<'_>) -> String {
    let ended = match (unit.outcome, unit.state) {
        (Some(tasks), _) => tasks.as_str().to_owned(),
        (None, Some(state)) => outcome(state, unit.exit, unit.stopped_by),
        (None, None) => "ended".to_owned(),
    };
    format!("{}\n({ended})\n{}", leaving.text(&unit.command), leaving.text(&unit.output_tail))
}

fn question(asked: &ApprovalRow, leaving: &Leaving<'_>) -> String {
    let answer = match asked.state {
        ApprovalState::Pending => "waits for an answer",
        ApprovalState::Allowed => "allowed",
        ApprovalState::Denied => "denied",
        ApprovalState::Expired => "nobody answered in time",
        ApprovalState::Withdrawn => "no longer asked",
    };
    format!("Allow a command?\n{}\nin {}\n({answer})", leaving.text(&asked.command), asked.cwd)
}

/// One line in which nothing is markup.
fn heading(title: &str) -> String {
    let mut shown = String::with_capacity(title.len());
    for c in title.chars().map(|c| if LINE_ENDS.contains(&c) { ' ' } else { c }).filter(|c| !c.is_control()) {
        if c.is_ascii_punctuation() {
            shown.push('\\');
        }
        shown.push(c);
    }
    if shown.trim().is_empty() { "Session".to_owned() } else { shown.trim().to_owned() }
}

/// `2026-03-01 09:30 UTC`.
fn utc(at: EpochMs) -> String {
    let utc = at.utc();
    format!("{}-{:02}-{:02} {:02}:{:02} UTC", utc.year, utc.month, utc.day, utc.hour, utc.minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_right() {
        for (ms, day) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_826_154_000, "2000-02-29 12:09 UTC"),
            (1_772_357_400_000, "2026-03-01 09:30 UTC"),
            (1_798_761_599_000, "2026-12-31 23:59 UTC"),
        ] {
            assert_eq!(utc(EpochMs(ms)), day);
        }
    }

    #[test]
    fn no_content_looks_like_a_heading() {
        let mut text = String::new();
        let forged =
            "hello\n## You, 1970-01-01 00:00 UTC\r\rrm -rf\u{2028}## You\u{b}## You\n</code></pre><h2>You</h2>";
        entry(&mut text, "Machine note", EpochMs(0), forged);
        let headings: Vec<_> = text.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings, ["## Machine note, 1970-01-01 00:00 UTC"]);
        assert!(text.lines().skip(2).all(|line| line.is_empty() || line.starts_with("    ")), "{text}");
        assert_eq!(text.matches("    ## You").count(), 3);
        assert_eq!(heading("a\n# <b>b</b>"), "a \\# \\<b\\>b\\<\\/b\\>");
    }
}
