//! Commands over a WebSocket, as a window sends them.

use std::collections::HashMap;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;

use crate::rpc::LONGEST;
use crate::{LIMIT, Refusal, Result, Rpc};

/// A window's socket. Calls may overlap; it closes when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Window {
    asks: mpsc::Sender<Ask>,
}

type Reply = Result<Value, Refusal>;

#[derive(Debug)]
struct Ask {
    command: String,
    params: Value,
    reply: oneshot::Sender<Reply>,
}

impl Window {
    /// Connects and says the token, and the profile if one is meant.
    pub async fn open(rpc: &Rpc) -> Result<Self> {
        tokio::time::timeout(LIMIT, Self::connect(rpc)).await.map_err(|_| "no socket in time")?
    }

    async fn connect(rpc: &Rpc) -> Result<Self> {
        let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{}/ws", rpc.host())).await?;
        let mut hello = json!({"token": rpc.token()});
        if let Some(profile) = rpc.profile() {
            hello["profile"] = json!(profile);
        }
        socket.send(Message::text(hello.to_string())).await?;
        let hello = socket.next().await.ok_or("the socket closed")??;
        if hello.to_text()? != r#"{"ok":true}"# {
            return Err(format!("the window was not let in: {hello:?}").into());
        }
        let (asks, mut queue) = mpsc::channel::<Ask>(64);
        tokio::spawn(async move {
            let (mut waiting, mut next) = (HashMap::<u64, oneshot::Sender<Reply>>::new(), 0_u64);
            loop {
                tokio::select! {
                    ask = queue.recv() => {
                        let Some(ask) = ask else { break };
                        next += 1;
                        waiting.insert(next, ask.reply);
                        let frame = json!({"id": next, "command": ask.command, "params": ask.params});
                        if socket.send(Message::text(frame.to_string())).await.is_err() {
                            break;
                        }
                    }
                    frame = socket.next() => match frame {
                        Some(Ok(Message::Text(text))) => answer(&mut waiting, &text),
                        Some(Ok(_)) => {}
                        Some(Err(_)) | None => break,
                    },
                }
            }
        });
        Ok(Self { asks })
    }

    /// Runs one command.
    pub async fn call(&self, command: &str, params: Value) -> Reply {
        let refusal = |code: &str| Refusal { status: 0, code: code.into(), message: format!("{command}: no answer") };
        let (reply, answer) = oneshot::channel();
        // An ask that could not be handed over still holds its reply's sender: nobody would ever answer it.
        if self.asks.send(Ask { command: command.to_owned(), params, reply }).await.is_err() {
            return Err(refusal("gone"));
        }
        match tokio::time::timeout(LONGEST, answer).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => Err(refusal("gone")),
            Err(_) => Err(refusal("silent")),
        }
    }
}

fn answer(waiting: &mut HashMap<u64, oneshot::Sender<Reply>>, text: &str) {
    let frame: Value = serde_json::from_str(text).unwrap_or_default();
    let Some(asker) = frame["id"].as_u64().and_then(|id| waiting.remove(&id)) else { return };
    let word = |name: &str| frame["error"][name].as_str().unwrap_or_default().to_owned();
    let reply = match frame.get("reply") {
        Some(reply) => Ok(reply.clone()),
        None => Err(Refusal { status: 0, code: word("code"), message: word("message") }),
    };
    // The asker may have given up.
    let _gone = asker.send(reply);
}
