//! The window's pages, where they were built, with headers that let them load nothing else.

use std::path::PathBuf;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::serve::Shared;

/// Nothing but our own files; sockets to this server; no inline script, no inline style.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; \
                   connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, CSP),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// Serves the built pages; 404 where there are none.
pub(crate) fn with_pages(router: Router<Shared>) -> Router<Shared> {
    let router = match dist() {
        Some(dist) => router.fallback_service(ServeDir::new(dist)),
        None => router.fallback(crate::rpc::unknown),
    };
    HEADERS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value)))
    })
}

/// Beside the installed executable, or in the checkout that is the working directory.
fn dist() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|dir| dir.join("ui")));
    let checkout = PathBuf::from("ui").join("dist");
    beside.into_iter().chain([checkout]).find(|dir| dir.join("index.html").is_file())
}
