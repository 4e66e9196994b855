//! Integration tests in one binary, since linking takes most of the time.
#![allow(clippy::unwrap_used)]

mod common;

mod bounds;
mod calls;
mod fence;
mod trust;
