//! Whatever happens in whatever order: each report is told once, in its own lineage, or ends where a person sees why; and
//! people are heard once and in their order.

mod house; // a real store, and what actors do with it
mod refused; // what a conversation cannot take
mod step; // what can happen

use std::cell::RefCell;

use gatehouse_domain::{DeliveryState, ItemKind, SessionId, UnitId, Wants};
use gatehouse_store::{ItemFull, Snapshot, Store, UnitRow};
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use house::House;

/// So many orders are tried; `GATEHOUSE_PROMISE_CASES` asks for more.
const CASES: u32 = 1_000;
/// So many share a file, as the conversations of one profile do.
const SHARED: usize = 25;

#[test]
fn each_report_ends_once() {
    let cases = std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let shared = RefCell::new((House::new(), 0_usize));
    let seen = RefCell::new([0_usize; 4]);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let held = runner.run(&step::steps(), |steps| {
        let mut shared = shared.borrow_mut();
        shared.1 += 1;
        if shared.1.is_multiple_of(SHARED) {
            shared.0 = House::new();
        }
        let story = shared.0.live(&steps);
        let faults = judge(&shared.0.store, &story, &mut seen.borrow_mut());
        if faults.is_empty() {
            return Ok(());
        }
        shared.0 = House::new();
        Err(TestCaseError::fail(faults.join("\n")))
    });
    if let Err(broken) = held {
        panic!("{broken}");
    }
    let [_, delivered, consumed, dropped] = seen.into_inner();
    assert!(delivered > 0 && consumed > 0 && dropped > 0, "{delivered} {consumed} {dropped}: too little happened");
}

/// What a case made.
struct Story {
    /// Each unit, and the lineage of the session that began its work.
    units: Vec<(UnitId, SessionId)>,
    sessions: Vec<SessionId>,
    /// So many messages of people were taken.
    said: u64,
}

impl Story {
    /// What a person says, before the number that tells which message it is.
    const WORDS: &str = "words ";

    /// Messages of people in their order, and whether each of them was heard once or still waits.
    fn misheard(&self, rows: &Snapshot<'_>, items: &[ItemFull]) -> gatehouse_store::Result<Vec<String>> {
        let (mut faults, mut all) = (Vec::new(), Vec::new());
        for session in &self.sessions {
            let said = items.iter().filter(|item| item.row.session == *session).map(|item| item.row.text.as_str());
            let waits: Vec<String> = rows.admissions().queued(*session)?.into_iter().map(|row| row.text).collect();
            let number = |text: &str| text.strip_prefix(Self::WORDS)?.parse::<u64>().ok();
            let here: Vec<u64> = said.chain(waits.iter().map(String::as_str)).filter_map(number).collect();
            if !here.is_sorted() {
                faults.push(format!("people were not heard in their order: {here:?}"));
            }
            all.extend(here);
        }
        all.sort_unstable();
        if all != (1..=self.said).collect::<Vec<_>>() {
            faults.push(format!("of {} messages these were heard or wait: {all:?}", self.said));
        }
        Ok(faults)
    }
}

/// Every breach of the promise, a line each.
fn judge(store: &Store, story: &Story, seen: &mut [usize; 4]) -> Vec<String> {
    store
        .read(|rows| {
            let mut items = Vec::new();
            for session in &story.sessions {
                items.extend(rows.items().page(*session, None, None, 10_000)?);
            }
            let dropped: Vec<String> = rows.incidents().open()?.into_iter().map(|row| row.subject).collect();
            let mut faults = story.misheard(rows, &items)?;
            for (id, root) in &story.units {
                let Some(unit) = rows.units().get(*id)? else {
                    faults.push(format!("{id} is gone"));
                    continue;
                };
                let told: Vec<&ItemFull> = items.iter().filter(|item| tells(item, &unit)).collect();
                let incidents = dropped.iter().filter(|subject| **subject == id.to_string()).count();
                seen[unit.delivery as usize] += 1;
                let ended_well = match unit.delivery {
                    DeliveryState::Pending => false,
                    DeliveryState::Delivered => told.len() == 1 && incidents == 0,
                    DeliveryState::Consumed => told.is_empty() && unit.consumed.is_some() && incidents == 0,
                    DeliveryState::Dropped => told.is_empty() && unit.dropped.is_some() && incidents == 1,
                };
                if !ended_well {
                    faults.push(format!("told {} times, {incidents} incidents: {unit:?}", told.len()));
                }
                for item in told {
                    let session = rows.sessions().get(item.row.session)?;
                    if session.is_none_or(|session| session.root != *root) {
                        faults.push(format!("told outside its lineage: {unit:?}"));
                    }
                }
            }
            Ok(faults)
        })
        .unwrap()
}

/// A machine note holds the report; a line names the command, which is the report's own.
fn tells(item: &ItemFull, unit: &UnitRow) -> bool {
    let in_a_line = unit.wants == Wants::Notice && item.row.text.starts_with(&format!("{} ", unit.command));
    item.row.kind == ItemKind::MachineNote && item.units.iter().any(|told| told.id == unit.id)
        || item.row.kind == ItemKind::Notice && in_a_line
}
