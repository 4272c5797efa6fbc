//! Which local servers are found, and what is left alone.

use std::time::Duration;

use futures_util::StreamExt;
use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_provider::{
    Endpoint, Found, LocalServer, Model, ModelEvent, OpenAi, Patience, Place, discover_within, usual_places,
};

use crate::site::{Came, Say, Site, json, list, page};
use crate::support::{nobody, question};

/// More than any server here takes that is ever going to answer, whatever else the machine does.
const AMPLE: Duration = Duration::from_secs(20);

async fn found(sites: &[&Site]) -> Vec<Found> {
    let places: Vec<_> = sites.iter().map(|site| Place { port: site.port }).collect();
    discover_within(AMPLE, &places).await
}

/// A server that lists one model and answers `extra` at `path`; everything else gets the answer that LM Studio gives.
async fn server(path: &'static str, extra: &'static str) -> Site {
    Site::start(move |came| match came.line.split(' ').nth(1) {
        Some("/v1/models") => list(&["m"]),
        Some(asked) if asked == path => json(200, extra),
        _ => json(200, r#"{"error":"Unexpected endpoint or method."}"#),
    })
    .await
}

#[tokio::test]
async fn each_kind_is_known_by_what_it_says() {
    let ollama = server("/api/version", r#"{"version":"0.12.3"}"#).await;
    let studio = server("/api/v0/models", r#"{"object":"list","data":[]}"#).await;
    let llama = server("/props", r#"{"default_generation_settings":{},"total_slots":1}"#).await;
    let other = server("/nothing", "{}").await;
    let vllm = Site::start(|_| json(200, r#"{"data":[{"id":"q","owned_by":"vllm"}]}"#)).await;
    let owned = Site::start(|_| json(200, r#"{"data":[{"id":"g.gguf","owned_by":"llamacpp"}]}"#)).await;
    let found = found(&[&ollama, &studio, &llama, &other, &vllm, &owned]).await;
    let kinds: Vec<_> = found.iter().map(|found| found.kind.as_str()).collect();
    assert_eq!(kinds, ["ollama", "lm_studio", "llama_cpp", "other", "vllm", "llama_cpp"]);
    assert_eq!(found[0].base_url, format!("{}/v1", ollama.base()));
    assert_eq!((found[0].port, found[0].models.as_slice()), (ollama.port, ["m".to_owned()].as_slice()));
    assert_eq!(vllm.paths(), ["/v1/models"], "nothing more was needed");
}

#[tokio::test]
async fn what_is_no_model_server_is_not_offered() {
    let elsewhere = Site::start(|_| list(&["m"])).await;
    let to = format!("{}/v1/models", elsewhere.base());
    let sites = [
        Site::start(|_| page(200)).await,
        Site::start(|_| json(404, "{}")).await,
        Site::start(|_| json(401, "{}")).await,
        Site::start(|_| json(200, r#"{"data":[{"id":7,"wheels":4}]}"#)).await,
        Site::start(|_| json(200, r#"{"status":"ok"}"#)).await,
        Site::start(move |_| Say::To(to.clone())).await,
        Site::start(|_| Say::Endless).await,
        Site::secure(|_| list(&["m"])).await,
    ];
    assert_eq!(found(&sites.iter().collect::<Vec<_>>()).await, []);
    assert_eq!(elsewhere.requests(), [], "a redirect was followed");
    for site in &sites[..7] {
        assert_eq!(site.paths(), ["/v1/models"]);
        assert_eq!(site.requests()[0].authorization, None);
    }
}

#[tokio::test]
async fn silent_ports_and_a_closed_one_hold_up_nobody() {
    let (_held, address) = nobody();
    let closed = Place { port: address.port() };
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(Site::start(|_| Say::Nothing).await);
    }
    let slow_to_say_what = Site::start(|came: &Came| match came.line.contains("/v1/models ") {
        true => list(&["m"]),
        false => Say::Nothing,
    })
    .await;
    let mut places: Vec<_> = silent.iter().map(|site| Place { port: site.port }).collect();
    places.extend([closed, Place { port: slow_to_say_what.port }]);
    let patience = Duration::from_secs(3);
    let began = tokio::time::Instant::now();
    let found = discover_within(patience, &places).await;
    let took = began.elapsed();
    assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [LocalServer::Other]);
    // One after the other they would take nine times as long.
    assert!(took < 5 * patience, "{took:?}: places wait for each other");
}

#[tokio::test]
async fn what_is_found_answers_a_chat() {
    let lab = Scripted::start(say("hello")).await.unwrap();
    let port = lab.url().trim_end_matches("/v1").rsplit(':').next().unwrap().parse().unwrap();
    let found = discover_within(AMPLE, &[Place { port }]).await;
    let [Found { base_url, models, .. }] = found.as_slice() else { panic!("found {found:?}") };
    assert_eq!(models, &["scripted"]);
    let endpoint =
        Endpoint { name: "lab".to_owned(), base_url: base_url.clone(), key: None, patience: Patience::default() };
    let events: Vec<_> = OpenAi::new(endpoint).unwrap().stream(question("hi")).collect().await;
    assert!(events.contains(&Ok(ModelEvent::Text("hello".to_owned()))), "{events:?}");
}

#[test]
fn the_usual_places() {
    assert_eq!(usual_places().map(|place| place.port), [11_434, 1_234, 8_080, 8_000]);
}
