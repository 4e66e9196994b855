//! Eligibility: whether an episode may go next, and if not, why not (paper 4.4).

use crate::{EpisodeIdx, EvictionLevel, Life, PolicyOptions, Session, WaitingActs, Waits};

/// The eligibility of an episode: [`Self::Eligible`], or [`Self::Blocked`] with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Eligibility {
    /// The episode may go when the budget asks for it.
    Eligible,
    /// The episode may not go, for this reason.
    Blocked(BlockReason),
}

/// The reasons why an episode may not be evicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    /// The agent is in the middle of it.
    Active,
    /// Acts that draw on it are not fully evicted.
    Dependents(WaitingActs),
    /// The episode holds blocks of the last human turns, which an option protects.
    Protected,
    /// The last level that is on has been reached.
    LevelsOff,
    /// Nothing is left of it.
    Gone,
    /// The episode has not begun at this turn.
    Unborn,
}

/// Tells whether an episode may go at the cut of `waits`, by the rule of the paper; many can be asked about at one cut.
pub fn eligibility_among(
    session: &Session,
    options: &PolicyOptions,
    waits: &Waits<'_>,
    idx: EpisodeIdx,
) -> Eligibility {
    let Waits { growth, state, .. } = *waits;
    let level = state.levels[idx.at()];
    let reason = match state.lives[idx.at()] {
        Life::Unborn | Life::Vanished => BlockReason::Unborn,
        _ if level == 4 => BlockReason::Gone,
        Life::Open => BlockReason::Active,
        Life::Closed => {
            let waiting = waits.waiting_acts(idx);
            let holds_protected = |block: &crate::BlockIdx| {
                state.states.state(*block).is_there()
                    && session.stands_at(*block) >= waits.protected_start(session, options)
            };
            let has_level =
                EvictionLevel::ALL.into_iter().any(|next| next.number() > level && options.is_on(next));
            if !waiting.is_empty() {
                BlockReason::Dependents(waiting)
            } else if !has_level {
                BlockReason::LevelsOff
            } else if growth.graph.episode(idx).blocks.iter().any(holds_protected) {
                BlockReason::Protected
            } else {
                return Eligibility::Eligible;
            }
        }
    };
    Eligibility::Blocked(reason)
}
