/// Each moment with what it is called.
macro_rules! points {
    ($($(#[$doc:meta])+ $point:ident = $name:literal,)+) => {
        /// A moment at which the program can end.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub enum Point {
            $($(#[$doc])+ $point,)+
        }

        #[cfg(feature = "faults")]
        impl Point {
            /// All there are.
            pub const ALL: &'static [Self] = &[$(Self::$point,)+];

            /// What it is called in `GATEHOUSE_FAULT`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$point => $name,)+ }
            }
        }
    };
}

points! {
    /// A batch of closures has run, and nothing of it is durable.
    StoreCommitBefore = "store.commit.before",
    /// It is durable, and nobody was answered.
    StoreCommitAfter = "store.commit.after",
    /// An input is about to be accepted.
    AdmissionBefore = "admission.before",
    /// It is accepted, and its sender does not know.
    AdmissionAfter = "admission.after",
    /// The next input of a queue is about to begin.
    QueueStartBefore = "queue.start.before",
    /// Its turn is a row, and does not run.
    QueueStartAfter = "queue.start.after",
    /// A turn that is a row is about to run.
    TurnBeginBefore = "turn.begin.before",
    /// It runs.
    TurnBeginAfter = "turn.begin.after",
    /// Nothing says yet that the model was asked.
    RequestNotedBefore = "request.noted.before",
    /// The rows say so, and no request has left.
    RequestNotedAfter = "request.noted.after",
    /// A request is about to leave.
    RequestBefore = "request.before",
    /// A piece of its answer is here, and is no row.
    RequestWord = "request.word",
    /// A tool call is about to begin.
    CallBefore = "call.before",
    /// The rows say that it began, and nothing has happened.
    CallAfter = "call.after",
    /// A tool call has ended, and no row says so.
    CallEndBefore = "call.end.before",
    /// The rows say so, and the model has not read it.
    CallEndAfter = "call.end.after",
    /// Tasks are about to be written down, with the report that is owed for them.
    DelegationBefore = "delegation.record.before",
    /// They are rows, none of them has begun, and the agent that hands them on does not know.
    DelegationAfter = "delegation.record.after",
    /// A turn's last transaction is about to happen.
    TurnEndBefore = "turn.end.before",
    /// It has, and its session does not know.
    TurnEndAfter = "turn.end.after",
    /// A process is about to get its row.
    StartRecordBefore = "start.record.before",
    /// It has one, and nothing runs.
    StartRecordAfter = "start.record.after",
    /// Its shim is about to be started.
    SpawnBefore = "spawn.before",
    /// The shim lives, and nobody has heard from it.
    SpawnAfter = "spawn.after",
    /// The shim has said who runs, and no row says so.
    SpawnGreeted = "spawn.greeted",
    /// An end is known, and is no row.
    EndRecordBefore = "end.record.before",
    /// It is a row, and nobody was told.
    EndRecordAfter = "end.record.after",
    /// The shim is about to hear that its end is kept.
    AcknowledgeBefore = "end.acknowledge.before",
    /// It has heard.
    AcknowledgeAfter = "end.acknowledge.after",
    /// Reports are about to be handed over.
    HandoverBefore = "delivery.handover.before",
    /// They are part of an input, and nothing has begun.
    HandoverAfter = "delivery.handover.after",
    /// A start knows what became of every process.
    RecoveryProcesses = "recovery.processes",
    /// And what becomes of every turn.
    RecoveryTurns = "recovery.turns",
    /// Sessions go on.
    RecoveryOpen = "recovery.open",
    /// A shim is about to start its command.
    ShimSpawnBefore = "shim.spawn.before",
    /// `child.json` is there and the command runs.
    ShimSpawnAfter = "shim.spawn.after",
    /// The command has ended, and `exit.json` is not there.
    ShimExitBefore = "shim.exit.before",
    /// It is there, and nobody was told.
    ShimExitAfter = "shim.exit.after",
    /// Nothing is left to do, and the shim has not ended.
    ShimDone = "shim.done",
}
