//! Eligibility: whether an episode may be evicted next, or why not (paper 4.4).

use crate::{EpisodeIdx, EvictionLevel, Life, PolicyOptions, Session, WaitingActs, Waits};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Eligibility {
    Eligible,
    Blocked(BlockReason),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    Active,
    Dependents(WaitingActs),
    /// The episode holds blocks of the last human turns, which an option protects.
    Protected,
    LevelsOff,
    Gone,
    Unborn,
}

/// Callers share one `waits` among many episodes.
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
