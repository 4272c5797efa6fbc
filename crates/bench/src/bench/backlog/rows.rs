use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gatehouse_domain::{
    AdmissionId, Category, EpochMs, Exit, IdSource, Principal, ProcessState, Producer, SessionId, TurnCause, UnitId,
    Wants,
};
use gatehouse_store::{NewAdmission, NewSession, NewUnit, Report, Store, Tx};
use rusqlite::Connection;
use uuid::Uuid;

use crate::clock;
use crate::error::{Doing, Result};

pub(super) const PENDING: usize = 100_000;
pub(super) const DELIVERED: usize = 1_000_000;
pub(super) const SESSIONS: usize = 1_000;
/// Of so many reports in a row, the last one is still owed; the others went together.
const GROUP: usize = 1 + DELIVERED / PENDING;
/// So many groups the store writes; the others are copies of them.
const FIRST: usize = 1_000;
/// So long ago the first of them ended: nobody gives them up yet.
const AGO_MS: f64 = 3_600_000.0;

/// So much older, nobody is told of it any more.
const OLD_MS: i64 = 3 * 86_400_000;

/// Ids in their order.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl IdSource for Counter {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128((1 << 100) | u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

pub(super) fn profile(home: &Path) -> PathBuf {
    home.join("profiles").join("default")
}

/// Writes the profile. Reports of a session lie far apart, as they do when many sessions are at work.
pub(super) async fn write(home: &Path) -> Result<(Arc<Counter>, Vec<SessionId>)> {
    let ids = Arc::<Counter>::default();
    let store = Store::open(&profile(home), Arc::<Counter>::clone(&ids)).doing("making a store")?;
    let begin = EpochMs((clock::wall_ms(clock::now()) - AGO_MS) as i64);
    let sessions: Vec<_> = (0..SESSIONS).map(|_| SessionId::from_uuid(ids.fresh())).collect();
    let all = sessions.clone();
    let make =
        move |tx: &Tx<'_>| all.iter().try_for_each(|id| tx.sessions_mut().insert(&session(*id, begin)).map(drop));
    store.write(make).await.doing("writing sessions")?;
    let (fresh, all) = (Arc::clone(&ids), sessions.clone());
    let groups = move |tx: &Tx<'_>| {
        (0..FIRST).try_for_each(|n| {
            group(tx, &fresh, all[n % SESSIONS], begin.after(std::time::Duration::from_millis(n as u64)))
        })
    };
    store.write(groups).await.doing("writing reports")?;
    store.close();
    multiply(&profile(home)).doing("copying reports")?;
    Ok((ids, sessions))
}

/// The same rows again and again under other names, since the store would take minutes to accept each by itself.
fn multiply(profile: &Path) -> rusqlite::Result<()> {
    let mut file = Connection::open(profile.join("gatehouse.db"))?;
    file.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;")?;
    let names: Vec<String> = file
        .prepare("SELECT name FROM pragma_table_info('unit')")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let values: Vec<&str> = names
        .iter()
        .map(|name| match name.as_str() {
            "id" => "unhex(printf('%016x%016x', ?1, rowid))",
            "identity" => "printf('copy:%d:%d', ?1, rowid)",
            other => other,
        })
        .collect();
    let (names, values) = (names.join(", "), values.join(", "));
    let copies = file.transaction()?;
    let first = i64::try_from(FIRST * GROUP).unwrap_or(i64::MAX);
    for copy in 1..PENDING / FIRST {
        let sql = format!("INSERT INTO unit ({names}) SELECT {values} FROM unit WHERE rowid <= ?2");
        copies.execute(&sql, (i64::try_from(copy).unwrap_or(i64::MAX), first))?;
    }
    copies.commit()?;
    // As a program leaves it that has ended in order.
    file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")
}

/// As if nobody had started the program for days.
pub(super) fn age(profile: &Path) -> rusqlite::Result<()> {
    let file = Connection::open(profile.join("gatehouse.db"))?;
    file.execute("UPDATE unit SET known_at = known_at - ?1 WHERE delivery = 'pending'", [OLD_MS])?;
    file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")
}

fn session(id: SessionId, at: EpochMs) -> NewSession {
    NewSession { id, title: "t".into(), client_key: None, route: route(id), delegated_from: None, at }
}

fn route(session: SessionId) -> String {
    format!("desktop:{session}")
}

fn group(tx: &Tx<'_>, ids: &Counter, session: SessionId, at: EpochMs) -> gatehouse_store::Result<()> {
    let mut told = Vec::with_capacity(GROUP);
    for _ in 0..GROUP {
        let id = UnitId::from_uuid(ids.fresh());
        tx.units_mut().owe(&unit(id, session, at))?;
        tx.units_mut().finish(id, &report(at))?;
        told.push(id);
    }
    told.pop();
    let admission = admission(AdmissionId::from_uuid(ids.fresh()), session, at);
    tx.admissions_mut().insert(&admission)?;
    tx.units_mut().deliver(&told, admission.id)?;
    tx.admissions_mut().spend(admission.id)?;
    Ok(())
}

fn unit(id: UnitId, session: SessionId, at: EpochMs) -> NewUnit {
    NewUnit {
        id,
        producer: Producer::Process,
        identity: format!("process:{id}"),
        session,
        process: None,
        turn: None,
        command: "make check".into(),
        wants: Wants::Turn,
        at,
    }
}

fn report(at: EpochMs) -> Report {
    Report {
        state: Some(ProcessState::Exited),
        exit: Some(Exit::Code(0)),
        stopped_by: None,
        duration_ms: 1_000,
        output_tail: "All 214 tests have passed.\n".into(),
        output_bytes: 27,
        at,
        known_at: at,
    }
}

fn admission(id: AdmissionId, session: SessionId, at: EpochMs) -> NewAdmission {
    NewAdmission {
        id,
        session,
        root: session,
        principal: Principal::Gateway,
        request_key: id.to_string(),
        digest: String::new(),
        cause: TurnCause::Completion,
        text: String::new(),
        retry_of: None,
        category: Category::Result,
        at,
    }
}
