//! The facts of one turn become rows.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gatehouse_agent::approval::rule::Deny;
use gatehouse_agent::{Answer, CallEnd, Consent, Interjection, Journal, JournalError, Outcome, Question, Verdict};
use gatehouse_domain::{
    AbandonCause, AdmissionId, Author, CardAnnotation, CardStatus, FailureCode, ItemId, ItemKind, RuleId, SessionId,
    TurnId, TurnProgress, TurnState,
};
use gatehouse_fault::{Point, point};
use gatehouse_store::{CardClose, NewCard, NewItem, Tx};
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::ear::Ear;
use super::queue;
use crate::approvals::{Asker, count_rule, withdraw_open};
use crate::attachment::{self, AnswerFiles};
use crate::core::Core;
use crate::delegation::{TaskEnd, is_sub_agent};
use crate::error::NoAnswer;
use crate::notice;
use crate::outbox::{Ending, Owed, first_words};
use crate::process;
use crate::watchdog::{Activity, Doing};

/// Words that stream are saved so often, so that a crash loses about a second of them.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// A summary line in the session list.
const SUMMARY_CHARS: usize = 120;

pub(crate) struct TurnJournal {
    core: Arc<Core>,
    session: SessionId,
    turn: TurnId,
    ear: Arc<Ear>,
    cancel: CancellationToken,
    activity: Arc<Activity>,
    /// The item that streams, and the task that saves it.
    streaming: Mutex<Option<(ItemId, AbortHandle)>>,
    /// First words of the answer, on their way to a chat.
    first_words: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

/// A turn whose task was cut off leaves nothing alive behind; its rows are settled by whoever takes them up.
impl Drop for TurnJournal {
    fn drop(&mut self) {
        if let Some(item) = self.stop_saving() {
            self.core.live.end_text(item);
        }
    }
}

impl TurnJournal {
    pub const fn new(
        core: Arc<Core>,
        session: SessionId,
        turn: TurnId,
        ear: Arc<Ear>,
        cancel: CancellationToken,
        activity: Arc<Activity>,
    ) -> Self {
        Self {
            core,
            session,
            turn,
            ear,
            cancel,
            activity,
            streaming: Mutex::new(None),
            first_words: tokio::sync::Mutex::const_new(None),
        }
    }

    /// The turn ends without words: nobody is there to answer, and nobody waits for an answer.
    pub async fn close_silently(&self) {
        self.close(Closing { state: TurnState::Done, text: None, reasoning: String::new(), failure: None }).await;
    }

    pub async fn close_failed(&self, failure: NoAnswer) {
        self.close(Closing::failed(None, failure)).await;
    }

    fn item(&self, id: ItemId, author: Author, kind: ItemKind, text: String) -> NewItem {
        NewItem {
            id,
            session: self.session,
            turn: Some(self.turn),
            author,
            kind,
            text,
            streaming: false,
            failure: None,
            retryable: false,
            admission: None,
            at: self.core.now(),
        }
    }

    fn fresh_item(&self) -> ItemId {
        ItemId::from_uuid(self.core.ids.fresh())
    }

    async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Tx<'_>) -> gatehouse_store::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.core.store.write(change).await.map_err(|error| JournalError(error.to_string()))
    }

