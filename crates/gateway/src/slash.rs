//! Commands typed into the chat box. No model hears them, and a busy session carries them out at once.

use gatehouse_domain::{AdmissionId, ApprovalChoice, ApprovalId, ItemId, SessionId};
use gatehouse_store::{ApprovalRow, NewItem};

use crate::approvals::Reply;
use crate::error::{Error, Result};
use crate::gateway::{Gateway, KEY_TAKEN};
use crate::session::{Asked, Before};

const HELP: &str = "\
What the chat box understands besides words:
/approve [once | session | always] [all | the beginning of a question's id]: allow the oldest question, all, or that one
/deny [reason]: refuse the oldest question; the agent is told the reason
/stop: stop the running turn and what it started
/new: end this session and begin a new one in its place
/undo [number]: take your last message back, or so many, with everything since
/restart: start the gateway again; jobs go on, and so does what was cut off
/help: this list
!command: run a command of your own in the background
A message that begins with a blank goes to the agent as it is.";

/// Characters of what is taken back that are shown.
const SHOWN_CHARS: usize = 200;

/// A command of the chat box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slash {
    Help,
    Approve {
        choice: ApprovalChoice,
        which: Which,
    },
    Deny {
        reason: Option<String>,
    },
    Stop,
    New,
    Restart,
    /// So many of a person's own messages are taken back.
    Undo(u32),
    /// It looks like one, but there is none of this name.
    Unknown(String),
    /// There is one, but it does not take these words.
    Odd(&'static str),
}

impl Slash {
    /// What is said where nobody sees that it was done.
    pub(crate) const fn when_done(&self) -> Option<&'static str> {
        match self {
            Self::Stop => Some("Stopped."),
            Self::New => Some("A new session begins here."),
            Self::Approve { .. } => Some("Allowed."),
            Self::Deny { .. } => Some("Refused."),
            Self::Restart => Some("The gateway restarts."),
            Self::Help | Self::Undo(_) | Self::Unknown(_) | Self::Odd(_) => None,
        }
    }
}

/// What came of a command.
pub(crate) struct Carried {
    pub admission: AdmissionId,
    /// The conversation that goes on in place of this one.
    pub next: Option<SessionId>,
    /// What there was to say.
    pub said: Option<String>,
}

/// Which questions are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Which {
    Oldest,
    All,
    /// The one whose id begins so.
    Named(String),
}

/// Reads a text; `None` if it is words for the agent. A path is no command.
pub(crate) fn read(text: &str) -> Option<Slash> {
    let line = text.strip_prefix('/')?;
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (word, rest) = (&line[..end], line[end..].trim());
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    Some(match (word, rest) {
        ("help", "") => Slash::Help,
        ("help", _) => Slash::Odd("/help takes no words."),
        ("stop", "") => Slash::Stop,
        ("stop", _) => Slash::Odd("/stop takes no words."),
        ("new", "") => Slash::New,
        ("new", _) => Slash::Odd("/new takes no words."),
        ("restart", "") => Slash::Restart,
        ("restart", _) => Slash::Odd("/restart takes no words."),
        ("undo", "") => Slash::Undo(1),
        ("undo", rest) => match rest.parse() {
            Ok(number) if number > 0 => Slash::Undo(number),
            Ok(_) | Err(_) => Slash::Odd("/undo takes a number."),
        },
        ("approve", rest) => approve(rest),
        ("deny", rest) => Slash::Deny { reason: (!rest.is_empty()).then(|| rest.to_owned()) },
        (other, _) => Slash::Unknown(other.to_owned()),
    })
}

fn approve(rest: &str) -> Slash {
    const TAKES: &str = "/approve takes once, session or always, and then all or the beginning of a question's id.";
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (choice, rest) = match words.as_slice() {
        ["once", rest @ ..] => (ApprovalChoice::Once, rest),
        ["session", rest @ ..] => (ApprovalChoice::Session, rest),
        ["always", rest @ ..] => (ApprovalChoice::Always, rest),
        rest => (ApprovalChoice::Once, rest),
    };
    let is_id = |id: &str| id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    match rest {
        [] => Slash::Approve { choice, which: Which::Oldest },
        ["all"] => Slash::Approve { choice, which: Which::All },
        [id] if is_id(id) => Slash::Approve { choice, which: Which::Named(id.to_ascii_lowercase()) },
        _ => Slash::Odd(TAKES),
    }
}

