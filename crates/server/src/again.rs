//! The program starts itself again in its own place: with the same arguments, at the same address and with the same
//! token, so that windows and scripts find it where it was.
//!
//! What it hands to itself travels through a socket at its standard input, which nobody else can write to and which is
//! on no disk, in no variable and in no argument: the token, and the very socket that listens. That stays open meanwhile,
//! so whoever connects waits instead of being refused.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg, sockopt,
};
use rustix::process::{Pid, WaitOptions, getpid, waitpid};
use tokio::signal::unix::{SignalKind, signal};

use crate::door::Token;

/// What the program hands to itself.
pub(crate) struct Handover {
    /// Those who know it go on knowing it.
    pub token: Token,
    /// It listens all the time.
    pub listener: TcpListener,
}

/// What the program before us left at our input; nothing if nobody did, or somebody else.
pub(crate) fn take() -> io::Result<Option<Handover>> {
    let stdin = io::stdin();
    // It was made by this very process, before it became this program.
    let is_ours = sockopt::socket_domain(&stdin).is_ok_and(|domain| domain == AddressFamily::UNIX)
        && sockopt::socket_peercred(&stdin).is_ok_and(|peer| peer.pid == getpid());
    if !is_ours {
        return Ok(None);
    }
    let mut text = [0_u8; Token::LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let read = recvmsg(&stdin, &mut [IoSliceMut::new(&mut text)], &mut beside, flags)?.bytes;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let listener = beside.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    let token = text.get(..read).and_then(Token::given);
    Ok(token.zip(listener).map(|(token, listener): (Token, OwnedFd)| Handover { token, listener: listener.into() }))
}

/// Becomes `program`. Comes back only with the reason why not.
pub(crate) fn begin(program: &Path, handover: &Handover) -> io::Error {
    match hand_over(handover) {
        Ok(()) => become_program(program),
        Err(error) => error,
    }
}

fn hand_over(handover: &Handover) -> io::Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    let sockets = [handover.listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(&sockets));
    sendmsg(&ours, &[IoSlice::new(handover.token.expose().as_bytes())], &mut beside, SendFlags::empty())?;
    // What was sent stays there when our end is closed.
    Ok(rustix::stdio::dup2_stdin(theirs)?)
}

fn become_program(program: &Path) -> io::Error {
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| program.into());
    #[expect(clippy::disallowed_methods, reason = "nothing is started: this process goes on as another program")]
    let mut command = std::process::Command::new(program);
    command.arg0(name).args(words).exec()
}

/// Children of the program before us are ours. Each that ends is taken leave of, or it would stay in the process table.
pub(crate) async fn take_leave_of_children() {
    let mut children = children();
    let mut ended = match signal(SignalKind::child()) {
        Ok(ended) => ended,
        Err(error) => return tracing::warn!("Ends of older children are not heard: {error}"),
    };
    loop {
        children.retain(|child| matches!(waitpid(Some(*child), WaitOptions::NOHANG), Ok(None)));
        if children.is_empty() || ended.recv().await.is_none() {
            return;
        }
    }
}

fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero();
    // A kernel without this list has nothing that could tell; the children stay until we end.
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw)).collect()
}
