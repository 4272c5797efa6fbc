//! The running program and its lines.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use gatehouse_engine_wire::{Event, MAX_LINE, Request, read, write};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::Launch;

/// The longest complaint of the program that is written to the log.
const MAX_COMPLAINT: u64 = 2_000;
/// How long a program may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// The running program. Dropping it ends it.
pub(super) struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Running {
    pub fn start(launch: &Launch) -> io::Result<Self> {
        let mut child = launch()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("it was started without pipes"))?;
        if let Some(complaints) = child.stderr.take() {
            tokio::spawn(log(complaints));
        }
        Ok(Self { child, input, output: BufReader::new(output), line: Vec::new() })
    }

    pub async fn say(&mut self, request: &Request) -> io::Result<()> {
        self.input.write_all(&write(request)).await?;
        self.input.flush().await
    }

    /// The next event; nothing when the program is gone or speaks in tongues. May be dropped and called again.
    pub async fn hear(&mut self) -> Option<Event> {
        let room = (MAX_LINE - self.line.len().min(MAX_LINE)) as u64;
        // What was read of a line stays in it when this is dropped.
        (&mut self.output).take(room).read_until(b'\n', &mut self.line).await.ok()?;
        let whole = self.line.last() == Some(&b'\n');
        let event = whole.then(|| read(&self.line)).and_then(Result::ok);
        self.line.clear();
        event
    }

    /// Waits for its end, whenever that comes.
    pub async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Ends it, and says for a person how it ended.
    pub async fn last_words(self) -> String {
        let Self { mut child, input, .. } = self;
        // One that still lives ends with its input.
        drop(input);
        match timeout(ENDING, child.wait()).await {
            Ok(Ok(status)) => words(status),
            Ok(Err(_)) | Err(_) => "it does not speak any more".to_owned(),
        }
    }
}

fn words(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "something ended it, perhaps the system, because memory ran out".to_owned(),
        (Some(6), _) => "it gave up, because memory ran out or the model's file is damaged".to_owned(),
        (Some(7), _) => "the model's file changed or went away while it was read".to_owned(),
        (Some(signal), _) => format!("it broke down (signal {signal})"),
        (None, Some(code)) => format!("it ended (exit code {code})"),
        (None, None) => "it ended".to_owned(),
    }
}

/// What the program says before it breaks down.
async fn log(complaints: ChildStderr) {
    let mut complaints = BufReader::new(complaints);
    let mut line = Vec::new();
    while (&mut complaints).take(MAX_COMPLAINT).read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        tracing::warn!("The engine says: {}", String::from_utf8_lossy(&line).trim());
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_in_words() {
        assert!(words(ExitStatus::from_raw(9)).contains("memory ran out"));
        assert!(words(ExitStatus::from_raw(7)).contains("file changed"));
        assert_eq!(words(ExitStatus::from_raw(11)), "it broke down (signal 11)");
        assert_eq!(words(ExitStatus::from_raw(3 << 8)), "it ended (exit code 3)");
    }
}
