//! What the shell itself hears of the gateways: it follows each one's feed like any window, for the toasts, the tray and the
//! look.

mod sessions; // who needs somebody, what runs

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatehouse_host::Profile;
use gatehouse_protocol::wire::{
    Change, GetSettings, Int53, ListApprovals, ListNotices, ListSessions, NextFeed, Notice, NotificationSettings,
    Settings,
};
use gatehouse_protocol::{ApiError, ErrorCode, Request};
use tauri::{AppHandle, Manager as _};
use tokio::sync::mpsc;

use crate::shell::Shell;
use crate::toast::{Entry, Input, Kind, Subject, Toasts, Wishes, words};
use crate::{look, tray};
use sessions::Sessions;

const CLIENT: &str = "desktop-shell";
/// As long as the wire allows: an answer that says nothing is work for nothing.
const WAIT_MS: u32 = 600_000;
/// Words that stream and output that grows are of no interest here; after nothing else the next look waits so long.
const PAUSE: Duration = Duration::from_millis(250);
/// After an error that is not the end.
const AGAIN: Duration = Duration::from_secs(5);
/// Unread notices that are looked at after a gap.
const NOTICES: u32 = 100;

/// What is set in each profile, as it was last heard; managed by Tauri.
#[derive(Debug, Default)]
pub(crate) struct News(Mutex<HashMap<String, Settings>>);

impl News {
    /// Whether a window that is closed leaves the program running: as long as one profile wants it. Who has said nothing yet
    /// does.
    pub fn keep_running(&self) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.is_empty() || known.values().any(|settings| settings.keep_running)
    }

    fn put(&self, profile: &str, settings: Settings) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(profile.to_owned(), settings);
    }
}

/// Follows every profile, also those that come later.
pub(crate) fn follow(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut profiles = app.state::<Shell>().profiles();
        let mut followed = 0;
        loop {
            // They are only ever added to.
            let known = profiles.borrow_and_update().clone();
            for profile in &known[followed.min(known.len())..] {
                tauri::async_runtime::spawn(attend(app.clone(), profile.clone()));
            }
            followed = known.len();
            if profiles.changed().await.is_err() {
                return;
            }
        }
    });
}

/// Follows the feed of one profile until its gateway goes down.
async fn attend(app: AppHandle, profile: Profile) {
    let facts = app.state::<Toasts>().listen();
    let name = profile.name().to_string();
    let mut reader = Reader { app, profile: name, facts, sessions: Sessions::default(), approve_from_toast: false };
    loop {
        profile.until_running().await;
        match reader.read().await {
            Err(error) if matches!(error.code, ErrorCode::ShuttingDown | ErrorCode::Superseded) => return,
            Err(error) => {
                tracing::warn!("The shell hears nothing of the profile {}: {error}", reader.profile);
                reader.tell(Sessions::default());
                tokio::time::sleep(AGAIN).await;
            }
            Ok(()) => {}
        }
    }
}

struct Reader {
    app: AppHandle,
    profile: String,
    facts: mpsc::Sender<Input>,
    sessions: Sessions,
    approve_from_toast: bool,
}

