use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gatehouse_domain::*;
use gatehouse_store::*;
use tempfile::TempDir;
use uuid::Uuid;

/// Ids in ascending order, unlike those of any other source in this process.
pub struct Ids {
    base: u128,
    next: AtomicU64,
}

impl Ids {
    pub fn new() -> Arc<Self> {
        static SOURCES: AtomicU64 = AtomicU64::new(1);
        let base = u128::from(SOURCES.fetch_add(1, Ordering::Relaxed)) << 64;
        Arc::new(Self { base, next: AtomicU64::new(1) })
    }
}

impl IdSource for Ids {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128(self.base | u128::from(self.next.fetch_add(1, Ordering::Relaxed)))
    }
}

pub struct House {
    pub store: Store,
    pub ids: Arc<Ids>,
    pub dir: TempDir,
}

pub fn house() -> House {
    let dir = tempfile::tempdir().unwrap();
    let ids = Ids::new();
    House { store: open(dir.path(), &ids), ids, dir }
}

pub fn open(dir: &Path, ids: &Arc<Ids>) -> Store {
    Store::open(dir, Arc::<Ids>::clone(ids)).unwrap()
}

pub const AT: EpochMs = EpochMs(1_000);

macro_rules! fresh {
    ($($name:ident -> $type:ident),+) => {
        impl House { $(pub fn $name(&self) -> $type { $type::from_uuid(self.ids.fresh()) })+ }
    };
}
fresh!(
    session_id -> SessionId, turn_id -> TurnId, item_id -> ItemId, process_id -> ProcessId, unit_id -> UnitId,
    admission_id -> AdmissionId, approval_id -> ApprovalId
);

impl House {
    pub fn write<T: Send + 'static>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T> + Send + 'static) -> T {
        self.store.write_blocking(f).unwrap()
    }

    pub fn session(&self) -> SessionId {
        let id = self.session_id();
        self.write(move |tx| tx.sessions_mut().insert(&session(id)));
        id
    }

    pub fn said(&self, session: SessionId, text: &str) -> ItemId {
        let new = message(self.item_id(), session, text);
        let id = new.id;
        self.write(move |tx| tx.items_mut().insert(&new));
        id
    }
}

pub fn session(id: SessionId) -> NewSession {
    NewSession { id, title: "t".into(), client_key: None, route: "desktop".into(), delegated_from: None, at: AT }
}

pub fn message(id: ItemId, session: SessionId, text: &str) -> NewItem {
    NewItem {
        id,
        session,
        turn: None,
        author: Author::Model,
        kind: ItemKind::Message,
        text: text.into(),
        streaming: false,
        failure: None,
        retryable: false,
        admission: None,
        at: AT,
    }
}

pub fn turn(id: TurnId, session: SessionId) -> NewTurn {
    NewTurn { id, session, cause: TurnCause::Human, retry_of: None, admission: None, at: AT }
}

pub fn card(item: ItemId, session: SessionId, turn: Option<TurnId>) -> NewCard {
    NewCard {
        item,
        session,
        turn,
        call_id: CallId("call-1".into()),
        tool: "shell".into(),
        arguments: "{}".into(),
        title: "Run make".into(),
        details: String::new(),
        background: false,
        at: AT,
    }
}

pub fn process(id: ProcessId, session: SessionId, turn: Option<TurnId>) -> NewProcess {
    NewProcess {
        pty: None,
        stdin: false,
        max_runtime_ms: None,
        restart_of: None,
        id,
        session,
        turn,
        card: None,
        command: "make".into(),
        cwd: "/".into(),
        notify: true,
        persist: false,
        at: AT,
    }
}

pub fn process_end(state: ProcessState) -> ProcessEnd {
    ProcessEnd {
        state,
        exit: Some(Exit::Code(3)),
        reason: None,
        ended_at: EpochMs(2_000),
        output_bytes: 7,
        descendants: 0,
        escape_possible: false,
    }
}

pub fn unit(id: UnitId, session: SessionId, identity: &str) -> NewUnit {
    NewUnit {
        id,
        producer: Producer::Process,
        identity: identity.into(),
        session,
        process: None,
        turn: None,
        command: "make".into(),
        wants: Wants::Turn,
        at: AT,
    }
}

pub fn report(at: i64) -> Report {
    Report {
        state: Some(ProcessState::Exited),
        exit: Some(Exit::Signal(9)),
        stopped_by: None,
        duration_ms: 5,
        output_tail: "tail".into(),
        output_bytes: 4,
        at: EpochMs(at),
        known_at: EpochMs(at),
    }
}

pub fn admission(id: AdmissionId, session: SessionId, key: &str) -> NewAdmission {
    NewAdmission {
        id,
        session,
        root: session,
        principal: Principal::Person,
        request_key: key.into(),
        digest: "d".into(),
        cause: TurnCause::Human,
        text: "hello".into(),
        retry_of: None,
        category: Category::Result,
        at: AT,
    }
}
