//! A proxy on loopback, an upstream played by the test, and a raw client.

use std::time::Duration;

use cwl_proxy::{Proxy, ProxyLimits, Upstream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Time limit for every step; reached only if something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn within<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await });
    done.expect("it goes on by itself")
}

/// A running proxy, stopped on drop.
pub(crate) struct ProxyHandle {
    pub(crate) port: u16,
    _end: oneshot::Sender<()>,
}

pub(crate) async fn start(upstream: &str, limits: ProxyLimits) -> ProxyHandle {
    let upstream = Upstream::parse(upstream, false).unwrap();
    run(Proxy::listen(0, upstream, None, limits).await.unwrap())
}

pub(crate) fn run(proxy: Proxy) -> ProxyHandle {
    let port = proxy.port();
    let (end, ended) = oneshot::channel::<()>();
    tokio::spawn(proxy.run(async { drop(ended.await) }));
    ProxyHandle { port, _end: end }
}

pub(crate) async fn pair() -> (ProxyHandle, TcpListener) {
    let (listener, address) = listen().await;
    (start(&address, ProxyLimits::USUAL).await, listener)
}

pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (listener, address)
}

pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

impl Peer {
    pub(crate) async fn to(proxy: &ProxyHandle) -> Self {
        Self::at(proxy.port).await
    }

    pub(crate) async fn at(port: u16) -> Self {
        Self::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap())
    }

    pub(crate) async fn from(listener: &TcpListener) -> Self {
        Self::new(listener.accept().await.unwrap().0)
    }

    fn new(stream: TcpStream) -> Self {
        Self { stream, read: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends a request with a body and `Connection: close`.
    pub(crate) async fn post(&mut self, path: &str, body: &[u8]) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send([head.as_bytes(), body].concat()).await;
    }

    pub(crate) async fn until(&mut self, end: &str) -> String {
        loop {
            if let Some(at) = self.read.windows(end.len()).position(|window| window == end.as_bytes()) {
                let rest = self.read.split_off(at + end.len());
                return String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
            }
            let n = self.stream.read_buf(&mut self.read).await.unwrap();
            assert_ne!(n, 0, "{end:?} comes: {:?}", String::from_utf8_lossy(&self.read));
        }
    }

    pub(crate) async fn exactly(&mut self, n: usize) -> Vec<u8> {
        while self.read.len() < n {
            assert_ne!(self.stream.read_buf(&mut self.read).await.unwrap(), 0, "{n} bytes come");
        }
        let rest = self.read.split_off(n);
        std::mem::replace(&mut self.read, rest)
    }

    /// Reads a head, without the empty line.
    pub(crate) async fn head(&mut self) -> String {
        self.until("\r\n\r\n").await.trim_end().to_owned()
    }

    /// Reads until the other side closes or resets the connection.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.stream.read_buf(&mut self.read).await.is_ok_and(|n| n > 0) {}
        std::mem::take(&mut self.read)
    }
}

/// Sends a request; returns status and message of the proxy's own answer.
pub(crate) async fn asked(proxy: &ProxyHandle) -> (u16, String) {
    let mut client = Peer::to(proxy).await;
    client.post("/v1/messages?key=in-the-query", b"{}").await;
    let answer = String::from_utf8(client.rest().await).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-type: application/json"), "{head}");
    let json: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((&json["type"], &json["error"]["type"]), (&"error".into(), &"cwl_proxy_error".into()));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), json["error"]["message"].as_str().unwrap().to_owned())
}
