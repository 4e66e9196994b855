//! Opens connections to the upstream; no other module of the program opens one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;
use tower_service::Service;

use crate::body::RelayedBody;
use crate::certificates::Certificates;
use crate::upstream::Upstream;

/// Idle time before a pooled connection is closed. Most servers wait longer, so a request rarely meets a connection
/// the server is closing.
const IDLE: Duration = Duration::from_secs(20);
const ALIVE: Duration = Duration::from_secs(30);

pub(crate) type UpstreamClient = Client<TimedConnector, RelayedBody>;

pub(crate) fn build_client(
    upstream: &Upstream,
    certificates: Option<&Certificates>,
    patience: Duration,
) -> UpstreamClient {
    let roots = certificates.map_or_else(RootCertStore::empty, |trusted| trusted.roots.clone());
    let tls = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        // The provider is set one line above and supports all default versions.
        .expect("ring knows the default versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(ALIVE));
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp);
    // On loopback a new connection costs less than an error on one the server has just closed.
    let n_idle = if upstream.is_local() && !upstream.is_encrypted() { 0 } else { usize::MAX };
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(n_idle)
        .http1_preserve_header_case(true)
        .build(TimedConnector { connector, patience })
}

/// Limits the time for connection and TLS handshake together.
#[derive(Clone)]
pub(crate) struct TimedConnector {
    connector: HttpsConnector<HttpConnector>,
    patience: Duration,
}

#[derive(Debug, thiserror::Error)]
#[error("it takes too long")]
pub(crate) struct ConnectTimeout;

type ConnectError = Box<dyn std::error::Error + Send + Sync>;

impl Service<Uri> for TimedConnector {
    type Response = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ConnectError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let (connecting, patience) = (self.connector.call(address), self.patience);
        Box::pin(async move { timeout(patience, connecting).await.map_err(|_elapsed| ConnectTimeout)? })
    }
}
