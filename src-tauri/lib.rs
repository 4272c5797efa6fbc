//! The desktop shell: a window over the gateway.
//!
//! **Owns** windows, toasts, the tray, the system's opener, single instance, where window state and web data lie, light and
//! dark, and quitting.
//!
//! **Never** decides anything about sessions or processes: every command goes through the protocol to the gateway.

mod around; // what the system around the windows can do
#[cfg(target_os = "linux")]
mod bus; // the session bus
mod command; // what the page may call
mod here; // which profile a call is about
mod intent; // what windows are asked to do from outside
mod look; // light and dark
mod news; // what the shell itself hears of the gateway
mod quit; // how the program ends
mod restart; // and begins again
mod shell; // the house as the windows see it
mod showing; // which profile each window shows
mod sight; // what people see right now
mod toast; // notifications of the system
mod tray; // the icon in the panel
mod webview; // what only the platform's own window can do
mod window; // the windows and their places

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use tauri::{App, AppHandle, Manager as _, RunEvent, Theme};

use crate::shell::Shell;
use crate::showing::Showing;
use crate::window::Windows;

/// The program: returns when it was quit.
pub fn run() -> ExitCode {
    match open() {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            // There is no window to say it in, and perhaps no log either.
            tracing::error!("{words}");
            let _unwritten = writeln!(std::io::stderr(), "gatehouse: {words}");
            ExitCode::FAILURE
        }
    }
}

fn open() -> Result<(), String> {
    let home = gatehouse_host::home(None).map_err(|error| error.to_string())?;
    let _log = gatehouse_host::begin_log(&home, "desktop").map_err(|error| error.to_string())?;
    gatehouse_host::leave_crash_files(&home);
    let desktop = Desktop::begin();
    let app = tauri::Builder::default()
        .plugin(window::single_instance(&home))
        .plugin(tauri_plugin_notification::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(window::state_plugin(&home))
        .invoke_handler(command::builder().invoke_handler())
        .manage(Windows::of(&home))
        .manage(around::Around::default())
        .manage(intent::Intents::default())
        .manage(news::News::default())
        .manage(quit::Quitting::default())
        .manage(sight::Sight::default())
        .manage(tray::Tray::default())
        .on_window_event(window::on_event)
        .setup(move |app| Ok(desktop.open(app, home)?))
        .build(tauri::generate_context!())
        .map_err(|error| format!("The window cannot open: {error}"))?;
    // It returns, unlike `run`, so that the log is written to its end.
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event {
            tauri::async_runtime::block_on(app.state::<Shell>().shutdown(None));
        }
    });
    if code == 0 { Ok(()) } else { Err(format!("The window ended with code {code}.")) }
}

/// What is asked of the desktop before there is a window.
struct Desktop {
    #[cfg(target_os = "linux")]
    bus: std::sync::Arc<bus::Bus>,
    #[cfg(target_os = "linux")]
    theme: look::Asked,
}

impl Desktop {
    #[cfg(target_os = "linux")]
    fn begin() -> Self {
        let bus = std::sync::Arc::default();
        Self { theme: look::ask(&bus), bus }
    }

    #[cfg(not(target_os = "linux"))]
    fn begin() -> Self {
        Self {}
    }

    /// Opens the window and begins everything that goes on beside it.
    fn open(self, app: &mut App, home: PathBuf) -> tauri::Result<()> {
        let handle = app.handle().clone();
        let shell = tauri::async_runtime::block_on(Shell::open(home.clone())).map_err(std::io::Error::other)?;
        let showing = Showing::begin(&home, window::MAIN, &shell.first(), |name| shell.profile(name).is_ok());
        let shown = home.join("profiles").join(showing.main());
        app.manage(shell);
        app.manage(showing);
        app.manage(look::Looks::first(&shown, self.settle(&handle)));
        window::open(&handle)?;
        #[cfg(target_os = "linux")]
        look::follow(&handle);
        app.manage(toast::begin(&handle));
        news::follow(&handle);
        tray::begin(&handle);
        restart::follow(&handle);
        #[cfg(unix)]
        quit::on_signals(&handle);
        window::follow_link(&handle, std::env::args());
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn settle(self, app: &AppHandle) -> Option<Theme> {
        app.manage(std::sync::Arc::clone(&self.bus));
        self.theme.settle()
    }

    #[cfg(not(target_os = "linux"))]
    fn settle(self, _app: &AppHandle) -> Option<Theme> {
        None
    }
}
