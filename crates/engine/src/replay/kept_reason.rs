//! Reasons why a block stays in the context.

use crate::WaitingActs;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptReason {
    Prologue,
    System,
    Human,
    /// The block has no episode: a result without a known call.
    NoEpisode,
    Active,
    /// The block belongs to the last reply in an open tool loop. The provider requires this reply's signed
    /// reasoning.
    InLoop,
    BlockedBy(WaitingActs),
    Protected,
    LevelOff,
    /// The block may go, but the budget is met without it.
    Eligible,
    Pinned,
    Recent,
    OutOfReach,
}
