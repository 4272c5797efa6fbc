use gatehouse_provider::scripted::{End, Script, Scripted, say};
use gatehouse_store::{NewAdmission, TurnRow};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::Notify;

use super::*;
use crate::Gateway;
use crate::testing::{configure, open, until};

/// A turn whose model has begun to answer and does not go on.
struct Scene {
    gateway: Gateway,
    session: SessionId,
    lab: Scripted,
    _home: TempDir,
}

impl Scene {
    async fn set_up() -> Self {
        let model = Script::responder(|_: &Value| say("I take my time.").ending(End::Hang));
        let (home, lab) = (tempfile::tempdir().unwrap(), Scripted::start(model).await.unwrap());
        configure(home.path(), &lab, "");
        let gateway = open(home.path()).await;
        let session = gateway.create_session(None, None).await.unwrap();
        gateway.send(session, "work".into(), None, SendMode::Queue, false).await.unwrap();
        lab.wait_for_request(1).await;
        Self { gateway, session, lab, _home: home }
    }

    fn core(&self) -> &Arc<Core> {
        self.gateway.core()
    }

    fn running(&self) -> Option<TurnRow> {
        self.core().store.read(|s| s.turns().running(self.session)).unwrap()
    }
}

#[tokio::test]
async fn what_ends_while_the_house_closes_leaves_a_turn_to_the_next_start() {
    let scene = Scene::set_up().await;
    let core = scene.core();
    core.actors.tasks.close();
    core.closing.cancel();
    core.actors.tasks.wait().await;
    let cut_off = scene.running().unwrap();
    // A job's end was just being written down, and is due now.
    let _refused_or_lost = core.actors.send(core, scene.session, Message::ReportDue).await;
    core.actors.tasks.wait().await;
    let left = scene.running().unwrap();
    assert_eq!((left.state, left.progress, left.attempt), (cut_off.state, cut_off.progress, cut_off.attempt));
}

#[tokio::test]
async fn a_stop_right_behind_other_words_holds_them_back() {
    let scene = Scene::set_up().await;
    let other = scene.gateway.send(scene.session, "something else".into(), None, SendMode::Interrupt, false);
    let (said, stopped) = tokio::join!(other, scene.gateway.stop_turn(scene.session, None));
    said.unwrap();
    assert!(stopped.unwrap().stopped, "the turn was still at work");
    let at_rest = |s: &gatehouse_store::Snapshot<'_>| Ok(s.turns().running(scene.session)?.is_none());
    until(&scene.gateway, "the end of the turn", at_rest).await;
    let row = scene.core().store.read(|s| s.sessions().get(scene.session)).unwrap().unwrap();
    let waiting = scene.core().store.read(|s| s.admissions().queued(scene.session)).unwrap();
    assert_eq!((row.queue_paused, waiting.len()), (true, 1));
    assert_eq!(scene.lab.requests().len(), 1, "nothing was begun behind a person's stop");
    scene.lab.release();
    scene.gateway.shutdown().await;
}

#[tokio::test]
async fn a_stop_of_a_turn_that_has_ended_leaves_the_next_one_alone() {
    let scene = Scene::set_up().await;
    let running = scene.running().unwrap().id;
    let ended = TurnId::from_uuid(scene.core().ids.fresh());
    let late = scene.gateway.stop_turn(scene.session, Some(ended)).await.unwrap();
    let row = scene.core().store.read(|s| s.sessions().get(scene.session)).unwrap().unwrap();
    assert_eq!((late.stopped, row.queue_paused, scene.running().map(|turn| turn.id)), (false, false, Some(running)));
    assert!(scene.gateway.stop_turn(scene.session, Some(running)).await.unwrap().stopped);
    scene.lab.release();
    scene.gateway.shutdown().await;
}

#[tokio::test]
async fn a_report_takes_no_person_s_place_in_the_queue() {
    let scene = Scene::set_up().await;
    let (core, session) = (scene.core(), scene.session);
    let report = NewAdmission {
        id: AdmissionId::from_uuid(core.ids.fresh()),
        session,
        root: session,
        principal: Principal::Gateway,
        request_key: "a report".into(),
        digest: String::new(),
        cause: TurnCause::Completion,
        text: String::new(),
        retry_of: None,
        category: Category::Result,
        at: core.now(),
    };
    core.store.write(move |tx| tx.admissions_mut().insert(&report)).await.unwrap();
    let say = |n: u32| scene.gateway.send(session, format!("message {n}"), None, SendMode::Queue, false);
    for n in 0..32 {
        say(n).await.unwrap();
    }
    assert!(matches!(say(32).await, Err(Error::QueueFull)));
    scene.lab.release();
    scene.gateway.shutdown().await;
}

/// A session whose turn was cut short by other words and has ended for everybody who reads the rows. Its actor does not
/// know: the task is held.
struct Ended {
    scene: Scene,
    mailbox: mpsc::Sender<Message>,
    returns: Arc<Notify>,
}

impl Ended {
    async fn set_up() -> Self {
        let scene = Scene::set_up().await;
        scene.lab.release();
        until(&scene.gateway, "the end of the turn", |s| Ok(s.turns().running(scene.session)?.is_none())).await;
        let ended = scene.core().store.read(|s| s.turns().last(scene.session)).unwrap().unwrap();
        let turn = turn::set_up(scene.core(), scene.session, ended.id).unwrap().handle();
        turn.scope.finish();
        turn.cancel.cancel();
        let returns = Arc::new(Notify::new());
        let held = Arc::clone(&returns);
        let running =
            Running { turn, internal: false, task: tokio::spawn(async move { held.notified().await }), ends_by: None };
        let (mailbox, messages) = mpsc::channel(1);
        let (core, session) = (Arc::clone(scene.core()), scene.session);
        tokio::spawn(Actor { core, session, mailbox: messages, running: Some(running), window: None }.run());
        Self { scene, mailbox, returns }
    }

    /// What the actor answers to a message that it takes up before the task returns.
    async fn told<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> T {
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(message(reply)).await.unwrap();
        while self.mailbox.capacity() == 0 {
            tokio::task::yield_now().await;
        }
        self.returns.notify_one();
        answer.await.unwrap()
    }
}

#[tokio::test]
async fn words_behind_an_end_that_can_be_seen_begin_a_turn() {
    let ended = Ended::set_up().await;
    let say = |reply| Message::Say { text: "more".into(), client_key: "more".into(), mode: SendMode::Queue, reply };
    assert!(ended.told(say).await.unwrap().turn.is_some());
    ended.scene.gateway.shutdown().await;
}

#[tokio::test]
async fn a_stop_behind_an_end_that_can_be_seen_finds_no_turn() {
    let ended = Ended::set_up().await;
    assert_eq!(ended.told(|reply| Message::Stop { turn: None, cause: AbandonCause::Stop, reply }).await, None);
    ended.scene.gateway.shutdown().await;
}

#[tokio::test]
async fn a_session_can_be_closed_as_soon_as_its_turn_has_ended_for_everybody() {
    let ended = Ended::set_up().await;
    ended.told(|reply| Message::Close { reply }).await.unwrap();
    ended.scene.gateway.shutdown().await;
}
