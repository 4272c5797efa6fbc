use super::*;
use gatehouse_domain::{ChatType, ThreadId};
use proptest::prelude::*;

const SINCE: EpochMs = EpochMs(1_000);

fn home(platform: &str, chat: &str, thread: Option<&str>) -> Home {
    let target = Target {
        platform: Platform::new(platform).unwrap(),
        chat_type: ChatType::Channel,
        chat: ChatId::new(chat).unwrap(),
        thread: thread.map(|thread| ThreadId::new(thread).unwrap()),
        participant: None,
        scope: None,
    };
    Home { target, wanted: true, mutes_diagnostics: false, ignored: false }
}

fn refused(unsent: Unsent) -> SendOutcome {
    SendOutcome::Refused { unsent, why: "no".into() }
}

const fn up(now: i64) -> Standing {
    Standing { now: EpochMs(now), link: Some(Link::Up), wanted: true }
}

#[test]
fn each_chat_is_told_once_and_only_where_it_is_wanted() {
    let homes = [
        home("slack", "C", None),
        home("slack", "C", Some("17.5")),
        home("telegram", "C", None),
        Home { wanted: false, ..home("matrix", "C", None) },
        Home { ignored: true, ..home("signal", "C", None) },
    ];
    assert_eq!(owed_to(&homes, OwedKind::Home), ["slack:C", "telegram:C"]);
    assert_eq!(reach(&homes, OwedKind::Home, "telegram:C"), Some(&homes[2].target));
    for gone in ["matrix:C", "signal:C", "slack:D"] {
        assert_eq!(reach(&homes, OwedKind::Home, gone), None, "{gone}");
    }
}

#[test]
fn trouble_is_owed_where_it_is_muted_and_told_only_where_it_is_not() {
    let homes = [
        Home { mutes_diagnostics: true, ..home("slack", "C", None) },
        Home { wanted: false, ..home("matrix", "C", None) },
        Home { ignored: true, ..home("signal", "C", None) },
    ];
    assert_eq!(owed_to(&homes, OwedKind::Trouble), ["slack:C", "matrix:C"]);
    assert_eq!(reach(&homes, OwedKind::Trouble, "slack:C"), None);
    assert_eq!(reach(&homes, OwedKind::Trouble, "matrix:C"), Some(&homes[1].target));
    assert_eq!(reach(&homes, OwedKind::Home, "slack:C"), Some(&homes[0].target), "a restart is no trouble");
}

