//! What a provider says when it does not answer: status codes, headers and the many shapes of error bodies.

use std::time::Duration;

use gatehouse_domain::FailureCode;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use crate::Failure;
use crate::failure::Voice;

/// An error inside a stream, or in place of an answer.
pub(super) fn told(voice: &Voice, data: &str) -> Failure {
    voice.told(words(data).as_deref(), number(data))
}

/// A response whose status is no success.
pub(super) fn refused(voice: &Voice, model: Option<&str>, status: u16, headers: &HeaderMap, body: &str) -> Failure {
    let name = &voice.name;
    let said = voice.said(words(body).as_deref());
    let page = body.trim_start().starts_with('<');
    let (code, message) = match (status, page) {
        (300..=399, _) => {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok());
            let message =
                format!("{name} has moved (HTTP {status}){}. Put the new address into Settings.", voice.said(to));
            (FailureCode::Refused, message)
        }
        (401 | 403, _) if voice.key.is_none() => {
            (FailureCode::Unauthorized, format!("{name} asks for a key (HTTP {status}){said}. Add one in Settings."))
        }
        (401 | 403, _) => {
            let message = format!("{name} refused the key (HTTP {status}){said}. Check the key in Settings.");
            (FailureCode::Unauthorized, message)
        }
        (404, _) => {
            let what = model
                .map_or_else(|| "this address".to_owned(), |model| format!("the model \"{model}\" or this address"));
            let message = format!("{name} does not know {what} (HTTP 404){said}. Check both in Settings.");
            (FailureCode::Refused, message)
        }
        (429, _) => {
            let when = retry_after(headers)
                .map_or_else(|| "a while".to_owned(), |wait| format!("{} s", wait.as_secs_f64().ceil()));
            let message = format!("{name} asks to come back later (HTTP 429){said}. Try again in {when}.");
            (FailureCode::RateLimited, message)
        }
        (408 | 500.., true) => {
            let message = format!(
                "{name} sent a web page instead of an answer (HTTP {status}). Its server, or a proxy before it, is in \
                 trouble. Try again later or check its address in Settings."
            );
            (FailureCode::ProviderError, message)
        }
        (408 | 500.., false) => {
            (FailureCode::ProviderError, format!("{name} failed (HTTP {status}){said}. Try again later."))
        }
        (_, true) => return voice.not_a_stream("a web page", status),
        (_, false) => {
            let message = format!("{name} refused the request (HTTP {status}){said}. Change the request or the model.");
            (FailureCode::Refused, message)
        }
    };
    Failure { retry_after: retry_after(headers), ..voice.failure(code, message) }
}

/// The explanation in an error body, in any of the shapes in use; plain text is taken as it is.
pub(crate) fn words(body: &str) -> Option<String> {
    let body = body.trim();
    match serde_json::from_str::<Value>(body) {
        Ok(value) => find(&value).filter(|words| !words.trim().is_empty()),
        Err(_) if body.is_empty() || body.starts_with(['<', '{', '[']) => None,
        Err(_) => Some(body.to_owned()),
    }
}

