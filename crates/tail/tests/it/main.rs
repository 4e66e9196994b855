//! The tail from outside: the decision what to read, one reading, and following files and folders while they change.
#![allow(clippy::unwrap_used)]

mod common;

mod cursor;
mod read_once;
#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod folders;
mod rebuild;
