//! Small servers that say one thing, in the clear or with a certificate that nobody trusts.

use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

/// What a site says at one path.
#[derive(Clone)]
pub enum Say {
    /// A status, a type and a body.
    Body(u16, &'static str, String),
    /// A redirect.
    To(String),
    /// A list that never ends.
    Endless,
    /// Nothing at all.
    Nothing,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Came {
    pub line: String,
    pub authorization: Option<String>,
    pub body: String,
}

/// A server on loopback. It ends when it is dropped.
pub struct Site {
    pub port: u16,
    came: watch::Sender<Vec<Came>>,
    task: JoinHandle<()>,
}

pub fn json(status: u16, body: &str) -> Say {
    Say::Body(status, "application/json", body.to_owned())
}

pub fn page(status: u16) -> Say {
    Say::Body(status, "text/html", "<!doctype html><p>Welcome".to_owned())
}

pub fn list(ids: &[&str]) -> Say {
    let entries: Vec<_> = ids.iter().map(|id| format!(r#"{{"id":"{id}","object":"model"}}"#)).collect();
    json(200, &format!(r#"{{"object":"list","data":[{}]}}"#, entries.join(",")))
}

type Answers = dyn Fn(&Came) -> Say + Send + Sync;

impl Site {
    /// A server that says what `answer` makes of a request.
    pub async fn start(answer: impl Fn(&Came) -> Say + Send + Sync + 'static) -> Self {
        Self::serve(None, answer).await
    }

    /// The same behind a certificate that signed itself.
    pub async fn secure(answer: impl Fn(&Came) -> Say + Send + Sync + 'static) -> Self {
        let own = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![own.cert.der().clone()], key).unwrap();
        Self::serve(Some(TlsAcceptor::from(Arc::new(config))), answer).await
    }

    async fn serve(tls: Option<TlsAcceptor>, answer: impl Fn(&Came) -> Say + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (came, answer) = (watch::Sender::new(Vec::new()), Arc::new(answer));
        let task = tokio::spawn(accept(listener, tls, came.clone(), answer));
        Self { port, came, task }
    }

    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<Came> {
        self.came.borrow().clone()
    }

    /// The paths that were asked for, in their order.
    pub fn paths(&self) -> Vec<String> {
        self.requests().iter().map(|came| came.line.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }

    /// Waits until something was asked.
    pub async fn asked(&self) {
        self.came.subscribe().wait_for(|came| !came.is_empty()).await.unwrap();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, came: watch::Sender<Vec<Came>>, answer: Arc<Answers>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (tls, came, answer) = (tls.clone(), came.clone(), Arc::clone(&answer));
        connections.spawn(async move {
            match tls {
                None => connection(stream, came, answer).await,
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => connection(stream, came, answer).await,
                    Err(error) => Err(error),
                },
            }
        });
    }
}

/// Answers one request and closes.
async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    came: watch::Sender<Vec<Came>>,
    answer: Arc<Answers>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let Some(request) = read(&mut stream).await? else { return Ok(()) };
    let say = answer(&request);
    came.send_modify(|all| all.push(request));
    match say {
        Say::Body(status, kind, body) => {
            let head = format!("HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n", body.len());
            stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).await?;
        }
        Say::To(place) => {
            let head = format!("HTTP/1.1 302 Found\r\nlocation: {place}\r\ncontent-length: 0\r\n");
            stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await?;
        }
        Say::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"data\":[").await?;
            loop {
                stream.write_all(&[b' '; 64 * 1024]).await?;
            }
        }
        Say::Nothing => std::future::pending().await,
    }
    stream.shutdown().await
}

async fn read(stream: &mut BufReader<impl AsyncRead + Unpin>) -> std::io::Result<Option<Came>> {
    let (mut line, mut length, mut authorization) = (String::new(), 0, None);
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await?;
        let Some((name, value)) = header.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().map_err(std::io::Error::other)?,
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Came { line: line.trim_end().to_owned(), authorization, body: String::from_utf8_lossy(&body).into() }))
}
