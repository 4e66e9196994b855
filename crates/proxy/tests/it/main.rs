//! The tests of the proxy between real sockets, in one binary: linking is what takes the time.
#![allow(clippy::unwrap_used)]

mod common;

mod bytes;
mod capture;
mod ends;
mod evict;
mod load;
mod trust;
