//! Two profiles of one house, each with channels of its own. Where they share a chat, a restart is told there once; where
//! they do not, nobody speaks for the other.

use std::sync::Arc;

use gatehouse_channel::{Channel, SendOutcome, Unsent};
use gatehouse_gateway::{Gateway, GatewayOptions, Household, SystemClock, SystemIds};
use tempfile::TempDir;

use crate::Result;
use crate::fake::{FakeChannel, Reply};
use crate::house::{channel, house_says, plugged, shim};

const BACK: &str = "The gateway is back.";
const NAMES: [&str; 2] = ["default", "work"];

/// A house with two profiles.
struct Two {
    home: TempDir,
    channels: [Vec<Arc<dyn Channel>>; 2],
    gateways: Vec<Gateway>,
}

impl Two {
    /// Opens it; each profile has channels, and a home chat on each of their platforms.
    async fn open(profiles: [&[(&Arc<FakeChannel>, &str, &str)]; 2]) -> Result<Self> {
        let home = tempfile::tempdir()?;
        for (name, sets) in NAMES.iter().zip(profiles) {
            let homes = sets.iter().map(|(_, platform, chat)| {
                format!("[channel.{platform}]\nhome_channel = {{ chat = \"{chat}\", thread = \"\" }}\n")
            });
            let profile = home.path().join("data/profiles").join(name);
            std::fs::create_dir_all(&profile)?;
            std::fs::write(profile.join("config.toml"), homes.collect::<String>())?;
        }
        let channels = profiles.map(|sets| sets.iter().map(|(channel, ..)| plugged(*channel)).collect());
        let mut two = Self { home, channels, gateways: Vec::new() };
        two.start().await?;
        Ok(two)
    }

    async fn start(&mut self) -> Result {
        let household = Household::default();
        for (name, channels) in NAMES.iter().zip(&self.channels) {
            let options = GatewayOptions {
                home: self.home.path().join("data"),
                profile: (*name).into(),
                shim: shim()?,
                household: household.clone(),
                last_word: Arc::new(|_| {}),
                work_dir: self.home.path().to_owned(),
                channels: channels.clone(),
                clock: Arc::new(SystemClock::default()),
                ids: Arc::new(SystemIds),
            };
            self.gateways.push(Gateway::start(options).await?);
        }
        Ok(())
    }

    async fn end(&mut self) {
        for gateway in self.gateways.drain(..) {
            gateway.shutdown().await;
        }
    }

    /// An end that nobody planned.
    async fn restart(&mut self) -> Result {
        self.end().await;
        self.start().await
    }

    async fn planned_restart(&mut self) -> Result {
        for gateway in &self.gateways {
            assert!(gateway.restart(None, false).await?, "nobody had asked before");
        }
        self.restart().await
    }
}

#[tokio::test]
async fn a_chat_of_two_profiles_is_told_once_and_that_is_remembered() -> Result {
    let (ours, theirs) = (channel("slack")?, channel("slack")?);
    let (telegram, matrix) = (channel("telegram")?, channel("matrix")?);
    [&theirs, &telegram, &matrix].into_iter().for_each(|channel| channel.disconnect());
    let second = [(&theirs, "slack", "C1"), (&telegram, "telegram", "C2"), (&matrix, "matrix", "C3")];
    let mut two = Two::open([&[(&ours, "slack", "C1")], &second]).await?;
    two.planned_restart().await?;
    ours.asked_times(1).await?;
    // Older notices come first, so what became of the shared chat is known when the next one was told.
    telegram.connect();
    telegram.asked_times(1).await?;
    // The next run does not know what this one knew.
    theirs.connect();
    two.restart().await?;
    matrix.connect();
    matrix.asked_times(1).await?;
    assert_eq!((house_says(&ours, "C1"), theirs.asked()), (vec![BACK.to_owned()], vec![]));
    two.end().await;
    Ok(())
}

#[tokio::test]
async fn a_chat_whose_channel_is_down_waits_for_it_and_nobody_else_speaks_there() -> Result {
    let (ours, theirs) = (channel("slack")?, channel("slack")?);
    theirs.disconnect();
    let mut two = Two::open([&[(&ours, "slack", "C1")], &[(&theirs, "slack", "C9")]]).await?;
    two.planned_restart().await?;
    ours.asked_times(1).await?;
    two.restart().await?;
    theirs.connect();
    theirs.asked_times(1).await?;
    assert_eq!(house_says(&theirs, "C9"), [BACK]);
    assert_eq!((house_says(&ours, "C1"), ours.asked().len()), (vec![BACK.to_owned()], 1));
    two.end().await;
    Ok(())
}

#[tokio::test]
async fn a_chat_that_one_profile_could_not_tell_is_told_by_the_other() -> Result {
    let (ours, theirs) = (channel("slack")?, channel("slack")?);
    theirs.disconnect();
    ours.will([Reply::Say(SendOutcome::Refused { unsent: Unsent::Other, why: "not now".into() })]);
    let mut two = Two::open([&[(&ours, "slack", "C1")], &[(&theirs, "slack", "C1")]]).await?;
    two.planned_restart().await?;
    ours.asked_times(1).await?;
    theirs.connect();
    theirs.asked_times(1).await?;
    assert_eq!((house_says(&ours, "C1"), house_says(&theirs, "C1")), (vec![], vec![BACK.to_owned()]));
    two.end().await;
    Ok(())
}
