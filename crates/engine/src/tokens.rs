//! Token counts, which come from outside as a table before any policy runs.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{BlockIdx, BlockRun, EpisodeIdx, Placeholder};

/// The sizes of everything that can be in a context, in a tokenizer's units.
///
/// A message costs `ceil(sum of its live blocks' units / divisor)` tokens; a residue costs that on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenTable {
    divisor: u32,
    /// The divisor as a power of two, if it is one: a division per block and step would be half of a replay.
    shift: Option<u32>,
    blocks: Vec<u32>,
    residues: BTreeMap<EpisodeIdx, u32>,
    placeholders: [u32; Placeholder::ALL.len()],
    /// The sizes of what is not sent, for a policy that counts it all the same.
    unsent: BTreeMap<BlockIdx, u32>,
}

impl TokenTable {
    /// Makes a table from one count per block; a missing count is 0, a divisor of 0 is 1.
    ///
    /// Blocks that never reach the model ([`crate::Session::is_excluded`]) are given as 0, and their sizes apart
    /// ([`TokenTable::with_unsent`]).
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

    /// Gives the sizes of the residues of another graph of the same blocks.
    pub fn with_residues(mut self, residues: BTreeMap<EpisodeIdx, u32>) -> Self {
        self.residues = residues;
        self
    }

    /// Gives the placeholders' sizes, in the order of [`Placeholder::ALL`], units.
    pub fn with_placeholders(mut self, placeholders: [u32; Placeholder::ALL.len()]) -> Self {
        self.placeholders = placeholders;
        self
    }

    /// Gives the sizes of what is in the log and is not sent, units; only [`TokenTable::with_unsent_counted`] counts it.
    pub fn with_unsent(mut self, unsent: BTreeMap<BlockIdx, u32>) -> Self {
        self.unsent = unsent;
        self
    }

    /// Counts what is not sent as well.
    pub fn with_unsent_counted(mut self) -> Self {
        let unsent = core::mem::take(&mut self.unsent);
        self.with_sizes(unsent.into_iter())
    }

    /// Gives blocks another size, units.
    pub fn with_sizes(mut self, sizes: impl Iterator<Item = (BlockIdx, u32)>) -> Self {
        for (block, units) in sizes {
            if let Some(known) = self.blocks.get_mut(block.at()) {
                *known = units;
            }
        }
        self
    }

    /// Returns a placeholder's units.
    pub fn placeholder_units(&self, placeholder: Placeholder) -> u64 {
        self.placeholders[placeholder as usize].into()
    }

    /// Returns how many units make a token.
    pub fn divisor(&self) -> u32 {
        self.divisor
    }

    /// Returns a block's units.
    pub fn units(&self, block: BlockIdx) -> u64 {
        self.blocks.get(block.at()).copied().unwrap_or(0).into()
    }

    /// Returns the units of all blocks of a run.
    pub fn units_of(&self, run: BlockRun) -> u64 {
        let range = run.range();
        let known = range.start.min(self.blocks.len())..range.end.min(self.blocks.len());
        self.blocks[known].iter().map(|units| u64::from(*units)).sum()
    }

    /// Returns the tokens an episode's residue costs.
    pub fn residue_tokens(&self, episode: EpisodeIdx) -> u64 {
        self.tokens_from_units(self.residues.get(&episode).copied().unwrap_or(0).into())
    }

    /// Returns the tokens of that many units in one message.
    #[inline]
    pub fn tokens_from_units(&self, units: u64) -> u64 {
        match self.shift {
            Some(shift) => (units >> shift) + u64::from((units >> shift) << shift != units),
            None => units.div_ceil(self.divisor.into()),
        }
    }
}
