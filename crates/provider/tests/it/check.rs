//! What the check of a provider finds out, and how it says so.

use std::time::Duration;

use gatehouse_domain::Secret;
use gatehouse_provider::scripted::{Scripted, say};
use gatehouse_provider::{CheckCode, CheckFailure, Checked, Endpoint, ModelInfo, Patience, check};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::site::{Came, Say, Site, json, list, page};
use crate::support::{KEY, nobody};

fn endpoint(base_url: &str, key: Option<&str>) -> Endpoint {
    let key = key.map(|key| Secret::new(key.to_owned()));
    Endpoint { name: "lab".to_owned(), base_url: base_url.to_owned(), key, patience: Patience::default() }
}

async fn checked(base_url: &str, model: Option<&str>) -> Result<Checked, CheckFailure> {
    let result = check(&endpoint(base_url, Some(KEY)), model).await;
    if let Err(failure) = &result {
        assert!(!format!("{failure:?}").contains(KEY), "{failure:?}");
        assert!(failure.message.contains("lab") && failure.message.ends_with('.'), "{failure}");
        assert!(failure.mend.ends_with('.'), "{failure}");
    }
    result
}

async fn failing(base_url: &str, model: Option<&str>) -> CheckFailure {
    checked(base_url, model).await.unwrap_err()
}

/// A server that lists nothing and answers a chat with `answer`.
async fn without_list(answer: fn() -> Say) -> Site {
    Site::start(move |came| match came.line.starts_with("POST ") {
        true => answer(),
        false => json(404, "{}"),
    })
    .await
}

#[tokio::test]
async fn a_server_that_works_tells_its_models() {
    let lab = Scripted::start(say("hi")).await.unwrap();
    let checked = checked(&lab.url(), Some("scripted")).await.unwrap();
    assert_eq!(checked.models, [ModelInfo { id: "scripted".to_owned(), context_tokens: None }]);
    assert!(checked.latency < Duration::from_secs(10));
    assert_eq!(lab.requests(), [], "a model in the list needs no word");
}

