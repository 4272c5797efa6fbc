//! Somebody else's web servers: one that counts who asks for what, one whose certificate nobody trusts, and none at all.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::generate_simple_self_signed;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::Result;

/// An image of two pixels.
const PIXELS: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x7b, 0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00, 0x0f, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xd0, 0xcf, 0x7f, 0xfb, 0x36, 0x5f, 0x1f, 0x00, 0x0a, 0xd4, 0x03, 0x17, 0xdf,
    0x46, 0x61, 0xde, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// A server of images that takes down every request. It ends when it is dropped.
#[derive(Debug)]
pub struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Site {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&notes)));
            }
        });
        Ok(Self { port, asked, task })
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Paths that were asked for, the oldest first. A connection that asked for nothing is an empty one.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, asked: Arc<Mutex<Vec<String>>>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let line = String::from_utf8_lossy(&request);
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: {}\r\n\r\n", PIXELS.len());
    stream.write_all(&[head.as_bytes(), PIXELS].concat()).await
}

/// A server whose certificate it signed itself. It ends when it is dropped.
#[derive(Debug)]
pub struct SelfSigned {
    port: u16,
    task: JoinHandle<()>,
}

impl SelfSigned {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let made = generate_simple_self_signed(["localhost".to_owned()])?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_no_client_auth();
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![made.cert.der().clone()], key)?));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Whoever trusts nobody here hangs up.
                let _refused = acceptor.accept(stream).await;
            }
        });
        Ok(Self { port, task })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("https://localhost:{}/v1", self.port)
    }
}

impl Drop for SelfSigned {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A place where nobody listens, nor can begin to while the socket is held.
pub fn nobody() -> Result<(TcpSocket, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}
