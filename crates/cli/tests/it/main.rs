//! Integration tests in one binary, since linking takes most of the time.
#![allow(clippy::unwrap_used)]

mod annotate;
#[cfg(unix)]
mod annotate_reader;
mod book;
mod common;
mod cwl;
mod captured;
mod compactions;
mod corpus;
mod corpus_kills;
mod diff;
mod documents;
mod export;
mod first;
mod found;
mod lint;
#[cfg(unix)]
mod live;
mod mcp;
mod measures;
#[cfg(unix)]
mod private;
mod proxy;
mod reference;
mod reacquisitions;
mod serve;
mod sessions;
mod tail;
mod verdict;
mod whole;
