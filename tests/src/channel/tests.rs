use std::sync::Arc;

use futures_util::FutureExt as _;
use gatehouse_channel::{Attachment, Capabilities, Channel, Letter, Link, Parcel, SendOutcome, Unsent};
use gatehouse_delivery::outbox::{Answerer, Wanted};
use gatehouse_domain::{ChatId, ChatType, MessageId, ParticipantId, Platform, ProfileName, ScopeId, Target};
use tokio::sync::oneshot;

use super::*;
use crate::Result;

fn platform(name: &str) -> Platform {
    Platform::new(name).unwrap()
}

fn target(name: &str, chat_type: ChatType) -> Target {
    Target {
        platform: platform(name),
        chat_type,
        chat: ChatId::new("C").unwrap(),
        thread: None,
        participant: None,
        scope: None,
    }
}

fn letter(parcel: Parcel) -> Letter {
    Letter { target: target("slack", ChatType::Group), anchor: None, notify: true, parcel }
}

fn words(text: &str) -> Letter {
    letter(Parcel::Text(text.into()))
}

fn id(number: &str) -> MessageId {
    MessageId::new(number).unwrap()
}

#[tokio::test]
async fn it_delivers_and_takes_everything_down() {
    let channel = FakeChannel::new(platform("slack"));
    let file = || Attachment::from("a.bin");
    let parcels = [
        Parcel::Text("one".into()),
        Parcel::Images(vec![file(), file()]),
        Parcel::Voice(file()),
        Parcel::Video(file()),
        Parcel::Document(file()),
        Parcel::PrivateNotice { to: ParticipantId::new("U").unwrap(), text: "psst".into() },
    ];
    for (number, parcel) in parcels.iter().enumerate() {
        let ids = vec![id(&number.to_string())];
        assert_eq!(channel.send(&letter(parcel.clone())).await, SendOutcome::Delivered { ids });
    }
    let edit = letter(Parcel::Edit { message: id("0"), text: "one, and more".into() });
    assert_eq!(channel.send(&edit).await, SendOutcome::Delivered { ids: vec![id("0")] });
    assert_eq!((channel.asked().len(), channel.chat().len()), (7, 6));
    assert_eq!(channel.chat()[0], edit);
}

#[tokio::test]
async fn it_follows_its_script() -> Result {
    let channel = FakeChannel::new(platform("slack"));
    let declined = SendOutcome::Declined { why: "no".into() };
    let unknown = SendOutcome::Ambiguous { why: "no answer".into() };
    let (word, later) = oneshot::channel();
    channel.will([Reply::Say(declined.clone()), Reply::TakeAndSay(unknown.clone()), Reply::Wait(later)]);
    assert_eq!(channel.send(&words("a")).await, declined);
    assert_eq!(channel.send(&words("b")).await, unknown);

    let sender = Arc::clone(&channel);
    let waiting = tokio::spawn(async move { sender.send(&words("c")).await });
    assert_eq!(channel.asked_times(3).await?.len(), 3);
    assert_eq!(channel.chat(), [words("b")], "it has not answered");
    word.send(SendOutcome::Delivered { ids: Vec::new() }).map_err(|_| "nobody waits")?;
    assert_eq!(waiting.await?, SendOutcome::Delivered { ids: vec![id("1")] });

    channel.will([Reply::Hang, Reply::TakeAndHang]);
    assert_eq!(channel.send(&words("d")).now_or_never(), None);
    assert_eq!(channel.send(&words("e")).now_or_never(), None);
    assert_eq!(channel.chat(), [words("b"), words("c"), words("e")]);
    Ok(())
}

#[tokio::test]
async fn without_a_connection_nothing_leaves() -> Result {
    let channel = FakeChannel::new(platform("slack"));
    let mut link = channel.link();
    channel.disconnect();
    link.wait_for(|link| *link == Link::Down).await?;
    let outcome = channel.send(&words("a")).await;
    assert!(matches!(outcome, SendOutcome::Refused { unsent: Unsent::Degraded, .. }), "{outcome:?}");
    assert_eq!(channel.chat(), []);

    channel.connect();
    link.wait_for(|link| *link == Link::Up).await?;
    assert!(!link.has_changed()?);
    channel.connect();
    assert!(link.has_changed()?, "a connection made anew is told, whether or not the old one was missed");
    assert!(matches!(channel.send(&words("a")).await, SendOutcome::Delivered { .. }));
    Ok(())
}

#[tokio::test]
async fn what_it_cannot_carry_it_refuses() {
    let channel = FakeChannel::able(platform("slack"), Capabilities { edit: false, ..Capabilities::default() });
    let outcome = channel.send(&letter(Parcel::Edit { message: id("0"), text: "x".into() })).await;
    assert!(matches!(outcome, SendOutcome::Refused { unsent: Unsent::Other, .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_relay_declines_places_that_it_cannot_place() {
    let relay = FakeRelay::new(platform("relay"), [platform("slack"), platform("telegram")]);
    let scope = ScopeId::new("T").ok();
    let person = ParticipantId::new("U").ok();
    for (target, declined) in [
        (target("slack", ChatType::Group), true),
        (Target { scope: scope.clone(), ..target("slack", ChatType::Group) }, false),
        (Target { participant: person.clone(), ..target("telegram", ChatType::Thread) }, true),
        (Target { participant: person, ..target("telegram", ChatType::Dm) }, false),
        (target("telegram", ChatType::Dm), true),
        (Target { scope, ..target("matrix", ChatType::Group) }, true),
    ] {
        let outcome = relay.send(&Letter { target: target.clone(), ..words("a") }).await;
        assert_eq!(matches!(outcome, SendOutcome::Declined { .. }), declined, "{target:?}: {outcome:?}");
    }
    assert_eq!(relay.line().asked().len(), 2);
}

#[tokio::test]
async fn a_platform_s_own_channel_wins_and_a_profile_speaks_for_itself_only() {
    let [launch, second] = ["default", "work"].map(|name| ProfileName::new(name).unwrap());
    let [slack, telegram, matrix] = ["slack", "telegram", "matrix"].map(platform);
    let relay = FakeRelay::new(platform("relay"), [slack.clone(), telegram.clone()]);
    let (native, other) = (FakeChannel::new(slack.clone()), FakeChannel::new(slack.clone()));
    let ask = |profile, platform, via_relay| {
        let channels: [(_, &dyn Channel); 3] = [(&launch, &*relay), (&launch, &*native), (&second, &*other)];
        who_answers(&channels, Wanted { profile, platform, via_relay })
    };
    assert_eq!(ask(&launch, &slack, false), Answerer::Channel(1));
    assert_eq!(ask(&launch, &slack, true), Answerer::Channel(0));
    assert_eq!(ask(&launch, &telegram, false), Answerer::Channel(0));
    assert_eq!(ask(&launch, &matrix, false), Answerer::Nobody);
    assert_eq!(ask(&second, &telegram, false), Answerer::Nobody);

    other.disconnect();
    assert_eq!(ask(&second, &slack, false), Answerer::Down(2), "the launch profile's channel is up, and not asked");
    native.disconnect();
    assert_eq!(ask(&launch, &slack, false), Answerer::Down(1));
    relay.line().disconnect();
    assert_eq!(ask(&launch, &telegram, false), Answerer::Down(0));
}

#[tokio::test]
async fn it_is_told_where_to_get_ready() {
    let relay = FakeRelay::new(platform("relay"), [platform("slack"), platform("telegram")]);
    let place = target("slack", ChatType::Group);
    relay.prime(&place).await;
    assert_eq!(relay.line().primed(), [place]);
}
