//! Who may come in: only this run's token, only from this place.

use futures_util::{SinkExt as _, StreamExt as _};
use gatehouse_tests::{Result, Server, Setup, Window, http};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error as Socket, Message};

fn request(server: &Server, method: Method, path: &str) -> RequestBuilder {
    http().request(method, format!("{}{path}", server.url()))
}

fn call(server: &Server, command: &str) -> RequestBuilder {
    request(server, Method::POST, &format!("/rpc/{command}")).bearer_auth(server.token()).json(&json!({}))
}

async fn refused(request: RequestBuilder, status: u16, code: &str) -> Result {
    let response: Response = request.send().await?;
    assert_eq!(response.status().as_u16(), status);
    let body: Value = response.json().await?;
    assert_eq!(body["error"]["code"], json!(code), "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|words| !words.is_empty()), "{body}");
    Ok(())
}

#[tokio::test]
async fn commands_need_the_token() -> Result {
    let server = Setup::bare().start().await?;
    let bare = || request(&server, Method::POST, "/rpc/get_health").json(&json!({}));
    refused(bare(), 401, "unauthorized").await?;
    refused(bare().bearer_auth("0".repeat(64)), 401, "unauthorized").await?;
    refused(bare().bearer_auth(&server.token()[1..]), 401, "unauthorized").await?;
    refused(bare().header("authorization", server.token()), 401, "unauthorized").await?;
    refused(bare().header("cookie", format!("token={}", server.token())), 401, "unauthorized").await?;
    refused(request(&server, Method::POST, &format!("/rpc/get_health?token={}", server.token())), 401, "unauthorized")
        .await?;
    assert_eq!(call(&server, "get_health").send().await?.status(), 200);
    assert_eq!(request(&server, Method::GET, "/health").send().await?.status(), 200, "health needs none");
    Ok(())
}

#[tokio::test]
async fn every_address_checks_the_place() -> Result {
    let server = Setup::bare().start().await?;
    let (host, port) = (server.host().to_owned(), server.host().rsplit(':').next().unwrap_or_default().to_owned());
    let odd = [
        ("host", "evil.example".to_owned()),
        ("host", format!("evil.example:{port}")),
        ("host", "127.0.0.1:1".to_owned()),
        ("origin", "http://evil.example".to_owned()),
        ("origin", format!("https://{host}")),
        ("origin", "http://127.0.0.1:1".to_owned()),
        ("origin", "null".to_owned()),
    ];
    for (method, path) in [
        (Method::POST, "/rpc/get_health"),
        (Method::POST, "/rpc/unknown"),
        (Method::GET, "/health"),
        (Method::GET, "/"),
        (Method::GET, "/ws"),
        (Method::POST, "/v1/chat/completions"),
    ] {
        for (name, value) in &odd {
            let asked = request(&server, method.clone(), path).bearer_auth(server.token()).header(*name, value);
            refused(asked, 403, "forbidden").await.map_err(|error| format!("{path} {name} {value}: {error}"))?;
        }
    }
    for origin in [format!("http://{host}"), format!("http://localhost:{port}")] {
        assert_eq!(call(&server, "get_health").header("origin", origin).send().await?.status(), 200);
    }
    Ok(())
}

#[tokio::test]
async fn simple_cross_site_posts_are_refused() -> Result {
    let server = Setup::bare().start().await?;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let asked = request(&server, Method::POST, "/rpc/create_session").bearer_auth(server.token());
        refused(asked.header("content-type", kind).body("{}"), 415, "invalid_request").await?;
    }
    assert!(server.call("list_sessions", json!({})).await?["sessions"].as_array().is_some_and(Vec::is_empty));
    Ok(())
}

#[tokio::test]
async fn unknown_addresses_answer_in_json() -> Result {
    let server = Setup::bare().start().await?;
    refused(call(&server, "make_coffee"), 404, "unknown_command").await?;
    refused(call(&server, "get_health/more"), 404, "not_found").await?;
    refused(request(&server, Method::GET, "/rpc/get_health"), 404, "not_found").await?;
    refused(request(&server, Method::POST, "/v1/nothing"), 404, "not_found").await?;
    for path in ["/rpc", "/rpc/", "/v1", "/v1/"] {
        for method in [Method::GET, Method::POST] {
            let bare = request(&server, method.clone(), path);
            let asked = request(&server, method, path).bearer_auth(server.token());
            for asked in [bare, asked] {
                refused(asked, 404, "not_found").await.map_err(|error| format!("{path}: {error}"))?;
            }
        }
    }
    let broken = request(&server, Method::POST, "/rpc/get_health").bearer_auth(server.token());
    refused(broken.header("content-type", "application/json").body("{\"a\":"), 400, "invalid_request").await
}

#[tokio::test]
async fn a_stranger_s_body_is_not_waited_for() -> Result {
    let server = Setup::bare().start().await?;
    for token in ["", "authorization: Bearer 0000\r\n"] {
        let mut socket = tokio::net::TcpStream::connect(server.host()).await?;
        let head = format!(
            "POST /rpc/start_process HTTP/1.1\r\nhost: {}\r\n{token}content-type: application/json\r\n\
             content-length: 900000\r\n\r\n{{",
            server.host()
        );
        socket.write_all(head.as_bytes()).await?;
        // The rest of the body never comes.
        let mut answer = [0; 12];
        tokio::time::timeout(gatehouse_tests::LIMIT, socket.read_exact(&mut answer)).await??;
        assert_eq!(std::str::from_utf8(&answer)?, "HTTP/1.1 401");
    }
    Ok(())
}

#[tokio::test]
async fn a_socket_says_the_token_first() -> Result {
    let server = Setup::bare().start().await?;
    let address = format!("ws://{}/ws", server.host());
    for first in [
        json!({"token": "wrong"}).to_string(),
        json!({"id": 1, "command": "get_health", "params": {}}).to_string(),
        json!({"id": 1, "command": "get_health", "params": {"token": server.token()}}).to_string(),
        String::new(),
    ] {
        let (mut socket, _) = tokio_tungstenite::connect_async(&address).await?;
        socket.send(Message::text(first.clone())).await?;
        let next = tokio::time::timeout(gatehouse_tests::LIMIT, socket.next()).await?;
        assert!(matches!(next, None | Some(Ok(Message::Close(_)) | Err(_))), "{first}: {next:?}");
    }
    let mut asked = address.into_client_request()?;
    asked.headers_mut().insert("origin", "http://evil.example".parse()?);
    match tokio_tungstenite::connect_async(asked).await {
        Err(Socket::Http(response)) => assert_eq!(response.status(), 403),
        other => return Err(format!("a strange page got a socket: {other:?}").into()),
    }
    let window = Window::open(&server).await?;
    assert_eq!(window.call("get_health", json!({})).await?["protocol"], 1);
    assert_eq!(window.call("make_coffee", json!({})).await.unwrap_err().code, "unknown_command");
    Ok(())
}
