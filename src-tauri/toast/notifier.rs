//! The way out to whatever shows toasts on this system.

use super::shape::{Slot, Toast};

/// Shows toasts. What is pressed on them comes back through a channel that it was made with.
pub(crate) trait Notifier: Send + 'static {
    /// Shows a toast in place of what stands in its slot. Returns within a few seconds, whatever the other side does.
    fn show(&mut self, toast: Toast) -> impl Future<Output = Result<(), Problem>> + Send;

    /// Takes away what stands there, if anything.
    fn close(&mut self, slot: Slot) -> impl Future<Output = ()> + Send;
}

/// Why nothing was shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    /// There is nowhere to ask.
    #[error("there is no session bus")]
    NoBus,
    /// Nobody is there.
    #[error("no notification service is running")]
    NoService,
    /// Somebody is there and says nothing.
    #[error("the notification service does not answer")]
    Silent,
    /// Somebody said no.
    #[error("the notification service refused: {0}")]
    Refused(String),
}

impl Problem {
    /// For a person.
    pub fn words(&self) -> String {
        format!("The desktop shows no notifications: {self}. Everything stands in the notices here.")
    }
}
