//! Turns that are given up for every cause there is, also for those that no shell can bring about yet: real jobs, under
//! real shims. Needs `cargo build -p gatehouse-process --bins`.

use gatehouse_domain::{DeliveryState, Exit};
use gatehouse_provider::scripted::{End, Script, Scripted, calls, say};
use gatehouse_store::Snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::*;
use crate::session::Message;
use crate::testing::{configure, open_with_jobs, until};
use crate::{Gateway, SendMode};

/// A turn that has started two jobs, of which one shall persist, and that goes on.
struct Scene {
    gateway: Gateway,
    session: SessionId,
    plain: ProcessId,
    persisted: ProcessId,
    _lab: Scripted,
    _home: TempDir,
}

fn model() -> Script {
    Script::responder(|body: &Value| {
        let last = body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
        if last["role"] == "tool" {
            return say("I take my time.").ending(End::Hang);
        }
        let job = json!({"command": "exec sleep 300", "background": true});
        let mut persisted = job.clone();
        persisted["persist"] = json!(true);
        calls([("plain", "terminal", job), ("persisted", "terminal", persisted)])
    })
}

impl Scene {
    async fn set_up() -> Self {
        let (home, lab) = (tempfile::tempdir().unwrap(), Scripted::start(model()).await.unwrap());
        configure(home.path(), &lab, "");
        let gateway = open_with_jobs(home.path()).await;
        let session = gateway.create_session(None, None).await.unwrap();
        gateway.send(session, "work".into(), None, SendMode::Queue, false).await.unwrap();
        lab.wait_for_request(2).await;
        let rows = gateway.processes(Some(session), true).unwrap();
        let of = |persist: bool| rows.iter().find(|row| row.persist == persist).map(|row| row.id).unwrap();
        let (plain, persisted) = (of(false), of(true));
        Self { gateway, session, plain, persisted, _lab: lab, _home: home }
    }

    fn core(&self) -> &Arc<Core> {
        self.gateway.core()
    }

    fn row(&self, process: ProcessId) -> ProcessRow {
        self.core().store.read(|s| s.processes().get(process)).unwrap().unwrap()
    }

    fn told(&self, process: ProcessId) -> DeliveryState {
        self.core().store.read(|s| s.units().by_process(process)).unwrap()[0].delivery
    }

    async fn give_up(&self, cause: AbandonCause) {
        let (reply, answer) = oneshot::channel();
        self.core().actors.send(self.core(), self.session, Message::Stop { turn: None, cause, reply }).await.unwrap();
        assert!(answer.await.unwrap().is_some(), "{cause}: no turn ran");
        until(&self.gateway, "the end of the turn", |s| Ok(s.turns().running(self.session)?.is_none())).await;
        self.over(self.plain).await;
    }

    async fn over(&self, process: ProcessId) {
        let is_over = |s: &Snapshot<'_>| Ok(s.processes().get(process)?.is_some_and(|row| row.state.is_final()));
        until(&self.gateway, "the end of a job", is_over).await;
    }
}

/// How a row says that a process ended, and for whom.
fn end_of(row: &ProcessRow) -> (ProcessState, Option<StoppedBy>, Option<Exit>) {
    (row.state, row.stopped_by, row.exit)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_cause_ends_what_it_means_to_and_names_itself() {
    let killed = |by| (ProcessState::Killed, Some(by), Some(Exit::Signal(15)));
    let lives = (ProcessState::Running, None, None);
    for cause in AbandonCause::ALL {
        let (plain, persisted) = match cause {
            AbandonCause::Stop => (killed(StoppedBy::TurnStop), killed(StoppedBy::TurnStop)),
            AbandonCause::NewSession => (killed(StoppedBy::NewSession), lives),
            AbandonCause::Timeout => (killed(StoppedBy::TurnTimeout), lives),
            AbandonCause::Disconnect => (killed(StoppedBy::Disconnect), lives),
        };
        let scene = Scene::set_up().await;
        scene.give_up(*cause).await;
        if persisted != lives {
            scene.over(scene.persisted).await;
        }
        assert_eq!(end_of(&scene.row(scene.plain)), plain, "{cause}");
        assert_eq!(end_of(&scene.row(scene.persisted)), persisted, "{cause}: the one that shall persist");
        assert_eq!(scene.told(scene.plain), DeliveryState::Consumed, "{cause}: it wakes nobody");
        let owed = if persisted == lives { DeliveryState::Pending } else { DeliveryState::Consumed };
        assert_eq!(scene.told(scene.persisted), owed, "{cause}: who lives on still owes its report");
        // Who lives on is nobody's but the person's now, and ends when they say so.
        let stopped = scene.gateway.stop_process(scene.persisted, true).await.unwrap();
        assert!(stopped.state.is_final() && stopped.survivors.is_empty(), "{cause}: {stopped:?}");
        scene.gateway.shutdown().await;
    }
}
