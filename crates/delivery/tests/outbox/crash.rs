//! A channel that shows what reached it, and a gateway that may end at any point around a send.

use std::time::Duration;

use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_delivery::outbox::{GiveUp, MAX_ATTEMPTS, Moment, Next, Obligation};
use gatehouse_domain::{EpochMs, Marker, OutboxState, SegmentKind};
use proptest::prelude::*;

use crate::{START, ambiguous, delivered, flood, refused};

/// What happens to one send.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// The gateway ends before the claim is on the disk.
    EndBeforeClaim,
    /// The gateway ends after it, and the platform has the words or not.
    EndWhileSending { landed: bool },
    /// Nobody answers in time, and the platform has the words or not.
    NoAnswer { landed: bool },
    /// The platform says no.
    Refused,
    /// The platform wants to be left alone.
    Flood(u64),
    /// The connection was down.
    Degraded,
}

impl Fate {
    /// Whether this costs an attempt.
    fn costs(self) -> bool {
        match self {
            Self::EndBeforeClaim | Self::Degraded => false,
            Self::EndWhileSending { .. } | Self::NoAnswer { .. } | Self::Refused | Self::Flood(_) => true,
        }
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::EndBeforeClaim),
        any::<bool>().prop_map(|landed| Fate::EndWhileSending { landed }),
        any::<bool>().prop_map(|landed| Fate::NoAnswer { landed }),
        Just(Fate::Refused),
        (0_u64..2_000).prop_map(Fate::Flood),
        Just(Fate::Degraded),
    ]
}

/// The place where people read.
#[derive(Debug, Default)]
struct Screen {
    /// The words stand in the message that was streamed.
    in_place: bool,
    /// The words as messages, each with what stands before it, and whether somebody could read them already.
    messages: Vec<(Option<Marker>, bool)>,
}

impl Screen {
    fn is_empty(&self) -> bool {
        !self.in_place && self.messages.is_empty()
    }

    fn land(&mut self, owed: Obligation) {
        let read_before = !self.is_empty();
        match owed.kind {
            SegmentKind::Edit => self.in_place = true,
            SegmentKind::Text | SegmentKind::Media | SegmentKind::Notice => {
                self.messages.push((owed.says(), read_before));
            }
        }
    }
}

/// The row on the disk, the time, and what people see.
#[derive(Debug)]
struct World {
    owed: Obligation,
    now: EpochMs,
    screen: Screen,
}

impl World {
    fn new(kind: SegmentKind) -> Self {
        Self { owed: Obligation::recorded(kind, START), now: START, screen: Screen::default() }
    }

    /// One send that is not the last one, or the last one where there is no fate left.
    fn send(&mut self, claimed: Obligation, fate: Option<Fate>) {
        self.now = self.now.after(Duration::from_secs(1));
        match fate {
            None => self.answer(claimed, true, &delivered()),
            Some(Fate::EndBeforeClaim) => self.restart(),
            Some(Fate::EndWhileSending { landed }) => {
                self.owed = claimed;
                self.reach(claimed, landed);
                self.restart();
            }
            Some(Fate::NoAnswer { landed }) => self.answer(claimed, landed, &ambiguous()),
            Some(Fate::Refused) => self.answer(claimed, false, &refused(Unsent::Other)),
            Some(Fate::Flood(seconds)) => self.answer(claimed, false, &flood(seconds)),
            Some(Fate::Degraded) => self.answer(claimed, false, &refused(Unsent::Degraded)),
        }
    }

    fn answer(&mut self, claimed: Obligation, landed: bool, outcome: &SendOutcome) {
        self.reach(claimed, landed);
        let moment = Moment { now: self.now, relinked: false };
        self.owed = claimed.settled(claimed.fence, outcome, moment).expect("its own fence");
        assert_eq!(self.owed.settled(claimed.fence, &delivered(), moment), None, "an answer counts once");
    }

    fn reach(&mut self, claimed: Obligation, landed: bool) {
        if landed {
            self.screen.land(claimed);
        }
    }

    fn restart(&mut self) {
        self.now = self.now.after(Duration::from_secs(5));
        self.owed = self.owed.found(self.now).linked(self.now);
    }

    /// Lets the time pass until the row says, or the connection be made anew where the row waits for that.
    fn wait(&mut self, until: EpochMs) {
        if self.owed.not_before.is_some() {
            self.now = until;
        } else {
            self.owed = self.owed.linked(self.now);
        }
    }

