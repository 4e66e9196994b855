//! The tail's public API: how to continue, reading once, and following changing files and folders.
#![allow(clippy::unwrap_used)]

mod common;

mod cursor;
mod read_once;
#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod folders;
mod rebuild;
