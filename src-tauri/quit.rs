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

/// A person wants to quit. Where processes run and nobody has said what becomes of them, they are asked first.
pub(crate) fn request(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match decide(&app.state::<Shell>(), true).await {
            Decision::Go(choice) => go(&app, choice),
            Decision::Ask(processes) => {
                let label = window::raise(&app, None, None);
                app.state::<Intents>().ask(&label, Intent::AskQuit { processes });
            }
        }
    });
}

/// Quits, once. The windows go at once; turns that run may take their time behind them.
pub(crate) fn go(app: &AppHandle, choice: QuitChoice) {
    if app.state::<Quitting>().0.swap(true, Ordering::SeqCst) {
        return;
    }
    tracing::info!(?choice, "Quitting.");
    window::hide_all(app);
    tray::remove(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        app.state::<Shell>().shutdown(Some(choice)).await;
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
            let app = app.clone();
            tauri::async_runtime::spawn(async move {
                if let Decision::Go(choice) = decide(&app.state::<Shell>(), false).await {
                    go(&app, choice);
                }
            });
        }
    });
}

enum Decision {
    Go(QuitChoice),
    Ask(u32),
}

/// A gateway that cannot be asked keeps nobody here.
async fn decide(shell: &Shell, may_ask: bool) -> Decision {
    if !shell.is_running() {
        return Decision::Go(QuitChoice::Leave);
    }
    let asked = async {
        let on_quit = shell.run(GetSettings {}).await.map(|settings| settings.on_quit).unwrap_or_default();
        let living = ListProcesses { session_id: None, include_finished: Some(false) };
        let processes = shell.run(living).await.map_or(0, |reply| reply.processes.len());
        rule(&on_quit, u32::try_from(processes).unwrap_or(u32::MAX), may_ask)
    };
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or(Decision::Go(QuitChoice::Leave))
}

fn rule(on_quit: &str, processes: u32, may_ask: bool) -> Decision {
    match on_quit {
        "stop" => Decision::Go(QuitChoice::Stop),
        "ask" if may_ask && processes > 0 => Decision::Ask(processes),
        _ => Decision::Go(QuitChoice::Leave),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_only_when_something_runs_and_nothing_is_set() {
        let cases = [
            (("ask", 3, true), None),
            (("ask", 0, true), Some(QuitChoice::Leave)),
            (("ask", 3, false), Some(QuitChoice::Leave)),
            (("leave", 3, true), Some(QuitChoice::Leave)),
            (("stop", 3, true), Some(QuitChoice::Stop)),
            (("stop", 3, false), Some(QuitChoice::Stop)),
        ];
        for ((on_quit, processes, may_ask), expected) in cases {
            match rule(on_quit, processes, may_ask) {
                Decision::Go(choice) => assert_eq!(Some(choice), expected, "{on_quit} {processes} {may_ask}"),
                Decision::Ask(asked) => assert_eq!((asked, None), (processes, expected)),
            }
        }
    }
}
