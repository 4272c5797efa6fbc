//! What a process says while it runs: lines that somebody waits for, signs of life, silence. It becomes reports and what
//! the process's row shows.

mod facts; // what one transaction writes
mod telling; // the reports that it owes
mod watch; // what is kept of a watch

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use gatehouse_domain::{Attention, Mono, ProcessId, SessionId};
use gatehouse_process::EndReport;
use gatehouse_store::{NewUnit, ProcessRow, WatchRow};
use gatehouse_trigger::{Breaker, Event, Job};

use self::facts::Facts;
use self::telling::{Telling, end_unit, paused};
use self::watch::{asked_for, keep};
use super::record;
use crate::core::Core;
use crate::error::Result;

pub(super) use self::watch::{fresh, patterns_of};

/// So much of an output is looked at before others get the thread.
const SLICE: usize = 64 * 1024;
/// Reports that could not be written are tried again so often.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// What all watches together may say.
pub(crate) type SharedBreaker = std::sync::Mutex<Breaker<SessionId>>;

/// One process that may speak up. Its follower's task holds it.
pub(super) struct Voice {
    row: ProcessRow,
    watch: Option<WatchRow>,
    job: Job,
    signs: Signs,
    /// What the row says.
    shown: (Option<Attention>, bool),
}

/// Why it deserves a look.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    ready: bool,
    quiet: bool,
    /// It waits for input, which it may not show.
    waits: Option<bool>,
}

/// What is to be written down.
#[derive(Default)]
struct Said {
    events: Vec<Event>,
    breaker: Vec<(SessionId, gatehouse_trigger::News)>,
}

impl Voice {
    /// The voice of a process that lives.
    pub fn open(core: &Core, id: ProcessId) -> Result<Option<Self>> {
        let (row, watch) = core.store.read(|s| Ok((s.processes().get(id)?, s.watches().get(id)?)))?;
        let Some(row) = row.filter(|row| !row.state.is_final()) else { return Ok(None) };
        let (plan, saved) = watch.as_ref().map(|watch| asked_for(watch, row.matches, core.now())).unwrap_or_default();
        let signs = Signs {
            ready: row.attention == Some(Attention::Ready),
            quiet: row.attention == Some(Attention::Quiet),
            waits: (row.attention == Some(Attention::NeedsInput)).then_some(row.hidden_input),
        };
        let shown = (row.attention, row.hidden_input);
        Ok(Some(Self { job: Job::new(plan, saved, core.clock.mono()), row, watch, signs, shown }))
    }

    /// When [`Self::speak`] has something to do although nothing was written.
    pub fn next_at(&self) -> Option<Mono> {
        self.job.next_at()
    }

    /// The output may have grown, or a time has come.
    pub async fn speak(&mut self, core: &Arc<Core>) {
        let total = core.live.output(self.row.id).map_or(0, |live| live.total);
        let mut said = self.read(core, total).await;
        let now = core.clock.mono();
        let ticked = self.job.tick(now, &mut asker(core, self.row.session, &mut said.breaker));
        said.events.extend(ticked);
        self.write(core, said).await;
    }

    /// The direct child has ended: what it wrote until then is looked at, and nothing after it.
    pub async fn end(&mut self, core: &Arc<Core>, report: &EndReport) {
        if self.watch.is_none() {
            return;
        }
        let mut said = self.read(core, report.output_total).await;
        let ended = self.job.end(core.clock.mono(), &mut asker(core, self.row.session, &mut said.breaker));
        said.events.extend(ended);
        said.events.retain(|event| matches!(event, Event::Hit(_) | Event::Disabled(_) | Event::Matched));
        self.write(core, said).await;
    }

    /// It waits for somebody to type, and shows it or not; or it does not wait any more.
    pub async fn waits(&mut self, core: &Arc<Core>, waits: Option<bool>) {
        self.signs.waits = waits;
        self.write(core, Said::default()).await;
    }

    /// It serves: a port was seen.
    pub async fn serves(&mut self, core: &Arc<Core>) {
        self.signs.ready = true;
        self.write(core, Said::default()).await;
    }