#[tokio::test]
async fn a_model_outside_the_list_is_asked_for_one_token() {
    let site = Site::start(|came| match came.line.as_str() {
        "POST /v1/chat/completions HTTP/1.1" => json(200, r#"{"choices":[{"message":{"content":"H"}}]}"#),
        _ => list(&["big"]),
    })
    .await;
    assert_eq!(checked(&format!("{}/v1", site.base()), Some("alias")).await.unwrap().models.len(), 1);
    let requests = site.requests();
    assert_eq!(requests.len(), 2);
    let sent: serde_json::Value = serde_json::from_str(&requests[1].body).unwrap();
    assert_eq!((&sent["model"], &sent["max_tokens"]), (&"alias".into(), &1.into()));
    assert_eq!(requests[1].authorization.as_deref(), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn a_server_without_a_list_can_still_be_used() {
    let streams = || Say::Body(200, "text/event-stream", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n".to_owned());
    let thinks = || json(400, r#"{"error":{"message":"Unsupported parameter: 'max_tokens'."}}"#);
    for answer in [streams, thinks] {
        let site = without_list(answer).await;
        assert_eq!(checked(&format!("{}/v1", site.base()), Some("m")).await.unwrap().models, []);
    }
}

#[tokio::test]
async fn a_missing_model_is_told_with_the_nearest_ones() {
    let site = Site::start(|came| match came.line.starts_with("POST ") {
        true => json(404, r#"{"error":{"message":"model \"qwen3-8\" not found"}}"#),
        false => list(&["llama3.2", "phi4", "gemma3", "Qwen3:8B", "mistral", "qwen3:4b", "command-r"]),
    })
    .await;
    let failure = failing(&format!("{}/v1", site.base()), Some("qwen3-8")).await;
    assert_eq!(failure.code, CheckCode::NoSuchModel);
    assert_eq!(failure.message, "lab has no model \"qwen3-8\" (HTTP 404): model \"qwen3-8\" not found.");
    assert_eq!(failure.mend, "Choose one that it lists: Qwen3:8B, qwen3:4b, llama3.2, phi4, gemma3.");

    let empty = Site::start(|came| match came.line.starts_with("POST ") {
        true => json(400, r#"{"error":"unknown model"}"#),
        false => json(200, r#"{"object":"list","data":null}"#),
    })
    .await;
    let failure = failing(&empty.base(), Some("m")).await;
    assert_eq!(failure.code, CheckCode::NoSuchModel);
    assert_eq!(failure.mend, "It lists no models. Load one there, then test again.");

    let silent = without_list(|| json(404, r#"{"error":"the model does not exist"}"#)).await;
    let failure = failing(&format!("{}/v1", silent.base()), Some("m")).await;
    assert_eq!((failure.code, failure.mend.as_str()), (CheckCode::NoSuchModel, "Check the name of the model."));
}

#[tokio::test]
async fn a_missing_version_in_the_address_is_mended_precisely() {
    for elsewhere in [|| json(404, r#"{"error":"not found"}"#), || page(200), || json(200, r#"{"ok":true}"#)] {
        let site = Site::start(move |came| match came.line.starts_with("GET /v1/models") {
            true => list(&["m"]),
            false => elsewhere(),
        })
        .await;
        for typed in ["", "/", "/api"] {
            let failure = failing(&format!("{}{typed}", site.base()), Some("m")).await;
            assert_eq!(failure.code, CheckCode::WrongPath, "{failure}");
            assert_eq!(failure.mend, format!("Change its address to {}/v1.", site.base()));
        }
        let failure = failing(&format!("{}?v=secret", site.base()), None).await;
        assert_eq!(failure.mend, "Change the path of its address to /v1.");
    }
}

#[tokio::test]
async fn a_version_that_wants_a_key_is_found_too() {
    let site = Site::start(|came| match came.line.contains(" /v1/models ") {
        true => json(401, r#"{"error":"key?"}"#),
        false => json(404, ""),
    })
    .await;
    let failure = check(&endpoint(&site.base(), None), None).await.unwrap_err();
    assert_eq!(
        (failure.code, failure.mend),
        (CheckCode::WrongPath, format!("Change its address to {}/v1.", site.base()))
    );
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_told() {
    let site = Site::start(|_| json(404, "")).await;
    let url = format!("{}/v1", site.base());
    let failure = failing(&url, None).await;
    assert_eq!(failure.code, CheckCode::WrongPath);
    assert_eq!(failure.message, format!("lab lists no models at 127.0.0.1:{}/v1/models (HTTP 404).", site.port));
    assert_eq!(failing(&url, Some("m")).await.code, CheckCode::WrongPath);
}

#[tokio::test]
async fn keys_are_wrong_or_missing() {
    let site = Site::start(|_| json(401, &format!(r#"{{"error":{{"message":"Incorrect API key: {KEY}"}}}}"#))).await;
    let failure = failing(&site.base(), None).await;
    assert_eq!(failure.code, CheckCode::WrongKey);
    assert_eq!(failure.message, "lab refused the key (HTTP 401): Incorrect API key: [key].");
    assert_eq!(failure.mend, "Check the key, then test again.");

    let failure = check(&endpoint(&site.base(), Some("  ")), None).await.unwrap_err();
    assert_eq!(failure.code, CheckCode::NoKey);
    assert!(failure.message.starts_with("lab asks for a key (HTTP 401)"), "{failure}");
    assert_eq!(site.requests().last().unwrap().authorization, None);

    let vague = Site::start(|_| json(400, r#"[{"error":{"message":"API key not valid."}}]"#)).await;
    assert_eq!(failing(&vague.base(), None).await.code, CheckCode::WrongKey);
    let failure = check(&endpoint(&vague.base(), Some("a\nb")), None).await.unwrap_err();
    assert_eq!(failure.code, CheckCode::WrongKey);
    assert_eq!(vague.requests().len(), 1, "a key that cannot travel is not sent");
}

#[tokio::test]
async fn a_page_is_no_model_server() {
    for status in [200, 403, 405] {
        let site = Site::start(move |_| page(status)).await;
        let failure = failing(&site.base(), Some("m")).await;
        let expect = format!("lab sent a web page instead of a list of models (HTTP {status}).");
        assert_eq!((failure.code, failure.message), (CheckCode::NotAnApi, expect));
    }
}

#[tokio::test]
async fn other_answers_have_their_codes() {
    type Case = (fn() -> Say, CheckCode, &'static str);
    let cases: [Case; 7] = [
        (|| Say::Body(200, "text/plain", "pong".to_owned()), CheckCode::NotAnApi, "sent text instead of a list"),
        (|| json(200, ""), CheckCode::NotAnApi, "sent nothing instead of a list"),
        (|| json(200, r#"{"error":"asleep"}"#), CheckCode::Malformed, "(HTTP 200): asleep."),
        (|| json(200, "{\"data\":["), CheckCode::Malformed, "something else than a list of models"),
        (|| json(429, "{}"), CheckCode::RateLimited, "come back later"),
        (|| json(500, r#"{"error":"out of memory"}"#), CheckCode::ServerError, "failed (HTTP 500): out of memory."),
        (
            || json(402, r#"{"error":"no balance"}"#),
            CheckCode::ServerError,
            "refused the request (HTTP 402): no balance.",
        ),
    ];
    for (answer, code, words) in cases {
        let site = Site::start(move |_| answer()).await;
        let failure = failing(&format!("{}/v1", site.base()), None).await;
        assert_eq!(failure.code, code, "{failure}");
        assert!(failure.message.contains(words), "{failure}");
    }
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let other = Site::start(|_| list(&["m"])).await;
    let to = format!("{}/v1/models?from=lab", other.base());
    let site = Site::start(move |_| Say::To(to.clone())).await;
    let failure = failing(&site.base(), None).await;
    assert_eq!(failure.code, CheckCode::WrongPath);
    assert_eq!(failure.mend, format!("If you trust it, change its address to {}/v1.", other.base()));
    assert_eq!(other.requests(), [], "the key was carried to a stranger");

    let site = Site::start(|_| Say::To("/login".to_owned())).await;
    let failure = failing(&site.base(), None).await;
    assert_eq!(failure.code, CheckCode::NotAnApi);
    assert!(failure.message.contains("sent you on to 127.0.0.1"), "{failure}");
}

#[tokio::test]
async fn an_endless_list_is_given_up() {
    let site = Site::start(|came| match came.line.contains(" /v1/models ") {
        true => Say::Endless,
        false => json(404, ""),
    })
    .await;
    let failure = failing(&format!("{}/v1", site.base()), None).await;
    assert_eq!(failure.code, CheckCode::Malformed);
    assert_eq!(failure.message, "lab sent more than any list of models has (HTTP 200).");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_waited_for_ten_seconds() {
    let site = Site::start(|_| Say::Nothing).await;
    let base = site.base();
    let waiting = tokio::spawn(async move { failing(&base, None).await });
    site.asked().await;
    // Nothing can come any more, so the clock may run ahead.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let failure = waiting.await.unwrap();
    assert_eq!(failure.code, CheckCode::TimedOut);
    assert!(failure.message.ends_with("gave no whole answer within 10\u{202f}s."), "{failure}");
    assert!(began.elapsed() < Duration::from_secs(11));
}

#[tokio::test]
async fn nobody_listens() {
    let (_held, address) = nobody();
    let failure = failing(&format!("http://{address}/v1"), None).await;
    assert_eq!(failure.code, CheckCode::Refused);
    assert_eq!(failure.message, format!("Could not reach lab at {address}: nothing listens there."));
    assert_eq!(failure.mend, "Start lab, or check the port in its address.");
}

#[tokio::test]
async fn what_is_no_address() {
    for typed in ["", "lab", "localhost:8080/v1", "file:///etc/passwd", "http://"] {
        assert_eq!(failing(typed, None).await.code, CheckCode::BadAddress, "{typed}");
    }
}

#[tokio::test]
async fn a_certificate_that_signed_itself_is_told() {
    let site = Site::secure(|_| list(&["m"])).await;
    let failure = failing(&format!("https://localhost:{}/v1", site.port), None).await;
    assert_eq!(failure.code, CheckCode::Tls);
    assert!(failure.message.contains("self-signed"), "{failure}");
    assert_eq!(site.requests(), [], "the key was shown to a stranger");
}

#[tokio::test]
async fn secure_and_plain_are_told_apart() {
    let site = Site::secure(|_| list(&["m"])).await;
    let failure = failing(&format!("http://127.0.0.1:{}/v1", site.port), None).await;
    assert_eq!(failure.code, CheckCode::Tls, "{failure}");
    assert_eq!(failure.mend, "Let its address begin with https://.");

    let site = Site::start(|_| list(&["m"])).await;
    let failure = failing(&format!("https://127.0.0.1:{}/v1", site.port), None).await;
    assert_eq!(failure.code, CheckCode::Tls, "{failure}");
    assert!(failure.message.ends_with("the connection was closed before it was secure."), "{failure}");
}

#[tokio::test]
async fn a_plain_answer_to_a_secure_greeting_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let answer = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let failure = failing(&url, None).await;
    answer.abort();
    assert_eq!(failure.code, CheckCode::Tls);
    assert!(failure.message.ends_with("what listens there does not speak TLS."), "{failure}");
}

#[tokio::test]
async fn a_server_that_hangs_up_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let hang_up = tokio::spawn(async move {
        loop {
            drop(listener.accept().await.unwrap());
        }
    });
    let failure = failing(&url, None).await;
    hang_up.abort();
    assert_eq!(failure.code, CheckCode::Malformed);
    assert!(failure.message.ends_with("gave no answer that makes sense: the connection was closed."), "{failure}");
}

#[tokio::test]
async fn nothing_is_asked_twice() {
    let site = Site::start(|_: &Came| json(503, "")).await;
    failing(&format!("{}/v1", site.base()), Some("m")).await;
    assert_eq!(site.paths(), ["/v1/models"]);
}
