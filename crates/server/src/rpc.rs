//! `POST /rpc/<command>`: commands for scripts.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatehouse_protocol::{ApiError, Caller, dispatch};
use serde::Deserialize;
use serde_json::json;

use crate::door::{has_token, refuse};
use crate::serve::Shared;

/// The largest request: a message of 1 MB, escaped.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// What may stand behind a command's name.
#[derive(Deserialize)]
pub(crate) struct Meant {
    /// The profile; the first one when absent.
    profile: Option<String>,
}

pub(crate) async fn call(
    State(shared): State<Shared>,
    Path(command): Path<String>,
    meant: Result<Query<Meant>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    // Before the body is read: a stranger makes nobody hold it.
    if !has_token(&headers, &shared.token) {
        return refuse(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "The token is missing or wrong. It stands in the server's ready line.",
        );
    }
    let body = match axum::body::to_bytes(body, MAX_BODY).await {
        Ok(body) => body,
        Err(_) => {
            return refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                "invalid_request",
                "The request is longer than 8 MB, or broke off.",
            );
        }
    };
    if !body.is_empty() && !is_json(&headers) {
        return refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "invalid_request",
            "Send JSON, with Content-Type: application/json.",
        );
    }
    let Ok(params) = std::str::from_utf8(&body) else {
        return error(&ApiError::invalid("The request is not UTF-8."));
    };
    let profile = match meant {
        Ok(Query(meant)) => meant.profile,
        Err(error) => return self::error(&ApiError::invalid(format!("The address does not fit: {error}."))),
    };
    match dispatch(&shared.house, profile.as_deref(), Caller::Script, &command, params).await {
        Ok(reply) => {
            ([(header::CONTENT_TYPE, "application/json")], String::from(Box::<str>::from(reply))).into_response()
        }
        Err(failed) => error(&failed),
    }
}

/// Unknown paths under `/rpc` and `/v1`.
pub(crate) async fn unknown() -> Response {
    refuse(StatusCode::NOT_FOUND, "not_found", "There is nothing at this address.")
}

/// `GET /health` needs no token.
pub(crate) async fn health(State(shared): State<Shared>) -> Response {
    match dispatch(&shared.house, None, Caller::Script, "get_health", "").await {
        Ok(reply) => {
            ([(header::CONTENT_TYPE, "application/json")], String::from(Box::<str>::from(reply))).into_response()
        }
        Err(failed) => error(&failed),
    }
}

pub(crate) fn error(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, axum::Json(json!({ "error": error }))).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|k| k.trim().eq_ignore_ascii_case("application/json"))
}
