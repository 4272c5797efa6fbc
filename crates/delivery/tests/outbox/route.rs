use gatehouse_channel::Link;
use gatehouse_delivery::outbox::{Answerer, Standing, Wanted, answerer};
use gatehouse_domain::{Platform, ProfileName};

#[test]
fn who_answers() {
    let [launch, second] = ["default", "work"].map(|name| ProfileName::new(name).unwrap());
    let [slack, relay, other] = ["slack", "relay", "relay-2"].map(|name| Platform::new(name).unwrap());
    let native = |profile, link| Standing { profile, platform: &slack, fronts: false, link };
    let fronting = |profile, platform, link| Standing { profile, platform, fronts: true, link };
    let (up, down) = (Link::Up, Link::Down);
    for (channels, profile, via_relay, answers) in [
        // The platform's own channel wins over a relay, in whatever order they stand.
        (vec![fronting(&launch, &relay, up), native(&launch, up)], &launch, false, Answerer::Channel(1)),
        (vec![native(&launch, up), fronting(&launch, &relay, up)], &launch, false, Answerer::Channel(0)),
        // It wins while it is down, too.
        (vec![native(&launch, down), fronting(&launch, &relay, up)], &launch, false, Answerer::Down(0)),
        // What came through a relay is answered through one.
        (vec![native(&launch, up), fronting(&launch, &relay, up)], &launch, true, Answerer::Channel(1)),
        (vec![native(&launch, up), fronting(&launch, &relay, down)], &launch, true, Answerer::Down(1)),
        (vec![native(&launch, up)], &launch, true, Answerer::Nobody),
        // A relay stands in for a platform that has no channel.
        (vec![fronting(&launch, &relay, up)], &launch, false, Answerer::Channel(0)),
        (vec![fronting(&launch, &relay, down), fronting(&launch, &other, up)], &launch, false, Answerer::Channel(1)),
        // No profile speaks through another one's channel.
        (vec![native(&launch, up), native(&second, down)], &second, false, Answerer::Down(1)),
        (vec![native(&launch, up), fronting(&launch, &relay, up)], &second, false, Answerer::Nobody),
        (vec![], &launch, false, Answerer::Nobody),
    ] {
        let wanted = Wanted { profile, platform: &slack, via_relay };
        assert_eq!(answerer(&channels, wanted), answers, "{channels:?} {wanted:?}");
    }
}