    /// The turn's last transaction. An error leaves the turn to the next start.
    async fn close(&self, closing: Closing) {
        self.first_words_stand().await;
        let streamed = self.stop_saving();
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
        let written = self.core.store.write(move |tx| {
            if let Some(reasoning) = &reasoning {
                tx.items_mut().insert(reasoning)?;
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
            if tx.turns_mut().finish(turn, closing.state, at)? {
                if let Some(admission) = tx.turns().get(turn)?.and_then(|t| t.admission) {
                    tx.admissions_mut().done(admission)?;
                }
                tx.sessions_mut().set_summary(session, &summary, closing.failure.is_some(), at)?;
                if let Some(owed) = &owed {
                    owed.write(tx)?;
                }
                let said = failed.as_ref().or(unsaid.as_ref()).map(|item| item.id);
                notice.write(tx, said.or_else(|| closing.text.as_ref().and_then(|(item, _)| *item)))?;
                return task.write(tx);
            }
            Ok(None)
        });
        let written = written.await;
        point(Point::TurnEndAfter);
        match written {
            Ok(Some(owner)) => process::wake(&self.core, owner).await,
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%turn, "A turn's end could not be recorded; the next start takes it up: {error:#}");
            }
        }
        if let Some(item) = streamed {
            self.core.live.end_text(item);
        }
    }

    /// The result of a task is told once, so there is nothing to try again.
    fn works_on_a_task(&self) -> bool {
        is_sub_agent(&self.core, self.session).unwrap_or_else(|error| {
            tracing::error!(turn = %self.turn, "Whose turn it is cannot be read: {error:#}");
            false
        })
    }

    /// An accepted message becomes part of this turn, unless it began a turn of its own or was withdrawn meanwhile.
    async fn join(&self, admission: AdmissionId) -> Result<Option<String>, JournalError> {
        let turn = self.turn;
        let entry = self.item(self.fresh_item(), Author::Human, ItemKind::Steer, String::new());
        self.write(move |tx| {
            let Some(row) = tx.admissions().get(admission)? else { return Ok(None) };
            if !tx.admissions_mut().start(admission, turn)? {
                return Ok(None);
            }
            tx.admissions_mut().done(admission)?;
            queue::unpause_empty(tx, row.session)?;
            tx.items_mut().insert(&NewItem { text: row.text.clone(), admission: Some(admission), ..entry })?;
            Ok(Some(row.text))
        })
        .await
    }

    /// What the agent said before it went on working is shown where somebody waits outside. Nobody here waits for that.
    async fn show_first_words(&self, words: String) {
        let mut shown = self.first_words.lock().await;
        let wanted = !self.core.outbox.channels().is_empty() && !words.trim().is_empty();
        if wanted && shown.is_none() {
            let (core, turn) = (Arc::clone(&self.core), self.turn);
            *shown = Some(tokio::spawn(async move { first_words::show(&core, turn, &words).await }));
        }
    }

    /// The whole answer takes the place of its first words, so where they stand has to be known.
    async fn first_words_stand(&self) {
        let Some(mut showing) = self.first_words.lock().await.take() else { return };
        if tokio::time::timeout(first_words::SEND_LIMIT, &mut showing).await.is_err() {
            showing.abort();
        }
    }

    /// Whoever ends the item's live words owns them now.
    fn stop_saving(&self) -> Option<ItemId> {
        let (item, saver) = self.streaming.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        saver.abort();
        self.core.live.close_text(item);
        Some(item)
    }

    fn start_saving(&self, item: ItemId) {
        let core = Arc::clone(&self.core);
        let task = tokio::spawn(async move {
            let mut saved = 0;
            loop {
                tokio::time::sleep(SAVE_EVERY).await;
                let Some(text) = core.live.text(item) else { return };
                if text.len() == saved {
                    continue;
                }
                saved = text.len();
                if let Err(error) = core.store.write(move |tx| tx.items_mut().set_text(item, &text, true)).await {
                    tracing::warn!(%item, "Partial words could not be saved: {error:#}");
                }
            }
        });
        *self.streaming.lock().unwrap_or_else(PoisonError::into_inner) = Some((item, task.abort_handle()));
    }
}

