//! The tests of the server from outside, in one binary: linking is what takes the time.
#![allow(clippy::unwrap_used)]

mod common;

mod bounds;
mod calls;
mod fence;
mod trust;
