//! What is set for channels.

use gatehouse_delivery::outbox::NoticeDelivery;
use gatehouse_delivery::owed::Home;
use gatehouse_domain::{ChatId, ChatType, ParticipantId, Platform, ScopeId, Target, ThreadId};
use toml_edit::{Item, TableLike};

/// What is set for one channel. Keys that only the channel itself reads are none of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelConfig {
    /// Which.
    pub platform: Platform,
    /// The chat that takes words of the house.
    pub home: Option<Target>,
    /// A restart is told there.
    pub restart_notification: bool,
    /// Whether notices go to everybody or to one person.
    pub notice_delivery: NoticeDelivery,
    /// Chats that get no notices.
    pub ignored: Vec<ChatId>,
    /// Nothing is told of what is wrong with the house itself.
    pub mute_diagnostics: bool,
}

impl ChannelConfig {
    fn of(platform: Platform) -> Self {
        Self {
            platform,
            home: None,
            restart_notification: true,
            notice_delivery: NoticeDelivery::Public,
            ignored: Vec::new(),
            mute_diagnostics: false,
        }
    }

    /// Its chat for words of the house, with what is set about it.
    pub(crate) fn home(&self) -> Option<Home> {
        let target = self.home.clone()?;
        let ignored = self.ignored.contains(&target.chat);
        Some(Home { wanted: self.restart_notification, mutes_diagnostics: self.mute_diagnostics, ignored, target })
    }

    /// Reads a `[channel.name]`; what cannot be taken is named by its key, and is as it is in `before`.
    pub(super) fn read(
        platform: Platform,
        table: &dyn TableLike,
        before: Option<&Self>,
        warn: &mut dyn FnMut(&str, &Item, &str),
    ) -> Self {
        let usual = Self::of(platform);
        let before = before.unwrap_or(&usual);
        let mut channel = usual.clone();
        for (key, item) in table.iter() {
            if let Err(words) = channel.set(key, item) {
                channel.keep(key, before);
                warn(key, item, words);
            }
        }
        channel
    }

    fn set(&mut self, key: &str, item: &Item) -> Result<(), &'static str> {
        const FLAG: &str = "Use true or false.";
        match key {
            "home_channel" => self.home = home(&self.platform, item)?,
            "restart_notification" => self.restart_notification = item.as_bool().ok_or(FLAG)?,
            "mute_diagnostics" => self.mute_diagnostics = item.as_bool().ok_or(FLAG)?,
            "notice_delivery" => {
                let read = item.as_str().and_then(NoticeDelivery::read);
                self.notice_delivery = read.ok_or("Use \"public\" or \"private\".")?;
            }
            "ignored_channels" => self.ignored = chats(item)?,
            // The channel's own.
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, key: &str, before: &Self) {
        match key {
            "home_channel" => self.home.clone_from(&before.home),
            "restart_notification" => self.restart_notification = before.restart_notification,
            "mute_diagnostics" => self.mute_diagnostics = before.mute_diagnostics,
            "notice_delivery" => self.notice_delivery = before.notice_delivery,
            _ => self.ignored.clone_from(&before.ignored),
        }
    }
}

/// `{ chat = "C0123", thread = "" }`; a relay also wants to know whose place it is: `user`, `scope`.
fn home(platform: &Platform, item: &Item) -> Result<Option<Target>, &'static str> {
    const WORDS: &str = "Use { chat = \"...\", thread = \"\" }.";
    let table = item.as_table_like().ok_or(WORDS)?;
    if table.iter().any(|(key, _)| !["chat", "thread", "user", "scope"].contains(&key)) {
        return Err("It holds chat, thread, user and scope, and no other key.");
    }
    let text = |key: &str| match table.get(key) {
        None => Ok(""),
        Some(item) => item.as_str().map(str::trim).ok_or(WORDS),
    };
    let chat = text("chat")?;
    if chat.is_empty() {
        return Ok(None);
    }
    let thread = named(text("thread")?, ThreadId::new).map_err(|()| WORDS)?;
    Ok(Some(Target {
        platform: platform.clone(),
        chat_type: if thread.is_some() { ChatType::Thread } else { ChatType::Channel },
        chat: ChatId::new(chat).map_err(|_| WORDS)?,
        thread,
        participant: named(text("user")?, ParticipantId::new).map_err(|()| WORDS)?,
        scope: named(text("scope")?, ScopeId::new).map_err(|()| WORDS)?,
    }))
}

fn named<T, E>(text: &str, name: impl FnOnce(String) -> Result<T, E>) -> Result<Option<T>, ()> {
    if text.is_empty() { Ok(None) } else { name(text.to_owned()).map(Some).map_err(|_| ()) }
}

fn chats(item: &Item) -> Result<Vec<ChatId>, &'static str> {
    const WORDS: &str = "Use a list of chats in quotes.";
    let chat = |value: &toml_edit::Value| value.as_str().and_then(|text| ChatId::new(text).ok()).ok_or(WORDS);
    item.as_array().ok_or(WORDS)?.iter().map(chat).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn a_channel_is_read_key_by_key() {
        let text = "[channel.slack]\nhome_channel = { chat = \"C1\", thread = \"17.5\" }\nrestart_notification = 3\n\
                    ignored_channels = [\"C1\"]\nnative_task_cards = true\n[channel.matrix]\nhome_channel = \"C2\"\n[channel.Bad]\n";
        let (config, warnings) = Config::parse(text, &Config::default());
        let told: Vec<_> = warnings.iter().map(|warning| warning.key.as_str()).collect();
        assert_eq!(told, ["channel.slack.restart_notification", "channel.matrix.home_channel", "channel.Bad"]);
        let homes = config.homes();
        assert_eq!(homes.len(), 1, "{homes:?}");
        assert!(homes[0].wanted && homes[0].ignored, "a value that cannot be taken is the usual one");
        assert_eq!(homes[0].target.thread.as_ref().map(|thread| thread.as_str()), Some("17.5"));
    }

    #[test]
    fn what_cannot_be_taken_stays_as_it_was() {
        let good = "[channel.slack]\nhome_channel = { chat = \"C1\" }\nrestart_notification = false\n\
                    mute_diagnostics = true\nnotice_delivery = \"private\"\nignored_channels = [\"C2\"]\n";
        let bad = "[channel.slack]\nhome_channel = { chat = \"C1\", thred = \"17\" }\nrestart_notification = \"no\"\n\
                   mute_diagnostics = 1\nnotice_delivery = \"privat\"\nignored_channels = \"C2\"\n";
        let (before, warnings) = Config::parse(good, &Config::default());
        assert_eq!(warnings, []);
        let (after, warnings) = Config::parse(bad, &before);
        assert_eq!(after.channels, before.channels);
        assert_eq!(warnings.len(), 5, "{warnings:#?}");
        assert!(
            warnings.iter().all(|warning| warning.words.ends_with("What was set before applies.")),
            "{warnings:#?}"
        );
    }
}
