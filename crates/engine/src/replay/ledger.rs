//! The ledger: all block states and the total of the context, updated block by block.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockState, BlockStates, EpisodeIdx, GraphChange, GraphTimeline, Move, TokenTable, Transition,
};

/// If a token has several units, live units are counted per message, because each message is rounded up as a
/// whole. Sums per level would be wrong if levels share a message.
#[derive(Debug, Clone)]
pub struct Ledger<'a> {
    growth: &'a GraphTimeline,
    table: &'a TokenTable,
    states: BlockStates,
    /// Remaining units per message; a message not yet arrived has its full size. Empty if every
    /// unit is a token.
    message_units: Vec<u64>,
    residues: Vec<bool>,
    overhead: u64,
    total: u64,
}

impl<'a> Ledger<'a> {
    /// Starts with an empty context. No policy may take `pins`.
    pub fn new(growth: &'a GraphTimeline, table: &'a TokenTable, pins: &[BlockIdx]) -> Self {
        let n_rounded = if table.divisor() > 1 { growth.n_messages() } else { 0 };
        let message_units = (0..n_rounded).map(|message| table.units_of(growth.blocks_of(message))).collect();
        let mut states = BlockStates::new(growth.n_blocks());
        states.pin_blocks(pins);
        let residues = alloc::vec![false; growth.graph.episodes.len()];
        Self { growth, table, states, message_units, residues, overhead: 0, total: 0 }
    }

    pub(crate) fn set_overhead(&mut self, tokens: u64) {
        self.total = self.total - self.overhead + tokens;
        self.overhead = tokens;
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn states(&self) -> &BlockStates {
        &self.states
    }

    #[inline]
    pub fn state(&self, block: BlockIdx) -> BlockState {
        self.states.state(block)
    }

    pub fn has_residue(&self, episode: EpisodeIdx) -> bool {
        self.residues[episode.at()]
    }

    pub fn apply_change(&mut self, change: &GraphChange) -> Option<Transition> {
        let transition = self.states.apply_change(change)?;
        if let Transition::Arrived(run) = transition {
            let units = self.message_units.get(self.growth.messages_of(run));
            let rounded =
                units.map(|units| units.iter().map(|units| self.table.tokens_from_units(*units)).sum());
            self.total += rounded.unwrap_or_else(|| self.table.units_of(run));
        }
        self.apply_transition(transition);
        Some(transition)
    }

    /// Pinned blocks do not change.
    #[inline]
    pub fn apply_move(&mut self, one: Move) {
        if let Some(transition) = self.states.apply_move(one) {
            self.apply_transition(transition);
        }
    }

    #[inline]
    pub(crate) fn take_block(&mut self, block: BlockIdx) {
        // Policies mostly take blocks that are present and unmasked.
        if self.message_units.is_empty() && self.states.take_whole(block) {
            self.total -= self.table.units(block);
        } else {
            self.apply_move(Move::Out(block));
        }
    }

    pub(crate) fn untake_block(&mut self, block: BlockIdx) {
        if let Some(transition) = self.states.untake_block(block) {
            self.apply_transition(transition);
        }
    }

    pub fn place_summary(&mut self, units: u64) {
        self.total += self.table.tokens_from_units(units);
    }

    pub fn lift_summary(&mut self, units: u64) {
        self.total -= self.table.tokens_from_units(units);
    }

    #[inline]
    fn apply_transition(&mut self, transition: Transition) {
        match transition {
            Transition::Changed { block, was, is, .. } => {
                let (was, is) = (was.units_of(self.table, block), is.units_of(self.table, block));
                if self.message_units.is_empty() {
                    self.total = self.total - was + is;
                    return;
                }
                let units = &mut self.message_units[self.growth.message_of(block)];
                let before = self.table.tokens_from_units(*units);
                *units = *units - was + is;
                self.total = self.total - before + self.table.tokens_from_units(*units);
            }
            Transition::Residue(episode, present) => {
                let tokens = self.table.residue_tokens(episode);
                match (core::mem::replace(&mut self.residues[episode.at()], present), present) {
                    (false, true) => self.total += tokens,
                    (true, false) => self.total -= tokens,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
