//! The tests of the corpus, in one binary: linking is what takes the time.
#![allow(clippy::unwrap_used)]

mod common;
mod docs;
mod files;
mod privacy;
mod report;
mod resume;
mod shelf;
mod tree;
mod values;
