//! Real handshakes with certificates of our own making.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

/// Checks a server whose certificate was made from `params` by an issuer that the client trusts.
async fn check(params: CertificateParams) -> CheckFailure {
    let (issuer, root) = issuer();
    let key = KeyPair::generate().unwrap();
    let cert = params.signed_by(&key, &issuer).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = Url::parse(&format!("https://localhost:{}/v1", listener.local_addr().unwrap().port())).unwrap();
    let server = tokio::spawn(serve(listener, cert.der().clone(), key));
    let voice = Voice { name: "lab".to_owned(), key: None };
    let http = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(trusting(root)).build().unwrap();
    let failure = Probe::through(http, voice, base).run(None).await.unwrap_err();
    server.abort();
    failure
}

fn issuer() -> (Issuer<'static, KeyPair>, CertificateDer<'static>) {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let root = params.self_signed(&key).unwrap().der().clone();
    (Issuer::new(params, key), root)
}

fn trusting(root: CertificateDer<'static>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(root).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots).with_no_client_auth()
}

async fn serve(listener: TcpListener, cert: CertificateDer<'static>, key: KeyPair) {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![cert], key).unwrap()));
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        acceptor.accept(stream).await.unwrap_err();
    }
}

#[tokio::test]
async fn an_expired_certificate_is_told() {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.not_before = date_time_ymd(2001, 1, 1);
    params.not_after = date_time_ymd(2002, 1, 1);
    let failure = check(params).await;
    assert_eq!(failure.code, CheckCode::Tls);
    assert!(failure.message.ends_with(": its certificate has expired."), "{failure}");
    assert!(failure.mend.contains("clock"), "{failure}");
}

#[tokio::test]
async fn a_certificate_of_the_future_is_told() {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.not_before = date_time_ymd(4000, 1, 1);
    let failure = check(params).await;
    assert_eq!(failure.code, CheckCode::Tls);
    assert!(failure.message.ends_with(": its certificate is not valid yet."), "{failure}");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told_with_the_name() {
    let failure = check(CertificateParams::new(["lab.example".to_owned()]).unwrap()).await;
    assert_eq!(failure.code, CheckCode::Tls);
    assert!(failure.message.ends_with(": its certificate is for another name (lab.example)."), "{failure}");
}

struct Nowhere;

impl reqwest::dns::Resolve for Nowhere {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::ready(Err("no such name".into())))
    }
}

#[tokio::test]
async fn a_name_that_nobody_has_is_told() {
    let builder = reqwest::Client::builder().no_proxy().dns_resolver(Nowhere);
    let (root, base) = (issuer().1, Url::parse("https://lab.example/v1").unwrap());
    let http = builder.tls_backend_preconfigured(trusting(root)).build().unwrap();
    let voice = Voice { name: "lab".to_owned(), key: None };
    let failure = Probe::through(http, voice, base).run(None).await.unwrap_err();
    assert_eq!(failure.code, CheckCode::NameNotFound);
    assert_eq!(failure.message, "Could not find lab: no computer is known as \"lab.example\".");
}

#[test]
fn only_plain_addresses_have_a_secure_twin() {
    let twin = |url: &str| secured(&Url::parse(url).unwrap()).map(String::from);
    assert_eq!(twin("http://lab:81/v1").as_deref(), Some("https://lab:81/v1"));
    assert_eq!(twin("http://lab/v1").as_deref(), Some("https://lab:80/v1"));
    assert_eq!(twin("https://lab/v1"), None);
}
