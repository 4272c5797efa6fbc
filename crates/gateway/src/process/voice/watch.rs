//! What is kept of a watch, so that it goes on after a restart where it stood.

use std::time::Duration;

use gatehouse_domain::{EpochMs, ProcessId};
use gatehouse_store::WatchRow;
use gatehouse_trigger::{Plan, Saved, SavedWatch, WatchPatterns};

/// What is kept of a watch when it is asked for.
pub(in crate::process) fn fresh(
    id: ProcessId,
    patterns: &WatchPatterns,
    heartbeat: Option<Duration>,
) -> Option<WatchRow> {
    if patterns.is_empty() && heartbeat.is_none() {
        return None;
    }
    Some(WatchRow {
        process: id,
        patterns: patterns.texts().join("\n"),
        heartbeat_ms: heartbeat.map(|every| u64::try_from(every.as_millis()).unwrap_or(u64::MAX)),
        read_to: 0,
        line_told: false,
        hits: 0,
        suppressed: 0,
        strikes: 0,
        struck: false,
        free_at: EpochMs::default(),
        disabled: false,
        beats: 0,
        beat_total: 0,
    })
}

/// What was asked for, as it was given.
pub(in crate::process) fn patterns_of(watch: &WatchRow) -> WatchPatterns {
    // They were taken once, so they are taken again.
    WatchPatterns::parse(watch.patterns.lines()).unwrap_or_default()
}

pub(super) fn asked_for(watch: &WatchRow, matched: u64, now: EpochMs) -> (Plan, Saved) {
    let plan = Plan { patterns: patterns_of(watch), heartbeat: watch.heartbeat_ms.map(Duration::from_millis) };
    let saved = Saved {
        watch: SavedWatch {
            offset: watch.read_to,
            line_told: watch.line_told,
            matched,
            hits: watch.hits,
            suppressed: watch.suppressed,
            strikes: watch.strikes,
            struck: watch.struck,
            // A wall clock that was set back must not silence a watch for hours.
            spacing_left: Duration::from_millis(watch.free_at.since(now)).min(gatehouse_trigger::SPACING),
            disabled: watch.disabled,
        },
        beats: watch.beats,
        beat_total: watch.beat_total,
    };
    (plan, saved)
}

pub(super) fn keep(watch: &WatchRow, saved: Saved, now: EpochMs) -> WatchRow {
    WatchRow {
        read_to: saved.watch.offset,
        line_told: saved.watch.line_told,
        hits: saved.watch.hits,
        suppressed: saved.watch.suppressed,
        strikes: saved.watch.strikes,
        struck: saved.watch.struck,
        free_at: now.after(saved.watch.spacing_left),
        disabled: saved.watch.disabled,
        beats: saved.beats,
        beat_total: saved.beat_total,
        ..watch.clone()
    }
}
