//! The HTTP side of the scripted provider: just enough of HTTP/1.1 for one client library and `curl`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep};

use super::answer::{Answer, End, say};
use super::{Received, Script};

/// What all connections share.
pub(super) struct Shared {
    script: Script,
    /// The only `authorization` header that is let in; absent where nobody is asked for one.
    guard: Option<String>,
    used: AtomicUsize,
    pub received: watch::Sender<Vec<Received>>,
    pub released: watch::Sender<bool>,
    pub abandoned: watch::Sender<usize>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("used", &self.used).finish_non_exhaustive()
    }
}

impl Shared {
    pub fn new(script: Script, guard: Option<String>) -> Self {
        Self {
            script,
            guard,
            used: AtomicUsize::new(0),
            received: watch::Sender::new(Vec::new()),
            released: watch::Sender::new(false),
            abandoned: watch::Sender::new(0),
        }
    }

    fn answer(&self, body: &Value) -> Answer {
        match &self.script {
            Script::Answers(answers) => {
                answers.get(self.used.fetch_add(1, Ordering::Relaxed)).cloned().unwrap_or_else(|| say("ok"))
            }
            Script::Responder(respond) => respond(body),
        }
    }
}

/// Serves until it is dropped; its connections end with it.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, Arc::clone(&shared)));
                }
                Err(error) => {
                    tracing::warn!("The scripted provider takes no more connections: {error:#}");
                    return;
                }
            },
            Some(ended) = connections.join_next() => match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!("A client of the scripted provider went away: {error:#}"),
                Err(error) => tracing::warn!("A connection of the scripted provider broke: {error:#}"),
            },
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    while let Some(request) = Incoming::read(&mut read).await? {
        match request.line.as_str() {
            _ if shared.guard.is_some() && shared.guard != request.authorization => refuse(&mut write).await?,
            line if line.starts_with("GET ") && line.contains("/models ") => models(&mut write).await?,
            line if line.starts_with("POST ") && line.contains("/chat/completions ") => {
                let body = serde_json::from_slice(&request.body)
                    .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&request.body).into_owned()));
                let answer = shared.answer(&body);
                let received = Received { body, authorization: request.authorization, at: Instant::now() };
                shared.received.send_modify(|all| all.push(received));
                match play(&answer, &mut read, &mut write, &shared).await {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(error) => {
                        shared.abandoned.send_modify(|count| *count += 1);
                        return Err(error);
                    }
                }
            }
            _ => write.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await?,
        }
    }
    Ok(())
}

async fn models(write: &mut OwnedWriteHalf) -> io::Result<()> {
    let body = json!({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).to_string();
    whole(write, "200 OK", &body).await
}

async fn refuse(write: &mut OwnedWriteHalf) -> io::Result<()> {
    let body = json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}).to_string();
    whole(write, "401 Unauthorized", &body).await
}

async fn whole(write: &mut OwnedWriteHalf, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    write.write_all(format!("{head}{body}").as_bytes()).await
}

/// Plays one answer. True when the connection can be used again; an error when the client went away.
async fn play(
    answer: &Answer,
    read: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
    shared: &Shared,
) -> io::Result<bool> {
    unless_gone(read, sleep(answer.delay)).await?;
    let mut out = format!("HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\n", answer.status).into_bytes();
    for (name, value) in &answer.headers {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
        frame(&mut out, piece);
        if answer.apart {
            write.write_all(&std::mem::take(&mut out)).await?;
            match answer.pause.is_zero() {
                // Lets a client in the same thread read the piece by itself.
                true => unless_gone(read, yield_now()).await?,
                false => unless_gone(read, sleep(answer.pause)).await?,
            }
        }
    }
    if answer.end == End::Hang {
        write.write_all(&std::mem::take(&mut out)).await?;
        let mut released = shared.released.subscribe();
        unless_gone(read, released.wait_for(|released| *released)).await?.map_err(io::Error::other)?;
    }
    let closing = answer.closing();
    if !closing.is_empty() {
        frame(&mut out, &closing);
    }
    if answer.end != End::Abort {
        out.extend_from_slice(b"0\r\n\r\n");
    }
    write.write_all(&out).await?;
    Ok(answer.end != End::Abort)
}

fn frame(out: &mut Vec<u8>, piece: &[u8]) {
    out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
    out.extend_from_slice(piece);
    out.extend_from_slice(b"\r\n");
}

/// Waits for `future` as long as the client is there.
async fn unless_gone<T>(read: &mut BufReader<OwnedReadHalf>, future: impl Future<Output = T>) -> io::Result<T> {
    tokio::select! {
        biased;
        value = future => Ok(value),
        gone = read.fill_buf() => {
            let error = match gone {
                Ok(more) if !more.is_empty() => io::Error::other("the client sent more before its answer was over"),
                Ok(_) => io::ErrorKind::ConnectionAborted.into(),
                Err(error) => error,
            };
            Err(error)
        }
    }
}

struct Incoming {
    line: String,
    authorization: Option<String>,
    body: Vec<u8>,
}

impl Incoming {
    /// The next request; `None` when the client is done.
    async fn read(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if read.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let (mut length, mut authorization) = (0, None);
        loop {
            let mut header = String::new();
            read.read_line(&mut header).await?;
            let Some((name, value)) = header.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "authorization" => authorization = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        read.read_exact(&mut body).await?;
        Ok(Some(Self { line, authorization, body }))
    }
}
