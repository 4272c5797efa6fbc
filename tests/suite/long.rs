//! Transcripts that are longer than what a model is told of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use gatehouse_provider::scripted::{Script, call, response, say};
use gatehouse_tests::{Mirror, Result, Scene, strict};
use serde_json::{Value, json};

/// What people said, as the newest request tells it.
fn asked(scene: &Scene) -> Vec<String> {
    let requests = scene.lab.requests();
    let messages = requests.last().map(|request| strict::messages(&request.body).to_vec()).unwrap_or_default();
    let people = messages.into_iter().filter(|message| message["role"] == "user");
    people.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn the_longest_message_reaches_the_model() -> Result {
    let mut scene = Scene::set_up(|_| Script::responder(|_: &Value| say("I have read it."))).await?;
    let text = format!("{}and that is all.", "A line of words. ".repeat(40_000));
    scene.server.send(&scene.session, &text).await?;
    scene.answered("I have read it.").await?;
    assert!(asked(&scene) == [text], "it was cut or left out");
    strict::check_all(&scene.lab)
}

#[tokio::test]
async fn a_long_turn_that_is_tried_again_knows_what_it_was_asked() -> Result {
    let steps = AtomicUsize::new(0);
    let model = Script::responder(move |_: &Value| match steps.fetch_add(1, Ordering::Relaxed) {
        step @ 0..10 => {
            let command = json!({"command": "head -c 49000 /dev/zero | tr '\\0' x"});
            call(&format!("call_{step}"), "terminal", command)
        }
        10 => response(400, "application/json", r#"{"error":{"message":"too much"}}"#),
        _ => say("Now it is done."),
    });
    let mut scene = Scene::set_up(|_| model).await?;
    scene.server.send(&scene.session, "Write it ten times.").await?;
    let failed = |m: &Mirror| {
        m.turns_of(&scene.session).first().filter(|turn| turn["state"] == "failed").map(|t| t["turnId"].clone())
    };
    let turn = scene.mirror.until("the failed turn", failed).await?;
    scene.server.call("retry_turn", json!({"turnId": turn})).await?;
    scene.answered("Now it is done.").await?;
    assert_eq!(asked(&scene).first().map(String::as_str), Some("Write it ten times."));
    strict::check_all(&scene.lab)
}