impl Gateway {
    /// Carries a command of the chat box out. Its acceptance is written down first, so that the same one handed in
    /// again answers no second question, and is taken back if nothing comes of it, so that the same one can be tried again.
    pub(crate) async fn slash(
        &self,
        session: SessionId,
        text: String,
        client_key: String,
        slash: Slash,
    ) -> Result<Carried> {
        let asked = Asked::new(self.core(), session, client_key, text);
        let (admission, is_line, is_restart) = (asked.admission, slash == Slash::New, slash == Slash::Restart);
        match self.accept(asked.clone(), is_line).await? {
            None => {}
            Some(Before::Same(admission)) => {
                let next = if is_line { self.leads_to(session)? } else { None };
                return Ok(Carried { admission, next, said: None });
            }
            Some(Before::Other) => return Err(Error::Invalid(KEY_TAKEN.into())),
        }
        let (next, said) = match self.obey(asked, slash).await {
            Ok(done) => done,
            Err(error) => {
                // A restart that is handed in again after each start would begin the next.
                if !is_restart {
                    self.take_back(admission).await;
                }
                return Err(error);
            }
        };
        if let Some(words) = &said {
            self.tell(session, words.clone()).await?;
        }
        Ok(Carried { admission, next, said })
    }

    /// Writes the acceptance down, if its name is new; a line is drawn and accepted in one.
    async fn accept(&self, asked: Asked, is_line: bool) -> Result<Option<Before>> {
        let before = self.core().store.write(move |tx| match asked.before(tx)? {
            None if !is_line => asked.accept(tx).map(|()| None),
            before => Ok(before),
        });
        Ok(before.await?)
    }

    async fn take_back(&self, admission: AdmissionId) {
        if let Err(error) = self.core().store.write(move |tx| tx.admissions_mut().forget(admission)).await {
            tracing::warn!("A command that was not carried out stays accepted: {error:#}");
        }
    }

    /// The conversation that goes on in place of this one.
    fn leads_to(&self, session: SessionId) -> Result<Option<SessionId>> {
        let read = self.core().store.read(|rows| match rows.sessions().get(session)? {
            Some(row) => rows.routes().current(&row.route),
            None => Ok(None),
        });
        Ok(read?.filter(|current| *current != session))
    }

    /// Does what a command says: the conversation that goes on in place of this one, and what there is to say.
    async fn obey(&self, asked: Asked, slash: Slash) -> Result<(Option<SessionId>, Option<String>)> {
        let session = asked.session;
        let said = match slash {
            Slash::New => return Ok((Some(self.draw_line(session, Some(asked)).await?), None)),
            Slash::Help => Some(HELP.to_owned()),
            Slash::Unknown(word) => Some(format!("There is no command /{word}. /help lists what there is.")),
            Slash::Odd(words) => Some(format!("{words} Nothing was done.")),
            Slash::Stop => (!self.stop_turn(session, None).await?.stopped).then(|| "No turn is running.".to_owned()),
            Slash::Restart => {
                let first = self.restart(Some(session), false).await?;
                (!first).then(|| "A restart is under way.".to_owned())
            }
            Slash::Undo(messages) => Some(self.undo(session, messages).await?),
            Slash::Approve { choice, which } => self.answer_some(session, &which, &Reply::plain(choice)).await?,
            Slash::Deny { reason } => {
                let reply = Reply { reason, ..Reply::plain(ApprovalChoice::Deny) };
                self.answer_some(session, &Which::Oldest, &reply).await?
            }
        };
        Ok((None, said))
    }

