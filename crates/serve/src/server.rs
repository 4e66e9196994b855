//! The server: one socket on loopback, from its address to its end.

use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use cwl_api::Inspector;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::guard::Door;
use crate::page::Page;
use crate::routes::{self, Shared};
use crate::token::Token;

/// The time that calls have left when the server ends; half a request is not waited for.
const GRACE: Duration = Duration::from_secs(2);

/// A server that listens, and answers once it [runs](Server::run).
pub struct Server {
    listener: TcpListener,
    door: Door,
    page: Page,
}

/// The reason why nothing can be served: one line says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port belongs to another program.
    #[error("port {0} is in use; take another with --port, or any free one with --port 0")]
    PortTaken(u16),
    /// The system refuses the port for another reason.
    #[error("cannot listen on port {0} ({1}); take another with --port")]
    Port(u16, io::Error),
    /// The system gives no random bytes for a token.
    #[error("the system gives no random numbers for a token ({0})")]
    NoChance(getrandom::Error),
    /// The socket failed.
    #[error("the server broke ({0}); start it again")]
    Broken(io::Error),
}

impl Server {
    /// Listens on a port of this machine; 0 is any free one.
    ///
    /// # Errors
    /// When the system refuses the port.
    pub async fn listen(port: u16, page: Page) -> Result<Self, ServeError> {
        let token = Token::random().map_err(ServeError::NoChance)?;
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => ServeError::PortTaken(port),
                _ => ServeError::Port(port, error),
            })?;
        let port = listener.local_addr().map_err(|error| ServeError::Port(port, error))?.port();
        Ok(Self { listener, door: Door { port, token }, page })
    }

    /// Returns the port that the server listens on.
    pub fn port(&self) -> u16 {
        self.door.port
    }

    /// Returns the address to open. The token is in its fragment, which no server and no log of one sees.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.door.port, self.door.token.digits())
    }

    /// Answers until `end` is ready. Then streams end, and calls have a moment to finish.
    ///
    /// # Errors
    /// When the socket fails.
    pub async fn run(
        self,
        inspector: Arc<Inspector>,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let (end_streams, ending) = watch::channel(false);
        let shared = Arc::new(Shared { door: self.door, page: self.page, inspector, ending });
        let router = Router::new().fallback(move |request| routes::answer(Arc::clone(&shared), request));
        let mut ended = end_streams.subscribe();
        let serve = axum::serve(self.listener, router).with_graceful_shutdown(async move {
            end.await;
            end_streams.send_replace(true);
        });
        let grace_is_over = async move {
            // An error is the end too.
            drop(ended.wait_for(|ended| *ended).await);
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            served = serve => served.map_err(ServeError::Broken),
            () = grace_is_over => Ok(()),
        }
    }
}
