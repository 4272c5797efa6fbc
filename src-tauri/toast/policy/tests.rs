use proptest::prelude::*;

use super::*;

const WALL: i64 = 1_800_000_000_000;

fn at(seconds: f64) -> Moment {
    let mono = Duration::from_secs_f64(seconds);
    Moment { mono, wall_ms: WALL + i64::try_from(mono.as_millis()).unwrap(), minute: 12 * 60 }
}

fn entry(kind: Kind, session: &str, id: &str) -> Entry {
    Entry {
        kind,
        subject: Subject { notice_id: id.into(), session_id: session.into(), seq: Some(7), ..Subject::default() },
        title: format!("{id} exited 0"),
        body: "118 passed".into(),
        session_title: "Orders".into(),
        failed: false,
        at_ms: WALL,
        read: false,
        muted: false,
        command: None,
        woken: false,
    }
}

fn end(session: &str, id: &str) -> Entry {
    let mut entry = entry(Kind::ProcessEnded, session, id);
    entry.subject.process_id = Some(id.into());
    entry
}

fn told(policy: &mut Policy, entry: Entry, now: Moment) -> Vec<Effect> {
    policy.handle(Input::Notice(Box::new(entry)), now)
}

fn toast(effects: &[Effect]) -> &Toast {
    match effects {
        [Effect::Show(toast)] => toast,
        other => panic!("expected one toast: {other:?}"),
    }
}

/// Lets the time pass, tick by tick as the policy asks for them.
fn until(policy: &mut Policy, seconds: f64) -> Vec<(Duration, Effect)> {
    let mut effects = Vec::new();
    while let Some(due) = policy.wakes_at().filter(|due| *due <= at(seconds).mono) {
        let now = at(due.as_secs_f64());
        effects.extend(policy.handle(Input::Tick, now).into_iter().map(|effect| (due, effect)));
        assert_ne!(policy.wakes_at(), Some(due), "a tick that changes nothing would come for ever");
    }
    effects
}

#[test]
fn an_end_is_told_at_once_in_its_own_words() {
    let mut policy = Policy::new(WALL);
    let effects = told(&mut policy, end("s", "web"), at(0.0));
    let toast = toast(&effects);
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("web exited 0", "118 passed. Orders"));
    assert_eq!(toast.actions, [Action::Open, Action::RunAgain]);
    assert!(policy.wakes_at().is_none(), "nothing waits, so nothing wakes");
}

#[test]
fn what_follows_takes_its_place_with_counts() {
    let mut policy = Policy::new(WALL);
    let slot = toast(&told(&mut policy, end("s", "p0"), at(0.0))).slot.clone();
    for n in 1..15 {
        let entry = Entry { failed: n % 5 == 0, ..end("s", &format!("p{n}")) };
        assert_eq!(told(&mut policy, entry, at(0.1 * f64::from(n))), []);
    }
    let later = until(&mut policy, 60.0);
    let [(due, Effect::Show(toast))] = later.as_slice() else { panic!("{later:?}") };
    assert_eq!(*due, Duration::from_secs(10));
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("13 finished, 2 failed", "Orders"));
    assert_eq!((&toast.slot, &toast.actions), (&slot, &vec![Action::Open]));
    assert_eq!((toast.subject.seq, toast.subject.process_id.as_deref()), (None, None));
}

#[test]
fn fifty_ends_are_three_toasts_and_the_last_tells_all() {
    let mut policy = Policy::new(WALL);
    let mut shown = Vec::new();
    for n in 0..50 {
        let time = 0.9 * f64::from(n);
        shown.extend(until(&mut policy, time).into_iter().map(|(_, effect)| effect));
        shown.extend(told(&mut policy, Entry { failed: n % 2 == 1, ..end("s", &format!("p{n}")) }, at(time)));
    }
    shown.extend(until(&mut policy, 600.0).into_iter().map(|(_, effect)| effect));
    assert_eq!(shown.len(), 3, "{shown:?}");
    let Some(Effect::Show(last)) = shown.last() else { panic!() };
    assert_eq!(last.title, "25 finished, 25 failed");
}

#[test]
fn ends_that_never_stop_are_told_once_a_minute() {
    let mut policy = Policy::new(WALL);
    let mut shown = 0;
    for n in 0..600 {
        shown += until(&mut policy, f64::from(n)).len();
        shown += told(&mut policy, end("s", &format!("p{n}")), at(f64::from(n))).len();
    }
    assert!((9..=12).contains(&shown), "{shown}");
}

#[test]
fn a_later_end_is_a_toast_of_its_own_and_a_turn_that_it_woke_shares_it() {
    let mut policy = Policy::new(WALL);
    let first = toast(&told(&mut policy, end("s", "a"), at(0.0))).slot.clone();
    let second = toast(&told(&mut policy, end("s", "b"), at(30.0))).slot.clone();
    assert_ne!(first, second);
    let answer = Entry { woken: true, title: "Orders answered".into(), ..entry(Kind::TurnEnded, "s", "t") };
    let effects = told(&mut policy, answer, at(90.0));
    assert_eq!(toast(&effects).slot, second);
    let unasked = entry(Kind::TurnEnded, "s", "u");
    assert_ne!(toast(&told(&mut policy, unasked, at(200.0))).slot, second);
}

