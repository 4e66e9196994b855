//! Integration tests in one binary, since linking takes most of the time.
#![allow(clippy::unwrap_used)]

mod common;
mod dataset;
mod docs;
mod files;
mod privacy;
mod report;
mod resume;
mod shelf;
mod tree;
mod trial;
mod values;
