//! The desktop app's window, driven from outside by the web view's own driver.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Doing, Error, Result};
use crate::house::Home;
use crate::process_table;
use crate::program::{self, Running};
use crate::rpc::{http_client, text};
use crate::screen::Screen;

/// The driver listens within this time, or never.
const PATIENCE: Duration = Duration::from_secs(30);
/// No event tells when it does.
const LOOK: Duration = Duration::from_millis(20);
/// Calls back once something that fits is in the page.
const SEEN: &str = "const [selector, done] = arguments;
    const look = () => document.querySelector(selector) === null ? requestAnimationFrame(look) : done(true);
    look();";
/// Presses what fits, and calls back.
const CLICK: &str = "const [selector, done] = arguments;
    document.querySelector(selector).click();
    done(null);";
/// Sends a command as the page does, and gives its reply.
const INVOKE: &str = "const [command, params, done] = arguments;
    window.__TAURI_INTERNALS__.invoke(command, { params }).then(done, (reason) => done({ refused: JSON.stringify(reason) }));";

/// A window that is open.
#[derive(Debug)]
pub(crate) struct Driven {
    http: Client,
    /// The address of its driver's session.
    url: String,
    driver: Running,
}

impl Driven {
    /// Opens the app that was built for people, on this screen.
    pub async fn open(screen: &Screen, home: &Home) -> Result<Self> {
        let port =
            TcpListener::bind(("127.0.0.1", 0)).and_then(|door| door.local_addr()).doing("finding a port")?.port();
        let mut command = program::command("WebKitWebDriver");
        screen.show(&mut command);
        command.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
        command.env("GATEHOUSE_HOME", home.path()).env("HOME", home.path()).env("XDG_DATA_HOME", home.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = program::start(&mut command)?;
        let began = clock::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if clock::since(began) > PATIENCE {
                return Err(Error::TookTooLong("the driver of the web view".to_owned()));
            }
            tokio::time::sleep(LOOK).await;
        }
        let mut window = Self { http: http_client()?, url: format!("http://127.0.0.1:{port}/session"), driver };
        let browser = json!({ "binary": program::release("gatehouse")?, "args": [] });
        let wanted = json!({ "browserName": "wry", "webkitgtk:browserOptions": browser });
        let session = window.ask(Method::POST, "", &json!({ "capabilities": { "alwaysMatch": wanted } })).await?;
        window.url = format!("{}/{}", window.url, text(&session, "sessionId")?);
        Ok(window)
    }

    /// Runs a script that calls back, and gives what it says.
    pub async fn script<T: DeserializeOwned>(&self, script: &str, arguments: Value) -> Result<T> {
        let params = json!({ "script": script, "args": arguments });
        let value = self.ask(Method::POST, "/execute/async", &params).await?;
        serde_json::from_value(value).doing("reading what a script says")
    }

    /// Sends a command through the window.
    pub async fn call(&self, command: &str, params: &Value) -> Result<Value> {
        let reply: Value = self.script(INVOKE, json!([command, params])).await?;
        match reply["refused"].as_str() {
            Some(words) => Err(Error::Refused { command: command.to_owned(), words: words.to_owned() }),
            None => Ok(reply),
        }
    }

    /// Waits until something that fits is in the page.
    pub async fn seen(&self, selector: &str) -> Result<()> {
        self.script::<bool>(SEEN, json!([selector])).await.map(drop)
    }

    /// Presses it, once it is there.
    pub async fn click(&self, selector: &str) -> Result<()> {
        self.seen(selector).await?;
        self.script::<Value>(CLICK, json!([selector])).await.map(drop)
    }

    /// Closes it, and ends the app as the end of a person's session would.
    pub async fn close(self) -> Result<()> {
        let family = process_table::tree(self.driver.pid());
        self.ask(Method::DELETE, "", &Value::Null).await?;
        for pid in family.into_iter().filter(|pid| process_table::is_named(*pid, "gatehouse")) {
            if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
                // It may have ended with its window.
                let _ended = kill_process(pid, Signal::TERM);
            }
        }
        Ok(())
    }

    async fn ask(&self, method: Method, path: &str, params: &Value) -> Result<Value> {
        let mut request = self.http.request(method, format!("{}{path}", self.url));
        if !params.is_null() {
            request = request.json(params);
        }
        let reply: Value = request.send().await.doing("asking the driver")?.json().await.doing("asking the driver")?;
        match reply["value"]["error"].as_str() {
            Some(_) => Err(Error::Refused { command: path.to_owned(), words: reply["value"].to_string() }),
            None => Ok(reply["value"].clone()),
        }
    }
}
