//! A frame: everything that a picture of a replay shows at one cut, gathered in one fold from the first turn on.

use alloc::vec::Vec;

use crate::{BandTokens, BandsBy, Cut, Replay, ReplayInput, StateAt, bands_by_turn};

/// The figures of a replay at one cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The level of each episode at the cut, 0 to 4, in graph order.
    pub levels: Vec<u8>,
    /// The size that is left of each episode at the cut, tokens, in graph order ([`StateAt::tokens_left`]).
    pub left: Vec<u64>,
    /// The size of every turn's request, band by band. It does not depend on the cut, and is empty unless it is asked for.
    pub bands: Vec<BandTokens>,
}

impl Frame {
    /// Gathers the figures at a cut; the bands of all turns only if they are asked for.
    pub fn measure(input: &ReplayInput<'_>, replay: &Replay, cut: Cut, bands: Option<BandsBy>) -> Self {
        let state = StateAt::fold_to(input, replay, cut);
        let left = input.growth.graph.episodes().map(|(idx, _)| state.tokens_left(input, idx)).collect();
        let bands = bands.map(|by| bands_by_turn(input, replay, by)).unwrap_or_default();
        Self { levels: state.levels, left, bands }
    }
}
