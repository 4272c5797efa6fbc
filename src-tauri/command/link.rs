//! Out to the system's programs.

use gatehouse_protocol::ApiError;
use gatehouse_protocol::wire::FindFile;
use tauri::{AppHandle, Url};
use tauri_plugin_opener::OpenerExt as _;

use crate::here::Here;

/// Opens a web page or a mail in the system's own program; nothing else is ever opened.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_link(app: AppHandle, url: String) -> Result<(), ApiError> {
    let parsed =
        Url::parse(&url).map_err(|error| ApiError::invalid(format!("Not opened: this is no address ({error}).")))?;
    if !may_leave(&parsed) {
        return Err(ApiError::invalid("Not opened: only web pages and mail addresses are opened from here."));
    }
    let opened = app.opener().open_url(parsed.as_str(), None::<&str>);
    opened.map_err(|error| ApiError::invalid(format!("Not opened: the system has no program for it ({error}).")))
}

/// Shows a file of an answer in the program that the system has for it, or in its folder. Where it lies is asked of the
/// gateway, which looks at it again: a page cannot have anything else opened.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_file(here: Here, file: FindFile) -> Result<(), ApiError> {
    let in_folder = file.in_folder;
    let path = here.run(file).await?.path;
    let opener = here.app.opener();
    let opened = if in_folder { opener.reveal_item_in_dir(path) } else { opener.open_path(path, None::<&str>) };
    opened.map_err(|error| ApiError::invalid(format!("Not opened: the system has no program for it ({error}).")))
}

fn may_leave(url: &Url) -> bool {
    match url.scheme() {
        "http" | "https" => url.host_str().is_some_and(|host| !is_inner(host)),
        "mailto" => true,
        _ => false,
    }
}

/// Names under `.localhost` are how web views speak to the program itself.
fn is_inner(host: &str) -> bool {
    host.trim_end_matches('.').to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_mail_leave() {
        let cases = [
            ("https://example.invalid/a", true),
            ("http://127.0.0.1:5173/", true),
            ("mailto:a@example.invalid", true),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("data:text/html,x", false),
            ("vscode://file/etc/passwd", false),
            ("tauri://localhost/x", false),
            ("http://ipc.localhost/shell", false),
            ("http://IPC.localhost./shell", false),
        ];
        for (url, leaves) in cases {
            assert_eq!(may_leave(&Url::parse(url).unwrap()), leaves, "{url}");
        }
    }
}