impl Reader {
    /// Everything as it is now, then each change, until all must be read again.
    async fn read(&mut self) -> Result<(), ApiError> {
        // No store has this epoch, so the answer is where to go on from.
        let mut place = self.next(Some(String::new()), Int53(0), 0).await?;
        self.settings().await?;
        self.tell(Sessions::of(self.run(ListSessions {}).await?.sessions));
        self.missed().await?;
        loop {
            place = self.next(Some(place.epoch), place.rev, WAIT_MS).await?;
            if place.reset {
                return Ok(());
            }
            let dull =
                place.changes.iter().all(|change| matches!(change, Change::Item { .. } | Change::Process { .. }));
            self.changes(std::mem::take(&mut place.changes)).await?;
            tray::tell(&self.app, &self.profile, self.sessions.told(&self.profile));
            if dull {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    async fn next(
        &self,
        epoch: Option<String>,
        after_rev: Int53,
        wait_ms: u32,
    ) -> Result<gatehouse_protocol::wire::Feed, ApiError> {
        let client_id = Some(CLIENT.to_owned());
        self.run(NextFeed { epoch, after_rev, wait_ms, client_id, blocks: Some(false) }).await
    }

    /// Why a turn ran is known before its notice is judged, in whatever order they were written.
    async fn changes(&mut self, changes: Vec<Change>) -> Result<(), ApiError> {
        for change in &changes {
            if let Change::Turn { turn } = change {
                self.sessions.turn(turn);
            }
        }
        for change in changes {
            self.change(change).await?;
        }
        Ok(())
    }

    async fn change(&mut self, change: Change) -> Result<(), ApiError> {
        match change {
            Change::Session { session } => self.sessions.put(session),
            Change::Notice { notice } => self.notice(notice).await,
            Change::Settings { .. } => self.settings().await?,
            Change::Removed { kind, id } if kind == "session" => self.sessions.remove(&id),
            Change::Turn { .. }
            | Change::Item { .. }
            | Change::Process { .. }
            | Change::Incidents { .. }
            | Change::Removed { .. } => {}
        }
        Ok(())
    }

    /// What a person wants to be told, and how it shall look.
    async fn settings(&mut self) -> Result<(), ApiError> {
        let settings = self.run(GetSettings {}).await?;
        let quiet = self.run(ListNotices { limit: Some(1) }).await?.quiet_until_ms;
        self.approve_from_toast = settings.notifications.approve_from_toast;
        let wishes = wishes(&settings.notifications, quiet.map(|until| until.0));
        self.toasts(Input::Wishes(wishes)).await;
        look::set(&self.app, &self.profile, &settings.look);
        self.app.state::<News>().put(&self.profile, settings);
        Ok(())
    }

    /// What happened while nobody listened here is still news; the toasts know what they have told.
    async fn missed(&mut self) -> Result<(), ApiError> {
        let began_ms = self.app.state::<Toasts>().began_ms();
        let notices = self.run(ListNotices { limit: Some(NOTICES) }).await?.notices;
        for notice in notices.into_iter().rev().filter(|notice| notice.at_ms.0 >= began_ms) {
            self.notice(notice).await;
        }
        Ok(())
    }

    async fn notice(&self, notice: Notice) {
        let command = match &notice.approval_id {
            Some(id) if self.approve_from_toast && !notice.read => self.command_of(id).await,
            Some(_) | None => None,
        };
        let woken = self.sessions.was_woken(&notice.session_id);
        let several = self.app.state::<Shell>().profiles().borrow().len() > 1;
        match entry(&self.profile, several, notice, command, woken) {
            Some(entry) => self.toasts(Input::Notice(Box::new(entry))).await,
            None => tracing::debug!("A notice of a kind that is not known here is only in the list."),
        }
    }

    /// The whole command of a question; without it nobody can allow it from a toast.
    async fn command_of(&self, approval: &str) -> Option<String> {
        let waiting = self.run(ListApprovals {}).await.ok()?.items;
        waiting.into_iter().find(|item| item.approval_id.as_deref() == Some(approval))?.command
    }

    async fn toasts(&self, input: Input) {
        // The receiver lives as long as the program.
        let _late = self.facts.send(input).await;
    }

    fn tell(&mut self, sessions: Sessions) {
        self.sessions = sessions;
        tray::tell(&self.app, &self.profile, self.sessions.told(&self.profile));
    }

    async fn run<R: Request>(&self, request: R) -> Result<R::Reply, ApiError> {
        self.app.state::<Shell>().run(&self.profile, request).await
    }
}

/// A toast says whose it is where there are several profiles.
fn entry(profile: &str, several: bool, notice: Notice, command: Option<String>, woken: bool) -> Option<Entry> {
    let said = several.then_some(profile);
    let kind = match notice.kind.as_str() {
        "process_ended" => Kind::ProcessEnded,
        "approval" => Kind::Approval,
        "turn_ended" => Kind::TurnEnded,
        _ => return None,
    };
    Some(Entry {
        kind,
        subject: Subject {
            profile: profile.to_owned(),
            notice_id: notice.notice_id,
            session_id: notice.session_id,
            seq: notice.seq.map(|seq| seq.0),
            process_id: notice.process_id,
            approval_id: notice.approval_id,
        },
        title: if kind == Kind::Approval { words::question(said) } else { notice.title },
        body: notice.body,
        session_title: words::place(&notice.session_title, said),
        failed: notice.tone == "fail",
        at_ms: notice.at_ms.0,
        read: notice.read,
        muted: notice.muted,
        command,
        woken,
    })
}

fn wishes(set: &NotificationSettings, quiet_until_ms: Option<i64>) -> Wishes {
    let hours = (minutes(set.quiet_from.as_deref()), minutes(set.quiet_to.as_deref()));
    Wishes {
        completions: set.completions,
        approvals: set.approvals,
        turns: set.turns,
        approve_from_toast: set.approve_from_toast,
        quiet_hours: if let (Some(from), Some(to)) = hours { Some((from, to)) } else { None },
        quiet_until_ms,
    }
}

/// `HH:MM` as minutes of the day.
fn minutes(time: Option<&str>) -> Option<u16> {
    let (hours, minutes) = time?.split_once(':')?;
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_day_are_minutes() {
        assert_eq!(minutes(Some("22:05")), Some(22 * 60 + 5));
        assert_eq!(minutes(Some("00:00")), Some(0));
        for odd in ["24:00", "7", "07:60", "-1:00", "a:b"] {
            assert_eq!(minutes(Some(odd)), None, "{odd}");
        }
    }
}
