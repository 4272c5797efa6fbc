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

    /// Reads a `[channel.name]`; what cannot be taken is named by its key, and its usual value applies.
    pub(super) fn read(platform: Platform, table: &dyn TableLike, warn: &mut dyn FnMut(&str, &Item, &str)) -> Self {
        let mut channel = Self::of(platform);
        for (key, item) in table.iter() {
            if let Err(words) = channel.set(key, item) {
                warn(key, item, words);
            }
        }
        channel
    }

    fn set(&mut self, key: &str, item: &Item) -> Result<(), &'static str> {
        const FLAG: &str = "Use true or false. It counts as not set.";
        match key {
            "home_channel" => self.home = home(&self.platform, item)?,
            "restart_notification" => self.restart_notification = item.as_bool().ok_or(FLAG)?,
            "mute_diagnostics" => self.mute_diagnostics = item.as_bool().ok_or(FLAG)?,
            "notice_delivery" => {
                let word = item.as_str().ok_or("Use \"public\" or \"private\". Notices are public.")?;
                self.notice_delivery = NoticeDelivery::read(word);
            }
            "ignored_channels" => self.ignored = chats(item)?,
            // The channel's own.
            _ => {}
        }
        Ok(())
    }
}

/// `{ chat = "C0123", thread = "" }`; a relay also wants to know whose place it is: `user`, `scope`.
fn home(platform: &Platform, item: &Item) -> Result<Option<Target>, &'static str> {
    const WORDS: &str = "Use { chat = \"...\", thread = \"\" }. No chat is told.";
    let table = item.as_table_like().ok_or(WORDS)?;
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
    const WORDS: &str = "Use a list of chats in quotes. None is left out.";
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
}
