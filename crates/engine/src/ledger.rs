//! The ledger: which blocks are in the context, and what that costs, kept up to date block by block.

use alloc::vec::Vec;

use crate::{BlockIdx, EpisodeIdx, GraphChange, Session, TokenTable};

const ARRIVED: u8 = 1;
const DROPPED: u8 = 2;
const EVICTED: u8 = 4;
const MASKED: u8 = 8;
const PINNED: u8 = 16;

/// Which blocks are in the context, and the running total.
///
/// Live units are kept per message, because a message is rounded up as a whole: sums per level would be
/// wrong where levels share a message.
#[derive(Debug, Clone)]
pub struct Ledger<'a> {
    /// Each block's message; a column of its own, because a replay is all memory traffic.
    messages: Vec<u32>,
    table: &'a TokenTable,
    flags: Vec<u8>,
    message_units: Vec<u64>,
    residues: Vec<bool>,
    /// What stands in the place of masked blocks, units; empty until there is one.
    masks: Vec<u64>,
    total: u64,
}

impl<'a> Ledger<'a> {
    /// Makes a ledger of an empty context that costs `overhead` tokens.
    pub fn new(session: &'a Session, table: &'a TokenTable, n_episodes: usize, overhead: u64) -> Self {
        let mut messages = Vec::with_capacity(session.blocks.len());
        for (number, message) in (0u32..).zip(&session.messages) {
            messages.resize(message.blocks.end, number);
        }
        Self {
            messages,
            table,
            flags: alloc::vec![0; session.blocks.len()],
            message_units: alloc::vec![0; session.messages.len()],
            residues: alloc::vec![false; n_episodes],
            masks: Vec::new(),
            total: overhead,
        }
    }

    /// Returns the total, tokens, overhead included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns what is left of a message, units.
    pub fn message_units(&self, message: usize) -> u64 {
        self.message_units[message]
    }

    /// Tells whether a block is in the context.
    pub fn is_live(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & !PINNED == ARRIVED
    }

    /// Tells whether the human has pinned a block: no policy may take it.
    pub fn is_pinned(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & PINNED != 0
    }

    /// Pins blocks, before anything comes in.
    pub fn pin(&mut self, blocks: &[BlockIdx]) {
        for block in blocks {
            self.flags[block.at()] |= PINNED;
        }
    }

    /// Tells whether a block has come in, wherever it is now.
    pub fn has_arrived(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & ARRIVED != 0
    }

    /// Tells whether the harness took a block out.
    pub fn is_dropped(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & DROPPED != 0
    }

    /// Tells whether the policy took a block out.
    pub fn is_evicted(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & EVICTED != 0
    }

    /// Tells whether an episode's residue is in the context.
    pub fn has_residue(&self, episode: EpisodeIdx) -> bool {
        self.residues[episode.at()]
    }

    /// Takes over what a change does to blocks; the graph is the policy's business.
    pub fn apply(&mut self, change: &GraphChange) {
        match *change {
            GraphChange::Arrived(block) => self.set(block, |flags| flags | ARRIVED),
            GraphChange::Dropped(block, _) => self.set(block, |flags| flags | DROPPED),
            GraphChange::Restored(block) => self.set(block, |flags| flags & !DROPPED),
            GraphChange::Opened(_)
            | GraphChange::Owned(..)
            | GraphChange::Edge { .. }
            | GraphChange::Described(..)
            | GraphChange::Closed(_)
            | GraphChange::Reopened(_)
            | GraphChange::Vanished(_) => {}
        }
    }

    /// Takes a block out of the context by the policy; a pinned one stays.
    pub fn evict(&mut self, block: BlockIdx) {
        self.set(block, |flags| if flags & PINNED == 0 { (flags | EVICTED) & !MASKED } else { flags });
    }

    /// Puts an evicted or masked block back.
    pub fn unevict(&mut self, block: BlockIdx) {
        self.set(block, |flags| flags & !(EVICTED | MASKED));
    }

    /// Puts a text of that many units in the place of a block; a pinned one stays.
    pub fn mask(&mut self, block: BlockIdx, units: u64) {
        if self.is_pinned(block) {
            return;
        }
        self.unevict(block);
        if self.masks.is_empty() {
            self.masks.resize(self.flags.len(), 0);
        }
        self.masks[block.at()] = units;
        self.set(block, |flags| flags | MASKED);
    }

    /// Tells whether a placeholder stands in a block's place.
    pub fn is_masked(&self, block: BlockIdx) -> bool {
        self.flags[block.at()] & MASKED != 0
    }

    /// Puts a synthetic message of that many units into the context.
    pub fn place(&mut self, units: u64) {
        self.total += self.table.tokens(units);
    }

    /// Takes a synthetic message of that many units out again.
    pub fn lift(&mut self, units: u64) {
        self.total -= self.table.tokens(units);
    }

    /// Puts an episode's residue into the context, or takes it out.
    pub fn set_residue(&mut self, episode: EpisodeIdx, present: bool) {
        let tokens = self.table.residue(episode);
        match (core::mem::replace(&mut self.residues[episode.at()], present), present) {
            (false, true) => self.total += tokens,
            (true, false) => self.total -= tokens,
            _ => {}
        }
    }

    fn size(&self, block: BlockIdx, flags: u8) -> u64 {
        match flags & !PINNED {
            ARRIVED => self.table.units(block),
            masked if masked == ARRIVED | MASKED => self.masks[block.at()],
            _ => 0,
        }
    }

    fn set(&mut self, block: BlockIdx, change: impl Fn(u8) -> u8) {
        let flags = self.flags[block.at()];
        let changed = change(flags);
        if flags == changed {
            return;
        }
        self.flags[block.at()] = changed;
        let (was, is) = (self.size(block, flags), self.size(block, changed));
        if was == is {
            return;
        }
        let units = &mut self.message_units[self.messages[block.at()] as usize];
        let before = self.table.tokens(*units);
        *units = *units - was + is;
        self.total = self.total - before + self.table.tokens(*units);
    }
}
