//! An answer that ends while another message waits: its words may be on the screen already, whole or in part.

use gatehouse_channel::SendOutcome;
use gatehouse_domain::MessageId;

/// What is known when the turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstResponse {
    /// The whole of the words was streamed.
    pub streamed: bool,
    /// The message that the stream wrote into, if there is exactly one and it can be changed.
    pub live: Option<MessageId>,
    /// Whether words are left once the lines that name files are taken away.
    pub has_text: bool,
    /// Whether files go with it; those of a failed turn do not.
    pub has_media: bool,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Put the words into this message.
    Edit(MessageId),
    /// Record the words as owed, and send them.
    Send,
    /// The words are there: send the files.
    Media,
    /// Nothing is left to do.
    Handled,
    /// The words are still owed. Their files wait for them: sent now, they would be sent a second time with the words.
    StillOwed,
}

impl FirstResponse {
    /// The first move.
    pub fn open(&self) -> Move {
        match &self.live {
            _ if self.streamed || !self.has_text => self.words_are_there(),
            Some(live) => Move::Edit(live.clone()),
            None => Move::Send,
        }
    }

    /// After the edit. A place that declines is tried in no other way; anything else than that is sent anew.
    pub const fn after_edit(&self, outcome: &SendOutcome) -> Move {
        match outcome {
            SendOutcome::Delivered { .. } | SendOutcome::NothingToSend => self.words_are_there(),
            SendOutcome::Declined { .. } => Move::Handled,
            SendOutcome::Refused { .. } | SendOutcome::Ambiguous { .. } => Move::Send,
        }
    }

    /// After the send.
    pub const fn after_send(&self, outcome: &SendOutcome) -> Move {
        match outcome {
            SendOutcome::Delivered { .. } | SendOutcome::NothingToSend => self.words_are_there(),
            SendOutcome::Declined { .. } => Move::Handled,
            SendOutcome::Refused { .. } | SendOutcome::Ambiguous { .. } => Move::StillOwed,
        }
    }

    const fn words_are_there(&self) -> Move {
        if self.has_media { Move::Media } else { Move::Handled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_channel::Unsent;

    fn response(streamed: bool, live: bool, has_text: bool, has_media: bool) -> FirstResponse {
        FirstResponse { streamed, live: live.then(live_message), has_text, has_media }
    }

    fn live_message() -> MessageId {
        MessageId::new("17").unwrap()
    }

    fn outcomes() -> [SendOutcome; 6] {
        let why = String::new;
        [
            SendOutcome::Delivered { ids: Vec::new() },
            SendOutcome::NothingToSend,
            SendOutcome::Declined { why: why() },
            SendOutcome::Refused { unsent: Unsent::Other, why: why() },
            SendOutcome::Refused { unsent: Unsent::Flood { retry_after: None }, why: why() },
            SendOutcome::Ambiguous { why: why() },
        ]
    }

    #[test]
    fn each_row_of_the_opening() {
        for (streamed, live, has_text, opening) in [
            (true, true, true, Move::Media),
            (true, false, true, Move::Media),
            (false, true, true, Move::Edit(live_message())),
            (false, false, true, Move::Send),
            (false, true, false, Move::Media),
            (false, false, false, Move::Media),
        ] {
            assert_eq!(response(streamed, live, has_text, true).open(), opening, "{streamed} {live} {has_text}");
        }
        assert_eq!(response(true, false, true, false).open(), Move::Handled);
        assert_eq!(response(false, false, false, false).open(), Move::Handled);
    }

    #[test]
    fn each_row_after_an_edit() {
        use Move::{Handled, Media, Send};
        let moves = outcomes().map(|outcome| response(false, true, true, true).after_edit(&outcome));
        assert_eq!(moves, [Media, Media, Handled, Send, Send, Send]);
        let moves = outcomes().map(|outcome| response(false, true, true, false).after_edit(&outcome));
        assert_eq!(moves, [Handled, Handled, Handled, Send, Send, Send]);
    }

    #[test]
    fn each_row_after_a_send() {
        use Move::{Handled, Media, StillOwed};
        let moves = outcomes().map(|outcome| response(false, false, true, true).after_send(&outcome));
        assert_eq!(moves, [Media, Media, Handled, StillOwed, StillOwed, StillOwed]);
        let moves = outcomes().map(|outcome| response(false, false, true, false).after_send(&outcome));
        assert_eq!(moves, [Handled, Handled, Handled, StillOwed, StillOwed, StillOwed]);
    }
}
