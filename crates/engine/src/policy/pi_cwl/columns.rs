//! Columns: the facts `pi-cwl` needs for every block and message.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::graph::growth::SegmentFacts;
use crate::{BlockIdx, BlockKind, GraphTimeline, Ledger, MessageIdx, PairSide, Session, ToolCallId, TurnIdx};

pub(super) const NONE: u32 = u32::MAX;

pub(super) struct SegmentColumns<'a> {
    pub(super) session: &'a Session,
    pub(super) growth: &'a GraphTimeline,
    pub(super) facts: &'a SegmentFacts,
    groups: Option<IdGroups>,
    /// True if the harness removed and inserted nothing and every id belongs to one call. Segments
    /// then cannot affect each other's blocks.
    pub(super) is_plain: bool,
}

struct IdGroups {
    /// Group number per call and result; [`NONE`] for other blocks.
    numbers: Vec<u32>,
    /// Results per group as a linked list: the first one, then each one's successor.
    first_results: Vec<u32>,
    next_results: Vec<u32>,
}

impl IdGroups {
    fn by_id(session: &Session) -> Self {
        let n_blocks = session.blocks.len();
        let mut groups = Self {
            numbers: Vec::with_capacity(n_blocks),
            first_results: alloc::vec![NONE; n_blocks],
            next_results: alloc::vec![NONE; n_blocks],
        };
        let mut ids: BTreeMap<&ToolCallId, u32> = BTreeMap::new();
        for (at, row) in session.blocks.iter().enumerate() {
            let id = match &row.kind {
                BlockKind::Call(call) => &call.id,
                BlockKind::Result(result) => &result.call,
                BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
                    groups.numbers.push(NONE);
                    continue;
                }
            };
            let number = *ids.entry(id).or_insert(to_u32(at));
            groups.numbers.push(number);
            if PairSide::from_kind(&row.kind) == PairSide::Result {
                let first = &mut groups.first_results[number as usize];
                groups.next_results[at] = core::mem::replace(first, to_u32(at));
            }
        }
        groups
    }
}

impl<'a> SegmentColumns<'a> {
    pub(super) fn new(session: &'a Session, growth: &'a GraphTimeline) -> Self {
        let facts = growth.segment_facts();
        Self {
            session,
            growth,
            facts,
            groups: facts.has_odd_ids.then(|| IdGroups::by_id(session)),
            is_plain: !facts.has_odd_ids && session.replacements.is_empty() && facts.displaced.is_empty(),
        }
    }

    pub(super) fn group_of(&self, block: BlockIdx) -> u32 {
        if let Some(groups) = &self.groups {
            return groups.numbers[block.at()];
        }
        let head = self.growth.head_of(block);
        match self.growth.side_of(block) {
            PairSide::Call => to_u32(head.at()),
            PairSide::Result if head != block => to_u32(head.at()),
            PairSide::Result | PairSide::Neither => NONE,
        }
    }

    pub(super) fn each_result(&self, group: u32, mut each: impl FnMut(BlockIdx)) {
        let Some(groups) = &self.groups else {
            let pair = self.growth.blocks_of_pair(BlockIdx::new(group as usize));
            return pair.filter(|block| self.growth.side_of(*block) == PairSide::Result).for_each(each);
        };
        let mut at = groups.first_results[group as usize];
        while at != NONE {
            each(BlockIdx::new(at as usize));
            at = groups.next_results[at as usize];
        }
    }

    pub(super) fn message_of(&self, block: BlockIdx) -> usize {
        self.growth.message_of(block)
    }

    pub(super) fn has_displaced(&self) -> bool {
        !self.facts.displaced.is_empty()
    }

    pub(super) fn is_displaced(&self, block: BlockIdx) -> bool {
        self.has_displaced() && self.session.messages[self.message_of(block)].before.is_some()
    }

    pub(super) fn blocks_in(&self, range: Range<usize>) -> impl Iterator<Item = BlockIdx> {
        let messages = &self.session.messages;
        let blocks = match (messages.get(range.start), messages.get(range.end - 1)) {
            (Some(first), Some(last)) => first.blocks.start..last.blocks.end,
            _ => 0..0,
        };
        let displaced = &self.facts.displaced;
        let place = |at: usize| displaced.partition_point(|(before, _)| (*before as usize) < at);
        let in_range = match displaced.is_empty() {
            true => 0..0,
            false => place(range.start + 1)..place(range.end),
        };
        let stand_elsewhere =
            displaced[in_range].iter().flat_map(|(_, number)| messages[*number as usize].blocks.clone());
        blocks
            .map(BlockIdx::new)
            .filter(|block| !self.is_displaced(*block))
            .chain(stand_elsewhere.map(BlockIdx::new))
    }

    pub(super) fn stands_in(&self, message: usize, range: &Range<usize>) -> bool {
        match self.session.messages[message].before {
            // A displaced message precedes `before`, so `range.start` does not include it.
            Some(before) => range.start < before.at() && before.at() < range.end,
            None => range.contains(&message),
        }
    }

    pub(super) fn empty_places(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.facts.empties.partition_point(|(number, _)| (*number as usize) < at);
        place(range.start)..place(range.end)
    }

    pub(super) fn messages_left(&self, turn: TurnIdx, ledger: &Ledger<'_>, gone: &[bool]) -> Vec<MessageIdx> {
        let stands = self.session.stands_bare(turn);
        let is_left = |message: &MessageIdx| {
            let range = self.session.messages[message.at()].blocks.clone();
            if range.is_empty() {
                return stands[message.at()] && self.empty_place(*message).is_none_or(|at| !gone[at]);
            }
            range.map(BlockIdx::new).any(|block| ledger.state(block).is_there())
        };
        self.session.model_order(self.session.turn_at(turn).end).into_iter().filter(is_left).collect()
    }

    pub(super) fn empty_place(&self, message: MessageIdx) -> Option<usize> {
        self.facts.empties.binary_search_by_key(&to_u32(message.at()), |(number, _)| *number).ok()
    }
}

pub(super) fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
