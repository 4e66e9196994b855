//! Live decisions for a running agent, computed from events, counts and settings alone: no file, clock, store or
//! network.
//!
//! [`decide`] answers one question: which parts does a policy evict from the request an agent is about to make?
//! [`SessionHistory`] holds the session so far, event by event, with the size of each text. The engine replays the
//! policy over it and renders the request exactly as it does for a finished log, so a live agent sends what the
//! inspector shows. [`EvictionDecision`] holds the result as edits of the harness's own list of messages; a part
//! without an edit stays as it is, byte for byte.
//!
//! A decision fails open. If a message is not fully understood, or a provider would refuse the edited list, the list
//! stays unchanged and [`Verdict::PassThrough`] gives the reason.

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
pub use settings::{DecisionSettings, SettingsRefusal};
