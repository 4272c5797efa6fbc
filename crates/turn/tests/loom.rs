//! Every interleaving of starting, finishing and giving up.
//! `RUSTFLAGS="--cfg loom" cargo test -p gatehouse-turn --release --test loom`
#![cfg(loom)]

use gatehouse_domain::{AbandonCause, ProcessId};
use gatehouse_turn::{Scope, ScopeState};
use loom::sync::Arc;
use loom::thread;

fn id(number: u128) -> ProcessId {
    ProcessId::from_uuid(uuid::Uuid::from_u128(number))
}

#[test]
fn a_process_is_reaped_or_refused_and_never_neither() {
    loom::model(|| {
        let scope = Arc::new(Scope::new());
        let starts = [1, 2].map(|number| {
            let scope = Arc::clone(&scope);
            thread::spawn(move || scope.register(id(number)).is_ok().then_some(id(number)))
        });
        let reaped = scope.abandon(AbandonCause::Stop).expect("nobody else moves the scope");
        for start in starts {
            match start.join().expect("no panic") {
                Some(registered) => assert!(reaped.contains(&registered)),
                None => assert_eq!(scope.state(), ScopeState::Abandoned(AbandonCause::Stop)),
            }
        }
    });
}

#[test]
fn finishing_and_giving_up_have_one_winner() {
    loom::model(|| {
        let scope = Arc::new(Scope::new());
        let finish = {
            let scope = Arc::clone(&scope);
            thread::spawn(move || scope.finish())
        };
        let timeout = {
            let scope = Arc::clone(&scope);
            thread::spawn(move || scope.abandon(AbandonCause::Timeout).is_some())
        };
        let stopped = scope.abandon(AbandonCause::Stop).is_some();
        let (finished, timed_out) = (finish.join().expect("no panic"), timeout.join().expect("no panic"));
        assert_eq!([stopped, finished, timed_out].iter().filter(|won| **won).count(), 1);
        let expected = if finished {
            ScopeState::Finished
        } else if timed_out {
            ScopeState::Abandoned(AbandonCause::Timeout)
        } else {
            ScopeState::Abandoned(AbandonCause::Stop)
        };
        assert_eq!(scope.state(), expected);
    });
}

#[test]
fn a_start_beside_the_end_and_a_stop_is_never_lost() {
    loom::model(|| {
        let scope = Arc::new(Scope::new());
        let start = {
            let scope = Arc::clone(&scope);
            thread::spawn(move || scope.register(id(1)).is_ok())
        };
        let finish = {
            let scope = Arc::clone(&scope);
            thread::spawn(move || scope.finish())
        };
        let reaped = scope.abandon(AbandonCause::NewSession);
        let (started, finished) = (start.join().expect("no panic"), finish.join().expect("no panic"));
        assert_ne!(reaped.is_some(), finished);
        if let Some(reaped) = reaped {
            assert_eq!(reaped.contains(&id(1)), started);
        } else {
            assert!(started, "a finished turn refuses nothing");
        }
    });
}
