//! Words of an answer on their way: saved while they stream, and the first of them shown where somebody waits outside.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use gatehouse_domain::ItemId;

use super::TurnJournal;
use crate::outbox::first_words;

/// Words that stream are saved so often, so that a crash loses about a second of them.
const SAVE_EVERY: Duration = Duration::from_secs(1);

impl TurnJournal {
    /// What the agent said before it went on working is shown where somebody waits outside. Nobody here waits for that.
    pub(super) async fn show_first_words(&self, words: String) {
        let mut shown = self.first_words.lock().await;
        let wanted = !self.core.outbox.channels().is_empty() && !words.trim().is_empty();
        if wanted && shown.is_none() {
            let (core, turn) = (Arc::clone(&self.core), self.turn);
            *shown = Some(tokio::spawn(async move { first_words::show(&core, turn, &words).await }));
        }
    }

    /// The whole answer takes the place of its first words, so where they stand has to be known.
    pub(super) async fn first_words_stand(&self) {
        let Some(mut showing) = self.first_words.lock().await.take() else { return };
        if tokio::time::timeout(first_words::SEND_LIMIT, &mut showing).await.is_err() {
            showing.abort();
        }
    }

    /// Whoever ends the item's live words owns them now.
    pub(super) fn stop_saving(&self) -> Option<ItemId> {
        let (item, saver) = self.streaming.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        saver.abort();
        self.core.live.close_text(item);
        Some(item)
    }

    pub(super) fn start_saving(&self, item: ItemId) {
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
