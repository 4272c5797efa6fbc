//! The system's own dialog for a file, so that a page needs no sight of the disk.

use std::path::PathBuf;

use gatehouse_protocol::{ApiError, ErrorCode};
use tauri::WebviewWindow;

/// Lets a person choose a model's file; nothing when they do not.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_model_file(
    window: WebviewWindow,
    title: String,
    kind: String,
) -> Result<Option<String>, ApiError> {
    let chosen =
        ask(&window, title, kind).await.map_err(|error| internal(&format!("No dialog could be opened: {error}.")))?;
    // A path travels as text.
    let told = chosen.map(|path| path.into_os_string().into_string());
    told.transpose()
        .map_err(|path| internal(&format!("The name {} cannot be used: it is not UTF-8 text.", path.display())))
}

/// Opens the dialog on the thread that draws, and waits elsewhere. It is drawn by this program itself where the system
/// has no portal for it.
#[cfg(target_os = "linux")]
async fn ask(window: &WebviewWindow, title: String, kind: String) -> Result<Option<PathBuf>, String> {
    use std::cell::RefCell;
    use std::rc::Rc;

    use gtk::prelude::{FileChooserExt as _, NativeDialogExt as _};
    use tokio::sync::oneshot;

    let (say, hear) = oneshot::channel();
    let parent = window.clone();
    let opened = window.run_on_main_thread(move || {
        let parent = parent.gtk_window().ok();
        let dialog =
            gtk::FileChooserNative::new(Some(&title), parent.as_ref(), gtk::FileChooserAction::Open, None, None);
        let filter = gtk::FileFilter::new();
        filter.set_name(Some(&kind));
        filter.add_pattern("*.[gG][gG][uU][fF]");
        dialog.add_filter(filter);
        dialog.set_modal(true);
        // GTK holds no such dialog itself: it lives as long as its answer is awaited.
        let held = Rc::new(RefCell::new(Some((dialog.clone(), say))));
        dialog.connect_response(move |dialog, response| {
            let chosen = (response == gtk::ResponseType::Accept).then(|| dialog.filename()).flatten();
            if let Some((_dialog, say)) = held.borrow_mut().take() {
                // A window that is closed meanwhile does not hear it.
                let _ = say.send(chosen);
            }
        });
        dialog.show();
    });
    opened.map_err(|error| error.to_string())?;
    hear.await.map_err(|_| "it went away without an answer".to_owned())
}

/// Elsewhere the path is typed.
#[cfg(not(target_os = "linux"))]
async fn ask(_window: &WebviewWindow, _title: String, _kind: String) -> Result<Option<PathBuf>, String> {
    Err("this system's dialog is not known here; type the path".into())
}

fn internal(message: &str) -> ApiError {
    ApiError { code: ErrorCode::Internal, message: message.into() }
}
