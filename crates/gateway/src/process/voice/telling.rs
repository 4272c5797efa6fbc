//! The reports that a process owes while it runs.

use gatehouse_domain::{ItemId, ProcessState, Producer, SessionId, UnitId, Wants, WatchNews};
use gatehouse_store::{NewItem, NewUnit, News, ProcessRow, Report};
use gatehouse_text::output::{Purpose, Window};
use gatehouse_trigger::{Hit, WhyDisabled};

use super::Voice;
use crate::core::Core;
use crate::process::{plain, record};

/// One report to be owed.
pub(super) struct Telling {
    pub unit: NewUnit,
    pub news: News,
    pub report: Report,
}

impl Voice {
    pub(super) fn hit(&self, core: &Core, hit: &Hit) -> Telling {
        let news = News {
            news: Some(WatchNews::Hit),
            pattern: hit.pattern.clone(),
            number: hit.number,
            matched: hit.matched,
            suppressed: hit.suppressed,
        };
        let lines = hit.lines.as_bytes();
        let window = Window { head: &[], tail: lines, omitted: 0, total: lines.len() as u64, open: false };
        let text = record::render(core, &self.row, &window, Purpose::Completion).noted();
        self.telling(core, Producer::Watch, format!("watch:{}:{}", self.row.id, hit.number), news, text)
    }

    pub(super) fn disabled(&self, core: &Core, why: WhyDisabled, suppressed: u64) -> Telling {
        let news = match why {
            WhyDisabled::TooOften => WatchNews::TooOften,
            WhyDisabled::Lifetime => WatchNews::Spent,
        };
        let news = News { news: Some(news), suppressed, ..News::default() };
        self.telling(core, Producer::Watch, format!("watch:{}:over", self.row.id), news, String::new())
    }

    pub(super) fn heartbeat(&self, core: &Core, seq: u32) -> Telling {
        let news = News { number: seq, ..News::default() };
        let text = record::end_of_output(core, &self.row);
        self.telling(core, Producer::Heartbeat, format!("heartbeat:{}:{seq}", self.row.id), news, text)
    }

    /// What its person reads of it while it runs; nothing if nobody wants to read that.
    pub(super) fn line(&self, core: &Core) -> Option<NewItem> {
        let (row, at) = (&self.row, core.now());
        let output = || record::end_of_output(core, row);
        let words = plain::running(&row.command, at.since(row.started_at), core.config().process_notices, output)?;
        Some(NewItem::notice(ItemId::from_uuid(core.ids.fresh()), row.session, words, at))
    }

    fn telling(&self, core: &Core, producer: Producer, identity: String, news: News, text: String) -> Telling {
        let at = core.now();
        let unit = NewUnit { producer, identity, ..end_unit(core, &self.row) };
        let total = core.live.output(self.row.id).map_or(0, |live| live.total);
        let report = Report {
            state: Some(ProcessState::Running),
            exit: None,
            stopped_by: None,
            duration_ms: at.since(self.row.started_at),
            output_bytes: if producer == Producer::Heartbeat { total } else { text.len() as u64 },
            output_tail: text,
            at,
            known_at: at,
        };
        Telling { unit, news, report }
    }
}

/// Watches of all processes together were too loud, or may speak again.
pub(super) fn paused(core: &Core, session: SessionId, news: gatehouse_trigger::News) -> Telling {
    let at = core.now();
    let id = UnitId::from_uuid(core.ids.fresh());
    let news = match news {
        gatehouse_trigger::News::Tripped => News { news: Some(WatchNews::Paused), ..News::default() },
        gatehouse_trigger::News::Released { dropped } => {
            News { news: Some(WatchNews::Resumed), suppressed: dropped, ..News::default() }
        }
    };
    let unit = NewUnit {
        id,
        producer: Producer::Watch,
        identity: format!("watch:{id}"),
        session,
        process: None,
        turn: None,
        command: String::new(),
        wants: Wants::Turn,
        at,
    };
    let report = Report {
        state: None,
        exit: None,
        stopped_by: None,
        duration_ms: 0,
        output_tail: String::new(),
        output_bytes: 0,
        at,
        known_at: at,
    };
    Telling { unit, news, report }
}

/// The report of a process's end.
pub(super) fn end_unit(core: &Core, row: &ProcessRow) -> NewUnit {
    NewUnit {
        id: UnitId::from_uuid(core.ids.fresh()),
        producer: Producer::Process,
        identity: format!("process:{}", row.id),
        session: row.session,
        process: Some(row.id),
        turn: row.turn,
        command: row.command.clone(),
        wants: Wants::Turn,
        at: core.now(),
    }
}
