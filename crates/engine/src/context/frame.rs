//! A frame: everything a picture of a replay shows at one cut, from a single fold over the turns.

use alloc::vec::Vec;

use crate::{BandTokens, BandsBy, Cut, Replay, ReplayInput, StateAt, bands_by_turn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Eviction level per episode, 0 to 4, in graph order.
    pub levels: Vec<u8>,
    /// Remaining tokens per episode, in graph order ([`StateAt::tokens_left`]).
    pub left: Vec<u64>,
    /// Tokens per band for every turn, whatever the cut. Empty unless requested.
    pub bands: Vec<BandTokens>,
}

impl Frame {
    pub fn measure(input: &ReplayInput<'_>, replay: &Replay, cut: Cut, bands: Option<BandsBy>) -> Self {
        let state = StateAt::fold_to(input, replay, cut);
        let left = input.growth.graph.episodes().map(|(idx, _)| state.tokens_left(input, idx)).collect();
        let bands = bands.map(|by| bands_by_turn(input, replay, by)).unwrap_or_default();
        Self { levels: state.levels, left, bands }
    }
}
