use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gatehouse_domain::{
    AdmissionId, Category, ConsumedBy, EndReason, EpochMs, Exit, IdSource, ItemId, Principal, ProcessNotices, Producer,
    SessionId, TaskState, TurnCause, TurnId, TurnState, UnitId, Wants,
};
use gatehouse_store::{Handed, NewItem, NewSession, NewUnit, Store, Tx};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Story;
use super::step::{LANES, Step};
use crate::session::fresh_start::{Anew, has_ended};
use crate::session::input::{Fresh, Input};
use crate::session::queue;
use crate::session::reports::{Delivered, Handover};
use crate::testing::{owed, report};

/// Longer than anything that was refused is put off.
const LATER_MS: i64 = 60_001;
/// Whatever is owed has ended after so many looks at everything.
const ROUNDS: usize = 64;

/// Ids in ascending order.
#[derive(Default)]
pub struct Ids(AtomicU64);

impl IdSource for Ids {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}

/// A profile's rows without anybody who works on them.
pub struct House {
    pub store: Store,
    pub ids: Arc<Ids>,
    dir: TempDir,
}

/// One case as it goes.
struct Case {
    ids: Arc<Ids>,
    now: EpochMs,
    lanes: Vec<String>,
    sessions: Vec<SessionId>,
    /// With the lineage of the session that began the work.
    units: Vec<(UnitId, SessionId)>,
    /// How often a person was heard.
    said: u64,
}

type Done = gatehouse_store::Result<()>;

impl House {
    pub fn new() -> Self {
        let (dir, ids) = (tempfile::tempdir().unwrap(), Arc::<Ids>::default());
        Self { store: open(dir.path(), &ids), ids, dir }
    }

    /// Lets all this happen, and then everything come to its end.
    pub fn live(&mut self, steps: &[Step]) -> Story {
        let mut case = Case::begin(&self.ids);
        // What happens between two crashes shares a commit: each step is a transaction to itself either way.
        let mut lives = steps.split(|step| matches!(step, Step::Crash)).peekable();
        while let Some(life) = lives.next() {
            let (life, is_last) = (life.to_vec(), lives.peek().is_none());
            case = self.write(case, move |case, tx| {
                case.open_lanes(tx)?;
                life.iter().try_for_each(|step| case.happen(tx, *step))?;
                if is_last { case.settle(tx) } else { Ok(()) }
            });
            if !is_last {
                self.crash();
            }
        }
        Story { units: case.units, sessions: case.sessions, said: case.said }
    }

    fn write(&self, mut case: Case, f: impl FnOnce(&mut Case, &Tx<'_>) -> Done + Send + 'static) -> Case {
        self.store.write_blocking(move |tx| f(&mut case, tx).map(|()| case)).unwrap()
    }

    /// The files as they lie there at this moment are all that is left.
    pub fn crash(&mut self) {
        let left = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.dir.path()).unwrap() {
            let entry = entry.unwrap();
            // What readers and writers share is memory; a crash leaves none of it.
            if !entry.file_name().to_string_lossy().ends_with("-shm") && entry.file_type().unwrap().is_file() {
                std::fs::copy(entry.path(), left.path().join(entry.file_name())).unwrap();
            }
        }
        self.store = open(left.path(), &self.ids);
        self.dir = left;
    }
}

fn open(dir: &Path, ids: &Arc<Ids>) -> Store {
    Store::open(dir, Arc::<Ids>::clone(ids)).unwrap()
}

fn chosen<T: Copy>(from: &[T], number: usize) -> Option<T> {
    (!from.is_empty()).then(|| from[number % from.len()])
}

impl Case {
    fn begin(ids: &Arc<Ids>) -> Self {
        let lanes = (0..LANES).map(|lane| format!("desktop:{}:{lane}", ids.fresh())).collect();
        let ids = Arc::clone(ids);
        Self { ids, now: EpochMs(1_000), lanes, sessions: Vec::new(), units: Vec::new(), said: 0 }
    }

    fn open_lanes(&mut self, tx: &Tx<'_>) -> Done {
        for lane in self.lanes.clone() {
            if tx.routes().current(&lane)?.is_some() {
                continue;
            }
            tx.sessions_mut().insert(&self.new_session(lane))?;
        }
        Ok(())
    }

