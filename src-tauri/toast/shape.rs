//! One toast: what it says, what it is about, what can be pressed on it.

/// What stands on the screen for something. One slot is one toast: whatever comes later takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub String);

/// What a toast is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Its profile.
    pub profile: String,
    /// The notice that it shows; of several, the first.
    pub notice_id: String,
    /// Its session.
    pub session_id: String,
    /// The item that shows it there.
    pub seq: Option<i64>,
    /// The process that ended.
    pub process_id: Option<String>,
    /// The question that waits.
    pub approval_id: Option<String>,
}

/// What can be pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Show what it is about.
    Open,
    /// Start the ended process's command anew.
    RunAgain,
    /// Say no to the question.
    Deny,
    /// Say yes to it, this time.
    AllowOnce,
}

impl Action {
    const ALL: [Self; 4] = [Self::Open, Self::RunAgain, Self::Deny, Self::AllowOnce];

    /// Its name on the bus.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::RunAgain => "run_again",
            Self::Deny => "deny",
            Self::AllowOnce => "allow_once",
        }
    }

    /// What its button says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::RunAgain => "Run again",
            Self::Deny => "Deny",
            Self::AllowOnce => "Allow once",
        }
    }

    /// The action of this name; a press on the toast itself opens it.
    pub fn of(id: &str) -> Option<Self> {
        if matches!(id, "default" | "tap") {
            return Some(Self::Open);
        }
        Self::ALL.into_iter().find(|action| action.id() == id)
    }
}

/// A toast. Its words are plain; whoever shows it escapes what must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    /// Where it stands.
    pub slot: Slot,
    /// What it is about.
    pub subject: Subject,
    /// What, in a line.
    pub title: String,
    /// More.
    pub body: String,
    /// Its buttons.
    pub actions: Vec<Action>,
    /// It stays until somebody acts.
    pub urgent: bool,
}

/// Somebody pressed a button that was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pressed {
    /// On what.
    pub subject: Subject,
    /// Which.
    pub action: Action,
    /// The right to come forward, where the system hands one out.
    pub token: Option<String>,
}
