use gatehouse_domain::Secret;

use super::*;
use crate::testing::open;

fn with_key(key: &str) -> Ready {
    Ready { keys: Keys::from([("lab".to_owned(), Ok(Secret::new(key.to_owned())))]), model: Ok(None) }
}

#[tokio::test]
async fn what_a_slow_keyring_brings_of_an_earlier_setting_takes_nobody_s_place() {
    let home = tempfile::tempdir().unwrap();
    let gateway = open(home.path()).await;
    let settings = &gateway.core().settings;
    let (slow, quick) = (settings.ask(), settings.ask());
    settings.bring(quick, with_key("as it is set now"));
    settings.bring(slow, with_key("as it was set before"));
    let ready = settings.ready_now().unwrap();
    assert!(ready.keys["lab"].as_ref().is_ok_and(|key| key.expose() == "as it is set now"));
    gateway.shutdown().await;
}