    fn happen(&mut self, tx: &Tx<'_>, step: Step) -> Done {
        self.now = EpochMs(self.now.0 + 1);
        match step {
            Step::Owe { lane, turn } => self.owe(tx, lane, if turn { Wants::Turn } else { Wants::Notice }),
            Step::HandOn(lane) => self.hand_on(tx, lane),
            Step::Finish(number) => chosen(&self.units, number).map_or(Ok(()), |(unit, _)| self.finish(tx, unit)),
            Step::Offer(number) => chosen(&self.sessions, number).map_or(Ok(()), |session| self.offer(tx, session)),
            Step::Say(lane) => self.say(tx, lane),
            Step::EndTurn(number) => {
                chosen(&self.sessions, number).map_or(Ok(()), |session| self.end_turn(tx, session))
            }
            Step::New(lane) => self.begin_anew(tx, lane),
            Step::Close(lane) => self.close(tx, lane),
            Step::Compact(lane) => self.compact(tx, lane),
            Step::Consume(number) => chosen(&self.units, number)
                .map_or(Ok(()), |(unit, _)| tx.units_mut().consume(unit, ConsumedBy::Wait).map(drop)),
            // The lives before and after it are told apart by whoever calls.
            Step::Crash => Ok(()),
        }
    }

    fn new_session(&mut self, route: String) -> NewSession {
        let id = SessionId::from_uuid(self.ids.fresh());
        self.sessions.push(id);
        NewSession { id, title: "t".into(), client_key: None, route, delegated_from: None, at: self.now }
    }

    fn current(&self, tx: &Tx<'_>, lane: usize) -> gatehouse_store::Result<SessionId> {
        Ok(tx.routes().current(&self.lanes[lane])?.unwrap_or(self.sessions[lane]))
    }

    fn owe(&mut self, tx: &Tx<'_>, lane: usize, wants: Wants) -> Done {
        let session = self.current(tx, lane)?;
        let id = UnitId::from_uuid(self.ids.fresh());
        let root = tx.sessions().get(session)?.map_or(session, |row| row.root);
        self.units.push((id, root));
        tx.units_mut().owe(&NewUnit { command: format!("job-{id}"), ..owed(id, session, wants, self.now) })
    }

    /// What the tasks of a delegation come to matters to nobody here.
    fn hand_on(&mut self, tx: &Tx<'_>, lane: usize) -> Done {
        let session = self.current(tx, lane)?;
        let (id, entry) = (UnitId::from_uuid(self.ids.fresh()), ItemId::from_uuid(self.ids.fresh()));
        let root = tx.sessions().get(session)?.map_or(session, |row| row.root);
        self.units.push((id, root));
        let owed = NewUnit {
            producer: Producer::Delegation,
            command: format!("job-{id}"),
            ..owed(id, session, Wants::Turn, self.now)
        };
        tx.units_mut().owe_delegation(&owed, entry, None)
    }

    fn finish(&self, tx: &Tx<'_>, unit: UnitId) -> Done {
        if tx.units().get(unit)?.is_some_and(|row| row.delegation.is_some()) {
            let handed = Handed {
                outcome: TaskState::Completed,
                text: String::new(),
                duration_ms: 1,
                category: Category::Result,
                at: self.now,
            };
            return tx.units_mut().finish_delegation(unit, &handed).map(drop);
        }
        tx.units_mut().finish(unit, &report(Exit::Code(0), self.now)).map(drop)
    }

    /// As the actor does: lines first, then what asks for a turn; and whoever is to be told instead looks too.
    fn offer(&self, tx: &Tx<'_>, session: SessionId) -> Done {
        let (lines, asking): (Vec<_>, Vec<_>) =
            tx.units().due(session, self.now)?.into_iter().partition(|unit| unit.wants == Wants::Notice);
        for due in [lines, asking] {
            if due.is_empty() {
                continue;
            }
            let idle = tx.turns().running(session)?.is_none();
            let handover = Handover {
                session,
                fresh: self.fresh(session),
                lines: due.iter().map(|_| ItemId::from_uuid(self.ids.fresh())).collect(),
                idle,
                wanted: ProcessNotices::Concise,
                draining: CancellationToken::new(),
            };
            if let Delivered::Moved(to) = handover.carry_out(tx, &due)? {
                self.offer(tx, to)?;
            }
        }
        Ok(())
    }

