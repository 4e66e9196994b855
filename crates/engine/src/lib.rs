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

mod ids;
mod event;
mod delimiter;
mod tool;
mod log;
mod problem;

pub use delimiter::*;
pub use event::*;
pub use ids::*;
pub use log::*;
pub use problem::*;
pub use tool::*;
