//! What a job reads from and writes to, and our ends of it.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use gatehouse_process::input::{PtySize, Stdin};
use gatehouse_process::rundir::Spec;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use crate::console::Console;
use crate::serve::mono_ms;
use crate::terminal::Terminal;

/// What a pipe holds at most: a job seldom has to wait for its reader.
const PIPE_SIZE: usize = 1024 * 1024;

/// All ends.
pub struct Ends {
    /// Ours, of its output.
    pub output: OwnedFd,
    /// Ours, of its input, if it has one.
    pub console: Option<Console>,
    /// Its own input.
    pub stdin: Stdio,
    /// Its own output.
    pub stdout: OwnedFd,
    pub has_terminal: bool,
    /// Why it has none although one was wanted.
    pub pty_note: Option<String>,
}

impl Ends {
    /// Those that are wanted, or a pipe where there is no terminal to be had.
    pub fn of(spec: &Spec) -> io::Result<Self> {
        match spec.pty.map(Self::terminal) {
            Some(Ok(ends)) => Ok(ends),
            Some(Err(error)) => {
                let note = Some(format!("no terminal could be had, so it runs without one: {error}"));
                Ok(Self { pty_note: note, ..Self::pipe(spec.stdin)? })
            }
            None => Self::pipe(spec.stdin),
        }
    }

    fn terminal(size: PtySize) -> io::Result<Self> {
        let terminal = Terminal::open(size)?;
        let (output, stdin, stdout) = (terminal.ours()?, terminal.theirs()?.into(), terminal.theirs()?);
        let console = Some(Console::terminal(terminal, mono_ms())?);
        Ok(Self { output, console, stdin, stdout, has_terminal: true, pty_note: None })
    }

    fn pipe(stdin: Stdin) -> io::Result<Self> {
        let (output, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        // A smaller pipe works as well: the limit for one user may be used up.
        let _ = fcntl_setpipe_size(&output, PIPE_SIZE);
        let (console, stdin) = match stdin {
            Stdin::Null => (None, Stdio::null()),
            Stdin::Pipe => {
                let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
                (Some(Console::pipe(ours, mono_ms())?), theirs.into())
            }
        };
        Ok(Self { output, console, stdin, stdout, has_terminal: false, pty_note: None })
    }
}
