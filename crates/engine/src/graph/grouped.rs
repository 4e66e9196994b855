//! Blocks grouped by episode, turn or level, in one flat array.

use alloc::vec::Vec;
use core::ops::Range;

use crate::BlockIdx;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BlocksByGroup {
    blocks: Vec<BlockIdx>,
    starts: Vec<usize>,
}

impl BlocksByGroup {
    /// Groups `(group, block)` pairs; group numbers are below `n_groups`. Within a group, blocks
    /// keep their order.
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

    pub(crate) fn replace_from(
        &mut self,
        first: usize,
        groups: impl Iterator<Item = impl IntoIterator<Item = BlockIdx>>,
    ) {
        self.blocks.truncate(self.starts[first]);
        self.starts.truncate(first + 1);
        for group in groups {
            self.blocks.extend(group);
            self.starts.push(self.blocks.len());
        }
    }

    pub(crate) fn blocks_in(&self, groups: Range<usize>) -> &[BlockIdx] {
        &self.blocks[self.starts[groups.start]..self.starts[groups.end]]
    }
}
