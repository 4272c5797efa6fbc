//! The end of a turn: its rows are closed in one transaction.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_agent::Outcome;
use gatehouse_domain::{
    AbandonCause, Author, CardAnnotation, CardStatus, EpochMs, FailureCode, ItemId, ItemKind, SessionId, TurnId,
    TurnState,
};
use gatehouse_fault::{Point, point};
use gatehouse_store::{CardClose, NewItem, Tx};

use super::TurnJournal;
use crate::approvals::withdraw_open;
use crate::attachment::{self, AnswerFiles};
use crate::core::Core;
use crate::delegation::{TaskEnd, is_sub_agent};
use crate::error::NoAnswer;
use crate::notice;
use crate::outbox::{Ending, Owed};
use crate::process;
use crate::recovery::streaming_of;
use crate::watchdog::Activity;

/// An end that cannot be written is tried again so often.
const WRITE_AGAIN: Duration = Duration::from_secs(1);
/// A summary line in the session list.
const SUMMARY_CHARS: usize = 120;

impl TurnJournal {
    /// The turn ends without words: nobody is there to answer, and nobody waits for an answer.
    pub async fn close_silently(&self) {
        self.close(Closing { state: TurnState::Done, text: None, reasoning: String::new(), failure: None }).await;
    }

    pub async fn close_failed(&self, failure: NoAnswer) {
        self.close(Closing::failed(None, failure)).await;
    }

    pub async fn close_stopped(&self, failure: NoAnswer) {
        self.close(Closing { state: TurnState::Stopped, ..Closing::failed(None, failure) }).await;
    }

    /// The turn's last transaction. It is tried until it is written, or the next start takes the turn up: what it came to
    /// is known nowhere else.
    pub(super) async fn close(&self, closing: Closing) {
        self.first_words_stand().await;
        let _streamed = self.stop_saving().map(|item| Shown { core: Arc::clone(&self.core), item });
        let (session, turn, at) = (self.session, self.turn, self.core.now());
        let reasoning = (!closing.reasoning.is_empty())
            .then(|| self.item(self.fresh_item(), Author::Model, ItemKind::Reasoning, closing.reasoning.clone()));
        let unsaid = match &closing.text {
            Some((None, text)) if !text.is_empty() => {
                Some(self.item(self.fresh_item(), Author::Model, ItemKind::Message, text.clone()))
            }
            _ => None,
        };
        let failed = closing.failure.as_ref().map(|failure| NewItem {
            failure: Some(failure.code),
            retryable: failure.retryable && !self.works_on_a_task(),
            ..self.item(self.fresh_item(), Author::System, ItemKind::FailedTurn, failure.message.clone())
        });
        let summary = closing.summary();
        let parts = match closing.ending() {
            Some(Ending::Answer(text)) => attachment::of_answer(&self.core, text).await,
            Some(Ending::Failure(_)) | None => None,
        };
        let owed = closing.ending().and_then(|ending| Owed::by(&self.core, session, turn, ending, parts.as_ref()));
        let files = parts.as_ref().and_then(AnswerFiles::of).and_then(|files| files.written());
        let notice = notice::turn_ended(&self.core, turn, closing.failure.as_ref().map(|f| f.code), &summary, at);
        let failure = closing.failure.as_ref().map(|failure| failure.code);
        let task = TaskEnd::of(&self.core, session, closing.state, failure, closing.last_words(), at);
        point(Point::TurnEndBefore);
        let end = Arc::new(move |tx: &Tx<'_>| {
            // One who was cut off may have asked for its own end already: the first one counts.
            if tx.turns().get(turn)?.is_none_or(|row| row.state != TurnState::Running) {
                return Ok(None);
            }
            if let Some(reasoning) = &reasoning {
                tx.items_mut().insert(reasoning)?;
            }
            for item in streaming_of(tx, turn)? {
                tx.items_mut().set_text(item.id, &item.text, false)?;
            }
            if let Some((Some(item), text)) = &closing.text {
                tx.items_mut().set_text(*item, text, false)?;
            }
            for item in unsaid.iter().chain(&failed) {
                tx.items_mut().insert(item)?;
            }
            let answer = unsaid.as_ref().map(|item| item.id);
            let answer = answer.or_else(|| closing.text.as_ref().and_then(|(item, _)| *item));
            if let (Some(files), Some(answer)) = (&files, answer) {
                tx.items_mut().set_files(answer, files)?;
            }
            withdraw_open(tx, session, turn, at)?;
            close_open_cards(tx, turn, at)?;
            tx.turns_mut().finish(turn, closing.state, at)?;
            if let Some(admission) = tx.turns().get(turn)?.and_then(|t| t.admission) {
                tx.admissions_mut().done(admission)?;
            }
            tx.sessions_mut().set_summary(session, &summary, closing.failure.is_some(), at)?;
            if let Some(owed) = &owed {
                owed.write(tx)?;
            }
            let said = failed.as_ref().or(unsaid.as_ref()).map(|item| item.id);
            notice.write(tx, said.or_else(|| closing.text.as_ref().and_then(|(item, _)| *item)))?;
            task.write(tx)
        });
        let written = self.until_written(end).await;
        point(Point::TurnEndAfter);
        if let Some(owner) = written {
            process::wake(&self.core, owner).await;
        }
    }

    async fn until_written(
        &self,
        end: Arc<impl Fn(&Tx<'_>) -> gatehouse_store::Result<Option<SessionId>> + Send + Sync + 'static>,
    ) -> Option<SessionId> {
        loop {
            let writing = Arc::clone(&end);
            match self.core.store.write(move |tx| writing(tx)).await {
                Ok(owner) => return owner,
                Err(error) => tracing::error!(turn = %self.turn, "A turn's end cannot be written yet: {error:#}"),
            }
            tokio::select! {
                () = self.core.closing.cancelled() => return None,
                () = tokio::time::sleep(WRITE_AGAIN) => {}
            }
        }
    }

    /// The result of a task is told once, so there is nothing to try again.
    fn works_on_a_task(&self) -> bool {
        is_sub_agent(&self.core, self.session).unwrap_or_else(|error| {
            tracing::error!(turn = %self.turn, "Whose turn it is cannot be read: {error:#}");
            false
        })
    }
}

