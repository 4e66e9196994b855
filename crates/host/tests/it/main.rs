//! Integration tests in one binary, since linking takes most of the time.
#![allow(clippy::unwrap_used)]

mod common;

mod bundle;
mod cancel;
mod captured;
mod commands;
mod copies;
mod compare;
mod frontier;
mod cost;
mod diff;
mod discovery;
mod duel;
mod figures_doc;
mod find;
mod findings;
mod first;
mod follow;
mod gate;
mod golden;
mod growth;
mod hidden;
mod marks;
mod host;
mod named;
mod notes;
mod overview;
mod once;
mod policies_doc;
#[cfg(unix)]
mod reader;
mod compactions;
mod pure;
mod reacquisitions;
mod releases;
mod rulings;
mod samples;
mod lint;
mod schemas;
mod side_by_side;
mod search;
mod sentences;
mod spent;
#[cfg(unix)]
mod steer;
mod undeclared;