fn find(value: &Value) -> Option<String> {
    match value {
        Value::String(words) => Some(words.clone()),
        Value::Array(list) => list.iter().find_map(find),
        Value::Object(map) => {
            ["error", "message", "detail", "msg", "errors"].iter().find_map(|key| map.get(*key).and_then(find))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The provider's own code, where it is a number or a word for one.
fn number(data: &str) -> Option<u16> {
    let value: Value = serde_json::from_str(data).ok()?;
    let error = value.get("error").unwrap_or(&value);
    ["code", "status", "type"].iter().filter_map(|key| error.get(key)).find_map(|code| match code {
        Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        Value::String(word) => match word.as_str() {
            "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" => Some(429),
            "invalid_api_key" | "authentication_error" | "permission_error" => Some(401),
            word => word.parse().ok(),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

/// How long the provider asks to wait. Given as a date, it counts from the provider's own clock.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text(RETRY_AFTER.as_str())?;
    match value.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let wait = unix_seconds(value)?.checked_sub(unix_seconds(text("date")?)?)?;
            u64::try_from(wait.max(0)).ok().map(Duration::from_secs)
        }
    }
}

/// Reads the one date form that HTTP still sends, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn unix_seconds(date: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = date.split_once(", ")?.1.split(' ');
    let day: i64 = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let month = i64::try_from(MONTHS.iter().position(|month| *month == name)?).ok()? + 1;
    let year: i64 = parts.next()?.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = parts.next()?.split(':').map(str::parse::<i64>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    // Days since 1970-01-01, with years that begin in March so that the leap day comes last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719_469;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn explanations_are_found_in_every_shape() {
        for body in [
            r#"{"error":{"message":"no","code":1}}"#,
            r#"{"error":"no"}"#,
            r#"{"message":"no"}"#,
            r#"{"detail":[{"loc":["body"],"msg":"no"}]}"#,
            r#"[{"error":{"message":"no"}}]"#,
            r#""no""#,
            " no\n",
        ] {
            assert_eq!(words(body).as_deref(), Some("no"), "{body}");
        }
        for body in ["", "<html>no</html>", "{\"err", "{}", "null", r#"{"error":{"message":""}}"#] {
            assert_eq!(words(body), None, "{body}");
        }
    }

    #[test]
    fn retry_after_is_seconds_milliseconds_or_a_date() {
        assert_eq!(retry_after(&headers(&[("retry-after", "7")])), Some(Duration::from_secs(7)));
        assert_eq!(
            retry_after(&headers(&[("retry-after-ms", "1500"), ("retry-after", "2")])),
            Some(Duration::from_millis(1_500))
        );
        let dates = [("date", "Wed, 28 Feb 2024 23:59:50 GMT"), ("retry-after", "Thu, 29 Feb 2024 00:00:05 GMT")];
        assert_eq!(retry_after(&headers(&dates)), Some(Duration::from_secs(15)));
        let past = [("date", "Fri, 01 Mar 2024 00:00:00 GMT"), ("retry-after", "Thu, 29 Feb 2024 00:00:00 GMT")];
        assert_eq!(retry_after(&headers(&past)), Some(Duration::ZERO));
        assert_eq!(retry_after(&headers(&[("retry-after", "soon")])), None);
        assert_eq!(retry_after(&headers(&[("retry-after", "-3")])), None);
        assert_eq!(unix_seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(unix_seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
    }

    #[test]
    fn statuses_become_codes() {
        let voice = Voice { name: "lab".to_owned(), key: None };
        for (status, body, code) in [
            (307, "", FailureCode::Refused),
            (400, "{}", FailureCode::Refused),
            (401, "{}", FailureCode::Unauthorized),
            (402, "{}", FailureCode::Refused),
            (403, "{}", FailureCode::Unauthorized),
            (404, "", FailureCode::Refused),
            (405, "<html>", FailureCode::NotAStream),
            (408, "", FailureCode::ProviderError),
            (429, "", FailureCode::RateLimited),
            (500, "", FailureCode::ProviderError),
            (502, "<html>", FailureCode::ProviderError),
        ] {
            assert_eq!(refused(&voice, Some("m"), status, &HeaderMap::new(), body).code, code, "{status}");
        }
    }

    #[test]
    fn messages_name_the_provider_the_cause_and_the_way_out() {
        let voice = Voice { name: "lab".to_owned(), key: None };
        let say = |status, body| refused(&voice, Some("m-1"), status, &headers(&[("retry-after", "30")]), body).message;
        insta::assert_snapshot!(
            [
                say(401, ""),
                say(404, r#"{"error":"no such model"}"#),
                say(429, ""),
                say(502, "<html>"),
                say(400, "bad.")
            ]
            .join("\n")
        );
    }
}
