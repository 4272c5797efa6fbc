//! What a process says while it runs: lines that somebody waits for, signs of life, silence. It becomes reports and what
//! the process's row shows.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use gatehouse_domain::{
    Attention, EpochMs, ItemId, Mono, ProcessId, ProcessState, Producer, SessionId, UnitId, Wants, WatchNews,
};
use gatehouse_process::EndReport;
use gatehouse_store::{NewItem, NewUnit, News, ProcessRow, Report, Tx, WatchRow};
use gatehouse_text::output::{Purpose, Window};
use gatehouse_trigger::{Breaker, Event, Hit, Job, Plan, Saved, SavedWatch, WatchPatterns, WhyDisabled};

use super::{plain, record};
use crate::core::Core;
use crate::error::Result;

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

/// One report to be owed.
struct Telling {
    unit: NewUnit,
    news: News,
    report: Report,
}

impl Voice {
    /// The voice of a process that lives.
    pub fn open(core: &Core, id: ProcessId) -> Result<Option<Self>> {
        let (row, watch) = core.store.read(|s| Ok((s.processes().get(id)?, s.watches().get(id)?)))?;
        let Some(row) = row.filter(|row| !row.state.is_final()) else { return Ok(None) };
        let (plan, saved) = watch.as_ref().map(|watch| asked_for(watch, core.now())).unwrap_or_default();
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
        said.events.retain(|event| matches!(event, Event::Hit(_) | Event::Disabled(_)));
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
        if tellings.is_empty() && line.is_none() && show == self.shown {
            return;
        }
        self.shown = show;
        let told: Vec<SessionId> = tellings.iter().map(|telling| telling.unit.session).collect();
        let watch = self.watch.as_ref().map(|watch| keep(watch, self.job.saved(core.clock.mono()), core.now()));
        let facts = Arc::new(Facts { row: self.row.clone(), tellings, promoted, watch, show, line });
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
                Event::Wrote => {}
            }
        }
        tellings.extend(said.breaker.iter().map(|(session, news)| paused(core, *session, *news)));
        (tellings, promoted)
    }

    fn hit(&self, core: &Core, hit: &Hit) -> Telling {
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

    fn disabled(&self, core: &Core, why: WhyDisabled, suppressed: u64) -> Telling {
        let news = match why {
            WhyDisabled::TooOften => WatchNews::TooOften,
            WhyDisabled::Lifetime => WatchNews::Spent,
        };
        let news = News { news: Some(news), suppressed, ..News::default() };
        self.telling(core, Producer::Watch, format!("watch:{}:over", self.row.id), news, String::new())
    }

    fn heartbeat(&self, core: &Core, seq: u32) -> Telling {
        let news = News { number: seq, ..News::default() };
        let text = record::end_of_output(core, &self.row);
        self.telling(core, Producer::Heartbeat, format!("heartbeat:{}:{seq}", self.row.id), news, text)
    }

    /// What its person reads of it while it runs; nothing if nobody wants to read that.
    fn line(&self, core: &Core) -> Option<NewItem> {
        let (row, at) = (&self.row, core.now());
        let output = record::end_of_output(core, row);
        let words = plain::running(&row.command, at.since(row.started_at), &output, core.config().process_notices)?;
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

/// What one transaction writes.
struct Facts {
    row: ProcessRow,
    tellings: Vec<Telling>,
    /// Its end is reported from now on.
    promoted: Option<NewUnit>,
    watch: Option<WatchRow>,
    show: (Option<Attention>, bool),
    /// What its person reads of it while it runs.
    line: Option<NewItem>,
}

impl Facts {
    fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        let id = self.row.id;
        for telling in &self.tellings {
            let waiting = self.waiting_beat(tx, telling)?;
            match waiting {
                Some(unit) => tx.units_mut().renew(unit, &telling.news, &telling.report)?,
                None => tx.units_mut().tell(&telling.unit, &telling.news, &telling.report)?,
            };
        }
        if let Some(unit) = &self.promoted {
            let owed = super::end_unit(tx, id)?;
            match owed {
                Some(owed) => tx.units_mut().promote(owed.id).map(|_| ())?,
                None => tx.units_mut().owe(unit)?,
            }
            tx.processes_mut().set_notify(id)?;
        }
        if let Some(watch) = &self.watch {
            tx.watches_mut().put(watch)?;
        }
        if let Some(line) = &self.line {
            self.put_line(tx, line)?;
        }
        tx.processes_mut().set_attention(id, self.show.0, self.show.1).map(|_| ())
    }

    /// One line for all that it writes: a person reads where it stands, not where it stood.
    fn put_line(&self, tx: &Tx<'_>, line: &NewItem) -> gatehouse_store::Result<()> {
        let id = self.row.id;
        let Some(row) = tx.processes().get(id)?.filter(|row| !row.state.is_final()) else { return Ok(()) };
        // Nobody else is told of its end: neither the agent nor whoever waits for its call.
        if super::end_unit(tx, id)?.is_none_or(|unit| unit.wants != Wants::Notice) {
            return Ok(());
        }
        match row.line {
            Some(known) => tx.items_mut().set_text(known, &line.text, false),
            None => {
                tx.items_mut().insert(line)?;
                tx.processes_mut().set_line(id, line.id)
            }
        }
    }

    /// A sign of life that nobody was told yet makes room for the next one: a session that is busy for an hour then
    /// hears one, not sixty.
    fn waiting_beat(&self, tx: &Tx<'_>, telling: &Telling) -> gatehouse_store::Result<Option<UnitId>> {
        if telling.unit.producer != Producer::Heartbeat {
            return Ok(None);
        }
        let units = tx.units().by_process(self.row.id)?;
        let waits = |unit: &&gatehouse_store::UnitRow| {
            unit.producer == Producer::Heartbeat && unit.delivery == gatehouse_domain::DeliveryState::Pending
        };
        Ok(units.iter().find(waits).map(|unit| unit.id))
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

/// What is kept of a watch when it is asked for.
pub(super) fn fresh(id: ProcessId, patterns: &WatchPatterns, heartbeat: Option<Duration>) -> Option<WatchRow> {
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
pub(super) fn patterns_of(watch: &WatchRow) -> WatchPatterns {
    // They were taken once, so they are taken again.
    WatchPatterns::parse(watch.patterns.lines()).unwrap_or_default()
}

fn asked_for(watch: &WatchRow, now: EpochMs) -> (Plan, Saved) {
    let plan = Plan { patterns: patterns_of(watch), heartbeat: watch.heartbeat_ms.map(Duration::from_millis) };
    let saved = Saved {
        watch: SavedWatch {
            offset: watch.read_to,
            line_told: watch.line_told,
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

fn keep(watch: &WatchRow, saved: Saved, now: EpochMs) -> WatchRow {
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

/// Watches of all processes together were too loud, or may speak again.
fn paused(core: &Core, session: SessionId, news: gatehouse_trigger::News) -> Telling {
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
fn end_unit(core: &Core, row: &ProcessRow) -> NewUnit {
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
