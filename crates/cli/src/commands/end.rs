//! The end of a command that goes on until it is told to.

use std::future::Future;
use std::io;

use crate::out::Failure;

/// Listens for Ctrl+C, and for SIGTERM where there is one, from now on, and returns a future that waits for either.
pub(crate) fn hear_end() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    listen().map_err(|error| Failure::Said(format!("Ctrl+C cannot be heard ({error})")))
}

#[cfg(unix)]
fn listen() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(windows)]
fn listen() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut interrupted = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupted.recv().await;
    })
}
