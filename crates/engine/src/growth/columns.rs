//! Columns: facts about blocks for every replay, in a cache-friendly layout.

use alloc::vec::Vec;
use core::ops::Range;

use super::segment_facts::SegmentFacts;
use super::{BlockRun, GraphTimeline};
use crate::pairing::pair_head;
use crate::{BlockIdx, BlockKind, EvictionLevel, MessageClass, MessageForm, Session};

#[derive(Debug, Clone, Default)]
pub(super) struct TimelineColumns {
    messages: Vec<u32>,
    first_blocks: Vec<u32>,
    classes: Vec<MessageClass>,
    /// Eviction level per block, without and with `classify_shell`.
    pub(super) levels: [Vec<EvictionLevel>; 2],
    heads: Vec<BlockIdx>,
    next_in_pair: Vec<Option<BlockIdx>>,
    sides: Vec<PairSide>,
    summaries: Vec<u32>,
    segments: SegmentFacts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSide {
    Call,
    Result,
    Neither,
}

impl PairSide {
    pub(crate) fn from_kind(kind: &BlockKind) -> Self {
        match kind {
            BlockKind::Call(_) => Self::Call,
            BlockKind::Result(_) => Self::Result,
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => Self::Neither,
        }
    }
}

impl TimelineColumns {
    pub(super) fn from_session(session: &Session) -> Self {
        let mut columns = Self { segments: SegmentFacts::from_session(session), ..Self::default() };
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for (number, message) in session.messages.iter().enumerate() {
            columns.first_blocks.push(place(message.blocks.start));
            columns.messages.resize(message.blocks.end, place(number));
            columns.classes.extend(message.blocks.clone().map(|at| session.class_of(BlockIdx::new(at))));
            if message.form == MessageForm::Summary && message.before.is_some() {
                columns.summaries.push(place(number));
            }
        }
        columns.first_blocks.push(place(session.blocks.len()));
        columns.heads = (0..session.blocks.len()).map(|at| pair_head(session, BlockIdx::new(at))).collect();
        columns.sides = session.blocks.iter().map(|block| PairSide::from_kind(&block.kind)).collect();
        columns.next_in_pair = alloc::vec![None; session.blocks.len()];
        let mut last = columns.heads.clone();
        for (at, head) in columns.heads.iter().enumerate().filter(|(at, head)| head.at() != *at) {
            let before = core::mem::replace(&mut last[head.at()], BlockIdx::new(at));
            columns.next_in_pair[before.at()] = Some(BlockIdx::new(at));
        }
        for (by_shell, levels) in [false, true].into_iter().zip(&mut columns.levels) {
            levels.extend(session.blocks.iter().map(|block| EvictionLevel::of_block(block, by_shell)));
        }
        columns
    }
}

impl GraphTimeline {
    pub fn n_blocks(&self) -> usize {
        self.columns.messages.len()
    }

    pub fn n_messages(&self) -> usize {
        self.columns.first_blocks.len().saturating_sub(1)
    }

    pub fn message_of(&self, block: BlockIdx) -> usize {
        self.columns.messages[block.at()] as usize
    }

    pub fn messages_of(&self, run: BlockRun) -> Range<usize> {
        match self.columns.messages.get(run.range()) {
            Some([first, .., last]) => *first as usize..*last as usize + 1,
            Some([only]) => *only as usize..*only as usize + 1,
            _ => 0..0,
        }
    }

    pub fn blocks_of(&self, message: usize) -> BlockRun {
        let first = |message: usize| BlockIdx::new(self.columns.first_blocks[message] as usize);
        BlockRun { first: first(message), end: first(message + 1) }
    }

    pub fn class_of(&self, block: BlockIdx) -> MessageClass {
        self.columns.classes[block.at()]
    }

    pub fn level_of(&self, block: BlockIdx, classify_shell: bool) -> EvictionLevel {
        self.columns.levels[usize::from(classify_shell)][block.at()]
    }

    pub(crate) fn head_of(&self, block: BlockIdx) -> BlockIdx {
        self.columns.heads[block.at()]
    }

    /// Lists `block` and everything evicted with it, in log order: a call, its replacements, and
    /// its results.
    pub fn blocks_of_pair(&self, block: BlockIdx) -> impl Iterator<Item = BlockIdx> {
        let head = self.head_of(block);
        core::iter::successors(Some(head), |block| self.next_in_pair(*block))
    }

    pub fn next_in_pair(&self, block: BlockIdx) -> Option<BlockIdx> {
        self.columns.next_in_pair[block.at()]
    }

    pub fn side_of(&self, block: BlockIdx) -> PairSide {
        self.columns.sides[block.at()]
    }

    pub(crate) fn segment_facts(&self) -> &SegmentFacts {
        &self.columns.segments
    }

    pub(crate) fn summaries_in(&self, run: BlockRun) -> impl Iterator<Item = usize> {
        let messages = self.messages_of(run);
        let all = &self.columns.summaries;
        let first = all.partition_point(|number| (*number as usize) < messages.start);
        all[first..].iter().map(|number| *number as usize).take_while(move |number| *number < messages.end)
    }
}