/// So many orders are tried; a longer run asks for more.
fn cases() -> u32 {
    std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

#[test]
fn a_clock_that_was_put_back_does_not_hold_a_notice_for_as_long() {
    let eight_hours = 8 * 3_600_000;
    let refused = Owed::since(SINCE).handed_over().answered(&refused(Unsent::Other), EpochMs(SINCE.0 + eight_hours));
    let at = |now: i64| Standing { now: EpochMs(now), ..up(now) };
    assert_eq!(refused.next(at(SINCE.0 + eight_hours)), Step::Wait(refused.not_before));
    assert_eq!(refused.next(at(SINCE.0 - 3_600_000)), Step::Send, "nobody waits for nine hours");
}

#[test]
fn what_is_done_next() {
    let stale = after(SINCE, STALE);
    let owed = Owed::since(SINCE);
    let later = Owed { not_before: EpochMs(9_000), ..owed };
    for (notice, standing, step) in [
        (owed, up(2_000), Step::Send),
        (owed, Standing { link: Some(Link::Down), ..up(2_000) }, Step::Wait(stale)),
        (owed, Standing { link: None, ..up(2_000) }, Step::Wait(stale)),
        (owed, Standing { wanted: false, ..up(2_000) }, Step::End(OwedState::Suppressed)),
        (owed, Standing { wanted: false, ..up(stale.0) }, Step::End(OwedState::Suppressed)),
        (owed, up(stale.0 - 1), Step::Send),
        (owed, up(stale.0), Step::End(OwedState::Expired)),
        (owed, Standing { link: None, ..up(stale.0) }, Step::End(OwedState::Expired)),
        (later, up(8_999), Step::Wait(EpochMs(9_000))),
        (later, up(9_000), Step::Send),
        (later, Standing { link: Some(Link::Down), ..up(9_000) }, Step::Wait(stale)),
        (owed.handed_over(), up(2_000), Step::Rest),
        (Owed { state: OwedState::Suppressed, ..owed }, up(2_000), Step::Rest),
        (Owed { state: OwedState::Expired, ..owed }, up(2_000), Step::Rest),
    ] {
        assert_eq!(notice.next(standing), step, "{notice:?} {standing:?}");
    }
}

#[test]
fn what_a_channel_says_decides_how_it_ends() {
    let handed = Owed::since(SINCE).handed_over();
    let retry_after = Some(Duration::from_secs(7));
    for (outcome, state, not_before) in [
        (SendOutcome::Delivered { ids: Vec::new() }, OwedState::Sent, 1_000),
        (SendOutcome::Ambiguous { why: String::new() }, OwedState::Sent, 1_000),
        (SendOutcome::NothingToSend, OwedState::Suppressed, 1_000),
        (SendOutcome::Declined { why: String::new() }, OwedState::Suppressed, 1_000),
        (refused(Unsent::ChatGone), OwedState::Suppressed, 1_000),
        (refused(Unsent::Degraded), OwedState::Owed, 35_000),
        (refused(Unsent::Other), OwedState::Owed, 35_000),
        (refused(Unsent::Flood { retry_after }), OwedState::Owed, 12_000),
        (refused(Unsent::Flood { retry_after: None }), OwedState::Owed, 65_000),
    ] {
        let settled = handed.answered(&outcome, EpochMs(5_000));
        assert_eq!((settled.state, settled.not_before), (state, EpochMs(not_before)), "{outcome:?}");
        assert_eq!(settled.attempts, 1);
    }
}

#[test]
fn a_channel_that_refuses_is_asked_more_rarely() {
    let mut notice = Owed::since(SINCE);
    let mut waits = Vec::new();
    for _ in 0..7 {
        notice = notice.handed_over().answered(&refused(Unsent::Other), EpochMs(0));
        waits.push(notice.not_before.0 / 1_000);
    }
    assert_eq!(waits, [30, 60, 120, 240, 480, 900, 900]);
}

/// What happens to a notice.
#[derive(Debug, Clone)]
enum Event {
    Answer(SendOutcome),
    /// The channel takes it, and the gateway ends before it hears so.
    CutOff,
    Link(Option<Link>),
    OptOut,
    Time(i64),
    Restart,
}

fn outcome() -> impl Strategy<Value = SendOutcome> {
    prop_oneof![
        Just(SendOutcome::Delivered { ids: Vec::new() }),
        Just(SendOutcome::Ambiguous { why: String::new() }),
        Just(SendOutcome::NothingToSend),
        Just(SendOutcome::Declined { why: String::new() }),
        Just(refused(Unsent::ChatGone)),
        Just(refused(Unsent::Degraded)),
        Just(refused(Unsent::Other)),
        Just(refused(Unsent::Flood { retry_after: None })),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => outcome().prop_map(Event::Answer),
        1 => Just(Event::CutOff),
        2 => prop_oneof![Just(Some(Link::Up)), Just(Some(Link::Down)), Just(None)].prop_map(Event::Link),
        1 => Just(Event::OptOut),
        4 => (0_i64..20 * 3_600_000).prop_map(Event::Time),
        2 => Just(Event::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Every notice ends sent, suppressed or expired, and no chat reads it twice.
    #[test]
    fn every_notice_ends_and_is_read_once(events in prop::collection::vec(event(), 0..60)) {
        let mut notice = Owed::since(SINCE);
        let mut standing = up(SINCE.0);
        let mut read = 0;
        for event in events {
            let sends = notice.next(standing) == Step::Send;
            match event {
                Event::Answer(outcome) if sends => {
                    // What nobody knows about may have been read.
                    read += u32::from(matches!(outcome, SendOutcome::Delivered { .. } | SendOutcome::Ambiguous { .. }));
                    notice = notice.handed_over().answered(&outcome, standing.now);
                }
                Event::CutOff if sends => {
                    read += 1;
                    notice = notice.handed_over();
                }
                Event::Answer(_) | Event::CutOff => {}
                Event::Link(link) => standing.link = link,
                Event::OptOut => standing.wanted = false,
                Event::Time(ms) => standing.now = EpochMs(standing.now.0 + ms),
                Event::Restart => notice.not_before = notice.since,
            }
            if let Step::End(state) = notice.next(standing) {
                notice.state = state;
            }
            prop_assert!(read <= 1);
        }
        standing.now = after(SINCE, STALE);
        if let Step::End(state) = notice.next(standing) {
            notice.state = state;
        }
        prop_assert_ne!(notice.state, OwedState::Owed);
        prop_assert_eq!(notice.next(standing), Step::Rest);
    }
}
