//! Which profile a call of a page is about. Every call says it, because a window may go to another profile while one is
//! under way: that one still ends where it began.

use gatehouse_protocol::{ApiError, Request};
use specta::Types;
use specta::datatype::DataType;
use specta::function::FunctionArg;
use tauri::ipc::{CommandArg, CommandItem, InvokeError};
use tauri::{AppHandle, Manager as _, Wry};

use crate::shell::Shell;
use crate::showing::Showing;

/// Under this name a page's call says its profile.
const HEADER: &str = "gatehouse-profile";

/// Where a call comes from. Any command takes it; the page hands nothing over for it.
#[derive(Debug)]
pub(crate) struct Here {
    /// The program.
    pub app: AppHandle,
    /// The window.
    pub label: String,
    /// The profile; for a call that says none, the one that its window shows.
    pub profile: String,
}

impl Here {
    /// Carries out a command there, as soon as its gateway runs.
    pub async fn run<R: Request>(&self, request: R) -> Result<R::Reply, ApiError> {
        self.app.state::<Shell>().run(&self.profile, request).await
    }
}

impl<'de> CommandArg<'de, Wry> for Here {
    fn from_command(command: CommandItem<'de, Wry>) -> Result<Self, InvokeError> {
        let webview = command.message.webview_ref();
        let (app, label) = (webview.app_handle().clone(), webview.label().to_owned());
        let said = command.message.headers().get(HEADER).and_then(|said| said.to_str().ok());
        let profile = said.map_or_else(|| app.state::<Showing>().profile(&label), ToOwned::to_owned);
        Ok(Self { app, label, profile })
    }
}

impl FunctionArg for Here {
    fn to_datatype(_: &mut Types) -> Option<DataType> {
        None
    }
}
