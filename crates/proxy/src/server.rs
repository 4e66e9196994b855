//! The socket on loopback, from its address to its end.

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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::Notices;
use crate::capture::Capture;
use crate::certificates::Certificates;
use crate::connect::build_client;
use crate::evict::{Eviction, Evictor};
use crate::forward::Route;
use crate::upstream::{Upstream, UpstreamRefusal};

/// The time that answers have left when the proxy ends.
const GRACE: Duration = Duration::from_secs(2);
/// The break after a connection the system could not make, as when too many files are open.
const BREAK: Duration = Duration::from_millis(50);
/// The most connections at once; more wait until one ends.
const N_CONNECTIONS: usize = 1024;
/// How long a connection may take for a request's head, and be idle between two: longer than harnesses keep one, so that it is
/// they who close it.
const IDLE: Duration = Duration::from_secs(300);

/// How long the proxy waits for the upstream. Harnesses have times of their own, which are shorter: where one gives up, its
/// request ends here, too.
#[derive(Debug, Clone, Copy)]
pub struct ProxyLimits {
    /// For a connection, its handshake counted in.
    pub connect: Duration,
    /// For the first bytes of an answer. An answer that has begun may take any time.
    pub answer: Duration,
}

impl ProxyLimits {
    /// The usual: SDKs wait ten minutes for an answer that is not streamed, and local models are asked to wait longer.
    pub const USUAL: Self = Self { connect: Duration::from_secs(30), answer: Duration::from_secs(3600) };
}

/// The reason why the proxy cannot listen: one line says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The port belongs to another program.
    #[error(
        "port {0} is in use, perhaps by another cwl proxy; take another with --port, or any free one with --port 0, and tell the harness"
    )]
    PortTaken(u16),
    /// The system refuses the port for another reason.
    #[error("cannot listen on port {0} ({1}); take another with --port")]
    Port(u16, io::Error),
    /// The upstream is the proxy.
    #[error(transparent)]
    Upstream(UpstreamRefusal),
}

/// A proxy that listens, and hands requests on once it [runs](Proxy::run).
pub struct Proxy {
    listener: TcpListener,
    port: u16,
    route: Route,
    capture: Option<Capture>,
}

impl Proxy {
    /// Listens on a port of this machine; 0 is any free one. An encrypted upstream needs the certificates by which it is known.
    ///
    /// # Errors
    /// If the system refuses the port, or the upstream is that port.
    pub async fn listen(
        port: u16,
        upstream: Upstream,
        certificates: Option<&Certificates>,
        limits: ProxyLimits,
    ) -> Result<Self, ListenError> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| match error.kind() {
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

    /// Keeps the requests that ask a model.
    #[must_use]
    pub fn with_capture(mut self, capture: Capture) -> Self {
        self.route.capture = Some(capture.sink());
        Self { capture: Some(capture), ..self }
    }

    /// Takes out of requests that ask a model what a policy takes; `notices` are told when a request goes on as it came.
    #[must_use]
    pub fn with_eviction(mut self, eviction: Eviction, notices: Notices) -> Self {
        self.route.evictor = Some(Evictor::new(eviction, notices));
        self
    }

    /// Returns the port the proxy listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address for the harness's base URL.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Hands requests on until `end` is ready. Then answers that have begun have a moment to finish.
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
        // Connections that have not ended by then are closed.
        drop(tokio::time::timeout(GRACE, all_ended).await);
        open.shutdown().await;
        drop(route);
        if let Some(capture) = capture {
            // Everything that passed is written, but for a request that still goes to an upstream that takes nothing.
            let written = tokio::task::spawn_blocking(|| capture.finish());
            drop(tokio::time::timeout(GRACE, written).await);
        }
    }
}

/// Tells whether `error` is that of one connection, which was closed before it was taken.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Hands on the requests of one connection until it ends.
async fn serve_connection(stream: TcpStream, route: Arc<Route>, mut ending: watch::Receiver<bool>) {
    // Pieces of a stream are small, and each is to go at once; without it they only go later.
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
    // How a connection fails is the business of who made it, and no error is kept: it may quote a request.
    tokio::select! {
        done = &mut connection => drop(done),
        () = is_ending => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}
