//! One obligation, from its record to its end.

use std::time::Duration;

use gatehouse_channel::{SendOutcome, Unsent};
use gatehouse_domain::{EpochMs, Fence, Marker, OutboxState, RouteKey, SegmentKind};

/// How often words are sent again after the first time.
pub const MAX_ATTEMPTS: u32 = 3;
/// Words that are older are not sent any more.
pub const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long to wait after the first and the second failure. The last attempt is left for a connection made anew: what
/// was refused twice within minutes is refused for a reason that minutes do not mend.
pub const BACK_OFF: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(120)];
/// How long to wait where a platform wants to be left alone and does not say how long.
pub const FLOOD_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that a platform can ask for.
pub const FLOOD_CAP: Duration = Duration::from_secs(15 * 60);
/// What is added to it, because its clock is not ours.
pub const FLOOD_SLACK: Duration = Duration::from_secs(2);

/// What decides about one row of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obligation {
    /// What it carries.
    pub kind: SegmentKind,
    /// Where it stands.
    pub state: OutboxState,
    /// How often it was sent again.
    pub attempts: u32,
    /// When a failed one is tried again; `None` there means: once the channel is connected anew.
    pub not_before: Option<EpochMs>,
    /// Why it was not over with the last send; see [`Obligation::says`].
    pub marker: Option<Marker>,
    /// How often it was claimed.
    pub fence: Fence,
    /// Since when it is owed.
    pub recorded: EpochMs,
    /// Its channel is spared such words.
    pub muted: bool,
}

/// What to do next about one obligation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Write this row, then send what it carries, then settle it with this row's fence.
    Send(Obligation),
    /// Write this row: its words are not sent any more.
    GiveUp(Obligation, GiveUp),
    /// Ask again then, or when the channel's connection changes.
    Wait(EpochMs),
    /// It is on its way, or final.
    Nothing,
}

/// Why words are not sent any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUp {
    /// They were sent as often as they may be.
    Spent,
    /// They are too old to be of use.
    TooOld,
    /// Their channel is spared such words.
    Muted,
}

/// When an outcome came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Now.
    pub now: EpochMs,
    /// Whether the channel was connected anew since the claim. Nobody would tell that a second time.
    pub relinked: bool,
}

impl Obligation {
    /// Recorded in the transaction of the answer itself.
    pub const fn recorded(kind: SegmentKind, now: EpochMs) -> Self {
        Self {
            kind,
            state: OutboxState::Pending,
            attempts: 0,
            not_before: None,
            marker: None,
            fence: Fence(0),
            recorded: now,
            muted: false,
        }
    }

    /// Decides. Nothing is claimed, and so nothing is spent, while the channel is not connected.
    pub fn next(self, now: EpochMs, connected: bool) -> Next {
        let due = match self.state {
            OutboxState::Pending => true,
            OutboxState::Failed => self.not_before.is_some_and(|at| at <= now || is_from_another_clock(at, now)),
            OutboxState::Sending
            | OutboxState::Delivered
            | OutboxState::Declined
            | OutboxState::Abandoned
            | OutboxState::Suppressed => return Next::Nothing,
        };
        let abandoned = Self { state: OutboxState::Abandoned, not_before: None, ..self };
        match self.not_before {
            _ if self.muted => Next::GiveUp(self.ended(OutboxState::Suppressed), GiveUp::Muted),
            _ if self.expires() <= now => Next::GiveUp(abandoned, GiveUp::TooOld),
            _ if self.attempts >= MAX_ATTEMPTS => Next::GiveUp(abandoned, GiveUp::Spent),
            _ if due && connected => Next::Send(self.claimed()),
            Some(at) if !due => Next::Wait(at.min(self.expires())),
            Some(_) | None => Next::Wait(self.expires()),
        }
    }

    /// The row after an outcome, or nothing if somebody claimed or ended it since.
    pub fn settled(self, fence: Fence, outcome: &SendOutcome, moment: Moment) -> Option<Self> {
        if self.state != OutboxState::Sending || fence != self.fence {
            return None;
        }
        Some(match outcome {
            SendOutcome::Delivered { .. } | SendOutcome::NothingToSend => self.ended(OutboxState::Delivered),
            SendOutcome::Declined { .. } => self.ended(OutboxState::Declined),
            SendOutcome::Refused { unsent, why: _ } => self.refused(*unsent, moment),
            SendOutcome::Ambiguous { .. } => self.backed_off(moment, Some(Marker::Reconnect)),
        })
    }

