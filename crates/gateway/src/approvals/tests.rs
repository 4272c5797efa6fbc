use std::path::Path;
use std::time::Duration;

use gatehouse_domain::{CallId, RuleKind, TurnCause};
use gatehouse_store::{NewCard, NewRule, NewSession, NewTurn};
use tempfile::TempDir;

use super::*;
use crate::testing::open;
use crate::{Gateway, SendMode};

const COMMAND: &str = "touch ran";
const LONG: Duration = Duration::from_secs(60);

/// A gateway in which nothing runs.
struct Desk {
    gateway: Gateway,
    _home: TempDir,
}

/// One call that asks.
#[derive(Clone, Copy)]
struct Call {
    asker: Asker,
    card: ItemId,
}

impl Desk {
    async fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { gateway: open(home.path()).await, _home: home }
    }

    fn core(&self) -> &Core {
        self.gateway.core()
    }

    fn fresh(&self) -> uuid::Uuid {
        self.core().ids.fresh()
    }

    /// A session with a turn at work and a call that waits.
    async fn call(&self) -> Call {
        let (session, turn) = (SessionId::from_uuid(self.fresh()), TurnId::from_uuid(self.fresh()));
        let (card, at) = (ItemId::from_uuid(self.fresh()), self.core().now());
        let written = self.core().store.write(move |tx| {
            let route = "desktop".into();
            tx.sessions_mut().insert(&NewSession {
                id: session,
                title: "t".into(),
                client_key: None,
                route,
                delegated_from: None,
                at,
            })?;
            let cause = TurnCause::Human;
            tx.turns_mut().insert(&NewTurn { id: turn, session, cause, retry_of: None, admission: None, at })?;
            tx.items_mut().insert(&NewItem {
                id: card,
                session,
                turn: Some(turn),
                author: Author::Tool,
                kind: ItemKind::ToolCall,
                text: String::new(),
                streaming: false,
                failure: None,
                retryable: false,
                admission: None,
                at,
            })?;
            tx.cards_mut().insert(&NewCard {
                item: card,
                session,
                turn: Some(turn),
                call_id: CallId("call".into()),
                tool: "terminal".into(),
                arguments: "{}".into(),
                title: COMMAND.into(),
                details: COMMAND.into(),
                background: false,
                at,
            })
        });
        written.await.unwrap();
        Call { asker: Asker { session, turn }, card }
    }

    fn ask(&self, call: Call, wait: Duration, cancel: &CancellationToken) -> tokio::task::JoinHandle<Verdict> {
        let (gateway, cancel) = (self.gateway.clone(), cancel.clone());
        tokio::spawn(async move {
            let question = Question {
                card: call.card,
                command: COMMAND,
                shown: COMMAND.into(),
                cwd: Path::new("/srv"),
                purpose: None,
                dangers: Vec::new(),
                suggested: None,
                takes_pattern: true,
                wait,
            };
            gateway.core().approvals.ask(gateway.core(), call.asker, question, &cancel).await.unwrap()
        })
    }

    /// The question of this call, once it was asked; it may be closed again by then.
    async fn asked(&self, call: Call) -> ApprovalId {
        let mut rows = self.core().store.watch();
        loop {
            rows.borrow_and_update();
            let items = self.core().store.read(|s| s.items().transcript(call.asker.session)).unwrap();
            if let Some(row) = items.into_iter().find_map(|item| item.approval) {
                return row.id;
            }
            rows.changed().await.unwrap();
        }
    }

    async fn answer(&self, approval: ApprovalId, choice: ApprovalChoice) -> Result<()> {
        self.core().approvals.answer(self.core(), approval, Reply::plain(choice)).await
    }

    fn row(&self, approval: ApprovalId) -> ApprovalRow {
        self.core().store.read(|s| s.approvals().get(approval)).unwrap().unwrap()
    }

    fn annotation(&self, call: Call) -> Option<CardAnnotation> {
        self.core().store.read(|s| s.cards().get(call.card)).unwrap().unwrap().annotation
    }
}

#[tokio::test]
async fn silence_is_no_consent_and_a_late_answer_is_told_so() {
    let desk = Desk::open().await;
    let (call, never) = (desk.call().await, CancellationToken::new());
    let asking = desk.ask(call, Duration::from_millis(300), &never);
    let approval = desk.asked(call).await;
    assert_eq!(desk.annotation(call), Some(CardAnnotation::NeedsInput));
    assert_eq!(asking.await.unwrap(), Verdict::Expired);
    let late = desk.answer(approval, ApprovalChoice::Always).await.unwrap_err();
    assert!(matches!(&late, Error::ApprovalClosed(words) if words.contains("in time")), "{late}");
    let row = desk.row(approval);
    assert_eq!((row.state, row.choice), (ApprovalState::Expired, None));
    assert!(desk.gateway.rules().unwrap().is_empty(), "a late answer makes no rule");
    assert_eq!(desk.annotation(call), None);
}

