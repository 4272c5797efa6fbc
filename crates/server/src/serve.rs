//! From arguments to a running server, and back down.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use axum::routing::{any, get, post};
use clap::Parser as _;
use gatehouse_domain::ProfileName;
use gatehouse_gateway::LastWord;
use gatehouse_host::House;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::again::{self, Handover};
use crate::args::Args;
use crate::door::{self, Token};
use crate::{pages, rpc, window};

/// Requests get so long to end when the server goes down.
const DRAIN: Duration = Duration::from_secs(20);
/// And what still runs after everything went down gets so long.
const LOOSE_ENDS: Duration = Duration::from_secs(5);

/// What every request sees.
#[derive(Clone)]
pub(crate) struct Shared {
    pub house: House,
    pub token: Token,
    pub port: u16,
    pub closing: CancellationToken,
}

/// The program: runs until SIGTERM or SIGINT, then exits 0; exits 1 with the reason when it cannot start.
pub fn main() -> ExitCode {
    if gatehouse_fault::list_if_asked() {
        return ExitCode::SUCCESS;
    }
    // Asked now: after an update the name still leads to a program.
    let program = std::env::current_exe();
    let handover = again::take();
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ended = match (runtime, handover) {
        (Ok(runtime), Ok(handover)) => {
            let ended = runtime.block_on(run(args, handover));
            runtime.shutdown_timeout(LOOSE_ENDS);
            ended
        }
        (Err(error), _) => Err(format!("The runtime cannot start: {error}")),
        (_, Err(error)) => Err(format!("What was handed over cannot be read: {error}")),
    };
    let ended = ended.and_then(|end| match end {
        End::Down => Ok(()),
        End::Again(handover) => {
            let error = program.map(|program| again::begin(&program, &handover)).unwrap_or_else(|error| error);
            Err(format!("It cannot be started again: {error}"))
        }
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            // Logging may not have begun, and a person waits at the terminal.
            let _unwritten = writeln!(std::io::stderr(), "gatehouse-server: {words}");
            ExitCode::FAILURE
        }
    }
}

/// How a run ends.
enum End {
    /// The program ends.
    Down,
    /// It starts itself again.
    Again(Handover),
}

async fn run(args: Args, handover: Option<Handover>) -> Result<End, String> {
    let words = |error: gatehouse_host::Error| error.to_string();
    let home = gatehouse_host::home(args.home.clone()).map_err(words)?;
    let _log = gatehouse_host::begin_log(&home, "server").map_err(words)?;
    gatehouse_host::leave_crash_files(&home);
    let (profiles, port) = (args.profiles.clone(), args.port);
    // The arguments are those of the first start; what they order was done by it.
    let mut ordered = None;
    if let Some(name) = args.restore_backup.as_ref().filter(|_| handover.is_none()) {
        let first = profiles.first().cloned().unwrap_or_default();
        let dir = home.join("profiles").join(first.as_str());
        gatehouse_gateway::order_restore(&dir, name).map_err(|error| error.to_string())?;
        ordered = Some(dir);
    }
    let last_word = Arc::new(move |config: &mut _| args.apply(config));
    match open(home, profiles, last_word).await {
        Ok(house) => serve(&house, port, handover).await,
        Err(words) => {
            // Whoever reads why nothing was started does not expect a later start to restore anything.
            let withdrawn = ordered.map_or(Ok(()), |dir| gatehouse_gateway::withdraw_restore(&dir));
            Err(withdrawn.err().map_or_else(|| words.clone(), |error| format!("{words}\n{error}")))
        }
    }
}

async fn open(home: PathBuf, profiles: Vec<ProfileName>, last_word: LastWord) -> Result<House, String> {
    let house = House::open(home, profiles, last_word).await.map_err(|error| error.to_string())?;
    // As long as one of them can be opened there is something to serve; the log says which cannot.
    let cannot = |refused: Vec<Arc<gatehouse_host::Error>>| {
        refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    house.opened().await.map_err(cannot)?;
    Ok(house)
}

async fn serve(house: &House, port: u16, handover: Option<Handover>) -> Result<End, String> {
    let is_first = handover.is_none();
    let Handover { token, listener } = match handover {
        Some(handover) => handover,
        None => first(port).await?,
    };
    let cannot = |error: std::io::Error| format!("Cannot listen: {error}.");
    let kept = listener.try_clone().map_err(cannot)?;
    let listener = TcpListener::from_std(listener).map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let closing = CancellationToken::new();
    let shared = Shared { house: house.clone(), token: token.clone(), port, closing: closing.clone() };
    // Heard from before anybody is told that we are here.
    let asked = end_signal().map_err(|error| format!("Signals cannot be received: {error}"))?;
    if is_first {
        announce(port, &token).map_err(|error| format!("The ready line cannot be written: {error}"))?;
    } else {
        tokio::spawn(again::take_leave_of_children());
    }
    let server = axum::serve(listener, router(shared)).with_graceful_shutdown(closing.clone().cancelled_owned());
    let server = tokio::spawn(server.into_future());
    let again = until_end(house, asked).await;
    tracing::info!("Going down.");
    closing.cancel();
    // A restart leaves every job running.
    house.shutdown(again.then_some(false)).await;
    match tokio::time::timeout(DRAIN, server).await {
        Ok(Ok(ended)) => ended.map_err(|error| format!("The server failed: {error}"))?,
        Ok(Err(error)) => return Err(format!("The server failed: {error}")),
        Err(_) => tracing::warn!("Some requests did not end in time."),
    }
    Ok(if again { End::Again(Handover { token, listener: kept }) } else { End::Down })
}

/// A port and a token of our own.
async fn first(port: u16) -> Result<Handover, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let cannot = |error: std::io::Error| format!("Cannot listen on {address}: {error}. Choose another --port.");
    let listener = TcpListener::bind(address).await.and_then(TcpListener::into_std).map_err(cannot)?;
    let token = Token::fresh().map_err(|error| format!("No random token: {error}"))?;
    Ok(Handover { token, listener })
}

/// Serves until somebody ends it; whether it starts again. While turns have their time before a restart, everybody is
/// still heard: who writes, who looks, and who will not wait.
async fn until_end(house: &House, asked: impl Future<Output = Asked>) -> bool {
    let asked = tokio::select! {
        asked = asked => asked,
        () = house.until_restart() => return true,
    };
    if asked == Asked::Terminate && is_kept_running() {
        house.ended_by_keeper().await;
    }
    false
}

/// Somebody starts this program and ends it, as systemd does.
fn is_kept_running() -> bool {
    ["INVOCATION_ID", "NOTIFY_SOCKET"].into_iter().any(|name| std::env::var_os(name).is_some())
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

/// What asked for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Terminate,
    Interrupt,
}

fn end_signal() -> std::io::Result<impl Future<Output = Asked>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => Asked::Terminate,
            _ = interrupt.recv() => Asked::Interrupt,
        }
    })
}
