//! One image, by its address.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rustls::crypto::ring;

/// Larger images are refused.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const CONNECT: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(30);
/// Hosts of images often send on once; more is a wild goose chase.
const REDIRECTS: usize = 3;

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// What kind, by its own first bytes.
    pub mime: &'static str,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// Why there is no image, for the person who asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address that can be asked.
    #[error("Not loaded: this is no web address.")]
    Address,
    /// Nobody answered.
    #[error("Not loaded: {host} could not be reached. {why}.")]
    Unreachable {
        /// Who was asked.
        host: String,
        /// Why.
        why: String,
    },
    /// The answer was a refusal.
    #[error("Not loaded: {host} answered with HTTP {status}.")]
    Refused {
        /// Who was asked.
        host: String,
        /// What was said.
        status: u16,
    },
    /// What came is no image of a known kind.
    #[error("Not loaded: {host} sent something that is no PNG, JPEG, GIF or WebP image.")]
    NotAnImage {
        /// Who was asked.
        host: String,
    },
    /// More than is taken.
    #[error("Not loaded: the image of {host} is larger than 8 MB.")]
    TooLarge {
        /// Who was asked.
        host: String,
    },
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Fetches it. One request, and up to three more where the host sends on.
pub async fn image(address: &str) -> Result<Image> {
    let url = Url::parse(address).map_err(|_| Error::Address)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::Address);
    }
    let host = url.host_str().ok_or(Error::Address)?.to_owned();
    let unreachable = |error: reqwest::Error| Error::Unreachable { host: host.clone(), why: cause(&error) };
    let response = client(&url).and_then(|client| client.get(url).build().map(|request| (client, request)));
    let (client, request) = response.map_err(unreachable)?;
    let response = client.execute(request).await.map_err(unreachable)?;
    if !response.status().is_success() {
        return Err(Error::Refused { host, status: response.status().as_u16() });
    }
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece.map_err(unreachable)?);
        if bytes.len() > MAX_BYTES {
            return Err(Error::TooLarge { host });
        }
    }
    match kind(&bytes) {
        Some(mime) => Ok(Image { mime, bytes }),
        None => Err(Error::NotAnImage { host }),
    }
}

fn client(url: &Url) -> std::result::Result<Client, reqwest::Error> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Lost only to another thread that installs the same one.
        let _lost = ring::default_provider().install_default();
    }
    let client = Client::builder()
        .user_agent(concat!("gatehouse/", env!("CARGO_PKG_VERSION")))
        .referer(false)
        .connect_timeout(CONNECT)
        .timeout(WHOLE)
        .redirect(Policy::limited(REDIRECTS));
    match (url.scheme(), no_certificates()) {
        // Nothing to verify, so no certificates are read; a way on to https would fail, and say so.
        ("http", Some(tls)) if is_loopback(url) => client.no_proxy().tls_backend_preconfigured(tls),
        _ => client,
    }
    .build()
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}

fn no_certificates() -> Option<rustls::ClientConfig> {
    let builder = rustls::ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().ok()?;
    Some(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// By the first bytes: what a server calls it decides nothing. SVG is none of these, because it is a document.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers one request and gives back what was asked.
    async fn serve(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/p.png", listener.local_addr().unwrap());
        let asked = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 4096];
            let read = socket.read(&mut asked).await.unwrap();
            // The client may have heard enough before the end.
            let _cut = socket.write_all(&answer).await;
            String::from_utf8(asked[..read].to_vec()).unwrap()
        });
        (url, asked)
    }

    fn ok(body: &[u8]) -> Vec<u8> {
        [
            format!("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(),
            body,
        ]
        .concat()
    }

    #[tokio::test]
    async fn an_image_comes_with_one_plain_request() {
        let (url, asked) = serve(ok(b"GIF89a and more")).await;
        let image = image(&url).await.unwrap();
        assert_eq!((image.mime, image.bytes.as_slice()), ("image/gif", b"GIF89a and more".as_slice()));
        let asked = asked.await.unwrap().to_lowercase();
        assert!(asked.starts_with("get /p.png http/1.1") && !asked.contains("cookie") && !asked.contains("referer"));
    }

    #[tokio::test]
    async fn what_is_no_image_is_refused_whatever_it_is_called() {
        let (url, _asked) = serve(ok(b"<svg onload=alert(1)>")).await;
        assert!(matches!(image(&url).await, Err(Error::NotAnImage { .. })));
        let (url, _asked) = serve(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()).await;
        assert!(matches!(image(&url).await, Err(Error::NotAnImage { .. })));
        let (url, _asked) = serve(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec()).await;
        assert!(matches!(image(&url).await, Err(Error::Refused { status: 404, .. })));
    }

    #[tokio::test]
    async fn too_much_is_refused() {
        let body = [b"GIF89a".as_slice(), &vec![0; MAX_BYTES]].concat();
        let (url, _asked) = serve(ok(&body)).await;
        assert!(matches!(image(&url).await, Err(Error::TooLarge { .. })));
    }

    #[tokio::test]
    async fn only_the_web_is_asked() {
        for address in ["file:///etc/passwd", "data:image/png;base64,AA", "ftp://a/b", "x"] {
            assert!(matches!(image(address).await, Err(Error::Address)), "{address}");
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        assert!(matches!(image(&address).await, Err(Error::Unreachable { .. })));
    }
}
