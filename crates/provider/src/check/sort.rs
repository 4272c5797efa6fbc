//! What an answer means: a list, a word, or a reason in words.

use reqwest::Url;
use reqwest::header::LOCATION;

use super::ask::{Probe, Reply};
use super::nearest::nearest;
use super::{CheckCode, CheckFailure, failure};
use crate::ModelInfo;
use crate::openai::{client, list, refusal};

/// How many models are named to somebody who named none of them.
const NAMED: usize = 5;
const USUAL_END: &str = "Check its address: it usually ends in /v1.";

/// The models in `reply`.
pub(super) fn list(probe: &Probe, reply: &Reply) -> Result<Vec<ModelInfo>, CheckFailure> {
    if !reply.is_success() {
        return Err(refused(probe, reply));
    }
    match list::read(&reply.body) {
        Some(entries) if reply.whole => Ok(entries.into_iter().map(|entry| entry.model).collect()),
        _ => Err(strange(probe, reply, "a list of models")),
    }
}

/// Whether a model server answered, if only that it wants a key.
pub(super) fn is_model_server(reply: &Reply) -> bool {
    match reply.status {
        200..=299 => list::read(&reply.body).is_some(),
        401 | 403 => refusal::words(&text(reply)).is_some() && !reply.is_page(),
        _ => false,
    }
}

/// Whether `reply` says that `model` answers; `known` is what the server lists, if it lists anything.
pub(super) fn word(probe: &Probe, reply: &Reply, model: &str, known: Option<&[ModelInfo]>) -> Result<(), CheckFailure> {
    let body = text(reply);
    let said = refusal::words(&body).unwrap_or_default().to_lowercase();
    match reply.status {
        200..=299 if is_answer(&body) => Ok(()),
        // Models that think refuse so short an answer or this name of the limit. They are there, and know us.
        400 if said.contains("max_tokens") || said.contains("max_completion_tokens") => Ok(()),
        404 if known.is_some() || said.contains("model") => Err(no_such_model(probe, reply, model, known)),
        400 | 422 if is_about_a_stranger(&said) => Err(no_such_model(probe, reply, model, known)),
        200..=299 => Err(strange(probe, reply, "an answer")),
        _ => Err(refused(probe, reply)),
    }
}

/// The list is not at the address, but at `place`.
pub(super) fn wrong_path(probe: &Probe, status: u16, place: &Url) -> CheckFailure {
    let message = format!("{} lists no models at {} (HTTP {status}), but next to it.", probe.voice.name, here(probe));
    // What carries a password or a query is not shown.
    let shown = place.username().is_empty() && place.password().is_none() && place.query().is_none();
    let mend = match shown {
        true => format!("Change its address to {place}."),
        false => format!("Change the path of its address to {}.", place.path()),
    };
    failure(CheckCode::WrongPath, message, mend)
}

fn is_answer(body: &str) -> bool {
    let streams = body.lines().any(|line| line.starts_with("data:"));
    let value = serde_json::from_str::<serde_json::Value>(body).unwrap_or_default();
    streams || value.get("choices").is_some_and(serde_json::Value::is_array)
}

/// Whether a refusal in small letters is about a model that the server does not know.
fn is_about_a_stranger(said: &str) -> bool {
    let unknown = ["not found", "not exist", "no such", "unknown", "invalid model", "not a valid", "not supported"];
    said.contains("model") && unknown.iter().any(|words| said.contains(words))
}

fn no_such_model(probe: &Probe, reply: &Reply, model: &str, known: Option<&[ModelInfo]>) -> CheckFailure {
    let voice = &probe.voice;
    let (name, model) = (&voice.name, voice.own(model));
    let said = voice.said(refusal::words(&text(reply)).as_deref());
    let message = format!("{name} has no model \"{model}\" (HTTP {}){said}.", reply.status);
    let mend = match known {
        None => "Check the name of the model.".to_owned(),
        Some([]) => "It lists no models. Load one there, then test again.".to_owned(),
        Some(known) => {
            let ids = nearest(&model, known.iter().map(|known| known.id.as_str()), NAMED);
            let ids: Vec<_> = ids.into_iter().map(|id| voice.own(id)).collect();
            format!("Choose one that it lists: {}.", ids.join(", "))
        }
    };
    failure(CheckCode::NoSuchModel, message, mend)
}