    /// Answers questions of the session, the oldest first; what there is to say about it.
    async fn answer_some(&self, session: SessionId, which: &Which, reply: &Reply) -> Result<Option<String>> {
        let pending = self.core().store.read(|s| s.approvals().pending(session))?;
        let chosen = match choose(&pending, which) {
            Ok(chosen) => chosen,
            Err(words) => return Ok(Some(words)),
        };
        let mut answered = false;
        for id in chosen {
            match self.answer_approval(id, reply.clone()).await {
                Ok(()) => answered = true,
                // Another window, or a rule of the answer before, was faster.
                Err(Error::ApprovalClosed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((!answered).then(|| "That question is closed already. Nothing was answered.".to_owned()))
    }

    /// Takes a person's last messages back, with everything since; what there is to say about it.
    async fn undo(&self, session: SessionId, messages: u32) -> Result<String> {
        let at = self.now();
        let undone = self.core().store.write(move |tx| match tx.turns().running(session)? {
            Some(_) => Ok(None),
            None => tx.items_mut().undo(session, messages, at).map(Some),
        });
        Ok(match undone.await?.as_deref() {
            None => "A turn is running. Stop it first, then take your words back.".to_owned(),
            Some([]) => "There is nothing of yours to take back.".to_owned(),
            Some(words @ [first, ..]) => {
                let count =
                    if words.len() == 1 { "Your last message".into() } else { format!("{} messages", words.len()) };
                let shown: String = first.chars().take(SHOWN_CHARS).collect();
                format!("Taken back, with everything since: {count}, from \"{shown}\" on.")
            }
        })
    }

    async fn tell(&self, session: SessionId, text: String) -> Result<()> {
        let item = NewItem::notice(ItemId::from_uuid(self.core().ids.fresh()), session, text, self.now());
        self.core().store.write(move |tx| tx.items_mut().insert(&item)).await?;
        Ok(())
    }
}

fn choose(pending: &[ApprovalRow], which: &Which) -> std::result::Result<Vec<ApprovalId>, String> {
    let Some(oldest) = pending.first() else { return Err("No question waits for an answer here.".to_owned()) };
    match which {
        Which::Oldest => Ok(vec![oldest.id]),
        Which::All => Ok(pending.iter().map(|row| row.id).collect()),
        Which::Named(start) => {
            let named: Vec<_> =
                pending.iter().map(|row| row.id).filter(|id| id.to_string().starts_with(start)).collect();
            match named.len() {
                1 => Ok(named),
                0 => Err(format!("No waiting question has an id that begins with {start}. Nothing was answered.")),
                _ => Err(format!("More than one waiting question begins with {start}. Nothing was answered.")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_slash_and_letters() {
        for (text, expected) in [
            ("/help", Some(Slash::Help)),
            ("/help\n", Some(Slash::Help)),
            ("/stop", Some(Slash::Stop)),
            ("/new", Some(Slash::New)),
            ("/restart", Some(Slash::Restart)),
            ("/restart now", Some(Slash::Odd("/restart takes no words."))),
            ("/undo", Some(Slash::Undo(1))),
            ("/undo 12 ", Some(Slash::Undo(12))),
            ("/undo 0", Some(Slash::Odd("/undo takes a number."))),
            ("/undo all", Some(Slash::Odd("/undo takes a number."))),
            ("/new title", Some(Slash::Odd("/new takes no words."))),
            ("/stop now", Some(Slash::Odd("/stop takes no words."))),
            ("/deny", Some(Slash::Deny { reason: None })),
            ("/deny not here\nnor there", Some(Slash::Deny { reason: Some("not here\nnor there".into()) })),
            ("/frobnicate the thing", Some(Slash::Unknown("frobnicate".into()))),
            ("/etc/hosts is wrong", None),
            ("/tmp/x", None),
            ("/usr2 is full", None),
            ("/a.b", None),
            ("/", None),
            ("/ help", None),
            ("// a comment", None),
            (" /help", None),
            ("say /help", None),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_approval_says_how_long_and_which() {
        use ApprovalChoice::{Always, Once, Session};
        for (text, choice, which) in [
            ("/approve", Once, Which::Oldest),
            ("/approve once", Once, Which::Oldest),
            ("/approve session", Session, Which::Oldest),
            ("/approve always all", Always, Which::All),
            ("/approve all", Once, Which::All),
            ("/approve 0190ABCD-12", Once, Which::Named("0190abcd-12".into())),
            ("/approve session 0190", Session, Which::Named("0190".into())),
        ] {
            assert_eq!(read(text), Some(Slash::Approve { choice, which }), "{text:?}");
        }
        for odd in ["/approve forever", "/approve pattern", "/approve once all now", "/approve all once"] {
            assert!(matches!(read(odd), Some(Slash::Odd(_))), "{odd:?}");
        }
    }
}
