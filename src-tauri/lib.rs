//! The desktop shell: a window over the gateway.
//!
//! **Owns** windows, the system's opener, single instance, where window state and web data lie, and quitting.
//!
//! **Never** decides anything: every command goes through the protocol to the gateway.

mod command; // what the page may call
mod shell; // the gateway as the window sees it: starting, running, or refused
mod webview; // the page's process
mod window; // the main window and its place

use std::io::Write as _;
use std::process::ExitCode;

use tauri::{Manager as _, RunEvent};

use crate::shell::Shell;

/// The profile that the window opens.
const PROFILE: &str = "default";

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
    let app = tauri::Builder::default()
        .plugin(window::single_instance(&home))
        .plugin(tauri_plugin_opener::init())
        .plugin(window::state_plugin(&home))
        .invoke_handler(command::builder().invoke_handler())
        .manage(Shell::starting())
        .setup(move |app| {
            window::open(app.handle(), &home)?;
            app.state::<Shell>().start(home);
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| format!("The window cannot open: {error}"))?;
    // It returns, unlike `run`, so that the log is written to its end.
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event {
            tauri::async_runtime::block_on(app.state::<Shell>().shutdown());
        }
    });
    if code == 0 { Ok(()) } else { Err(format!("The window ended with code {code}.")) }
}
