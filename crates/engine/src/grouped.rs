//! Blocks in groups (of an episode, of a turn, of a level), laid out one after the other.

use alloc::vec::Vec;
use core::ops::Range;

use crate::BlockIdx;

/// Blocks by the numbers of their groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlocksByGroup {
    blocks: Vec<BlockIdx>,
    /// Each group's start, followed by the end of the last one.
    starts: Vec<usize>,
}

impl BlocksByGroup {
    /// Groups blocks, each given with the number of its group, below `n_groups`; in a group they keep their order.
    pub(crate) fn new(n_groups: usize, members: impl Iterator<Item = (usize, BlockIdx)> + Clone) -> Self {
        let mut starts = alloc::vec![0; n_groups + 1];
        members.clone().for_each(|(group, _)| starts[group + 1] += 1);
        for group in 0..n_groups {
            starts[group + 1] += starts[group];
        }
        let mut blocks = alloc::vec![BlockIdx::new(0); starts[n_groups]];
        let mut next = starts.clone();
        members.for_each(|(group, block)| {
            blocks[next[group]] = block;
            next[group] += 1;
        });
        Self { blocks, starts }
    }

    /// Returns the blocks of some groups that stand side by side.
    pub(crate) fn blocks_in(&self, groups: Range<usize>) -> &[BlockIdx] {
        &self.blocks[self.starts[groups.start]..self.starts[groups.end]]
    }
}
