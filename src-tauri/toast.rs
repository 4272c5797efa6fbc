//! Toasts of the system: notices that somebody should hear of while they look elsewhere.

mod act; // what a press does
mod notifier; // the way out
#[cfg(target_os = "linux")]
mod on_bus; // over the session bus
#[cfg(any(test, not(target_os = "linux")))]
mod plugin; // through the notification plugin
mod policy; // which notices, and when
mod shape; // one toast
pub(crate) mod words; // what it says

use std::collections::HashSet;

use chrono::Timelike as _;
use tauri::{AppHandle, Manager as _};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::around;
use crate::sight::Sight;
use notifier::{Notifier, Problem};
use policy::{Effect, Moment, Policy};
pub(crate) use policy::{Entry, Input, Kind, Wishes};
pub(crate) use shape::Subject;

/// Facts that wait for the policy, effects that wait for the service, presses that wait to be carried out. A service that
/// hangs fills the second, and then news waits here and nowhere else.
const WAITING: usize = 256;

/// The way to the system's notifications; managed by Tauri.
#[derive(Debug)]
pub(crate) struct Toasts {
    began_ms: i64,
    on_screen: watch::Receiver<HashSet<String>>,
    wanted: mpsc::Sender<Effect>,
}

impl Toasts {
    /// From then on notices count; earlier ones are history.
    pub const fn began_ms(&self) -> i64 {
        self.began_ms
    }

    /// Where the facts of one profile go: what a person wants to be told is set in each of them.
    pub fn listen(&self) -> mpsc::Sender<Input> {
        let (facts, inputs) = mpsc::channel(WAITING);
        let mut on_screen = self.on_screen.clone();
        on_screen.mark_changed();
        tauri::async_runtime::spawn(decide(Policy::new(self.began_ms), inputs, on_screen, self.wanted.clone()));
        facts
    }
}

/// Begins to hand toasts to the system.
pub(crate) fn begin(app: &AppHandle) -> Toasts {
    let (wanted, effects) = mpsc::channel(WAITING);
    let (presses, pressed) = mpsc::channel(WAITING);
    let began_ms = chrono::Local::now().timestamp_millis();
    let on_screen = app.state::<Sight>().watch();
    tauri::async_runtime::spawn(deliver(app.clone(), notifier(app, presses), effects));
    tauri::async_runtime::spawn(act::follow(app.clone(), pressed));
    Toasts { began_ms, on_screen, wanted }
}

#[cfg(target_os = "linux")]
fn notifier(app: &AppHandle, presses: mpsc::Sender<shape::Pressed>) -> impl Notifier {
    on_bus::OnBus::new(std::sync::Arc::clone(&app.state::<std::sync::Arc<crate::bus::Bus>>()), presses)
}

#[cfg(not(target_os = "linux"))]
fn notifier(app: &AppHandle, presses: mpsc::Sender<shape::Pressed>) -> impl Notifier {
    plugin::ByPlugin::new(app, presses)
}

/// Runs the policy. Without a toast that waits for its time there is no timer.
async fn decide(
    mut policy: Policy,
    mut inputs: mpsc::Receiver<Input>,
    mut on_screen: watch::Receiver<HashSet<String>>,
    wanted: mpsc::Sender<Effect>,
) {
    let began = Instant::now();
    loop {
        let due = policy.wakes_at();
        let tick = async {
            match due {
                Some(due) => sleep_until(began + due).await,
                None => std::future::pending().await,
            }
        };
        let input = tokio::select! {
            // What somebody looks at is known before what happened there is judged.
            biased;
            Ok(()) = on_screen.changed() => Input::OnScreen(on_screen.borrow_and_update().clone()),
            input = inputs.recv() => match input {
                Some(input) => input,
                None => return,
            },
            () = tick => Input::Tick,
        };
        for effect in policy.handle(input, now(began)) {
            if wanted.send(effect).await.is_err() {
                return;
            }
        }
    }
}

fn now(began: Instant) -> Moment {
    let wall = chrono::Local::now();
    let minute = u16::try_from(wall.hour() * 60 + wall.minute()).unwrap_or(0);
    Moment { mono: began.elapsed(), wall_ms: wall.timestamp_millis(), minute }
}

/// Hands toasts to the system, one after the other. Whether that works is told when it changes.
async fn deliver(app: AppHandle, mut notifier: impl Notifier, mut effects: mpsc::Receiver<Effect>) {
    let mut problem = None;
    while let Some(effect) = effects.recv().await {
        match effect {
            Effect::Show(toast) => {
                let now = notifier.show(*toast).await.err();
                if now != problem {
                    tell(&app, now.as_ref());
                    problem = now;
                }
            }
            Effect::Close(slot) => notifier.close(slot).await,
        }
    }
}

fn tell(app: &AppHandle, problem: Option<&Problem>) {
    match problem {
        Some(problem) => tracing::warn!("The desktop shows no notifications: {problem}."),
        None => tracing::info!("The desktop shows notifications again."),
    }
    let words = problem.map(Problem::words);
    around::change(app, |state| state.notifications_problem = words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sight::View;

    fn end(session: &str, id: &str) -> Input {
        Input::Notice(Box::new(Entry {
            kind: Kind::ProcessEnded,
            subject: Subject { notice_id: id.into(), session_id: session.into(), ..Subject::default() },
            title: id.into(),
            body: String::new(),
            session_title: String::new(),
            failed: false,
            at_ms: 1,
            read: false,
            muted: false,
            command: None,
            woken: false,
        }))
    }

    #[tokio::test]
    async fn what_somebody_looks_at_by_then_is_not_told() {
        let sight = Sight::default();
        let (facts, inputs) = mpsc::channel(8);
        let (wanted, mut effects) = mpsc::channel(8);
        let deciding = tokio::spawn(decide(Policy::new(0), inputs, sight.watch(), wanted));
        sight.focus("main", true);
        sight.look_at("main", View { session_id: Some("seen".into()), at_end: true });
        facts.send(end("seen", "a")).await.unwrap();
        facts.send(end("elsewhere", "b")).await.unwrap();
        let Some(Effect::Show(toast)) = effects.recv().await else { panic!("nothing was told") };
        assert_eq!(toast.title, "b");
        drop(facts);
        deciding.await.unwrap();
        assert!(effects.recv().await.is_none());
    }
}
