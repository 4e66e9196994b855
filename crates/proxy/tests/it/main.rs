//! Proxy tests on real sockets, in one binary because linking takes most of the time.
#![allow(clippy::unwrap_used)]

mod common;

mod bytes;
mod capture;
mod ends;
mod evict;
mod load;
#[cfg(unix)]
mod steer;
mod trust;
