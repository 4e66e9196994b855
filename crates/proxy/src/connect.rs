//! Connections to the upstream: the only place of this program in which one is opened.

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

/// How long a connection without a request is kept for the next one. Most servers keep theirs longer, so that no request meets a
/// connection that is just being closed.
const IDLE: Duration = Duration::from_secs(20);
/// After this time without a byte the system asks whether the other side is still there.
const ALIVE: Duration = Duration::from_secs(30);

pub(crate) type UpstreamClient = Client<TimedConnector, RelayedBody>;

/// Makes the client for one upstream; `certificates` are needed for an encrypted one.
pub(crate) fn build_client(
    upstream: &Upstream,
    certificates: Option<&Certificates>,
    patience: Duration,
) -> UpstreamClient {
    let roots = certificates.map_or_else(RootCertStore::empty, |trusted| trusted.roots.clone());
    let tls = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        // The provider is the one line above, and has all of them.
        .expect("ring knows the default versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(ALIVE));
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp);
    // A new connection on this machine takes less time than an error on one that its server has just closed.
    let n_idle = if upstream.is_local() && !upstream.is_encrypted() { 0 } else { usize::MAX };
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(n_idle)
        .http1_preserve_header_case(true)
        .build(TimedConnector { connector, patience })
}

/// A connector that gives up after a time, the handshake counted in.
#[derive(Clone)]
pub(crate) struct TimedConnector {
    connector: HttpsConnector<HttpConnector>,
    patience: Duration,
}

/// The connection did not come about in time.
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