    /// Until nothing is left to do.
    fn run(&mut self, fates: &[Fate]) -> Option<GiveUp> {
        let mut fates = fates.iter().copied();
        for _ in 0..200 {
            match self.owed.next(self.now, true) {
                Next::Send(claimed) => self.send(claimed, fates.next()),
                Next::Wait(until) => self.wait(until),
                Next::GiveUp(owed, why) => {
                    self.owed = owed;
                    return Some(why);
                }
                Next::Nothing => return None,
            }
        }
        panic!("it never ends: {self:?}")
    }
}

/// What can happen to a row that nobody can send.
#[derive(Debug, Clone, Copy)]
enum Event {
    Pass(u64),
    Link(bool),
    Restart,
    Ask(Fate),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0_u64..400).prop_map(Event::Pass),
        any::<bool>().prop_map(Event::Link),
        Just(Event::Restart),
        fate().prop_map(Event::Ask),
    ]
}

/// So many orders are tried; a longer run asks for more.
fn cases() -> u32 {
    std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

const KINDS: [SegmentKind; 4] = [SegmentKind::Text, SegmentKind::Media, SegmentKind::Edit, SegmentKind::Notice];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn words_arrive_once_or_say_that_they_come_again(
        kind in prop::sample::select(&KINDS[..]), fates in prop::collection::vec(fate(), 0..12)
    ) {
        let mut world = World::new(kind);
        let given_up = world.run(&fates);
        // The first send is free, whatever becomes of it; what follows is an attempt, unless nothing left.
        let claims = fates.iter().filter(|fate| !matches!(fate, Fate::EndBeforeClaim));
        let spent = claims.skip(1).filter(|fate| fate.costs()).count();
        if spent < usize::try_from(MAX_ATTEMPTS).unwrap() {
            prop_assert_eq!((world.owed.state, given_up), (OutboxState::Delivered, None));
            prop_assert!(!world.screen.is_empty(), "lost: {:?}", world);
        } else {
            prop_assert_eq!((world.owed.state, given_up), (OutboxState::Abandoned, Some(GiveUp::Spent)));
            prop_assert_eq!(world.owed.attempts, MAX_ATTEMPTS);
        }
        for (marker, read_before) in &world.screen.messages {
            prop_assert!(marker.is_some() || !read_before, "silently twice: {:?}", world);
        }
    }

    #[test]
    fn no_attempt_is_spent_without_a_connection(
        connected in any::<bool>(), events in prop::collection::vec(event(), 0..40)
    ) {
        let mut world = World::new(SegmentKind::Text);
        let mut connected = connected;
        for event in events {
            let before = world.owed;
            match event {
                Event::Pass(seconds) => world.now = world.now.after(Duration::from_secs(seconds)),
                Event::Link(up) => {
                    if up && !connected { world.owed = world.owed.linked(world.now); }
                    connected = up;
                }
                Event::Restart => {
                    world.owed = world.owed.found(world.now);
                    connected = false;
                }
                Event::Ask(fate) => match world.owed.next(world.now, connected) {
                    Next::Send(claimed) => world.send(claimed, Some(fate)),
                    Next::GiveUp(owed, _) => world.owed = owed,
                    Next::Wait(until) => prop_assert!(until > world.now),
                    Next::Nothing => {}
                },
            }
            let spent = world.owed.attempts > before.attempts || world.owed.fence > before.fence;
            prop_assert!(!spent || (connected && matches!(event, Event::Ask(_))), "{:?}", event);
            prop_assert!(world.owed.attempts <= MAX_ATTEMPTS);
            prop_assert!(world.owed.fence >= before.fence);
        }
    }

    #[test]
    fn a_row_that_is_never_connected_stays_as_it_is(steps in prop::collection::vec((0_u64..3_000, any::<bool>()), 0..20)) {
        let mut owed = Obligation::recorded(SegmentKind::Text, START);
        let mut now = START;
        for (seconds, restart) in steps {
            now = now.after(Duration::from_secs(seconds));
            owed = if restart { owed.found(now) } else { owed };
            prop_assert!(matches!(owed.next(now, false), Next::Wait(_)));
        }
        prop_assert_eq!(owed, Obligation::recorded(SegmentKind::Text, START));
    }
}
