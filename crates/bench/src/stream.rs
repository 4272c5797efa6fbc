//! A provider that streams by the clock: it writes down when each word was sent.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::clock;
use crate::error::{Doing, Error, Result};

/// Every word has so many bytes, so a place in the text tells which word stands there.
pub(crate) const WORD: usize = 8;

/// How the next answer streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tempo {
    /// How many words.
    pub words: usize,
    /// The span between them; absent = all in one write.
    pub every: Option<Duration>,
}

/// A provider on a thread of its own. It answers one connection after the other.
#[derive(Debug)]
pub(crate) struct Stream {
    url: String,
    tempo: Sender<Tempo>,
    sent: Receiver<io::Result<Vec<Instant>>>,
    _thread: JoinHandle<()>,
}

impl Stream {
    /// Listens on a free port.
    pub fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).doing("listening")?;
        let url = format!("http://{}/v1", listener.local_addr().doing("listening")?);
        let (tempo, tempos) = channel();
        let (told, sent) = channel();
        let thread = std::thread::spawn(move || serve(&listener, tempos, &told));
        Ok(Self { url, tempo, sent, _thread: thread })
    }

    /// Its base address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next request is answered like this.
    pub fn prepare(&self, tempo: Tempo) -> Result<()> {
        self.tempo.send(tempo).doing("preparing an answer")
    }

    /// When each word of the answer was sent; of a burst, the one moment.
    pub fn sent(&self) -> Result<Vec<Instant>> {
        match self.sent.recv_timeout(Duration::from_secs(30)) {
            Ok(sent) => sent.doing("streaming"),
            Err(_) => Err(Error::TookTooLong("the end of a stream".into())),
        }
    }
}

fn serve(listener: &TcpListener, tempos: Receiver<Tempo>, told: &Sender<io::Result<Vec<Instant>>>) {
    let tempos = Arc::new(std::sync::Mutex::new(tempos));
    for stream in listener.incoming() {
        let outcome = stream.and_then(|stream| attend(stream, &tempos, told));
        if let Err(error) = outcome
            && told.send(Err(error)).is_err()
        {
            return;
        }
    }
}

/// One connection, kept alive as long as the client wants.
fn attend(
    stream: TcpStream,
    tempos: &std::sync::Mutex<Receiver<Tempo>>,
    told: &Sender<io::Result<Vec<Instant>>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut write = stream.try_clone()?;
    let mut read = BufReader::new(stream);
    while take_request(&mut read)? {
        let tempo = tempos.lock().ok().and_then(|tempos| tempos.recv().ok());
        let Some(tempo) = tempo else { return Ok(()) };
        let sent = play(&mut write, tempo)?;
        if told.send(Ok(sent)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads one request to its end; false when the client is done.
fn take_request(read: &mut BufReader<TcpStream>) -> io::Result<bool> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if read.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    read.read_exact(&mut vec![0; length])?;
    Ok(true)
}

fn play(write: &mut TcpStream, tempo: Tempo) -> io::Result<Vec<Instant>> {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let pieces: Vec<_> = (0..tempo.words).map(|n| frame(&json!({ "content": word(n) }), None)).collect();
    let mut end = frame(&json!({}), Some("stop"));
    end.extend_from_slice(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
    let Some(every) = tempo.every else {
        let whole = [HEAD.as_bytes(), &pieces.concat(), &end].concat();
        let began = clock::now();
        write.write_all(&whole)?;
        return Ok(vec![began]);
    };
    write.write_all(HEAD.as_bytes())?;
    let began = clock::now();
    let mut sent = Vec::with_capacity(pieces.len());
    for (n, piece) in (0_u32..).zip(&pieces) {
        std::thread::sleep((every * n).saturating_sub(clock::since(began)));
        sent.push(clock::now());
        write.write_all(piece)?;
    }
    write.write_all(&end)?;
    Ok(sent)
}

/// The `n`-th word.
fn word(n: usize) -> String {
    format!("w{n:06} ")
}

fn frame(delta: &serde_json::Value, finish: Option<&str>) -> Vec<u8> {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk = json!({ "id": "bench", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice] });
    let event = format!("data: {chunk}\n\n");
    format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_place() {
        assert!([0, 7, 999_999].iter().all(|n| word(*n).len() == WORD));
    }
}
