//! What goes wrong, and how it is told.

use std::time::Duration;

use gatehouse_domain::FailureCode;
use gatehouse_provider::scripted::{End, Scripted, deltas, response, say};
use gatehouse_provider::{Failure, Patience};
use tokio::net::TcpListener;

use crate::support::{KEY, ask, ask_with, client, client_with, nobody, question, texts};

async fn failing(lab: &Scripted) -> Failure {
    let (events, end) = ask(lab, "hi").await;
    assert_eq!(events, []);
    end.unwrap_err()
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let lab = Scripted::start(response(200, "text/html", "<!doctype html><p>Welcome")).await.unwrap();
    let failure = failing(&lab).await;
    assert_eq!(failure.code, FailureCode::NotAStream);
    assert_eq!(failure.message, "lab sent a web page instead of an answer (HTTP 200). Check its address in Settings.");
}

#[tokio::test]
async fn a_wrong_key_is_told_once_and_never_printed() {
    let body = format!(r#"{{"error":{{"message":"Incorrect API key: {KEY}"}}}}"#);
    let lab = Scripted::start(response(401, "application/json", body)).await.unwrap();
    let failure = failing(&lab).await;
    assert_eq!(failure.code, FailureCode::Unauthorized);
    assert_eq!(failure.message, "lab refused the key (HTTP 401): Incorrect API key: [key]. Check the key in Settings.");
    assert_eq!(lab.requests().len(), 1);
    assert_eq!(lab.requests()[0].authorization.as_deref(), Some(format!("Bearer {KEY}").as_str()));
    assert!(!format!("{:?}", client(&lab.url())).contains(KEY));
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_and_its_wish_is_passed_on() {
    let busy = || response(429, "application/json", "{}").header("retry-after", "0");
    let lab = Scripted::start([busy(), busy(), say("hello")]).await.unwrap();
    assert_eq!(texts(&ask(&lab, "hi").await.0), "hello");
    assert_eq!(lab.requests().len(), 3);

    let lab = Scripted::start(response(429, "application/json", "{}").header("retry-after", "60")).await.unwrap();
    let failure = failing(&lab).await;
    assert_eq!((failure.code, failure.retry_after), (FailureCode::RateLimited, Some(Duration::from_secs(60))));
    assert_eq!(lab.requests().len(), 1);
}

#[tokio::test]
async fn a_proxy_page_with_a_server_error_is_trouble_of_the_provider() {
    let down = || response(502, "text/html", "<html>Bad Gateway").header("retry-after", "0");
    let lab = Scripted::start([down(), down(), down()]).await.unwrap();
    let failure = failing(&lab).await;
    assert_eq!(failure.code, FailureCode::ProviderError);
    assert!(failure.message.starts_with("lab sent a web page instead of an answer (HTTP 502)."), "{failure}");
    assert_eq!(lab.requests().len(), 3);
}

#[tokio::test]
async fn an_answer_that_has_begun_is_never_asked_for_again() {
    let lab = Scripted::start([say("half an").ending(End::Abort), say("twice")]).await.unwrap();
    let (events, end) = ask(&lab, "hi").await;
    assert_eq!((texts(&events).as_str(), end.unwrap_err().code), ("half an", FailureCode::CutOff));
    assert_eq!(lab.requests().len(), 1);
}

#[tokio::test]
async fn nobody_listens() {
    let (_held, address) = nobody();
    let (_, end) = ask_with(&client(&format!("http://{address}/v1")), question("hi")).await;
    let failure = end.unwrap_err();
    assert_eq!(failure.code, FailureCode::Unreachable);
    let expect = format!(
        "Could not reach lab at {address}: nothing listens there. Check that it runs and its address in Settings."
    );
    assert_eq!(failure.message, expect);
}

#[tokio::test]
async fn a_provider_that_hangs_up_is_called_three_times() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let hang_up = async {
        for _ in 0..3 {
            drop(listener.accept().await.unwrap());
        }
    };
    let client = client(&url);
    let (_, (_, end)) = tokio::join!(hang_up, ask_with(&client, question("hi")));
    let failure = end.unwrap_err();
    assert_eq!(failure.code, FailureCode::Unreachable);
    assert!(failure.message.contains("the connection was closed"), "{failure}");
}

#[tokio::test]
async fn a_broken_answer_says_so_in_plain_words() {
    let lab = Scripted::start(say("half").ending(End::Abort)).await.unwrap();
    let expect = "The answer of lab broke off before it was finished: the connection was closed. \
                  Nothing it asked for was run. Try again.";
    assert_eq!(ask(&lab, "hi").await.1.unwrap_err().message, expect);
}

#[tokio::test]
async fn tls_to_a_plain_port_is_told_in_words() {
    let lab = Scripted::start(say("hi")).await.unwrap();
    let url = lab.url().replace("http://", "https://");
    let failure = ask_with(&client(&url), question("hi")).await.1.unwrap_err();
    assert_eq!(failure.code, FailureCode::Unreachable);
    assert!(failure.message.starts_with("Could not reach lab at 127.0.0.1:"), "{failure}");
}

#[tokio::test]
async fn silence_ends_an_answer() {
    let patience = Patience { idle: Duration::from_millis(500), first: Duration::from_secs(5), ..Patience::default() };
    let lab = Scripted::start(deltas(["half"]).ending(End::Hang)).await.unwrap();
    let (events, end) = ask_with(&client_with(&lab.url(), patience), question("hi")).await;
    assert_eq!((texts(&events).as_str(), end.unwrap_err().code), ("half", FailureCode::CutOff));

    let patience = Patience { first: Duration::from_secs(2), ..patience };
    let lab = Scripted::start(say("late").after(Duration::from_secs(60))).await.unwrap();
    let (_, end) = ask_with(&client_with(&lab.url(), patience), question("hi")).await;
    assert_eq!(end.unwrap_err().code, FailureCode::CutOff);
    assert_eq!(lab.requests().len(), 1);
}
