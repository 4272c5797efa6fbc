//! Whoever listens must never hold the job up: sockets do not block, and a listener that does not read is let go. It
//! can come back and is told everything again.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use gatehouse_process::rundir::RunDir;
use gatehouse_process::wire::{self, FromShim, Hello, MAX_LINE, ToShim};
use rustix::event::PollFlags;
use rustix::fs::Mode;

/// Unread words of one listener. Progress is only told to listeners that have none.
const MAX_BACKLOG: usize = 256 * 1024;
/// Gateways at once; the one that asked last is the one that is there.
const MAX_LISTENERS: usize = 4;

/// Binds by a name relative to the current directory: a whole path may be too long for a socket's address.
pub fn bind(run: &RunDir, name: &str) -> io::Result<UnixListener> {
    run.remove(name)?;
    let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let bound = UnixListener::bind(name);
    rustix::process::umask(before);
    let listener = bound?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// One gateway.
pub struct Listener {
    pub socket: UnixStream,
    heard: Vec<u8>,
    to_say: Vec<u8>,
    is_greeted: bool,
    knows_input: bool,
    is_gone: bool,
}

impl Listener {
    fn new(socket: UnixStream) -> io::Result<Self> {
        if rustix::net::sockopt::socket_peercred(&socket)?.uid != rustix::process::getuid() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "a stranger knocked"));
        }
        socket.set_nonblocking(true)?;
        let mut listener = Self {
            socket,
            heard: Vec::new(),
            to_say: Vec::new(),
            is_greeted: false,
            knows_input: false,
            is_gone: false,
        };
        listener.say(&FromShim::Hello(Hello::ours()));
        Ok(listener)
    }

    /// What to wait for.
    pub fn wants(&self) -> PollFlags {
        if self.to_say.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT }
    }

    fn say(&mut self, message: &FromShim) {
        if message.is_about_input() && !self.knows_input {
            return;
        }
        match wire::line(message) {
            Ok(line) => self.to_say.extend(line),
            Err(error) => crate::surroundings::complain(&error.into()),
        }
        self.flush();
        self.is_gone |= self.to_say.len() > MAX_BACKLOG;
    }

    fn flush(&mut self) {
        while !self.to_say.is_empty() {
            match (&self.socket).write(&self.to_say) {
                Ok(bytes) => drop(self.to_say.drain(..bytes)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.is_gone = true;
                    return;
                }
            }
        }
    }

    fn hear(&mut self) {
        let mut buffer = [0; 4096];
        loop {
            match (&self.socket).read(&mut buffer) {
                Ok(0) => self.is_gone = true,
                Ok(bytes) => {
                    self.heard.extend_from_slice(&buffer[..bytes]);
                    self.is_gone |= self.heard.len() > MAX_LINE;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.is_gone = true,
            }
            if self.is_gone {
                return;
            }
        }
    }

    fn next_word(&mut self) -> Option<ToShim> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        match serde_json::from_slice(&line) {
            Ok(ToShim::Hello(hello)) if !hello.is_understood() => {
                self.is_gone = true;
                None
            }
            Ok(word) => Some(word),
            Err(error) => {
                crate::surroundings::complain(&error.into());
                self.is_gone = true;
                None
            }
        }
    }
}

/// All of them.
#[derive(Default)]
pub struct Listeners {
    pub all: Vec<Listener>,
}

impl Listeners {
    /// Takes one more in.
    pub fn admit(&mut self, socket: UnixStream) {
        match Listener::new(socket) {
            Ok(listener) => self.all.push(listener),
            Err(error) => crate::surroundings::complain(&error),
        }
        if self.all.len() > MAX_LISTENERS {
            self.all.remove(0);
        }
    }

    /// Tells everybody who was greeted.
    pub fn tell(&mut self, message: &FromShim) {
        self.all.iter_mut().filter(|listener| listener.is_greeted).for_each(|listener| listener.say(message));
    }

    /// Whether everything said was taken.
    pub fn have_taken_all(&self) -> bool {
        self.all.iter().all(|listener| listener.to_say.is_empty())
    }

    /// Hears everybody, sends what waits, lets go who left. `retell` is what a newcomer must know.
    pub fn attend(&mut self, retell: impl Fn() -> Vec<FromShim>) -> Vec<ToShim> {
        let mut words = Vec::new();
        for listener in &mut self.all {
            listener.hear();
            while let Some(word) = listener.next_word() {
                if let ToShim::Hello(hello) = word {
                    listener.is_greeted = true;
                    listener.knows_input = hello.knows_input;
                    retell().iter().for_each(|message| listener.say(message));
                } else if listener.is_greeted {
                    words.push(word);
                }
            }
            listener.flush();
        }
        self.all.retain(|listener| !listener.is_gone);
        words
    }
}
