//! A turn stopped at every moment it has.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_agent::Outcome;
use gatehouse_domain::{AbandonCause, ApprovalMode, CardAnnotation, CardStatus};
use serde_json::json;

use crate::house::{Fact, House, call, done, program, says, terminal, text};

fn busy() -> House {
    let start = call("d", "terminal", json!({ "command": "server", "background": true }));
    let first = vec![terminal("a", "slow"), terminal("b", "quick"), start];
    // The server is the seventh thing that gets an id: after one text, three cards and two processes.
    let second =
        vec![call("e", "process", json!({ "action": "wait", "process_id": "00000007" })), terminal("f", "slow")];
    let programs =
        [("slow", program(5_000, 0, "s\n")), ("quick", program(10, 0, "q\n")), ("server", program(90_000, 0, "up\n"))];
    let mut house =
        House::new(vec![vec![text("look"), done(first)], vec![text("more"), done(second)], says("done")], &programs);
    house.approvals = ApprovalMode::Ask;
    house
}

/// What holds however the turn ended.
fn check(house: &House, moment: &str) {
    let cards = house.cards();
    let ends = house.ends();
    let ended: HashSet<_> = ends.iter().map(|(card, _)| *card).collect();
    assert_eq!(ended.len(), ends.len(), "a card ended twice, {moment}");
    assert_eq!(ended, cards.iter().copied().collect(), "a card is open, {moment}");
    let facts = house.facts();
    assert!(matches!(facts.last(), Some(Fact::Finished(_))), "something came after the end, {moment}");
    for (card, end) in &ends {
        let begun = facts.iter().any(|fact| matches!(fact, Fact::Begun(begun, _) if begun == card));
        assert!(begun || end.status == CardStatus::Error, "a card succeeded without running, {moment}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_any_step_closes_every_card_once() {
    let whole = Arc::new(busy());
    assert!(matches!(whole.run().await, Outcome::Done { .. }));
    check(&whole, "not stopped");
    assert!(whole.ends().iter().all(|(_, end)| end.status != CardStatus::Error), "the scenario itself has a flaw");
    let steps = whole.steps();
    assert!(steps > 20, "{steps}");
    for step in 0..steps {
        let mut house = busy();
        house.trip = Some(step);
        let house = Arc::new(house);
        let outcome = house.run().await;
        let Outcome::Stopped { cause: AbandonCause::Stop, .. } = outcome else { panic!("step {step}: {outcome:?}") };
        check(&house, &format!("stopped at step {step}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_at_any_time_ends_every_wait_at_once() {
    for millis in [0, 1, 9, 10, 11, 4_999, 5_000, 5_001, 60_000, 89_999] {
        let house = Arc::new(busy());
        let stop = {
            let house = Arc::clone(&house);
            async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                house.give_up(AbandonCause::Timeout);
            }
        };
        let before = tokio::time::Instant::now();
        let (outcome, ()) = tokio::join!(house.run(), stop);
        assert_eq!(before.elapsed(), Duration::from_millis(millis));
        check(&house, &format!("stopped after {millis} ms"));
        assert!(matches!(outcome, Outcome::Stopped { cause: AbandonCause::Timeout, .. } | Outcome::Done { .. }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_makes_room_for_other_words_leaves_its_command_in_the_background() {
    let programs = [("slow", program(5_000, 0, "s\n"))];
    let house = Arc::new(House::new(vec![vec![done(vec![terminal("a", "slow")])], says("never")], &programs));
    let room = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The turn is over; what it started is nobody's to end.
        house.scope.finish();
        house.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(house.run(), room);
    assert!(matches!(outcome, Outcome::Stopped { .. }), "{outcome:?}");
    check(&house, "made room");
    let result = house.result();
    assert_eq!((&result["status"], &result["output"]), (&json!("yielded_to_background"), &json!("s\n")));
    let facts = house.facts();
    assert!(facts.iter().any(|fact| matches!(fact, Fact::Left(_))));
    assert!(!facts.iter().any(|fact| matches!(fact, Fact::Stopped(..))));
}

#[tokio::test(start_paused = true)]
async fn a_command_that_ends_as_its_turn_is_stopped_has_ended() {
    for given_up in [true, false] {
        let programs = [("deploy", program(1_000, 0, "out\n"))];
        let house = Arc::new(House::new(vec![vec![done(vec![terminal("a", "deploy")])], says("never")], &programs));
        let stop = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if given_up {
                house.give_up(AbandonCause::Stop);
            } else {
                house.scope.finish();
                house.cancel.cancel();
            }
        };
        // In this order: the stop comes first, and finds that the command has ended.
        let (_, outcome) = tokio::join!(biased; stop, house.run());
        assert!(matches!(outcome, Outcome::Stopped { .. }), "{outcome:?}");
        let result = house.result();
        assert_eq!((&result["status"], &result["exit_code"]), (&json!("exited"), &json!(0)), "{result}");
        assert_eq!(house.ends()[0].1.annotation, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_nobody_answers_is_withdrawn_by_a_stop() {
    let mut house = House::new(vec![vec![done(vec![terminal("a", "make")])]], &[]);
    house.approvals = ApprovalMode::Ask;
    *house.verdict.lock().expect("no panic") = None;
    let house = Arc::new(house);
    let stop = async {
        tokio::time::sleep(Duration::from_secs(20)).await;
        house.give_up(AbandonCause::NewSession);
    };
    let (outcome, ()) = tokio::join!(house.run(), stop);
    assert!(matches!(outcome, Outcome::Stopped { cause: AbandonCause::NewSession, .. }));
    assert_eq!(house.ends()[0].1.annotation, Some(CardAnnotation::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_is_stopped_and_words_so_far_are_kept() {
    let mut house = House::new(vec![vec![text("half a"), text("nd more")]], &[]);
    // The steps: the request, the first words, their item, the second words.
    house.trip = Some(3);
    let Outcome::Stopped { partial, text_item, .. } = Arc::new(house).run().await else { panic!("not stopped") };
    assert!(partial.starts_with("half a") && text_item.is_some(), "{partial}");
    let silent = Arc::new(House::new(Vec::new(), &[]));
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        silent.give_up(AbandonCause::Stop);
    };
    let (outcome, ()) = tokio::join!(silent.run(), stop);
    assert!(matches!(outcome, Outcome::Stopped { text_item: None, .. }));
}

#[tokio::test(start_paused = true)]
async fn a_token_alone_reaps_what_the_turn_started() {
    let house = Arc::new(busy());
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        house.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(house.run(), stop);
    assert!(matches!(outcome, Outcome::Stopped { cause: AbandonCause::Stop, .. }));
    let started = house.facts().iter().filter(|fact| matches!(fact, Fact::Started(_))).count();
    let stopped: HashSet<_> = house
        .facts()
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::Stopped(id, _) => Some(id),
            _ => None,
        })
        .collect();
    assert_eq!((started, stopped.len()), (3, 3));
}
