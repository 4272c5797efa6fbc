//! Toasts through the notification plugin, where it can do all that a toast here needs.

use tauri::{AppHandle, Wry};
use tauri_plugin_notification::{Action as Button, ActionPerformed, ActionType, NotificationExt as _};
use tokio::sync::mpsc;

use super::notifier::{Notifier, Problem};
use super::shape::{Action, Pressed, Slot, Subject, Toast};

/// Names under which a toast's subject travels with it.
const PROFILE: &str = "profile";
const NOTICE: &str = "notice";
const SESSION: &str = "session";
const SEQ: &str = "seq";
const PROCESS: &str = "process";
const APPROVAL: &str = "approval";

/// The plugin, and who hears what is pressed.
pub(crate) struct ByPlugin(AppHandle);

impl ByPlugin {
    pub fn new(app: &AppHandle, presses: mpsc::Sender<Pressed>) -> Self {
        let heard = app.notification().on_action(move |performed| {
            // A full channel is a person who presses faster than anything can be done.
            if let Some(press) = press(performed)
                && presses.try_send(press).is_err()
            {
                tracing::warn!("A press on a notification was lost.");
            }
        });
        if let Err(error) = heard {
            tracing::warn!("Presses on notifications are not heard: {error}");
        }
        Self(app.clone())
    }

    fn try_show(&self, toast: &Toast) -> tauri_plugin_notification::Result<()> {
        // One type for each set of buttons.
        let kind = toast.actions.iter().map(|action| action.id()).collect::<Vec<_>>().join("-");
        let buttons = toast.actions.iter().map(|action| Button::builder(action.id(), action.label()).build()).collect();
        self.0
            .notification()
            .register_action_types(vec![ActionType::builder(kind.clone()).actions(buttons).build()])?;
        let subject = &toast.subject;
        let builder = self.0.notification().builder().title(&toast.title).body(&toast.body).action_type_id(kind);
        builder
            .extra(PROFILE, &subject.profile)
            .extra(NOTICE, &subject.notice_id)
            .extra(SESSION, &subject.session_id)
            .extra(SEQ, subject.seq)
            .extra(PROCESS, &subject.process_id)
            .extra(APPROVAL, &subject.approval_id)
            .show()
    }
}

impl Notifier for ByPlugin {
    async fn show(&mut self, toast: Toast) -> Result<(), Problem> {
        self.try_show(&toast).map_err(|error| Problem::Refused(error.to_string()))
    }

    /// The systems behind it cannot take a toast away.
    async fn close(&mut self, _slot: Slot) {}
}

fn press(performed: &ActionPerformed) -> Option<Pressed> {
    let extra = performed.notification()?.extra();
    let text = |name: &str| extra.get(name).and_then(|value| value.as_str()).map(str::to_owned);
    let subject = Subject {
        profile: text(PROFILE)?,
        notice_id: text(NOTICE)?,
        session_id: text(SESSION)?,
        seq: extra.get(SEQ).and_then(|value| value.as_i64()),
        process_id: text(PROCESS),
        approval_id: text(APPROVAL),
    };
    Some(Pressed { subject, action: Action::of(performed.action_id())?, token: None })
}

/// The plugin's own way of showing is only there on systems where it is used; elsewhere it must at least still fit.
#[cfg(test)]
const _: fn(&AppHandle<Wry>, mpsc::Sender<Pressed>) -> ByPlugin = ByPlugin::new;
