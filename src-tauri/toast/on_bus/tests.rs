use std::sync::Mutex as Lock;
use std::time::Duration;

use tokio::sync::Notify as Wake;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use super::*;
use crate::bus::tests::TestBus;
use crate::toast::shape::Subject;

/// What the service was asked to show.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    id: u32,
    replaces: u32,
    title: String,
    body: String,
    actions: Vec<String>,
    lasts: i32,
}

#[derive(Default)]
struct Record {
    asked: Wake,
    calls: Lock<Vec<Call>>,
    closed: Lock<Vec<u32>>,
}

/// A notification service.
struct Daemon {
    record: Arc<Record>,
    capabilities: Vec<&'static str>,
    hangs: Option<Arc<Wake>>,
    next: u32,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Daemon {
    #[expect(clippy::too_many_arguments, reason = "the specification says so")]
    async fn notify(
        &mut self,
        _app: String,
        replaces: u32,
        _icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        lasts: i32,
    ) -> u32 {
        self.record.asked.notify_one();
        if let Some(hangs) = &self.hangs {
            hangs.notified().await;
        }
        self.next += 1;
        let id = if replaces == 0 { self.next } else { replaces };
        self.record.calls.lock().unwrap().push(Call { id, replaces, title, body, actions, lasts });
        id
    }

    fn get_capabilities(&self) -> Vec<String> {
        self.capabilities.iter().map(ToString::to_string).collect()
    }

    fn close_notification(&self, id: u32) {
        self.record.closed.lock().unwrap().push(id);
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn activation_token(emitter: &SignalEmitter<'_>, id: u32, token: &str) -> zbus::Result<()>;
}

const PLAIN: [&str; 2] = ["body", "actions"];
const MARKUP: [&str; 3] = ["body", "actions", "body-markup"];

struct Running {
    connection: Connection,
    record: Arc<Record>,
}

impl Running {
    async fn on(bus: &TestBus, capabilities: &[&'static str], hangs: Option<Arc<Wake>>) -> Self {
        let record = Arc::<Record>::default();
        let daemon = Daemon { record: Arc::clone(&record), capabilities: capabilities.to_vec(), hangs, next: 40 };
        let connection = bus.peer().await;
        connection.object_server().at(PATH, daemon).await.unwrap();
        connection.request_name(NAME).await.unwrap();
        Self { connection, record }
    }

    fn calls(&self) -> Vec<Call> {
        self.record.calls.lock().unwrap().clone()
    }

    fn emitter(&self) -> SignalEmitter<'_> {
        SignalEmitter::new(&self.connection, PATH).unwrap()
    }

    async fn end(self) {
        self.connection.close().await.unwrap();
    }
}

struct Desk {
    notifier: OnBus,
    pressed: mpsc::Receiver<Pressed>,
}

fn desk(bus: &TestBus) -> Desk {
    desk_at(Bus::at(&bus.address))
}

fn desk_at(bus: Bus) -> Desk {
    let (presses, pressed) = mpsc::channel(8);
    Desk { notifier: OnBus::new(Arc::new(bus), presses), pressed }
}

fn toast(slot: &str, body: &str) -> Toast {
    Toast {
        slot: Slot(slot.into()),
        subject: Subject { session_id: "s".into(), notice_id: slot.into(), ..Subject::default() },
        title: "web <exited> & 1".into(),
        body: body.into(),
        actions: vec![Action::Open, Action::RunAgain],
        urgent: false,
    }
}

#[tokio::test]
async fn a_body_is_escaped_if_and_only_if_the_service_reads_markup() {
    let bodies = [
        ("build & test <3", "build &amp; test &lt;3"),
        (
            "<b>ALERT</b> <a href=\"http://x.example\">log in</a>",
            "&lt;b&gt;ALERT&lt;/b&gt; &lt;a href=\"http://x.example\"&gt;log in&lt;/a&gt;",
        ),
        ("&lt;kept&gt;", "&amp;lt;kept&amp;gt;"),
    ];
    for markup in [false, true] {
        let bus = TestBus::start();
        let daemon = Running::on(&bus, if markup { &MARKUP } else { &PLAIN }, None).await;
        let mut desk = desk(&bus);
        for (n, (body, escaped)) in bodies.into_iter().enumerate() {
            desk.notifier.show(toast(&format!("n{n}"), body)).await.unwrap();
            let call = daemon.calls().pop().unwrap();
            assert_eq!(call.body, if markup { escaped } else { body });
            assert_eq!(call.title, "web <exited> & 1", "a title is never markup");
        }
    }
}

#[tokio::test]
async fn one_slot_is_one_toast() {
    let bus = TestBus::start();
    let daemon = Running::on(&bus, &PLAIN, None).await;
    let mut desk = desk(&bus);
    for slot in ["a", "b", "a", "a"] {
        desk.notifier.show(toast(slot, "x")).await.unwrap();
    }
    desk.notifier.show(Toast { urgent: true, ..toast("q", "x") }).await.unwrap();
    let calls = daemon.calls();
    let seen: Vec<_> = calls.iter().map(|call| (call.replaces, call.id, call.lasts)).collect();
    assert_eq!(seen, [(0, 41, -1), (0, 42, -1), (41, 41, -1), (41, 41, -1), (0, 45, 0)]);
    assert_eq!(calls[0].actions, ["default", "Open", "open", "Open", "run_again", "Run again"]);
    desk.notifier.close(Slot("b".into())).await;
    desk.notifier.close(Slot("b".into())).await;
    assert_eq!(*daemon.record.closed.lock().unwrap(), [42]);
}

#[tokio::test]
async fn a_press_is_told_with_what_the_toast_is_about() {
    let bus = TestBus::start();
    let daemon = Running::on(&bus, &PLAIN, None).await;
    let mut desk = desk(&bus);
    desk.notifier.show(toast("a", "x")).await.unwrap();
    // Not ours, not offered, by nobody who shows it, and then the two that count.
    Daemon::action_invoked(&daemon.emitter(), 99, "default").await.unwrap();
    Daemon::action_invoked(&daemon.emitter(), 41, "allow_once").await.unwrap();
    let stranger = bus.peer().await;
    Daemon::action_invoked(&SignalEmitter::new(&stranger, PATH).unwrap(), 41, "run_again").await.unwrap();
    Daemon::activation_token(&daemon.emitter(), 41, "token-7").await.unwrap();
    Daemon::action_invoked(&daemon.emitter(), 41, "default").await.unwrap();
    Daemon::action_invoked(&daemon.emitter(), 41, "run_again").await.unwrap();
    for action in [Action::Open, Action::RunAgain] {
        let press = tokio::time::timeout(Duration::from_secs(30), desk.pressed.recv()).await.unwrap().unwrap();
        assert_eq!((press.action, press.subject.notice_id.as_str()), (action, "a"));
        assert_eq!(press.token.as_deref(), Some("token-7"));
    }
    assert!(desk.pressed.try_recv().is_err());
}

#[tokio::test]
async fn nobody_there_is_said_and_whoever_comes_later_is_used() {
    let bus = TestBus::start();
    let mut desk = desk(&bus);
    assert_eq!(desk.notifier.show(toast("a", "x")).await, Err(Problem::NoService));
    let daemon = Running::on(&bus, &MARKUP, None).await;
    desk.notifier.show(toast("a", "1 < 2")).await.unwrap();
    assert_eq!(daemon.calls()[0].body, "1 &lt; 2");
}

#[tokio::test]
async fn after_a_service_has_died_the_next_one_is_told_nothing_of_its_numbers() {
    let bus = TestBus::start();
    let first = Running::on(&bus, &PLAIN, None).await;
    let mut desk = desk(&bus);
    desk.notifier.show(toast("a", "x")).await.unwrap();
    first.end().await;
    assert_eq!(desk.notifier.show(toast("a", "x")).await, Err(Problem::NoService));
    let second = Running::on(&bus, &PLAIN, None).await;
    desk.notifier.show(toast("a", "x")).await.unwrap();
    assert_eq!(second.calls()[0].replaces, 0, "41 could be somebody else's toast there");
}

#[tokio::test]
async fn a_service_that_dies_while_it_is_asked_does_not_answer() {
    let bus = TestBus::start();
    let daemon = Running::on(&bus, &PLAIN, Some(Arc::default())).await;
    let mut desk = desk(&bus);
    let dies = async {
        daemon.record.asked.notified().await;
        daemon.end().await;
    };
    let (told, ()) = tokio::join!(desk.notifier.show(toast("a", "x")), dies);
    assert_eq!(told, Err(Problem::Silent));
}

#[tokio::test]
async fn a_service_that_hangs_is_given_up_and_used_when_it_wakes() {
    let bus = TestBus::start();
    let hangs = Arc::<Wake>::default();
    let daemon = Running::on(&bus, &PLAIN, Some(Arc::clone(&hangs))).await;
    let mut hurried = Bus::at(&bus.address);
    // Enough for a busy machine when the service wakes.
    hurried.patience = Duration::from_secs(4);
    let mut desk = desk_at(hurried);
    assert_eq!(desk.notifier.show(toast("a", "x")).await, Err(Problem::Silent));
    hangs.notify_one();
    hangs.notify_one();
    let again = async {
        while daemon.calls().len() < 2 {
            hangs.notify_one();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (told, ()) = tokio::join!(desk.notifier.show(toast("b", "x")), again);
    told.unwrap();
}

#[tokio::test]
async fn without_a_bus_that_is_said_at_once_and_a_new_bus_is_found() {
    let gone = TestBus::start();
    let mut without = desk(&gone);
    let first = Running::on(&gone, &PLAIN, None).await;
    without.notifier.show(toast("a", "x")).await.unwrap();
    drop((gone, first));
    assert_eq!(without.notifier.show(toast("a", "x")).await, Err(Problem::NoBus));
}
