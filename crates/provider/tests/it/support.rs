//! What the tests share.

use std::net::SocketAddr;

use futures_util::StreamExt;
use gatehouse_domain::Secret;
use gatehouse_provider::scripted::Scripted;
use gatehouse_provider::{Endpoint, Failure, Finished, Message, Model, ModelEvent, OpenAi, Patience, Request};
use tokio::net::TcpSocket;

/// The key every test client uses.
pub const KEY: &str = "sk-test-0123456789";

pub fn client(url: &str) -> OpenAi {
    client_with(url, Patience::default())
}

pub fn client_with(url: &str, patience: Patience) -> OpenAi {
    let key = Some(Secret::new(KEY.to_owned()));
    OpenAi::new(Endpoint { name: "lab".to_owned(), base_url: url.to_owned(), key, patience }).unwrap()
}

pub fn question(text: &str) -> Request {
    Request { model: "m-1".to_owned(), messages: vec![Message::User(text.to_owned())], tools: vec![] }
}

/// Asks; returns the events and the one end.
pub async fn ask(lab: &Scripted, text: &str) -> (Vec<ModelEvent>, Result<Finished, Failure>) {
    ask_with(&client(&lab.url()), question(text)).await
}

pub async fn ask_with(client: &OpenAi, request: Request) -> (Vec<ModelEvent>, Result<Finished, Failure>) {
    let mut stream = client.stream(request);
    let mut events = Vec::new();
    let end = loop {
        match stream.next().await.expect("the stream ended without an end") {
            Ok(ModelEvent::Finished(finished)) => break Ok(finished),
            Ok(event) => events.push(event),
            Err(failure) => break Err(failure),
        }
    };
    assert!(stream.next().await.is_none(), "something came after the end");
    (events, end)
}

/// A place where nobody listens, nor can begin to while the socket is held.
pub fn nobody() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// The words among `events`.
pub fn texts(events: &[ModelEvent]) -> String {
    let words = events.iter().filter_map(|event| match event {
        ModelEvent::Text(text) => Some(text.as_str()),
        ModelEvent::Reasoning(_) | ModelEvent::CallBegun { .. } | ModelEvent::Finished(_) => None,
    });
    words.collect()
}