/// Live words, until their rows have them.
struct Shown {
    core: Arc<Core>,
    item: ItemId,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.core.live.end_text(self.item);
    }
}

/// How a turn's rows are closed.
pub(super) struct Closing {
    state: TurnState,
    /// The last words, and the item that streamed them if one did.
    text: Option<(Option<ItemId>, String)>,
    reasoning: String,
    failure: Option<NoAnswer>,
}

impl Closing {
    pub(super) fn of(outcome: Outcome, activity: &Activity) -> Self {
        match outcome {
            Outcome::Done { text_item, text, reasoning } => {
                Self { state: TurnState::Done, text: Some((text_item, text)), reasoning, failure: None }
            }
            Outcome::Failed { code, message, text_item, partial, retryable } => {
                Self::failed(text_item.map(|item| (Some(item), partial)), NoAnswer { code, message, retryable })
            }
            Outcome::Stopped { cause, text_item, partial } => {
                let (code, message) = match cause {
                    AbandonCause::Timeout => (FailureCode::TimedOut, activity.epitaph()),
                    AbandonCause::Stop | AbandonCause::NewSession | AbandonCause::Disconnect => {
                        (FailureCode::Stopped, "Turn stopped.".to_owned())
                    }
                };
                let failure = NoAnswer { code, message, retryable: true };
                let text = text_item.map(|item| (Some(item), partial));
                Self { state: TurnState::Stopped, text, reasoning: String::new(), failure: Some(failure) }
            }
        }
    }

    const fn failed(text: Option<(Option<ItemId>, String)>, failure: NoAnswer) -> Self {
        Self { state: TurnState::Failed, text, reasoning: String::new(), failure: Some(failure) }
    }

    /// What those get to read who wait outside. Who stopped a turn, or cut it short with another message, knows it.
    fn ending(&self) -> Option<Ending<'_>> {
        match (&self.failure, &self.text) {
            (Some(failure), _) => (failure.code != FailureCode::Stopped).then_some(Ending::Failure(&failure.message)),
            (None, Some((_, text))) => Some(Ending::Answer(text)),
            (None, None) => None,
        }
    }

    /// Why there is no answer, or the answer.
    fn last_words(&self) -> &str {
        match (&self.failure, &self.text) {
            (Some(failure), _) => failure.message.as_str(),
            (None, Some((_, text))) => text.as_str(),
            (None, None) => "",
        }
    }

    fn summary(&self) -> String {
        let words = self.last_words();
        words.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().chars().take(SUMMARY_CHARS).collect()
    }
}

/// A turn that ends leaves no card open but those of processes that live on.
pub(crate) fn close_open_cards(tx: &Tx<'_>, turn: TurnId, at: EpochMs) -> gatehouse_store::Result<()> {
    for card in tx.cards().by_turn(turn)? {
        let open = matches!(card.status, CardStatus::Pending | CardStatus::InProgress);
        let lives_on = match card.process {
            Some(process) if card.background => tx.processes().get(process)?.is_some_and(|p| !p.state.is_final()),
            _ => false,
        };
        if open && !lives_on {
            let close = CardClose {
                status: CardStatus::Error,
                annotation: Some(CardAnnotation::Cancelled),
                output: card.output.clone(),
                output_bytes: card.output_bytes,
                exit: card.exit,
                at,
            };
            tx.cards_mut().close(card.item, &close)?;
        }
    }
    Ok(())
}
