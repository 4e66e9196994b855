//! Token counts, computed elsewhere and passed in as a table.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{BlockIdx, BlockRun, EpisodeIdx, Placeholder};

/// Sizes of everything a context can hold, in a tokenizer's units.
///
/// A message costs `ceil(units of its live blocks / divisor)` tokens, a residue likewise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenTable {
    divisor: u32,
    /// log2 of the divisor, if it is a power of two. Divisions would take half a replay's time.
    shift: Option<u32>,
    blocks: Vec<u32>,
    residues: BTreeMap<EpisodeIdx, u32>,
    placeholders: [u32; Placeholder::ALL.len()],
    /// Sizes of unsent blocks, for a policy that counts them anyway.
    unsent: BTreeMap<BlockIdx, u32>,
}

impl TokenTable {
    /// Takes one count per block; a missing count is 0, and a divisor of 0 is 1.
    ///
    /// Unsent blocks ([`crate::Session::is_excluded`]) have 0 here; [`TokenTable::with_unsent`]
    /// sets their sizes.
    pub fn new(divisor: u32, blocks: Vec<u32>, residues: BTreeMap<EpisodeIdx, u32>) -> Self {
        let divisor = divisor.max(1);
        let shift = divisor.is_power_of_two().then(|| divisor.trailing_zeros());
        Self {
            divisor,
            shift,
            blocks,
            residues,
            placeholders: [0; Placeholder::ALL.len()],
            unsent: BTreeMap::new(),
        }
    }

    pub fn with_residues(mut self, residues: BTreeMap<EpisodeIdx, u32>) -> Self {
        self.residues = residues;
        self
    }

    /// Sets the placeholders' sizes, in the order of [`Placeholder::ALL`], units.
    pub fn with_placeholders(mut self, placeholders: [u32; Placeholder::ALL.len()]) -> Self {
        self.placeholders = placeholders;
        self
    }

    /// Sets the unsent blocks' sizes, units. Only [`TokenTable::with_unsent_counted`] counts them.
    pub fn with_unsent(mut self, unsent: BTreeMap<BlockIdx, u32>) -> Self {
        self.unsent = unsent;
        self
    }

    pub fn with_unsent_counted(mut self) -> Self {
        let unsent = core::mem::take(&mut self.unsent);
        self.with_sizes(unsent.into_iter())
    }

    pub fn with_sizes(mut self, sizes: impl Iterator<Item = (BlockIdx, u32)>) -> Self {
        for (block, units) in sizes {
            if let Some(known) = self.blocks.get_mut(block.at()) {
                *known = units;
            }
        }
        self
    }

    pub fn placeholder_units(&self, placeholder: Placeholder) -> u64 {
        self.placeholders[placeholder as usize].into()
    }

    pub fn divisor(&self) -> u32 {
        self.divisor
    }

    pub fn units(&self, block: BlockIdx) -> u64 {
        self.blocks.get(block.at()).copied().unwrap_or(0).into()
    }

    pub fn units_of(&self, run: BlockRun) -> u64 {
        let range = run.range();
        let known = range.start.min(self.blocks.len())..range.end.min(self.blocks.len());
        self.blocks[known].iter().map(|units| u64::from(*units)).sum()
    }

    pub fn residue_tokens(&self, episode: EpisodeIdx) -> u64 {
        self.tokens_from_units(self.residues.get(&episode).copied().unwrap_or(0).into())
    }

    #[inline]
    pub fn tokens_from_units(&self, units: u64) -> u64 {
        match self.shift {
            Some(shift) => (units >> shift) + u64::from((units >> shift) << shift != units),
            None => units.div_ceil(self.divisor.into()),
        }
    }
}