impl Journal for TurnJournal {
    fn requested(&self) -> BoxFuture<'_, Result<(), JournalError>> {
        let turn = self.turn;
        async move {
            point(Point::RequestNotedBefore);
            self.write(move |tx| tx.turns_mut().advance(turn, TurnProgress::Requested)).await?;
            point(Point::RequestNotedAfter);
            Ok(())
        }
        .boxed()
    }

    fn steered(&self) -> BoxFuture<'_, Result<Vec<String>, JournalError>> {
        let waiting = self.ear.take_joining();
        async move {
            let mut said = Vec::with_capacity(waiting.len());
            for admission in waiting {
                said.extend(self.join(admission).await?);
            }
            Ok(said)
        }
        .boxed()
    }

    fn interjection(&self) -> BoxFuture<'_, Interjection> {
        self.ear.interjection().boxed()
    }

    fn joined(&self) -> BoxFuture<'_, ()> {
        self.ear.joined().boxed()
    }

    fn text_begun(&self) -> BoxFuture<'_, Result<ItemId, JournalError>> {
        async move {
            let item = self.fresh_item();
            let entry = NewItem { streaming: true, ..self.item(item, Author::Model, ItemKind::Message, String::new()) };
            self.write(move |tx| tx.items_mut().insert(&entry)).await?;
            self.core.live.begin_text(item);
            self.start_saving(item);
            Ok(item)
        }
        .boxed()
    }

    fn text_delta(&self, item: ItemId, delta: &str) {
        self.core.live.append(item, delta);
    }

    fn answered(&self, answer: Answer) -> BoxFuture<'_, Result<Vec<ItemId>, JournalError>> {
        async move {
            let streamed = self.stop_saving();
            let at = self.core.now();
            let reasoning = (!answer.reasoning.is_empty())
                .then(|| self.item(self.fresh_item(), Author::Model, ItemKind::Reasoning, answer.reasoning.clone()));
            let mut cards = Vec::with_capacity(answer.calls.len());
            for call in answer.calls {
                let item = self.fresh_item();
                let entry = self.item(item, Author::Tool, ItemKind::ToolCall, String::new());
                let card = NewCard {
                    item,
                    session: self.session,
                    turn: Some(self.turn),
                    call_id: call.call_id,
                    tool: call.tool,
                    arguments: call.arguments,
                    title: call.title,
                    details: call.details,
                    background: call.background,
                    at,
                };
                cards.push((entry, card));
            }
            let ids = cards.iter().map(|(entry, _)| entry.id).collect();
            let (text_item, text) = (answer.text_item, answer.text);
            let first_words = text.clone();
            self.write(move |tx| {
                if let Some(reasoning) = &reasoning {
                    tx.items_mut().insert(reasoning)?;
                }
                if let Some(item) = text_item {
                    tx.items_mut().set_text(item, &text, false)?;
                }
                for (entry, card) in &cards {
                    tx.items_mut().insert(entry)?;
                    tx.cards_mut().insert(card)?;
                }
                Ok(())
            })
            .await?;
            if let Some(item) = streamed {
                self.core.live.end_text(item);
            }
            self.show_first_words(first_words).await;
            Ok(ids)
        }
        .boxed()
    }

    fn consent(&self) -> Consent {
        let config = self.core.config();
        // A line that cannot be read was named when the file was read.
        let deny = config.deny.iter().filter_map(|line| Deny::parse(line).ok()).collect();
        Consent { mode: config.approvals, deny }
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Verdict, JournalError>> {
        async move {
            // A person may take their time: that is what the question's own limit is for.
            let _wait = self.activity.wait();
            let asker = Asker { session: self.session, turn: self.turn };
            let verdict = self.core.approvals.ask(&self.core, asker, question, &self.cancel).await;
            verdict.map_err(|error| JournalError(error.to_string()))
        }
        .boxed()
    }

    fn begin(&self, card: ItemId, rule: Option<RuleId>) -> BoxFuture<'_, Result<(), JournalError>> {
        let (turn, at) = (self.turn, self.core.now());
        self.activity.is(Doing::Calling);
        async move {
            point(Point::CallBefore);
            self.write(move |tx| {
                tx.cards_mut().begin(card, at)?;
                if let Some(rule) = rule {
                    count_rule(tx, card, rule, at)?;
                }
                tx.turns_mut().advance(turn, TurnProgress::Effected)?;
                Ok(())
            })
            .await?;
            point(Point::CallAfter);
            Ok(())
        }
        .boxed()
    }

    fn ended(&self, card: ItemId, end: CallEnd) -> BoxFuture<'_, Result<(), JournalError>> {
        let at = self.core.now();
        self.activity.touch();
        async move {
            self.write(move |tx| {
                tx.cards_mut().set_result(card, &end.result)?;
                if end.keep_open {
                    return Ok(());
                }
                let close = CardClose {
                    status: end.status,
                    annotation: end.annotation,
                    output: end.output,
                    output_bytes: end.output_bytes,
                    exit: end.exit,
                    at,
                };
                tx.cards_mut().close(card, &close)?;
                Ok(())
            })
            .await
        }
        .boxed()
    }

    fn finish(&self, outcome: Outcome) -> BoxFuture<'_, ()> {
        async move { self.close(Closing::of(outcome, &self.activity)).await }.boxed()
    }
}

/// How a turn's rows are closed.
struct Closing {
    state: TurnState,
    /// The last words, and the item that streamed them if one did.
    text: Option<(Option<ItemId>, String)>,
    reasoning: String,
    failure: Option<NoAnswer>,
}

impl Closing {
    fn of(outcome: Outcome, activity: &Activity) -> Self {
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
pub(crate) fn close_open_cards(
    tx: &Tx<'_>,
    turn: TurnId,
    at: gatehouse_domain::EpochMs,
) -> gatehouse_store::Result<()> {
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
