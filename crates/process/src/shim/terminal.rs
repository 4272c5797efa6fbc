//! A job's terminal: the job has one side, this process holds the other. It holds the job's side too, so that a terminal
//! that nobody has open at the moment is not taken for one that is gone.

use std::io;
use std::os::fd::OwnedFd;

use gatehouse_process::input::PtySize;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Winsize};
use rustix::termios::{tcgetattr, tcsetattr, tcsetwinsize};

/// What the keys of a program that runs here look like.
pub const TERM: (&str, &str) = ("TERM", "xterm-256color");
/// A pager would wait for somebody to turn its pages.
pub const PAGERS: [(&str, &str); 2] = [("PAGER", "cat"), ("GIT_PAGER", "cat")];
/// Ctrl-D, unless the program says otherwise.
const USUAL_END: u8 = 4;

/// Both sides.
pub struct Terminal {
    ours: OwnedFd,
    theirs: OwnedFd,
    size: PtySize,
}

impl Terminal {
    /// A new one, of nobody's session yet.
    pub fn open(size: PtySize) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let theirs = ioctl_tiocgptpeer(&ours, flags)?;
        let mut modes = tcgetattr(&theirs)?;
        // Backspace takes a character, not a byte of one.
        modes.input_modes |= InputModes::IUTF8;
        tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        let mut terminal = Self { ours, theirs, size };
        terminal.resize(size)?;
        Ok(terminal)
    }

    /// A copy of our side, to read from or to type to.
    pub fn ours(&self) -> io::Result<OwnedFd> {
        Ok(rustix::io::fcntl_dupfd_cloexec(&self.ours, 3)?)
    }

    /// A copy of the job's side.
    pub fn theirs(&self) -> io::Result<OwnedFd> {
        Ok(rustix::io::fcntl_dupfd_cloexec(&self.theirs, 3)?)
    }

    /// The kernel's number of the job's side.
    pub fn device(&self) -> io::Result<u64> {
        Ok(rustix::fs::fstat(&self.theirs)?.st_rdev)
    }

    pub const fn size(&self) -> PtySize {
        self.size
    }

    /// The program that is in the foreground hears of it.
    pub fn resize(&mut self, size: PtySize) -> io::Result<()> {
        tcsetwinsize(&self.ours, Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 })?;
        self.size = size;
        Ok(())
    }

    /// What ends the input.
    pub fn end_of_input(&self) -> u8 {
        tcgetattr(&self.ours).map_or(USUAL_END, |modes| modes.special_codes[SpecialCodeIndex::VEOF])
    }

    /// The program reads key by key, as an editor does.
    pub fn is_raw(&self) -> bool {
        tcgetattr(&self.ours).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
    }

    /// Whole lines are read and not shown: a password.
    pub fn is_hidden(&self) -> bool {
        tcgetattr(&self.ours).is_ok_and(|modes| {
            modes.local_modes.contains(LocalModes::ICANON) && !modes.local_modes.contains(LocalModes::ECHO)
        })
    }
}
