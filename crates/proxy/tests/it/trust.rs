//! Upstreams the proxy trusts, and clients it accepts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_proxy::{Certificates, ListenError, Proxy, ProxyLimits, Upstream, UpstreamRefusal};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::common::{Peer, asked, pair, run, within};

fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls").join(name)
}

/// Certificate of the test upstream, for 127.0.0.1 and localhost.
pub(crate) fn certificate_path() -> PathBuf {
    tls_file("certificate.pem")
}

/// Starts an encrypted upstream; it answers each request with the request's path.
fn encrypted_upstream() -> u16 {
    let certificate = CertificateDer::from_pem_file(certificate_path()).unwrap();
    let key = PrivateKeyDer::from_pem_file(tls_file("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let (mut head, mut line) = (String::new(), String::new());
            // A client without trust in the certificate leaves during the handshake.
            while stream.read_line(&mut line).is_ok_and(|n| n > 2) {
                head.push_str(&std::mem::take(&mut line));
            }
            let Some(path) = head.split(' ').nth(1) else { continue };
            stream.read_exact(&mut [0; 2]).unwrap();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{path}", path.len());
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    port
}

async fn proxy_before(address: &str, trusted: &Certificates) -> crate::common::ProxyHandle {
    let upstream = Upstream::parse(address, false).unwrap();
    run(Proxy::listen(0, upstream, Some(trusted), ProxyLimits::USUAL).await.unwrap())
}

#[test]
fn an_encrypted_upstream_is_known_by_its_certificate() {
    let port = encrypted_upstream();
    within(async {
        let trusted = Certificates::of_file(&certificate_path()).unwrap();
        let proxy = proxy_before(&format!("https://localhost:{port}/api/"), &trusted).await;
        let mut client = Peer::to(&proxy).await;
        client.post("/v1/messages?a=b", b"{}").await;
        let answer = String::from_utf8(client.rest().await).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("/api/v1/messages?a=b"),
            "{answer}"
        );
    });
}

#[test]
fn an_upstream_that_nobody_vouches_for_gets_nothing() {
    let port = encrypted_upstream();
    within(async {
        // 127.0.0.2 is local, but not in the certificate.
        let trusted = Certificates::of_file(&certificate_path()).unwrap();
        let proxy = proxy_before(&format!("https://127.0.0.2:{port}"), &trusted).await;
        let (status, message) = asked(&proxy).await;
        assert_eq!(status, 502, "{message}");
        let Ok(other) = Certificates::of_system() else { return };
        let (status, message) =
            asked(&proxy_before(&format!("https://localhost:{port}"), &other).await).await;
        assert_eq!(status, 502, "{message}");
        assert!(message.contains("certificate"), "{message}");
    });
}

#[test]
fn no_certificate_is_an_error_with_the_way_out() {
    let none = Certificates::of_file(&tls_file("key.pem")).unwrap_err().to_string();
    assert!(none.contains("SSL_CERT_FILE"), "{none}");
}

#[test]
fn a_port_that_is_taken_is_told() {
    within(async {
        let (proxy, _upstream) = pair().await;
        let upstream = Upstream::parse("http://127.0.0.1:9", false).unwrap();
        let taken = Proxy::listen(proxy.port, upstream, None, ProxyLimits::USUAL).await.err().unwrap();
        assert!(matches!(taken, ListenError::PortTaken(port) if port == proxy.port), "{taken}");
        assert!(taken.to_string().contains("--port 0"), "{taken}");
    });
}

#[test]
fn a_proxy_does_not_go_to_itself() {
    within(async {
        let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let upstream = Upstream::parse(&format!("http://localhost:{free}"), false).unwrap();
        let itself = Proxy::listen(free, upstream, None, ProxyLimits::USUAL).await.err().unwrap();
        assert!(matches!(itself, ListenError::Upstream(UpstreamRefusal::Itself)), "{itself}");
    });
}

fn check_refused(request: &str, status: u16) {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        client.send(format!("{request}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")).await;
        let answer = String::from_utf8(client.rest().await).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        assert!(!answer.to_lowercase().contains("access-control"), "no page reads it: {answer}");
        drop(proxy);
        let none = tokio::time::timeout(std::time::Duration::ZERO, upstream.accept()).await;
        assert!(none.is_err(), "{request}");
    });
}

#[test]
fn pages_and_other_hosts_are_refused() {
    check_refused("POST /v1/messages HTTP/1.1\r\nHost: rebound.example:4358", 421);
    check_refused("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nOrigin: https://page.example", 403);
    check_refused("GET http://api.example/v1 HTTP/1.1\r\nHost: api.example", 400);
    check_refused("CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443", 400);
    check_refused("GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket", 426);
}
