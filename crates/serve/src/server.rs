//! The server: one socket on the loopback interface.

use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use cwl_host::Inspector;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connections::{ActiveConnection, ConnectionLimits, Connections};
use crate::guard::AccessGuard;
use crate::page::Page;
use crate::routes::{self, CallsInFlight, ServerState};
use crate::token::ServerToken;

/// Time for unfinished calls when the server ends. Half a request is not awaited.
const GRACE: Duration = Duration::from_secs(2);
/// Pause after a failed accept, for example if too many files are open.
const BREAK: Duration = Duration::from_millis(50);

pub struct Server {
    listener: TcpListener,
    door: AccessGuard,
    page: Page,
    allowance: ConnectionLimits,
}

/// The reason why nothing can be served, and a remedy, in one line.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("port {0} is in use; take another with --port, or any free one with --port 0")]
    PortTaken(u16),
    /// The system refused the port for another reason.
    #[error("cannot listen on port {0} ({1}); take another with --port")]
    Port(u16, io::Error),
    #[error("the system gives no random numbers for a token ({0})")]
    NoChance(getrandom::Error),
}

impl Server {
    /// Listens on a port of the loopback interface; `0` takes any free one.
    ///
    /// # Errors
    /// [`ServeError`] if the system refuses the port or random bytes.
    pub async fn listen(port: u16, page: Page) -> Result<Self, ServeError> {
        let token = ServerToken::random().map_err(ServeError::NoChance)?;
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => ServeError::PortTaken(port),
                _ => ServeError::Port(port, error),
            })?;
        let port = listener.local_addr().map_err(|error| ServeError::Port(port, error))?.port();
        Ok(Self { listener, door: AccessGuard { port, token }, page, allowance: ConnectionLimits::USUAL })
    }

    /// Sets limits for connections: their number without and with the token, how long one without it keeps
    /// its place while others wait, and how long one may be silent.
    #[must_use]
    pub fn with_limits(
        self,
        n_strangers: usize,
        n_known: usize,
        patience: Duration,
        silence: Duration,
    ) -> Self {
        Self { allowance: ConnectionLimits { n_strangers, n_known, patience, silence }, ..self }
    }

    pub fn port(&self) -> u16 {
        self.door.port
    }

    /// The address to open. Its fragment holds the token, which no server and no server log ever sees.
    pub fn page_address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.door.port, self.door.token.digits())
    }

    /// Answers until `end` is ready. Then streams end, and calls have a moment to finish.
    pub async fn run(self, inspector: Arc<Inspector>, end: impl Future<Output = ()> + Send + 'static) {
        let Self { listener, door, page, allowance } = self;
        let (end_streams, ending) = watch::channel(false);
        let (silence, work) = (allowance.silence, CallsInFlight::default());
        let connections = Connections::new(allowance);
        let shared = Arc::new(ServerState { door, page, inspector, ending, silence, work, connections });
        let mut open = JoinSet::new();
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = async {
                shared.connections.wait_for_room().await;
                listener.accept().await
            };
            tokio::select! {
                () = &mut end => break,
                Some(_ended) = open.join_next() => {}
                accepted = accepted => match accepted {
                    Ok((stream, _)) => drop(open.spawn(serve_connection(stream, Arc::clone(&shared)))),
                    Err(error) if is_of_one(&error) => {}
                    Err(_no_room_in_the_system) => tokio::time::sleep(BREAK).await,
                },
            }
        }
        drop(listener);
        end_streams.send_replace(true);
        let all_ended = async { while open.join_next().await.is_some() {} };
        // Connections that are still open are closed.
        drop(tokio::time::timeout(GRACE, all_ended).await);
    }
}

/// Tells whether `error` concerns only one connection, closed before it was accepted.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn serve_connection(stream: TcpStream, shared: Arc<ServerState>) {
    let (number, closed) = shared.connections.begin_connection();
    let caller = ActiveConnection::new(&shared.connections, number);
    let mut ending = shared.ending.clone();
    let service = service_fn(|request: Request<Incoming>| {
        let answered = routes::answer_request(&shared, &caller, request.map(Body::new));
        async { Ok::<_, std::convert::Infallible>(answered.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.silence)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = connection;
    let is_closed = async {
        // The sender was dropped: the connection has shown the token and stays open.
        if closed.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    // A connection's errors matter only to its client.
    let is_ending = async { drop(ending.wait_for(|ended| *ended).await) };
    tokio::select! {
        done = &mut connection => {
            if done.is_err_and(|error| error.is_timeout()) {
                let parts = connection.into_parts();
                // An incomplete head gets an answer about the timeout; silence gets none.
                if !parts.read_buf.is_empty() {
                    let answer = routes::head_took_too_long();
                    drop(timeout(shared.silence, parts.io.into_inner().write_all(&answer)).await);
                }
            }
        }
        () = is_closed => {}
        () = is_ending => {
            std::pin::Pin::new(&mut connection).graceful_shutdown();
            drop(connection.await);
        }
    }
}
