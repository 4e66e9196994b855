//! Answers about a session, computed from its bytes: no file, clock, store or network.
//!
//! A [`SessionSnapshot`](measure::opened::SessionSnapshot) is one log at one moment: its events, its texts, and everything
//! computed from them on demand. [`load_log`](load::load_log) makes one from bytes; a host makes one whose texts are in a
//! [`TextStore`](text_store::TextStore). A host also answers what no log holds: see [`HostAccess`](access::HostAccess).
//! Commands (`commands/`) are functions from a snapshot and a request to an answer.
//!
//! [`decide`] is the question of a running agent: what does a policy evict from the next request?
//!
//! The crate builds for `wasm32-unknown-unknown`, which `make check-wasm` checks.

// In layers: code in a folder uses only folders above it in this list (checked by `cargo xtask tidy`).
pub mod api;
pub mod recent;
pub mod figures;
pub mod text_store;
pub mod marks;
pub mod access;
pub mod asked;
pub mod tables;
pub mod texts;
pub mod measure;
pub mod present;
pub mod progress;
pub mod load;
#[cfg(test)]
mod testing;
pub mod commands;
pub mod lint;
pub mod router;
pub mod live_decision;

pub use api::{ApiError, ErrorCode};

pub use live_decision::{
    DecisionFigures, DecisionSettings, EvictedPart, EvictionDecision, EvictionReason, MessageEdit,
    MessagePlaces, PartEdit, PartPlace, PassThroughReason, SessionHistory, SettingsRefusal, Verdict, decide,
};
