//! Columns: facts about blocks for every replay, in a cache-friendly layout.

use alloc::vec::Vec;
use core::ops::Range;

use super::segment_facts::{FactsPoint, NameNumbers, SegmentFacts};
use super::{BlockRun, GraphTimeline};
use crate::session::pairing::pair_head;
use crate::{BlockIdx, BlockKind, EvictionLevel, MessageClass, MessageForm, Session};

#[derive(Debug, Clone, Default, PartialEq)]
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

#[derive(Debug, Clone)]
pub(super) struct ColumnsPoint {
    facts: FactsPoint,
    numbers: NameNumbers,
}

impl TimelineColumns {
    pub(super) fn from_session(session: &Session, now: usize) -> (Self, ColumnsPoint) {
        let mut columns = Self::default();
        let mut numbers = NameNumbers::new();
        columns.segments.add_messages(session, 0..now, &mut numbers);
        let facts = columns.segments.point();
        columns.segments.add_messages(session, now..session.messages.len(), &mut numbers);
        columns.add_messages(session, 0);
        (columns, ColumnsPoint { facts, numbers })
    }

    /// Replaces everything from the message `from` on, where `point` was made, and moves the point to the message `now`. No
    /// pair spans `from`.
    pub(super) fn replace_from(
        &mut self,
        session: &Session,
        from: usize,
        now: usize,
        point: &mut ColumnsPoint,
    ) {
        let ColumnsPoint { facts, numbers } = point;
        self.segments.undo_to(facts, numbers);
        self.segments.add_messages(session, from..now, numbers);
        *facts = self.segments.point();
        self.segments.add_messages(session, now..session.messages.len(), numbers);
        let first = self.first_blocks[from] as usize;
        self.first_blocks.truncate(from);
        let is_kept = |number: &u32| (*number as usize) < from;
        self.summaries.truncate(self.summaries.partition_point(is_kept));
        self.messages.truncate(first);
        self.classes.truncate(first);
        self.heads.truncate(first);
        self.sides.truncate(first);
        self.next_in_pair.truncate(first);
        self.levels.iter_mut().for_each(|levels| levels.truncate(first));
        self.add_messages(session, from);
    }

    fn add_messages(&mut self, session: &Session, from: usize) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let first = self.messages.len();
        for (number, message) in (from..).zip(session.messages.range(from..session.messages.len())) {
            self.first_blocks.push(place(message.blocks.start));
            self.messages.resize(message.blocks.end, place(number));
            self.classes.extend(message.blocks.clone().map(|at| session.class_of(BlockIdx::new(at))));
            if message.form == MessageForm::Summary && message.before.is_some() {
                self.summaries.push(place(number));
            }
        }
        self.first_blocks.push(place(session.blocks.len()));
        let blocks = || session.blocks.range(first..session.blocks.len());
        self.heads.extend((first..session.blocks.len()).map(|at| pair_head(session, BlockIdx::new(at))));
        self.sides.extend(blocks().map(|block| PairSide::from_kind(&block.kind)));
        self.next_in_pair.resize(session.blocks.len(), None);
        let mut last: Vec<BlockIdx> = self.heads[first..].to_vec();
        for at in first..self.heads.len() {
            let head = self.heads[at];
            if head.at() != at {
                let before = core::mem::replace(&mut last[head.at() - first], BlockIdx::new(at));
                self.next_in_pair[before.at()] = Some(BlockIdx::new(at));
            }
        }
        for (by_shell, levels) in [false, true].into_iter().zip(&mut self.levels) {
            levels.extend(blocks().map(|block| EvictionLevel::of_block(block, by_shell)));
        }
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
