use std::time::Duration;

use gatehouse_domain::{FailureCode, NoticeKind, Tone, TurnCause, TurnId};
use gatehouse_store::{NewNotice, NewTurn};
use tempfile::TempDir;

use super::*;
use crate::testing::open;
use crate::{FeedBatch, FeedChange, FeedRequest};

/// A gateway in which nothing runs.
async fn house() -> (Gateway, TempDir) {
    let home = tempfile::tempdir().unwrap();
    (open(home.path()).await, home)
}

async fn ask(gateway: &Gateway, after: gatehouse_domain::Rev, wait: Duration) -> FeedBatch {
    let request = FeedRequest { after, wait, client: Some("toasts".into()), ..FeedRequest::default() };
    gateway.next_feed(request).await.unwrap()
}

#[tokio::test]
async fn a_caller_in_the_process_is_told_by_the_feed_and_left_alone_while_nothing_happens() {
    let (gateway, _home) = house().await;
    let session = gateway.create_session(Some("Orders".into()), None).await.unwrap();
    let start = gateway.rev();
    let still = ask(&gateway, start, Duration::from_millis(50)).await;
    assert_eq!((still.rev, still.changes.len(), still.deltas.len()), (start, 0, 0));
    let (waits, wrote) = tokio::join!(ask(&gateway, start, Duration::from_secs(20)), async {
        let at = gateway.now();
        let new = NewNotice {
            kind: NoticeKind::ProcessEnded,
            tone: Tone::Done,
            title: "make exited 0".into(),
            body: String::new(),
            session,
            seq: None,
            process: None,
            approval: None,
            at,
        };
        gateway.core().store.write(move |tx| tx.notices_mut().insert(&new)).await
    });
    let id = wrote.unwrap();
    let [FeedChange::Notice(told)] = waits.changes.as_slice() else { panic!("{:?}", waits.changes) };
    assert_eq!((told.row.id, told.session_title.as_str(), told.row.read), (id, "Orders", false));
    gateway.mark_notices_read(Some(vec![id]), false).await.unwrap();
    let seen = ask(&gateway, waits.rev, Duration::from_secs(20)).await;
    assert!(matches!(seen.changes.as_slice(), [FeedChange::Notice(told)] if told.row.read), "{:?}", seen.changes);
    let soon = EpochMs(gateway.now().0 + 60_000);
    gateway.set_quiet(Some(soon)).await.unwrap();
    let set = ask(&gateway, seen.rev, Duration::from_secs(20)).await;
    assert!(matches!(set.changes.as_slice(), [FeedChange::Settings(rev)] if *rev == set.rev), "{:?}", set.changes);
    assert_eq!(gateway.notices(1).unwrap().quiet_until, Some(soon));
    gateway.set_quiet(Some(EpochMs(gateway.now().0 - 1))).await.unwrap();
    assert_eq!(gateway.notices(1).unwrap().quiet_until, None, "an hour that is over is none");
    gateway.shutdown().await;
}

#[tokio::test]
async fn only_a_turn_that_a_person_waited_for_is_told() {
    let (gateway, _home) = house().await;
    let cases = [
        (TurnCause::Human, 10_001, None, Some(Tone::Done)),
        (TurnCause::Human, 10_000, None, None),
        (TurnCause::Retry, 10_001, Some(FailureCode::CutOff), Some(Tone::Fail)),
        (TurnCause::Human, 10_001, Some(FailureCode::TimedOut), Some(Tone::Fail)),
        (TurnCause::Human, 10_001, Some(FailureCode::Stopped), None),
        (TurnCause::Completion, 60_000, None, None),
        (TurnCause::Completion, 60_000, Some(FailureCode::Unreachable), None),
    ];
    for (cause, took, failure, tone) in cases {
        let session = gateway.create_session(Some("Orders".into()), None).await.unwrap();
        let (turn, at) = (TurnId::from_uuid(gateway.core().ids.fresh()), gateway.now());
        let end = turn_ended(gateway.core(), turn, failure, "First \u{202e}line.\nSecond.", EpochMs(at.0 + took));
        let written = gateway.core().store.write(move |tx| {
            tx.turns_mut().insert(&NewTurn { id: turn, session, cause, retry_of: None, admission: None, at })?;
            end.write(tx, None)
        });
        written.await.unwrap();
        let told = gateway.notices(500).unwrap().notices.into_iter().find(|full| full.row.session == session);
        assert_eq!(told.as_ref().map(|full| full.row.tone), tone, "{cause} {took} {failure:?}");
        if let Some(full) = told {
            assert_eq!((full.row.title.as_str(), full.row.body.as_str()), ("Orders", "First line."));
        }
    }
}