#[test]
fn an_end_and_the_turn_it_woke_within_the_span_are_one_toast() {
    let mut policy = Policy::new(WALL);
    let _first = told(&mut policy, end("s", "web"), at(0.0));
    let answer = Entry { woken: true, title: "The tests are mended".into(), ..entry(Kind::TurnEnded, "s", "t") };
    assert_eq!(told(&mut policy, answer, at(4.0)), []);
    let later = until(&mut policy, 60.0);
    let [(_, Effect::Show(toast))] = later.as_slice() else { panic!("{later:?}") };
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("The tests are mended", "web exited 0. Orders"));
    assert_eq!(toast.subject.seq, Some(7));
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let mut policy = Policy::new(WALL);
    assert_eq!(told(&mut policy, end("s", "a"), at(0.0)).len(), 1);
    assert_eq!(told(&mut policy, end("t", "b"), at(0.1)).len(), 1);
}

#[test]
fn a_question_never_waits_and_goes_when_it_is_answered() {
    let mut policy = Policy::new(WALL);
    let _first = told(&mut policy, end("s", "a"), at(0.0));
    let question = Entry { title: "Allow a command?".into(), ..entry(Kind::Approval, "s", "q") };
    let effects = told(&mut policy, question.clone(), at(0.1));
    let slot = toast(&effects).slot.clone();
    assert_eq!(toast(&effects).actions, [Action::Open, Action::Deny]);
    assert_eq!(told(&mut policy, question.clone(), at(0.2)), [], "told once");
    let answered = Entry { read: true, ..question };
    assert_eq!(told(&mut policy, answered.clone(), at(0.3)), [Effect::Close(slot)]);
    assert_eq!(told(&mut policy, answered, at(0.4)), []);
}

#[test]
fn allow_once_needs_the_wish_and_the_whole_command() {
    let long = "x".repeat(200);
    let cases = [
        (true, Some("npm test"), true),
        (false, Some("npm test"), false),
        (true, None, false),
        (true, Some("npm test\nrm -rf /"), false),
        (true, Some(long.as_str()), false),
    ];
    for (wish, command, offered) in cases {
        let mut policy = Policy::new(WALL);
        policy.handle(Input::Wishes(Wishes { approve_from_toast: wish, ..Wishes::default() }), at(0.0));
        let question = Entry { command: command.map(str::to_owned), ..entry(Kind::Approval, "s", "q") };
        let effects = told(&mut policy, question, at(0.0));
        assert_eq!(toast(&effects).actions.contains(&Action::AllowOnce), offered, "{wish} {command:?}");
    }
}

#[test]
fn nobody_is_told_what_they_look_at_or_do_not_want() {
    let on_screen = Input::OnScreen(HashSet::from(["s".to_owned()]));
    let wishes = |wishes: Wishes| Input::Wishes(wishes);
    let base = Wishes::default;
    let noon = 12 * 60;
    let silent = [
        on_screen,
        wishes(Wishes { completions: false, ..base() }),
        wishes(Wishes { quiet_hours: Some((noon, noon + 1)), ..base() }),
        wishes(Wishes { quiet_hours: Some((22 * 60, noon + 1)), ..base() }),
        wishes(Wishes { quiet_until_ms: Some(WALL + 1), ..base() }),
    ];
    for input in silent {
        let mut policy = Policy::new(WALL);
        policy.handle(input.clone(), at(0.0));
        assert_eq!(told(&mut policy, end("s", "a"), at(0.0)), [], "{input:?}");
    }
    let loud = [
        wishes(Wishes { turns: false, approvals: false, ..base() }),
        wishes(Wishes { quiet_hours: Some((noon + 1, noon)), ..base() }),
        wishes(Wishes { quiet_hours: Some((noon, noon)), ..base() }),
        wishes(Wishes { quiet_until_ms: Some(WALL), ..base() }),
        Input::OnScreen(HashSet::from(["t".to_owned()])),
    ];
    for input in loud {
        let mut policy = Policy::new(WALL);
        policy.handle(input.clone(), at(0.0));
        assert_eq!(told(&mut policy, end("s", "a"), at(0.0)).len(), 1, "{input:?}");
    }
}

#[test]
fn what_was_there_before_or_is_muted_or_read_is_not_told() {
    let mut policy = Policy::new(WALL);
    assert_eq!(told(&mut policy, Entry { at_ms: WALL - 1, ..end("s", "a") }, at(0.0)), []);
    assert_eq!(told(&mut policy, Entry { muted: true, ..end("s", "b") }, at(0.0)), []);
    assert_eq!(told(&mut policy, Entry { read: true, ..end("s", "c") }, at(0.0)), []);
    assert_eq!(told(&mut policy, end("s", "b"), at(1.0)), [], "what was silent once stays so");
}