    fn fresh(&self, session: SessionId) -> Fresh {
        Fresh {
            session,
            admission: AdmissionId::from_uuid(self.ids.fresh()),
            turn: TurnId::from_uuid(self.ids.fresh()),
            item: ItemId::from_uuid(self.ids.fresh()),
            at: self.now,
        }
    }

    fn say(&mut self, tx: &Tx<'_>, lane: usize) -> Done {
        let session = self.current(tx, lane)?;
        if has_ended(tx, session)? || queue::is_full(tx, session)? {
            return Ok(());
        }
        let fresh = self.fresh(session);
        let key = fresh.admission.to_string();
        self.said += 1;
        let text = format!("{}{}", Story::WORDS, self.said);
        let input = Input { cause: TurnCause::Human, key, text, retry_of: None, category: Category::Result };
        tx.admissions_mut().insert(&fresh.admission(Principal::Person, &input))?;
        // As the actor does it: who says something new wants to go on, and is heard behind what waited already.
        queue::go_on(tx, session)?;
        if tx.turns().running(session)?.is_some() {
            return Ok(());
        }
        if queue::is_free_for(tx, session, fresh.admission)? {
            return fresh.start(tx, fresh.admission, &input);
        }
        self.end_turn(tx, session)
    }

    fn end_turn(&self, tx: &Tx<'_>, session: SessionId) -> Done {
        if let Some(turn) = tx.turns().running(session)? {
            tx.turns_mut().finish(turn.id, TurnState::Done, self.now)?;
            if let Some(admission) = turn.admission {
                tx.admissions_mut().done(admission)?;
            }
        }
        match queue::next(tx, session)? {
            Some(next) => self.fresh(session).start(tx, next.id, &Input::of(&next)),
            None => self.offer(tx, session),
        }
    }

    fn begin_anew(&mut self, tx: &Tx<'_>, lane: usize) -> Done {
        let old = self.current(tx, lane)?;
        let next = self.new_session(self.lanes[lane].clone());
        let anew = Anew { old, next, farewell: self.farewell(old) };
        if !anew.begin(tx)? {
            self.sessions.pop();
        }
        Ok(())
    }

    fn farewell(&self, session: SessionId) -> NewItem {
        NewItem::notice(ItemId::from_uuid(self.ids.fresh()), session, "It ended.".into(), self.now)
    }

    /// Refused while a turn runs.
    fn close(&self, tx: &Tx<'_>, lane: usize) -> Done {
        let session = self.current(tx, lane)?;
        if tx.turns().running(session)?.is_none() {
            tx.sessions_mut().end(session, EndReason::Closed, self.now)?;
        }
        Ok(())
    }

    /// Between two turns.
    fn compact(&mut self, tx: &Tx<'_>, lane: usize) -> Done {
        let old = self.current(tx, lane)?;
        let is_open = tx.sessions().get(old)?.is_some_and(|row| row.end_reason.is_none());
        if !is_open || tx.turns().running(old)?.is_some() || !tx.admissions().queued(old)?.is_empty() {
            return Ok(());
        }
        let next = self.new_session(self.lanes[lane].clone());
        if !tx.sessions_mut().compact(old, &next)? {
            self.sessions.pop();
        }
        Ok(())
    }

    /// Everything that runs ends, and whoever is owed something is looked at until nobody is.
    fn settle(&mut self, tx: &Tx<'_>) -> Done {
        for (unit, _) in self.units.clone() {
            self.finish(tx, unit)?;
        }
        for _ in 0..ROUNDS {
            self.now = EpochMs(self.now.0 + LATER_MS);
            for session in self.sessions.clone() {
                self.offer(tx, session)?;
                if !queue::is_paused(tx, session)? || tx.turns().running(session)?.is_some() {
                    self.end_turn(tx, session)?;
                }
            }
            if self.rests(tx)? {
                break;
            }
        }
        Ok(())
    }

    fn rests(&self, tx: &Tx<'_>) -> gatehouse_store::Result<bool> {
        for session in &self.sessions {
            let waits = tx.admissions().queued(*session)?.iter().any(|input| input.cause == TurnCause::Completion);
            if waits || tx.turns().running(*session)?.is_some() || !tx.units().due(*session, self.now)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
