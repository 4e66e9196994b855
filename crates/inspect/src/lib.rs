//! Pure questions about a session, answered from events, counts and settings alone: no file, clock, store or network.
//!
//! So far there is one: [`decide`], which tells what a policy takes out of the request that a running agent is about to make.
//! A [`SessionHistory`] holds the session so far, event by event, with the size of each text. The engine replays the policy
//! over it and renders the request, as it does for a log afterwards, so what a live agent sends is what the inspector shows.
//! An [`EvictionDecision`] says it as edits of the harness's own list of messages: every part without an edit stays to the byte.
//!
//! A decision fails open: where something is not understood whole, or a provider would refuse the rest, the list goes
//! through as it is, and the [`Verdict`] says why.
#![deny(missing_docs)]

mod history;
mod settings;
mod message_edit;
mod decision;
mod decide;
mod lower;

pub use decide::decide;
pub use decision::{
    DecisionFigures, EvictedPart, EvictionDecision, EvictionReason, PassThroughReason, Verdict,
};
pub use history::SessionHistory;
pub use message_edit::{MessageEdit, MessagePlaces, PartEdit, PartPlace};
pub use settings::{DecisionSettings, SettingsRefusal, fixed_tokens};
