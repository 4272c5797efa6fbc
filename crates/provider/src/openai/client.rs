//! The HTTP client of one provider: its address, its key, its TLS.

use std::sync::Arc;
use std::time::Duration;

use gatehouse_domain::{FailureCode, Secret};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};

use crate::Failure;
use crate::failure::{Voice, cause};

/// The base address that people typed, freed of what they pasted too much; or why it is none.
pub(crate) fn base(address: &str) -> Result<Url, String> {
    let mut url = Url::parse(address.trim()).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("it must begin with http:// or https://".to_owned());
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/chat/completions").unwrap_or(path).to_owned();
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

/// The address of something below `base`; a query of the base is kept, because some vendors carry their version there.
pub(crate) fn under(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

/// Host and port for people; a name and password in the address stay out of it.
pub(crate) fn place(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// A client for `base`.
pub(crate) fn build(voice: &Voice, base: &Url, connect: Duration) -> Result<Client, Failure> {
    let mut client = Client::builder()
        .user_agent(concat!("gatehouse/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(voice)?)
        .connect_timeout(connect)
        .tcp_nodelay(true)
        // A redirected POST loses its body or carries the key to a stranger.
        .redirect(Policy::none());
    if is_loopback(base) {
        client = client.no_proxy();
    }
    client = match base.scheme() {
        "https" => {
            install_crypto();
            client
        }
        // Nothing to verify, so no certificates are read.
        _ => client.tls_backend_preconfigured(no_certificates().map_err(|error| broken(voice, &error.to_string()))?),
    };
    client.build().map_err(|error| broken(voice, &cause(&error)))
}

fn broken(voice: &Voice, why: &str) -> Failure {
    let message = format!(
        "No connection to {} can be set up: {why}. Restart Gatehouse or check the system's certificates.",
        voice.name
    );
    voice.failure(FailureCode::Internal, message)
}

/// The headers that show who we are.
pub(crate) fn headers(voice: &Voice) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    if let Some(key) = voice.key.as_ref().map(Secret::expose) {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| voice.bad_key())?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// Whether `url` leads to this computer by its name or number.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

/// The one place where the process gets its cryptography.
fn install_crypto() {
    if CryptoProvider::get_default().is_none() && ring::default_provider().install_default().is_err() {
        tracing::debug!("Another thread installed the cryptography first.");
    }
}

fn no_certificates() -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Voice {
        Voice { name: "lab".to_owned(), key: None }
    }

    #[test]
    fn addresses_are_forgiving() {
        for (typed, expect) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
            (" http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1/chat/completions"),
            ("https://lab.example/v1/chat/completions", "https://lab.example/v1/chat/completions"),
            ("http://lab.example", "http://lab.example/chat/completions"),
            ("https://lab.example/x?api-version=2", "https://lab.example/x/chat/completions?api-version=2"),
        ] {
            assert_eq!(under(&base(typed).unwrap(), &["chat", "completions"]).as_str(), expect);
        }
    }

    #[test]
    fn what_is_no_address_is_told() {
        for typed in ["", "lab", "localhost:8080/v1", "file:///etc/passwd", "http://"] {
            let failure = lab().bad_address(typed, &base(typed).unwrap_err());
            assert_eq!(failure.code, FailureCode::Unreachable);
            assert!(failure.message.contains("lab") && !failure.retryable, "{failure}");
        }
    }

    #[test]
    fn a_place_holds_no_password() {
        assert_eq!(place(&base("http://me:secret@lab.example:81/v1").unwrap()), "lab.example:81");
        assert_eq!(place(&base("https://lab.example/v1").unwrap()), "lab.example");
    }

    #[test]
    fn secure_and_plain_clients_can_be_built() {
        for address in ["https://lab.example/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"] {
            let url = base(address).unwrap();
            build(&lab(), &url, Duration::from_secs(1)).unwrap();
        }
        let voice = Voice { key: Some(Secret::new("a\nb".to_owned())), ..lab() };
        assert_eq!(headers(&voice).unwrap_err().code, FailureCode::Unauthorized);
    }
}
