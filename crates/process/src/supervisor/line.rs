use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::rundir::{ChildRecord, ExitRecord, RunDir, SOCKET};
use crate::wire::{self, FromShim, Hello, ToShim};

/// How long a living shim may take for its first words.
const FIRST_WORDS: Duration = Duration::from_secs(10);

/// A connection to a shim.
#[derive(Debug)]
pub struct Line {
    words: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    knows_input: bool,
}

/// What a shim says first, apart from its greeting.
#[derive(Debug)]
pub enum Opening {
    Runs(ChildRecord),
    NeverStarted(ExitRecord),
}

impl Line {
    /// Greets, and hears whether there is a job.
    pub async fn open(socket: UnixStream) -> io::Result<(Self, Opening)> {
        let (reader, writer) = socket.into_split();
        let mut line = Self { words: BufReader::new(reader).lines(), writer, knows_input: false };
        let opening = async {
            line.say(&ToShim::Hello(Hello::ours())).await?;
            loop {
                match line.hear().await? {
                    Some(FromShim::Hello(hello)) if !hello.is_understood() => {
                        return Err(io::Error::other(format!("shim protocol {} is not understood", hello.protocol)));
                    }
                    Some(FromShim::Hello(hello)) => line.knows_input = hello.knows_input,
                    Some(FromShim::Started(child)) => return Ok(Opening::Runs(child)),
                    Some(FromShim::Ended { exit, .. }) => return Ok(Opening::NeverStarted(exit)),
                    Some(_) => {}
                    None => return Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
        };
        let opening = tokio::time::timeout(FIRST_WORDS, opening).await.map_err(io::Error::from)??;
        Ok((line, opening))
    }

    /// Connects to the socket of a run; its path stays short however deep the directory lies.
    pub async fn connect(run: &RunDir) -> io::Result<(Self, Opening)> {
        Self::open(UnixStream::connect(run.short_path(SOCKET)).await?).await
    }

    /// A line to a shim that is gone: all there is to hear is its end.
    pub fn over() -> io::Result<Self> {
        let (ours, _) = UnixStream::pair()?;
        let (reader, writer) = ours.into_split();
        Ok(Self { words: BufReader::new(reader).lines(), writer, knows_input: false })
    }

    /// Whether the shim knows the words about input.
    pub const fn knows_input(&self) -> bool {
        self.knows_input
    }

    /// The next word; `None` at the end. Safe to drop while it waits.
    pub async fn hear(&mut self) -> io::Result<Option<FromShim>> {
        let Some(text) = self.words.next_line().await? else { return Ok(None) };
        Ok(Some(serde_json::from_str(&text)?))
    }

    /// Sends a word.
    pub async fn say(&mut self, word: &ToShim) -> io::Result<()> {
        self.writer.write_all(&wire::line(word)?).await
    }
}
