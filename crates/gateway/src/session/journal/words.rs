//! Words of an answer on their way: saved while they stream, and the first of them shown where somebody waits outside.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use gatehouse_domain::ItemId;
use gatehouse_store::Tx;

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
                if let Err(error) = core.store.write(move |tx| save(tx, item, &text)).await {
                    tracing::warn!(%item, "Partial words could not be saved: {error:#}");
                }
            }
        });
        *self.streaming.lock().unwrap_or_else(PoisonError::into_inner) = Some((item, task.abort_handle()));
    }
}

/// Whoever says the last of the words may do so while these are on their way.
fn save(tx: &Tx<'_>, item: ItemId, so_far: &str) -> gatehouse_store::Result<()> {
    if tx.items().get(item)?.is_some_and(|row| row.streaming) {
        tx.items_mut().set_text(item, so_far, true)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gatehouse_domain::{Author, ItemKind};
    use gatehouse_store::NewItem;

    use super::*;
    use crate::testing::open;

    #[tokio::test]
    async fn words_that_were_saved_late_do_not_take_the_place_of_the_whole_answer() {
        let home = tempfile::tempdir().unwrap();
        let gateway = open(home.path()).await;
        let session = gateway.create_session(None, None).await.unwrap();
        let core = gateway.core();
        let item = ItemId::from_uuid(core.ids.fresh());
        let begun = NewItem {
            author: Author::Model,
            kind: ItemKind::Message,
            streaming: true,
            ..NewItem::notice(item, session, String::new(), core.now())
        };
        let text = core.store.write(move |tx| {
            tx.items_mut().insert(&begun)?;
            save(tx, item, "It is")?;
            let partial = tx.items().get(item)?.map(|row| row.text);
            tx.items_mut().set_text(item, "It is done.", false)?;
            save(tx, item, "It is d")?;
            Ok((partial, tx.items().get(item)?.map(|row| (row.text, row.streaming))))
        });
        let (partial, whole) = text.await.unwrap();
        assert_eq!((partial.as_deref(), whole), (Some("It is"), Some(("It is done.".to_owned(), false))));
        gateway.shutdown().await;
    }
}
