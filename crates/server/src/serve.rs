//! From arguments to a running server, and back down.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use axum::routing::{any, get, post};
use clap::Parser as _;
use gatehouse_gateway::Gateway;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::Args;
use crate::door::{self, Token};
use crate::{pages, rpc, window};

/// Requests get so long to end when the server goes down.
const DRAIN: Duration = Duration::from_secs(20);

/// What every request sees.
#[derive(Clone)]
pub(crate) struct Shared {
    pub gateway: Gateway,
    pub token: Token,
    pub port: u16,
    pub closing: CancellationToken,
}

/// The program: runs until SIGTERM or SIGINT, then exits 0; exits 1 with the reason when it cannot start.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(args)),
        Err(error) => Err(format!("The runtime cannot start: {error}")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            // Logging may not have begun, and a person waits at the terminal.
            let _unwritten = writeln!(std::io::stderr(), "gatehouse-server: {words}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), String> {
    let words = |error: gatehouse_host::Error| error.to_string();
    let home = gatehouse_host::home(args.home.clone()).map_err(words)?;
    let _log = gatehouse_host::begin_log(&home, "server").map_err(words)?;
    gatehouse_host::leave_crash_files(&home);
    let (profile, port) = (args.profile.clone(), args.port);
    if let Some(name) = &args.restore_backup {
        let dir = home.join("profiles").join(&profile);
        gatehouse_gateway::order_restore(&dir, name).map_err(|error| error.to_string())?;
    }
    let last_word = Arc::new(move |config: &mut _| args.apply(config));
    let gateway = gatehouse_host::start(&home, &profile, last_word).await.map_err(words)?;
    serve(&gateway, port).await
}

async fn serve(gateway: &Gateway, port: u16) -> Result<(), String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let cannot = |error: std::io::Error| format!("Cannot listen on {address}: {error}. Choose another --port.");
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let token = Token::fresh().map_err(|error| format!("No random token: {error}"))?;
    let closing = CancellationToken::new();
    let shared = Shared { gateway: gateway.clone(), token, port, closing: closing.clone() };
    // Heard from before anybody is told that we are here.
    let asked = end_signal().map_err(|error| format!("Signals cannot be received: {error}"))?;
    announce(port, &shared.token).map_err(|error| format!("The ready line cannot be written: {error}"))?;
    let down = closing.clone();
    let server = axum::serve(listener, router(shared)).with_graceful_shutdown(async move {
        asked.await;
        tracing::info!("Going down.");
        down.cancel();
    });
    let server = tokio::spawn(server.into_future());
    closing.cancelled().await;
    gateway.shutdown().await;
    match tokio::time::timeout(DRAIN, server).await {
        Ok(Ok(ended)) => ended.map_err(|error| format!("The server failed: {error}")),
        Ok(Err(error)) => Err(format!("The server failed: {error}")),
        Err(_) => {
            tracing::warn!("Some requests did not end in time.");
            Ok(())
        }
    }
}

fn router(shared: Shared) -> Router {
    let router = Router::new()
        .route("/rpc/{command}", post(rpc::call).fallback(rpc::unknown))
        .route("/rpc/{command}/{*rest}", any(rpc::unknown))
        .route("/v1/{*rest}", any(rpc::unknown));
    let router =
        ["/rpc", "/rpc/", "/v1", "/v1/"].into_iter().fold(router, |router, path| router.route(path, any(rpc::unknown)));
    let router = router.route("/ws", get(window::open)).route("/health", get(rpc::health));
    pages::with_pages(router)
        .layer(middleware::from_fn_with_state(shared.clone(), door::check_place))
        .with_state(shared)
}

/// The one line on stdout.
fn announce(port: u16, token: &Token) -> std::io::Result<()> {
    let line = json!({ "ready": true, "url": format!("http://127.0.0.1:{port}"), "token": token.expose() });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn end_signal() -> std::io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
