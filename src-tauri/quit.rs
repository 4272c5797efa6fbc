//! How the program ends: who is asked, what happens to running processes, and what a signal means.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatehouse_protocol::wire::{GetSettings, ListProcesses};
use serde::Deserialize;
use specta::Type;
use tauri::{AppHandle, Manager as _};

use crate::intent::{Intent, Intents};
use crate::shell::Shell;
use crate::{tray, window};

/// A gateway that does not say by then what is set is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a quit does to running processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuitChoice {
    /// They live on.
    Leave,
    /// They are stopped.
    Stop,
}

/// Whether the program is on its way out; managed by Tauri.
#[derive(Debug, Default)]
pub(crate) struct Quitting(AtomicBool);

/// A person wants to quit. Where processes run and nobody has said what becomes of them, they are asked first: in this
/// window, or in the main one.
pub(crate) fn request(app: &AppHandle, label: Option<String>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match decide(&app.state::<Shell>()).await {
            Decision::Go => go(&app, None),
            Decision::Ask(processes) => {
                let label = label.unwrap_or_else(|| window::raise(&app, None, None));
                app.state::<Intents>().ask(&label, Intent::AskQuit { processes });
            }
        }
    });
}

/// Quits, once. The windows go at once; turns that run may take their time behind them. Without a choice, each profile has
/// said itself what becomes of its processes.
pub(crate) fn go(app: &AppHandle, choice: Option<QuitChoice>) {
    if app.state::<Quitting>().0.swap(true, Ordering::SeqCst) {
        return;
    }
    tracing::info!(?choice, "Quitting.");
    window::hide_all(app);
    tray::remove(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        app.state::<Shell>().shutdown(choice).await;
        app.exit(0);
    });
}

/// Ends, once, and starts again.
pub(crate) async fn again(app: &AppHandle) {
    if app.state::<Quitting>().0.swap(true, Ordering::SeqCst) {
        return;
    }
    tracing::info!("Starting again.");
    tray::remove(app);
    app.state::<Shell>().shutdown(Some(QuitChoice::Leave)).await;
    app.request_restart();
}

/// A signal asks nobody. The second one does not wait for anything either.
#[cfg(unix)]
pub(crate) fn on_signals(app: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
        let [Ok(mut terminate), Ok(mut interrupt)] = signals else {
            return tracing::warn!("Signals cannot be heard: they end the program at once.");
        };
        let mut heard = 0;
        loop {
            let number = tokio::select! {
                _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
                _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
            };
            heard += 1;
            if heard > 1 {
                tracing::warn!("A second signal: not waiting any longer.");
                std::process::exit(128 + number);
            }
            go(&app, None);
        }
    });
}

#[derive(Debug, PartialEq, Eq)]
enum Decision {
    Go,
    Ask(u32),
}

/// What is set in one profile, and how many processes live in it.
type Kept = (String, u32);

/// Gateways that cannot be asked keep nobody here.
async fn decide(shell: &Shell) -> Decision {
    let asked = async {
        let mut kept = Vec::new();
        for profile in shell.running() {
            kept.push(ask(shell, &profile).await);
        }
        rule(&kept)
    };
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or(Decision::Go)
}

async fn ask(shell: &Shell, profile: &str) -> Kept {
    let on_quit = shell.run(profile, GetSettings {}).await.map(|settings| settings.on_quit).unwrap_or_default();
    let living = ListProcesses { session_id: None, include_finished: Some(false) };
    let processes = shell.run(profile, living).await.map_or(0, |reply| reply.processes.len());
    (on_quit, u32::try_from(processes).unwrap_or(u32::MAX))
}

/// The answer is about all processes, so the question is too.
fn rule(kept: &[Kept]) -> Decision {
    if kept.iter().any(|(on_quit, processes)| on_quit == "ask" && *processes > 0) {
        return Decision::Ask(kept.iter().map(|(_, processes)| *processes).fold(0, u32::saturating_add));
    }
    Decision::Go
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_only_when_something_runs_and_nothing_is_set() {
        let cases: [(&[(&str, u32)], Decision); 7] = [
            (&[("ask", 3)], Decision::Ask(3)),
            (&[("ask", 0)], Decision::Go),
            (&[("leave", 3)], Decision::Go),
            (&[("stop", 3)], Decision::Go),
            (&[("ask", 0), ("stop", 3)], Decision::Go),
            (&[("leave", 2), ("ask", 1)], Decision::Ask(3)),
            (&[], Decision::Go),
        ];
        for (set, expected) in cases {
            let kept: Vec<Kept> = set.iter().map(|(on_quit, processes)| ((*on_quit).into(), *processes)).collect();
            assert_eq!(rule(&kept), expected, "{set:?}");
        }
    }
}
