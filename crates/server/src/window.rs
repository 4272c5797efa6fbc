//! `/ws`: one socket per window carries the same commands. The first frame authenticates.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use gatehouse_protocol::{ApiError, Caller, dispatch};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::serve::Shared;

/// Who has not said the token by then goes.
const FIRST_FRAME: Duration = Duration::from_secs(10);
/// Replies that wait for a slow window.
const REPLIES: usize = 64;
/// Commands that one window may have under way.
const UNDER_WAY: usize = 64;
/// Commands that are under way when the server goes down get so long.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The largest request: a message of 1 MB, escaped.
const MAX_FRAME: usize = 8 * 1024 * 1024;

#[derive(Deserialize)]
struct Hello {
    token: String,
    /// Which profile this window looks at; the first one when absent.
    profile: Option<String>,
}

#[derive(Deserialize)]
struct Request<'a> {
    id: u64,
    command: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Answer {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ApiError>,
}

pub(crate) async fn open(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(MAX_FRAME).on_upgrade(move |socket| attend(shared, socket))
}

async fn attend(shared: Shared, mut socket: WebSocket) {
    let hello = tokio::time::timeout(FIRST_FRAME, socket.recv()).await;
    let said = match hello {
        Ok(Some(Ok(Message::Text(text)))) => serde_json::from_str::<Hello>(&text).ok(),
        _ => None,
    };
    let Some(hello) = said.filter(|hello| shared.token.is(&hello.token)) else {
        // The other side may be gone; it was going to be sent away anyway.
        let _closed = socket.send(Message::Close(None)).await;
        return;
    };
    if let Err(error) = shared.house.profile(hello.profile.as_deref()) {
        let words = json!({ "ok": false, "error": ApiError::from(error) });
        // As before.
        let _told = socket.send(Message::Text(words.to_string().into())).await;
        let _closed = socket.send(Message::Close(None)).await;
        return;
    }
    let profile: Option<Arc<str>> = hello.profile.map(Arc::from);
    if socket.send(Message::Text("{\"ok\":true}".into())).await.is_err() {
        return;
    }
    let (sink, mut frames) = socket.split();
    let (replies, queue) = mpsc::channel(REPLIES);
    let writer = tokio::spawn(write(sink, queue));
    let mut under_way = JoinSet::new();
    loop {
        let frame = tokio::select! {
            frame = frames.next() => frame,
            Some(ended) = under_way.join_next() => {
                tell_panic(ended);
                continue;
            }
            () = shared.closing.cancelled() => None,
        };
        let Some(Ok(frame)) = frame else { break };
        let Message::Text(text) = frame else { continue };
        while under_way.len() >= UNDER_WAY {
            if let Some(ended) = under_way.join_next().await {
                tell_panic(ended);
            }
        }
        under_way.spawn(answer(shared.clone(), profile.clone(), text.to_string(), replies.clone()));
    }
    if shared.closing.is_cancelled() {
        // Who asked before is still answered, above all whoever asked for the end.
        let last_words = async {
            while let Some(ended) = under_way.join_next().await {
                tell_panic(ended);
            }
        };
        let _late = tokio::time::timeout(LAST_WORDS, last_words).await;
    }
    under_way.shutdown().await;
    drop(replies);
    if let Err(error) = writer.await {
        tracing::debug!("A window's writer ended badly: {error}");
    }
}

/// An answer that panicked is never sent; its window asks again when its own patience ends.
fn tell_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!("A command ended badly: {error}");
    }
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut queue: mpsc::Receiver<String>) {
    while let Some(text) = queue.recv().await {
        if sink.send(Message::Text(text.into())).await.is_err() {
            break;
        }
    }
}

async fn answer(shared: Shared, profile: Option<Arc<str>>, text: String, replies: mpsc::Sender<String>) {
    let answer = match serde_json::from_str::<Request<'_>>(&text) {
        Ok(request) => {
            let params = request.params.map_or("", RawValue::get);
            match dispatch(&shared.house, profile.as_deref(), Caller::Window, &request.command, params).await {
                Ok(reply) => Answer { id: request.id, reply: Some(reply), error: None },
                Err(error) => Answer { id: request.id, reply: None, error: Some(error) },
            }
        }
        Err(error) => {
            let error = ApiError::invalid(format!("The frame does not fit: {error}."));
            Answer { id: 0, reply: None, error: Some(error) }
        }
    };
    match serde_json::to_string(&answer) {
        // A window that is gone needs no answer.
        Ok(text) => drop(replies.send(text).await),
        Err(error) => tracing::error!("An answer cannot be written: {error}"),
    }
}
