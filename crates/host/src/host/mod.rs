//! The host: open sessions, the loop that follows their logs, and background work.

pub(crate) mod indexer;
pub(crate) mod control;
pub(crate) mod corpora;
pub(crate) mod demo;
pub(crate) mod documents;
pub(crate) mod gate;
pub(crate) mod held_answers;
pub(crate) mod inspector;
pub(crate) mod moved;
pub(crate) mod named;
pub(crate) mod once;
pub(crate) mod outcome;
pub(crate) mod places;
pub(crate) mod run;
pub(crate) mod steer;
pub(crate) mod underway;