#[tokio::test]
async fn a_stop_takes_the_question_back() {
    let desk = Desk::open().await;
    let (call, cancel) = (desk.call().await, CancellationToken::new());
    let asking = desk.ask(call, LONG, &cancel);
    let approval = desk.asked(call).await;
    cancel.cancel();
    assert_eq!(asking.await.unwrap(), Verdict::Withdrawn);
    let late = desk.answer(approval, ApprovalChoice::Once).await.unwrap_err();
    assert!(matches!(&late, Error::ApprovalClosed(words) if words.contains("did not run")), "{late}");
    assert_eq!(desk.row(approval).state, ApprovalState::Withdrawn);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_in_the_chat_at_once_one_hears_that_it_came_too_late() {
    let desk = Desk::open().await;
    for _ in 0..40 {
        let (call, never) = (desk.call().await, CancellationToken::new());
        let session = call.asker.session;
        let asking = desk.ask(call, LONG, &never);
        desk.asked(call).await;
        let [one, other] = [(), ()].map(|()| {
            let gateway = desk.gateway.clone();
            tokio::spawn(async move {
                gateway.send(session, "/approve".into(), None, SendMode::Queue, false).await.map(drop)
            })
        });
        one.await.unwrap().unwrap();
        other.await.unwrap().unwrap();
        asking.await.unwrap();
        let items = desk.core().store.read(|s| s.items().transcript(session)).unwrap();
        assert_eq!(items.iter().filter(|item| item.row.kind == ItemKind::Notice).count(), 1);
    }
}

#[tokio::test]
async fn an_answer_at_the_deadline_counts_or_is_refused_but_never_both() {
    let desk = Desk::open().await;
    let never = CancellationToken::new();
    let (mut yes, mut no) = (0, 0);
    for round in 0..60_u64 {
        let call = desk.call().await;
        let asking = desk.ask(call, Duration::from_millis(8), &never);
        let approval = desk.asked(call).await;
        // From well before the deadline to well behind it.
        tokio::time::sleep(Duration::from_micros(round * 200)).await;
        let answered = desk.answer(approval, ApprovalChoice::Once).await;
        let verdict = asking.await.unwrap();
        match answered {
            Ok(()) => {
                yes += 1;
                assert_eq!(verdict, Verdict::Allowed { rule: None }, "round {round}");
                assert_eq!(desk.row(approval).state, ApprovalState::Allowed);
            }
            Err(Error::ApprovalClosed(_)) => {
                no += 1;
                assert_eq!(verdict, Verdict::Expired, "round {round}");
                assert_eq!(desk.row(approval).state, ApprovalState::Expired);
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(yes + no, 60);
}

#[tokio::test]
async fn a_rule_answers_who_waits_and_who_comes_later() {
    let desk = Desk::open().await;
    let never = CancellationToken::new();
    let (one, two) = (desk.call().await, desk.call().await);
    let asking = [desk.ask(one, LONG, &never), desk.ask(two, LONG, &never)];
    let (first, second) = (desk.asked(one).await, desk.asked(two).await);
    desk.answer(first, ApprovalChoice::Always).await.unwrap();
    let [one, two] = asking;
    let rule = desk.gateway.rules().unwrap()[0].id;
    assert_eq!(one.await.unwrap(), Verdict::Allowed { rule: None });
    assert_eq!(two.await.unwrap(), Verdict::Allowed { rule: Some(rule) });
    assert_eq!(desk.row(second).answered_by, Some(AnsweredBy::Rule));
    let third = desk.call().await;
    assert_eq!(desk.ask(third, LONG, &never).await.unwrap(), Verdict::Allowed { rule: Some(rule) });
    let asked = desk.core().store.read(|s| s.approvals().all_pending()).unwrap();
    assert!(asked.is_empty(), "nobody was asked");
    let twice = desk.answer(first, ApprovalChoice::Deny).await.unwrap_err();
    assert!(matches!(&twice, Error::ApprovalClosed(words) if words.contains("allowed before")), "{twice}");
}

#[tokio::test]
async fn a_rule_covers_no_more_than_it_says() {
    let desk = Desk::open().await;
    let (here, there) = (desk.call().await.asker.session, desk.call().await.asker.session);
    let rule = |kind, text: &str, session| NewRule {
        id: RuleId::from_uuid(desk.fresh()),
        kind,
        text: text.into(),
        exact: text.into(),
        cwd: (kind != RuleKind::Pattern).then(|| "/a".into()),
        session,
        at: desk.core().now(),
    };
    let made = [
        rule(RuleKind::Session, "make all", Some(here)),
        rule(RuleKind::Exact, "a && b > c", None),
        rule(RuleKind::Pattern, "git tag *", None),
    ];
    let insert = move |tx: &Tx<'_>| made.iter().try_for_each(|rule| tx.rules_mut().insert(rule).map(drop));
    desk.core().store.write(insert).await.unwrap();
    for (session, command, cwd, covered) in [
        (here, "make all", "/a", true),
        (there, "make all", "/a", false),
        (here, "make all", "/a/", false),
        (here, "make  all", "/a", false),
        (here, "make all; x", "/a", false),
        (there, "a && b > c", "/a", true),
        (there, "a && b > c", "/b", false),
        (there, "a && b > cd", "/a", false),
        (there, "git tag v1", "/anywhere", true),
        (there, "git tag v1 && x", "/a", false),
        (there, "git tag $(x)", "/a", false),
        (there, "git tag v1\nx", "/a", false),
        (there, "git push", "/a", false),
    ] {
        let found = desk.core().store.read(|s| rule::covering(s, session, command, cwd)).unwrap();
        assert_eq!(found.is_some(), covered, "{command:?} in {cwd}");
    }
}
