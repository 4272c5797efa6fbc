//! The facts of one turn become rows.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gatehouse_agent::approval::rule::Deny;
use gatehouse_agent::{Answer, CallEnd, Consent, Interjection, Journal, JournalError, Outcome, Question, Verdict};
use gatehouse_domain::{AdmissionId, Author, ItemId, ItemKind, RuleId, SessionId, TurnId, TurnProgress};
use gatehouse_fault::{Point, point};
use gatehouse_store::{CardClose, NewCard, NewItem, Tx};
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::ear::Ear;
use super::queue;
use crate::approvals::{Asker, count_rule};
use crate::core::Core;
use crate::process::consume_units;
use crate::watchdog::{Activity, Doing};

mod closing; // the turn's end
mod words; // words on their way

use closing::Closing;
pub(crate) use closing::close_open_cards;

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
            point(Point::CallEndBefore);
            self.write(move |tx| {
                tx.cards_mut().set_result(card, &end.result)?;
                if let Some((process, by)) = end.told {
                    consume_units(tx, process, by)?;
                }
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
            .await?;
            point(Point::CallEndAfter);
            Ok(())
        }
        .boxed()
    }

    fn finish(&self, outcome: Outcome) -> BoxFuture<'_, ()> {
        async move { self.close(Closing::of(outcome, &self.activity)).await }.boxed()
    }
}