/// A success that is not `wanted`.
fn strange(probe: &Probe, reply: &Reply, wanted: &str) -> CheckFailure {
    let (name, status) = (&probe.voice.name, reply.status);
    let body = text(reply);
    let start = body.trim_start();
    let not_an_api = |what: &str| {
        let message = format!("{name} sent {what} instead of {wanted} (HTTP {status}).");
        failure(CheckCode::NotAnApi, message, USUAL_END)
    };
    if reply.is_page() {
        return not_an_api("a web page");
    }
    if !reply.whole {
        let message = format!("{name} sent more than any {} has (HTTP {status}).", wanted.trim_start_matches("a "));
        return failure(CheckCode::Malformed, message, USUAL_END);
    }
    if start.is_empty() {
        return not_an_api("nothing");
    }
    if !start.starts_with(['{', '[']) {
        return not_an_api("text");
    }
    let said = probe.voice.said(refusal::words(&body).as_deref());
    let message = format!("{name} sent something else than {wanted} (HTTP {status}){said}.");
    failure(CheckCode::Malformed, message, USUAL_END)
}

/// Any answer that is no success.
fn refused(probe: &Probe, reply: &Reply) -> CheckFailure {
    let (voice, status) = (&probe.voice, reply.status);
    let name = &voice.name;
    let words = refusal::words(&text(reply));
    let said = voice.said(words.as_deref());
    // Some vendors have one status for everything.
    let about_key = words.is_some_and(|words| words.to_lowercase().contains("api key"));
    match status {
        300..=399 => moved(probe, reply),
        403 | 405 if reply.is_page() => {
            let message = format!("{name} sent a web page instead of a list of models (HTTP {status}).");
            failure(CheckCode::NotAnApi, message, USUAL_END)
        }
        401 | 403 => unauthorized(probe, status, &said),
        400 if about_key => unauthorized(probe, status, &said),
        404 | 405 => {
            let message = format!("{name} lists no models at {} (HTTP {status}){said}.", here(probe));
            failure(
                CheckCode::WrongPath,
                message,
                format!("{USUAL_END} If it has no list, name a model and test that."),
            )
        }
        429 => {
            let when = refusal::retry_after(&reply.headers)
                .map_or_else(|| "in a while".to_owned(), |wait| format!("in {}\u{202f}s", wait.as_secs_f64().ceil()));
            let message = format!("{name} asks to come back later (HTTP 429){said}.");
            failure(CheckCode::RateLimited, message, format!("Test again {when}."))
        }
        408 | 500.. => {
            let message = format!("{name} failed (HTTP {status}){said}.");
            failure(
                CheckCode::ServerError,
                message,
                "Its server, or a proxy before it, is in trouble. Test again later.",
            )
        }
        _ => {
            let message = format!("{name} refused the request (HTTP {status}){said}.");
            failure(CheckCode::ServerError, message, "Check its address and your account there.")
        }
    }
}

fn unauthorized(probe: &Probe, status: u16, said: &str) -> CheckFailure {
    let name = &probe.voice.name;
    match probe.voice.key {
        None => {
            let message = format!("{name} asks for a key (HTTP {status}){said}.");
            failure(CheckCode::NoKey, message, "Add its key, then test again.")
        }
        Some(_) => {
            let message = format!("{name} refused the key (HTTP {status}){said}.");
            failure(CheckCode::WrongKey, message, "Check the key, then test again.")
        }
    }
}

/// Nothing is followed: a redirect may carry the key to a stranger.
fn moved(probe: &Probe, reply: &Reply) -> CheckFailure {
    let (name, status) = (&probe.voice.name, reply.status);
    let to = reply.headers.get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| probe.base.join(to).ok());
    match to.as_ref().and_then(|to| to.as_str().split(['?', '#']).next()?.strip_suffix("/models")) {
        Some(place) => {
            let message = format!("{name} has moved (HTTP {status}).");
            let mend = format!("If you trust it, change its address to {}.", probe.voice.own(place));
            failure(CheckCode::WrongPath, message, mend)
        }
        None => {
            let there = to.map(|to| format!(" to {}", probe.voice.own(&client::place(&to)))).unwrap_or_default();
            let message = format!("{name} sent you on{there} instead of a list of models (HTTP {status}).");
            failure(CheckCode::NotAnApi, message, USUAL_END)
        }
    }
}

/// Where the list was looked for, without what may be secret.
fn here(probe: &Probe) -> String {
    format!("{}{}", client::place(&probe.base), client::under(&probe.base, &["models"]).path())
}

fn text(reply: &Reply) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&reply.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_unknown_models_are_told_from_others() {
        for said in
            ["the model `x` does not exist", "model 'x' not found", "unknown model: x", "x is not a valid model id"]
        {
            assert!(is_about_a_stranger(said), "{said}");
        }
        for said in ["messages: field required", "model is busy", "no such user", ""] {
            assert!(!is_about_a_stranger(said), "{said}");
        }
    }

    #[test]
    fn answers_stream_or_do_not() {
        assert!(is_answer(r#"{"choices":[]}"#));
        assert!(is_answer(": hello\n\ndata: {}\n\n"));
        for body in ["", "{}", r#"{"error":"no"}"#, r#"{"choices":1}"#, "<p>"] {
            assert!(!is_answer(body), "{body}");
        }
    }
}
