//! Why there was no answer: names, ports, networks, and what rustls tells about a secure connection.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use rustls::{CertificateError, Error as TlsError, InvalidMessage};

use super::ask::{self, Probe};
use super::{CONNECT, CheckCode, CheckFailure, failure};
use crate::failure::{Voice, cause};
use crate::openai::client;

/// How many of the names in a certificate are shown.
const NAMES: usize = 3;
const PLAIN: &str =
    "Check the port. On this computer, or in a network that you trust, its address may begin with http://.";

pub(super) fn bad_address(voice: &Voice, address: &str, why: &str) -> CheckFailure {
    let message = format!("The address of {}, \"{}\", cannot be used: {why}.", voice.name, voice.own(address));
    let mend = "Begin it with https:// or http://, such as http://127.0.0.1:11434/v1.";
    failure(CheckCode::BadAddress, message, mend)
}

pub(super) fn too_slow(probe: &Probe, limit: Duration) -> CheckFailure {
    let (name, place) = (&probe.voice.name, client::place(&probe.base));
    let message = format!("{name} at {place} gave no whole answer within {}\u{202f}s.", limit.as_secs());
    let mend = "Test again in a while: a model that is still being loaded answers late.";
    failure(CheckCode::TimedOut, message, mend)
}

/// Sorts an error of the connection.
pub(super) async fn explain(probe: &Probe, error: &reqwest::Error) -> CheckFailure {
    let (name, place) = (&probe.voice.name, client::place(&probe.base));
    if let Some(tls) = find::<TlsError>(error) {
        return broken_tls(probe, tls);
    }
    if chain(error).any(|step| step.to_string().contains("dns error")) {
        let host = probe.base.host_str().unwrap_or_default();
        let message = format!("Could not find {name}: no computer is known as \"{host}\".");
        return failure(CheckCode::NameNotFound, message, "Check the spelling of its address, and the network.");
    }
    if error.is_timeout() {
        let message = format!("No connection to {name} at {place} within {}\u{202f}s.", CONNECT.as_secs());
        return failure(CheckCode::TimedOut, message, "Check its address, and the network between you.");
    }
    if error.is_connect() {
        return no_connection(probe, error);
    }
    if speaks_tls(probe).await {
        return plain_to_tls(probe);
    }
    let message = format!("{name} at {place} gave no answer that makes sense: {}.", cause(error));
    failure(CheckCode::Malformed, message, "Check the port in its address, and that it runs.")
}

fn no_connection(probe: &Probe, error: &reqwest::Error) -> CheckFailure {
    let (name, place) = (&probe.voice.name, client::place(&probe.base));
    let (why, kind) = (cause(error), find::<io::Error>(error).map(io::Error::kind));
    let mend = match kind {
        Some(ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) if probe.base.scheme() == "https" => {
            return no_tls(probe, "the connection was closed before it was secure", PLAIN);
        }
        Some(ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable) => "Check the network.".to_owned(),
        _ => format!("Start {name}, or check the port in its address."),
    };
    failure(CheckCode::Refused, format!("Could not reach {name} at {place}: {why}."), mend)
}

/// Whether a server that we spoke to in the clear wants a secure connection. It is asked without the key.
pub(super) async fn speaks_tls(probe: &Probe) -> bool {
    let Some(url) = secured(&probe.base) else { return false };
    let Ok(http) = ask::stranger(&probe.voice, &url) else { return false };
    match ask::list_at(&http, &url, &HeaderMap::new()).await {
        Ok(_) => true,
        // Whoever shows a certificate speaks it, be it a bad one.
        Err(error) => matches!(find::<TlsError>(&error), Some(TlsError::InvalidCertificate(_))),
    }
}

pub(super) fn plain_to_tls(probe: &Probe) -> CheckFailure {
    let (name, place) = (&probe.voice.name, client::place(&probe.base));
    let message = format!("{name} at {place} takes only secure connections, and its address begins with http://.");
    failure(CheckCode::Tls, message, "Let its address begin with https://.")
}

/// The same place with `https`; `None` when it has that already.
fn secured(base: &Url) -> Option<Url> {
    let port = base.port_or_known_default();
    let mut url = base.clone();
    (base.scheme() == "http" && url.set_scheme("https").is_ok() && url.set_port(port).is_ok()).then_some(url)
}

fn broken_tls(probe: &Probe, error: &TlsError) -> CheckFailure {
    match error {
        TlsError::InvalidCertificate(error) => {
            let (why, mend) = certificate(error);
            no_tls(probe, &why, &mend)
        }
        TlsError::InvalidMessage(InvalidMessage::InvalidContentType) => {
            no_tls(probe, "what listens there does not speak TLS", PLAIN)
        }
        TlsError::PeerIncompatible(_) | TlsError::AlertReceived(_) => {
            let mend = "Check the port in its address. If that is right, its server needs TLS 1.2 or newer.";
            no_tls(probe, "the two sides agree on no way to encrypt", mend)
        }
        error => no_tls(probe, &probe.voice.own(&error.to_string()), "Check the port in its address."),
    }
}

fn no_tls(probe: &Probe, why: &str, mend: &str) -> CheckFailure {
    let (name, place) = (&probe.voice.name, client::place(&probe.base));
    failure(CheckCode::Tls, format!("No secure connection to {name} at {place}: {why}."), mend)
}

/// What is wrong with a certificate, and what to do.
fn certificate(error: &CertificateError) -> (String, String) {
    let (why, mend) = match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            "its certificate is self-signed or comes from an issuer that this computer does not trust",
            "Add the issuer to the certificates that this computer trusts, if you trust it.",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("its certificate has expired", "Renew the certificate, or check the clock of this computer.")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("its certificate is not valid yet", "Check the clock of this computer.")
        }
        CertificateError::Revoked => ("its certificate was revoked", "Do not use it before it has a new certificate."),
        CertificateError::NotValidForName => ("its certificate is for another name", "Use that name in its address."),
        CertificateError::NotValidForNameContext { presented, .. } => return other_name(presented),
        other => {
            let why = format!("its certificate is not trusted ({other})");
            return (why, "Have the certificate of its server looked at.".to_owned());
        }
    };
    (why.to_owned(), mend.to_owned())
}

fn other_name(presented: &[String]) -> (String, String) {
    // Names come as `DnsName("lab.example")`.
    let bare = |name: &String| name.split('"').nth(1).unwrap_or(name).to_owned();
    let names = presented.iter().take(NAMES).map(bare).collect::<Vec<_>>().join(", ");
    let why = match names.as_str() {
        "" => "its certificate is for no name at all".to_owned(),
        names => format!("its certificate is for another name ({names})"),
    };
    (why, "Use the name in the certificate as its address.".to_owned())
}

/// `error` and every error below it.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    let first: &(dyn StdError + 'static) = error;
    std::iter::successors(Some(first), |step| below(*step))
}

/// The next error. One of I/O keeps what it wraps from `source`, so it is looked into here.
fn below<'a>(step: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match step.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => step.source(),
    }
}

fn find<T: StdError + 'static>(error: &reqwest::Error) -> Option<&T> {
    chain(error).filter_map(|step| step.downcast_ref::<T>()).last()
}

#[cfg(test)]
mod tests;