#[test]
fn whoever_begins_to_look_gets_no_summary() {
    let mut policy = Policy::new(WALL);
    let _first = told(&mut policy, end("s", "a"), at(0.0));
    let _second = told(&mut policy, end("s", "b"), at(1.0));
    policy.handle(Input::OnScreen(HashSet::from(["s".to_owned()])), at(2.0));
    assert_eq!(policy.wakes_at(), None);
    assert_eq!(until(&mut policy, 60.0), []);
}

#[derive(Debug, Clone)]
enum Step {
    Wait(u32),
    End { session: u8, failed: bool, muted: bool },
    Turn { session: u8, woken: bool },
    Ask { session: u8 },
    Again,
    Look(Option<u8>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..30_000_u32).prop_map(Step::Wait),
        (0..3_u8, any::<bool>(), prop::bool::weighted(0.1)).prop_map(|(session, failed, muted)| Step::End {
            session,
            failed,
            muted
        }),
        (0..3_u8, any::<bool>()).prop_map(|(session, woken)| Step::Turn { session, woken }),
        (0..3_u8).prop_map(|session| Step::Ask { session }),
        Just(Step::Again),
        prop::option::of(0..3_u8).prop_map(Step::Look),
    ]
}

proptest! {
    /// Whatever comes in whatever order: a question is told at once and once, nobody is told what they look at, and a
    /// wake-up that is asked for lies ahead.
    #[test]
    fn the_rules_hold_for_any_course(steps in prop::collection::vec(step(), 1..120)) {
        let mut policy = Policy::new(WALL);
        let (mut now, mut number, mut looked_at) = (0.0, 0, None);
        let mut last_entry: Option<Entry> = None;
        let mut asked = HashSet::new();
        for step in steps {
            number += 1;
            let id = format!("n{number}");
            let mut effects = Vec::new();
            let entry = match step {
                Step::Wait(ms) => {
                    now += f64::from(ms) / 1000.0;
                    effects = until(&mut policy, now);
                    None
                }
                Step::End { session, failed, muted } => {
                    Some(Entry { failed, muted, ..end(&format!("s{session}"), &id) })
                }
                Step::Turn { session, woken } => {
                    Some(Entry { woken, ..entry(Kind::TurnEnded, &format!("s{session}"), &id) })
                }
                Step::Ask { session } => Some(entry(Kind::Approval, &format!("s{session}"), &id)),
                Step::Again => last_entry.clone(),
                Step::Look(session) => {
                    looked_at = session.map(|s| format!("s{s}"));
                    policy.handle(Input::OnScreen(looked_at.iter().cloned().collect()), at(now));
                    None
                }
            };
            if let Some(entry) = entry {
                let before = effects.len();
                let fresh = last_entry.as_ref().is_none_or(|l| l.subject.notice_id != entry.subject.notice_id);
                effects.extend(told(&mut policy, entry.clone(), at(now)).into_iter().map(|e| (at(now).mono, e)));
                let seen = looked_at.as_ref() == Some(&entry.subject.session_id);
                if entry.kind == Kind::Approval && fresh {
                    prop_assert_eq!(effects.len() - before, usize::from(!seen));
                }
                last_entry = Some(entry);
            }
            for (_, effect) in effects {
                let Effect::Show(toast) = effect else { continue };
                let session = toast.subject.session_id.clone();
                prop_assert_ne!(Some(&session), looked_at.as_ref());
                if toast.urgent {
                    prop_assert!(asked.insert(toast.subject.notice_id));
                }
            }
            prop_assert!(policy.wakes_at().is_none_or(|due| due > at(now).mono));
        }
    }

    /// Without anybody looking, two toasts of one session are ten seconds apart, and the last one counts every end.
    #[test]
    fn toasts_of_a_session_keep_their_distance(gaps in prop::collection::vec(0..15_000_u32, 1..80)) {
        let mut policy = Policy::new(WALL);
        let (mut now, mut shown) = (0.0, Vec::new());
        for (n, gap) in gaps.iter().enumerate() {
            now += f64::from(*gap) / 1000.0;
            shown.extend(until(&mut policy, now).into_iter().map(|(when, _)| when));
            let effects = told(&mut policy, end("s", &format!("p{n}")), at(now));
            shown.extend(effects.iter().map(|_| at(now).mono));
        }
        shown.extend(until(&mut policy, now + 120.0).into_iter().map(|(when, _)| when));
        for pair in shown.windows(2) {
            prop_assert!(pair[1] - pair[0] >= Duration::from_secs(10), "{shown:?}");
        }
        prop_assert_eq!(policy.wakes_at(), None);
    }
}
