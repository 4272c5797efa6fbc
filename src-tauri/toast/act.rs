//! What a press on a toast does. A press may arrive twice: everything here may be done twice.

use gatehouse_protocol::wire::{AnswerApproval, ListNotices, RestartProcess};
use gatehouse_protocol::{ApiError, ErrorCode};
use tauri::{AppHandle, Manager as _};
use tokio::sync::mpsc;

use super::shape::{Action, Pressed, Subject};
use crate::intent::Intent;
use crate::shell::Shell;
use crate::window;

/// Notices among which a pressed one is looked for: a toast that stands is not older.
const RECENT: u32 = 500;

/// Carries out what is pressed, as long as the program runs.
pub(super) async fn follow(app: AppHandle, mut pressed: mpsc::Receiver<Pressed>) {
    while let Some(Pressed { subject, action, token }) = pressed.recv().await {
        let shell = app.state::<Shell>();
        let done = match action {
            Action::Open => Ok(()),
            Action::RunAgain => run_again(&shell, &subject).await,
            Action::Deny => answer(&shell, &subject, "deny").await,
            Action::AllowOnce => answer(&shell, &subject, "once").await,
        };
        if let Err(error) = &done {
            tracing::warn!("What was pressed in a notification was not done: {error}");
        }
        // Whoever pressed a button and got nothing is shown where it can be seen why.
        if action == Action::Open || done.is_err() {
            let seq = place(&shell, &subject).await;
            window::show(&app, show(&Subject { seq, ..subject }), token);
        }
    }
}

/// The end of a process is told before its report enters the conversation, so where that stands is known only now.
async fn place(shell: &Shell, subject: &Subject) -> Option<i64> {
    if subject.seq.is_some() || subject.process_id.is_none() {
        return subject.seq;
    }
    let notices = shell.run(&subject.profile, ListNotices { limit: Some(RECENT) }).await.ok()?.notices;
    notices.into_iter().find(|notice| notice.notice_id == subject.notice_id)?.seq.map(|seq| seq.0)
}

fn show(subject: &Subject) -> Intent {
    Intent::Show {
        profile: Some(subject.profile.clone()),
        session_id: subject.session_id.clone(),
        seq: subject.seq.and_then(|seq| i32::try_from(seq).ok()),
        process_id: subject.process_id.clone(),
    }
}

/// The same command in the same place and way.
async fn run_again(shell: &Shell, subject: &Subject) -> Result<(), ApiError> {
    let process_id = subject.process_id.clone().ok_or_else(|| ApiError {
        code: ErrorCode::NotFound,
        message: "There is no such process. It may have been removed.".into(),
    })?;
    // The notice names the start, so that two presses are one process.
    let client_key = Some(format!("notice:{}", subject.notice_id));
    let again = RestartProcess { process_id, force: None, client_key };
    shell.run(&subject.profile, again).await.map(|_| ())
}

/// A question that is closed by now was answered: by the first of two presses, or elsewhere.
async fn answer(shell: &Shell, subject: &Subject, choice: &str) -> Result<(), ApiError> {
    let Some(approval_id) = subject.approval_id.clone() else { return Ok(()) };
    let answer = AnswerApproval { approval_id, choice: choice.into(), pattern: None, reason: None };
    match shell.run(&subject.profile, answer).await {
        Err(error) if error.code != ErrorCode::ApprovalClosed => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_too_far_for_the_page_leads_to_its_session() {
        let subject =
            |seq| Subject { profile: "work".into(), session_id: "s".into(), seq: Some(seq), ..Subject::default() };
        let shown = |seq| Intent::Show { profile: Some("work".into()), session_id: "s".into(), seq, process_id: None };
        assert_eq!(show(&subject(7)), shown(Some(7)));
        assert_eq!(show(&subject(i64::MAX)), shown(None));
    }
}
