//! The proxy's loopback socket: accepts connections until the end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::Notices;
use crate::capture::Capture;
use crate::certificates::Certificates;
use crate::connect::build_client;
use crate::evict::{Eviction, Evictor};
use crate::forward::Route;
use crate::upstream::{Upstream, UpstreamRefusal};

const GRACE: Duration = Duration::from_secs(2);
/// Pause after a failed accept, for example with too many open files.
const BREAK: Duration = Duration::from_millis(50);
const N_CONNECTIONS: usize = 1024;
const N_WAITING: u32 = 1024;
/// Limit for a request's head, and for the idle time between two requests. Harnesses keep connections for less, so
/// normally the harness closes first.
const IDLE: Duration = Duration::from_secs(300);

/// Time limits for the upstream. Harnesses have shorter limits of their own; if a harness gives up, the upstream
/// request ends too.
#[derive(Debug, Clone, Copy)]
pub struct ProxyLimits {
    /// Time limit for a connection, TLS handshake included.
    pub connect: Duration,
    /// Time limit for the first bytes of an answer. An answer may then take any time.
    pub answer: Duration,
}

impl ProxyLimits {
    /// 30 seconds to connect, one hour to begin an answer: SDKs wait ten minutes for an answer without streaming, and
    /// users of local models set longer limits.
    pub const USUAL: Self = Self { connect: Duration::from_secs(30), answer: Duration::from_secs(3600) };
}

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "port {0} is in use, perhaps by another cwl proxy; take another with --port, or any free one with --port 0, and tell the harness"
    )]
    PortTaken(u16),
    #[error("cannot listen on port {0} ({1}); take another with --port")]
    Port(u16, io::Error),
    #[error(transparent)]
    Upstream(UpstreamRefusal),
}

pub struct Proxy {
    listener: TcpListener,
    port: u16,
    route: Route,
    capture: Option<Capture>,
}

impl Proxy {
    /// Listens on a loopback port; 0 picks a free one. An encrypted upstream needs `certificates`.
    ///
    /// # Errors
    /// Returns [`ListenError`] if the system refuses the port, or the upstream is that port.
    pub async fn listen(
        port: u16,
        upstream: Upstream,
        certificates: Option<&Certificates>,
        limits: ProxyLimits,
    ) -> Result<Self, ListenError> {
        let listener = bind_loopback(port).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ListenError::PortTaken(port),
            _ => ListenError::Port(port, error),
        })?;
        let port = listener.local_addr().map_err(|error| ListenError::Port(port, error))?.port();
        if upstream.is_port(port) {
            return Err(ListenError::Upstream(UpstreamRefusal::Itself));
        }
        let ProxyLimits { connect, answer } = limits;
        let client = build_client(&upstream, certificates, connect);
        let route = Route { upstream, client, connect, answer, capture: None, evictor: None };
        Ok(Self { listener, port, route, capture: None })
    }

    #[must_use]
    pub fn with_capture(mut self, capture: Capture) -> Self {
        self.route.capture = Some(capture.sink());
        Self { capture: Some(capture), ..self }
    }

    /// Applies a policy to requests to a model. `notices` reports evictions and requests forwarded unchanged, and says
    /// a sentence again only after a different one.
    #[must_use]
    pub fn with_eviction(mut self, eviction: Eviction, notices: Notices) -> Self {
        self.route.evictor = Some(Evictor::new(eviction, notices));
        self
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Forwards requests until `end` resolves, then gives running answers two seconds to finish.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) {
        let Self { listener, route, capture, .. } = self;
        let route = Arc::new(route);
        let places = Arc::new(Semaphore::new(N_CONNECTIONS));
        let (tell_end, ending) = watch::channel(false);
        let mut open = JoinSet::new();
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = async {
                // The semaphore is never closed.
                let place = Arc::clone(&places).acquire_owned().await.ok();
                (listener.accept().await, place)
            };
            tokio::select! {
                () = &mut end => break,
                Some(_ended) = open.join_next() => {}
                (accepted, place) = accepted => match accepted {
                    Ok((stream, _)) => {
                        let (route, ending) = (Arc::clone(&route), ending.clone());
                        open.spawn(async move {
                            serve_connection(stream, route, ending).await;
                            drop(place);
                        });
                    }
                    Err(error) if is_of_one(&error) => {}
                    Err(_no_room_in_the_system) => tokio::time::sleep(BREAK).await,
                },
            }
        }
        drop(listener);
        tell_end.send_replace(true);
        let all_ended = async { while open.join_next().await.is_some() {} };
        // Remaining connections are closed after `GRACE`.
        drop(tokio::time::timeout(GRACE, all_ended).await);
        open.shutdown().await;
        drop(route);
        if let Some(capture) = capture {
            // Writes all captured records, except those of requests still being sent to a stuck upstream.
            let written = tokio::task::spawn_blocking(|| capture.finish());
            drop(tokio::time::timeout(GRACE, written).await);
        }
    }
}

/// Binds the port with room for bursts. `TcpListener::bind` has room for 128 waiting connections; the next one would
/// wait a second for its second try.
fn bind_loopback(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    if cfg!(unix) {
        socket.set_reuseaddr(true)?;
    }
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(N_WAITING)
}

/// True if only one connection failed: it closed before it was accepted.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn serve_connection(stream: TcpStream, route: Arc<Route>, mut ending: watch::Receiver<bool>) {
    // Stream pieces are small and must leave at once; without `TCP_NODELAY` they are only delayed.
    drop(stream.set_nodelay(true));
    let service = service_fn(|request: Request<Incoming>| {
        let route = Arc::clone(&route);
        async move { Ok::<_, Infallible>(route.forward(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let is_ending = async { drop(ending.wait_for(|ended| *ended).await) };
    // Connection errors concern only the client and are dropped: an error may quote a request.
    tokio::select! {
        done = &mut connection => drop(done),
        () = is_ending => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}