    async fn read(&mut self, core: &Arc<Core>, total: u64) -> Said {
        let mut said = Said::default();
        said.events.extend(self.job.grew(total, core.clock.mono()));
        while let Some(from) = self.job.reads_from().filter(|from| *from < total) {
            let slice = match core.supervisor.read_output(self.row.id, Some(from), SLICE) {
                Ok(slice) => slice,
                Err(error) => {
                    tracing::warn!(process = %self.row.id, "The output cannot be watched: {error:#}");
                    break;
                }
            };
            let known = usize::try_from(total.saturating_sub(slice.from)).unwrap_or(usize::MAX);
            let bytes = &slice.bytes[..slice.bytes.len().min(known)];
            if bytes.is_empty() {
                break;
            }
            let now = core.clock.mono();
            let mut ask = asker(core, self.row.session, &mut said.breaker);
            let read = self.job.read(slice.from, bytes, now, &mut ask);
            drop(ask);
            said.events.extend(read);
            tokio::task::yield_now().await;
        }
        said
    }

    /// One transaction: the reports, how much was said so far, and what the row shows.
    async fn write(&mut self, core: &Arc<Core>, said: Said) {
        let (tellings, promoted) = self.tellings(core, &said);
        let show = self.signs.shown();
        let line = said.events.contains(&Event::Wrote).then(|| self.line(core)).flatten();
        let counted = said.events.contains(&Event::Matched);
        if tellings.is_empty() && line.is_none() && !counted && show == self.shown {
            return;
        }
        self.shown = show;
        let told: Vec<SessionId> = tellings.iter().map(|telling| telling.unit.session).collect();
        let watch = self.watch.as_ref().map(|watch| keep(watch, self.job.saved(core.clock.mono()), core.now()));
        let (row, matches) = (self.row.clone(), self.job.matched());
        let facts = Arc::new(Facts { row, tellings, promoted, watch, show, matches, line });
        loop {
            let writing = Arc::clone(&facts);
            match core.store.write(move |tx| writing.write(tx)).await {
                Ok(()) => break,
                Err(error) => tracing::error!(process = %self.row.id, "What it says cannot be written: {error:#}"),
            }
            tokio::select! {
                () = core.closing.cancelled() => return,
                () = tokio::time::sleep(WRITE_AGAIN) => {}
            }
        }
        for session in told {
            record::wake(core, session).await;
        }
    }

    fn tellings(&mut self, core: &Core, said: &Said) -> (Vec<Telling>, Option<NewUnit>) {
        let (mut tellings, mut promoted) = (Vec::new(), None);
        for event in &said.events {
            match event {
                Event::Hit(hit) => {
                    self.signs.ready = true;
                    tellings.push(self.hit(core, hit));
                }
                Event::Disabled(disabled) => {
                    tellings.push(self.disabled(core, disabled.why, disabled.suppressed));
                    promoted = Some(end_unit(core, &self.row));
                }
                Event::Tick(tick) => tellings.push(self.heartbeat(core, tick.seq)),
                Event::Quiet => self.signs.quiet = true,
                Event::Spoke => self.signs.quiet = false,
                Event::Wrote | Event::Matched => {}
            }
        }
        tellings.extend(said.breaker.iter().map(|(session, news)| paused(core, *session, *news)));
        (tellings, promoted)
    }
}

impl Signs {
    /// Whoever waits for a person comes first.
    const fn shown(self) -> (Option<Attention>, bool) {
        match self {
            Self { waits: Some(hidden), .. } => (Some(Attention::NeedsInput), hidden),
            Self { ready: true, .. } => (Some(Attention::Ready), false),
            Self { quiet: true, .. } => (Some(Attention::Quiet), false),
            Self { .. } => (None, false),
        }
    }
}

/// Says what a process that ended while nobody followed it had to say until then.
pub(crate) async fn last_words(core: &Arc<Core>, id: ProcessId, report: &EndReport) {
    match Voice::open(core, id) {
        Ok(Some(mut voice)) => voice.end(core, report).await,
        Ok(None) => {}
        Err(error) => tracing::warn!(process = %id, "Its last words cannot be looked at: {error:#}"),
    }
}

/// Asks the breaker of all processes, and keeps what it has to tell.
fn asker<'a>(
    core: &'a Core,
    session: SessionId,
    told: &'a mut Vec<(SessionId, gatehouse_trigger::News)>,
) -> impl FnMut(Mono) -> bool + 'a {
    move |now| {
        let asked = core.breaker.lock().unwrap_or_else(PoisonError::into_inner).ask(session, now);
        told.extend(asked.news);
        asked.passes
    }
}
