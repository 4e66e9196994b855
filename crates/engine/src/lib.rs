//! The engine of CWL Inspector: an agent's log as events, the episodes that the agent marked in it, and
//! what a policy leaves of its context at every turn.
//!
//! Read in this order. An adapter (not here) turns the records of a log into [`SessionEvent`]s, which an
//! [`EventLog`] keeps. A [`Session`] is one branch of that log in model order: messages, blocks, turns, and
//! what the harness itself took out. The agent's delimiter marks become an [`EpisodeGraph`]. Token counts
//! come from outside as a [`TokenTable`]. A [`Policy`] then runs over all turns as a [`Replay`], whose
//! log of steps gives the state at any turn and step, and from it a [`RenderedContext`]: what the model
//! would receive, with a reason for everything that is there and everything that is not.
//!
//! The engine reads no clock, file, database or environment, has no unordered map and no float in a
//! decision: same input, same bytes. Odd input never fails; it comes back as a [`Problem`] with a place.
#![cfg_attr(not(test), no_std)]
#![deny(missing_docs)]

extern crate alloc;

mod annotate;
mod branch;
mod composition;
mod context;
mod delimiter;
mod digest;
mod dump;
mod eligible;
mod episode;
mod event;
mod finding;
mod frame;
mod graph;
mod growth;
mod ids;
mod ledger;
mod level;
mod log;
mod material;
mod measure;
mod pairing;
mod policy;
mod problem;
mod reading;
mod render;
mod replacement;
mod replay;
mod rewrite;
mod rule;
mod session;
mod shell;
mod stand_in;
mod state;
mod step;
#[cfg(feature = "testing")]
pub mod testing;
mod tokens;
mod tool;
mod validity;
mod verify;
mod walk;

pub use composition::*;
pub use context::*;
pub use delimiter::*;
pub use digest::*;
pub use dump::*;
pub use eligible::*;
pub use episode::*;
pub use event::*;
pub use finding::*;
pub use frame::*;
pub use graph::*;
pub use growth::*;
pub use ids::*;
pub use ledger::*;
pub use level::*;
pub use log::*;
pub use material::*;
#[allow(unused_imports)]
pub use measure::*;
pub use policy::*;
pub use problem::*;
pub use reading::*;
pub use render::*;
pub use replacement::*;
pub use replay::*;
pub use rewrite::*;
pub use rule::*;
pub use session::*;
pub use shell::*;
pub use stand_in::*;
pub use state::*;
pub use step::*;
pub use tokens::*;
pub use tool::*;
pub use validity::*;
pub use verify::*;
pub use walk::*;