    /// The row as a start finds it. Whether the channel has what was on its way, nobody knows.
    pub const fn found(self, now: EpochMs) -> Self {
        match self.state {
            OutboxState::Sending => {
                Self { state: OutboxState::Failed, not_before: Some(now), marker: Some(Marker::Restart), ..self }
            }
            OutboxState::Pending
            | OutboxState::Failed
            | OutboxState::Delivered
            | OutboxState::Declined
            | OutboxState::Abandoned
            | OutboxState::Suppressed => self,
        }
    }

    /// The row when its channel is connected, for the first time since a start or anew.
    pub const fn linked(self, now: EpochMs) -> Self {
        match (self.state, self.not_before) {
            (OutboxState::Failed, None) => Self { not_before: Some(now), ..self },
            _ => self,
        }
    }

    /// What stands before its words. The same words in the same message cannot be seen twice, so an edit needs nothing.
    pub fn says(self) -> Option<Marker> {
        if self.kind == SegmentKind::Edit { None } else { self.marker }
    }

    /// When it is too old.
    pub fn expires(self) -> EpochMs {
        self.recorded.after(MAX_AGE)
    }

    /// Whether the platform wants its chat to be left alone.
    pub fn is_flooded(self, now: EpochMs) -> bool {
        let waits = self.not_before.is_some_and(|at| now < at && !is_from_another_clock(at, now));
        self.state == OutboxState::Failed && self.marker == Some(Marker::RateLimit) && waits
    }

    fn claimed(self) -> Self {
        let again = u32::from(self.state == OutboxState::Failed);
        Self {
            state: OutboxState::Sending,
            attempts: self.attempts.saturating_add(again),
            not_before: None,
            fence: self.fence.next(),
            ..self
        }
    }

    const fn ended(self, state: OutboxState) -> Self {
        Self { state, not_before: None, ..self }
    }

    fn refused(self, unsent: Unsent, moment: Moment) -> Self {
        match unsent {
            Unsent::ChatGone => self.ended(OutboxState::Abandoned),
            Unsent::Flood { retry_after } => {
                let wait = retry_after.unwrap_or(FLOOD_WAIT).min(FLOOD_CAP) + FLOOD_SLACK;
                self.failed(Some(moment.now.after(wait)), Some(Marker::RateLimit))
            }
            // What never left was no attempt.
            Unsent::Degraded => Self { attempts: self.attempts.saturating_sub(1), ..self }
                .failed(moment.relinked.then_some(moment.now), Some(Marker::Reconnect)),
            // An edit that is refused changed nothing: its words are new, unless an earlier one may have been seen.
            Unsent::Other if self.kind == SegmentKind::Edit => self.backed_off(moment, self.marker),
            Unsent::Other => self.backed_off(moment, Some(Marker::Reconnect)),
        }
    }

    fn backed_off(self, moment: Moment, marker: Option<Marker>) -> Self {
        if self.kind == SegmentKind::Edit {
            // The message may be gone or too old to be changed: another edit would meet the same.
            return Self { kind: SegmentKind::Text, ..self }.failed(Some(moment.now), marker);
        }
        let round = usize::try_from(self.attempts).unwrap_or(usize::MAX);
        let wait = BACK_OFF.get(round).map(|wait| moment.now.after(*wait));
        self.failed(wait.or(moment.relinked.then_some(moment.now)), marker)
    }

    const fn failed(self, not_before: Option<EpochMs>, marker: Option<Marker>) -> Self {
        Self { state: OutboxState::Failed, not_before, marker, ..self }
    }
}

/// Nothing ever waits so long: the wall clock was put back since, and the wait would last as long as that.
fn is_from_another_clock(at: EpochMs, now: EpochMs) -> bool {
    at > now.after(FLOOD_CAP + FLOOD_SLACK)
}

/// Who the words of a send are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// The answer of a turn.
    Answer,
    /// What a command in the chat has to say.
    CommandReply,
    /// Progress that a later message replaces.
    Ephemeral,
}

/// Whether words are owed at all. What is not owed is sent once, and what becomes of it is logged.
pub fn is_owed(speech: Speech, route: Option<&RouteKey>, text: &str) -> bool {
    speech == Speech::Answer && route.is_some() && !text.trim().is_empty()
}
