//! A replay's successive requests, and the first difference between them.
//!
//! A request is a sequence of blocks, placeholders, residues and summaries at fixed positions. Any element
//! that appears or disappears is a difference, and everything before the first one is equal.

mod elements;
mod walk;

pub(super) use walk::print_of;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::prefix_sums::PrefixSums;
use crate::context::render::{anchor_among, crossed_messages};
use crate::{
    BlockForm, BlockIdx, BlockRun, BlockStates, EpisodeIdx, EpisodeKind, GraphTimeline, MessageIdx, Replay,
    ReplayInput, Session, TokenTable, Transition, TurnIdx,
};

/// A message that is in the context but not in the log. The order applies if two precede the same
/// message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InsertedMessageKey {
    Residue(EpisodeIdx),
    Summary(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) position: usize,
    pub(super) within: SpotPart,
}

/// The part of a place within a message's position; inserted messages come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpotPart {
    Before(InsertedMessageKey),
    Block(BlockIdx),
}

/// Behind every block: (position in model order, index in [`Session::blocks`]).
const NOWHERE: (usize, usize) = (usize::MAX, usize::MAX);

#[derive(Debug, Clone)]
pub(super) struct ElementPositions {
    /// `order` lists messages in model order, `positions` is the inverse.
    order: Vec<MessageIdx>,
    positions: Vec<u32>,
    /// Messages between a call and its result; only before these, the insertion point depends on
    /// the context.
    crossed: Vec<bool>,
    excluded: Vec<bool>,
}

impl ElementPositions {
    pub(super) fn from_session(session: &Session) -> Self {
        let order = session.model_order(session.messages.len());
        let mut positions = alloc::vec![0; order.len()];
        for (position, message) in (0u32..).zip(&order) {
            positions[message.at()] = position;
        }
        let blocks = (0..session.blocks.len()).map(BlockIdx::new);
        let excluded = blocks.map(|block| session.is_excluded(block)).collect();
        Self { order, positions, crossed: crossed_messages(session), excluded }
    }
}

pub(super) struct RequestAtTurn<'a> {
    session: &'a Session,
    growth: &'a GraphTimeline,
    table: &'a TokenTable,
    layout: &'a ElementPositions,
    states: BlockStates,
    before: BlockStates,
    counted: BlockStates,
    message_units: Vec<u64>,
    synthetic: BTreeMap<(usize, InsertedMessageKey), u64>,
    places: BTreeMap<InsertedMessageKey, usize>,
    floating: BTreeMap<InsertedMessageKey, MessageIdx>,
    came: Option<BlockRun>,
    touched: Vec<BlockIdx>,
    /// Keys that may have changed since the previous request, with their old position.
    moved: BTreeMap<InsertedMessageKey, Option<usize>>,
    print: u64,
    beside: BTreeMap<InsertedMessageKey, u64>,
    end: usize,
}

impl<'a> RequestAtTurn<'a> {
    pub(super) fn new(input: &ReplayInput<'a>, layout: &'a ElementPositions) -> Self {
        Self {
            session: input.session,
            growth: input.growth,
            table: input.table,
            layout,
            states: BlockStates::new(input.growth.n_blocks()),
            before: BlockStates::new(input.growth.n_blocks()),
            counted: BlockStates::new(input.growth.n_blocks()),
            message_units: alloc::vec![0; input.session.messages.len()],
            synthetic: BTreeMap::new(),
            places: BTreeMap::new(),
            floating: BTreeMap::new(),
            came: None,
            touched: Vec::new(),
            moved: BTreeMap::new(),
            print: 0,
            beside: BTreeMap::new(),
            end: 0,
        }
    }

    /// Advances to the next turn's request, updates `sums` (tokens by position in model order),
    /// and returns the first difference; `None` if the requests are equal.
    pub(super) fn advance_to(
        &mut self,
        input: &ReplayInput<'a>,
        replay: &Replay,
        turn: TurnIdx,
        sums: &mut PrefixSums,
    ) -> Option<Spot> {
        let Self { states, before, came, touched, moved, .. } = self;
        if let Some(run) = came.take() {
            before.catch_up_run(states, run);
        }
        before.catch_up(states, touched.drain(..));
        moved.clear();
        let mut asked: BTreeMap<InsertedMessageKey, Option<MessageIdx>> = BTreeMap::new();
        states.advance_to(input, replay, turn, |_, transition| match transition {
            Transition::Arrived(run) => *came = Some(run),
            Transition::Changed { block, .. } => touched.push(block),
            Transition::Placed(number) => {
                asked.insert(
                    InsertedMessageKey::Summary(number),
                    Some(replay.summary_numbered(number).before),
                );
            }
            Transition::Lifted(number) => {
                asked.insert(InsertedMessageKey::Summary(number), None);
            }
            Transition::Residue(episode, present) => {
                let known = input.growth.graph.episode(episode);
                let is_known = known.kind == EpisodeKind::Exploratory && known.description.is_some();
                let before = (present && is_known).then(|| input.session.blocks[known.start.at()].message);
                asked.insert(InsertedMessageKey::Residue(episode), before);
            }
            Transition::Owned(..)
            | Transition::Lives(..)
            | Transition::Edge { .. }
            | Transition::Described(..) => {}
        });
        let first_block = self.settle_blocks(sums);
        self.settle_synthetic(input, replay, &asked, sums);
        let moved = self.moved.iter().filter(|(key, was)| self.places.get(key).copied() != **was);
        let first_beside = moved
            .flat_map(|(key, was)| [*was, self.places.get(key).copied()].map(|at| (*key, at)))
            .filter_map(|(key, at)| Some(Spot { position: at?, within: SpotPart::Before(key) }))
            .min();
        let first = first_block.into_iter().chain(first_beside).min()?;
        if self.repeats_itself(replay) { self.first_difference(replay, first.position) } else { Some(first) }
    }

    /// Returns the request's tokens before `place`; a partly shared message is rounded down.
    pub(super) fn tokens_before(&self, sums: &PrefixSums, place: Spot) -> u64 {
        let beside =
            self.synthetic.range((place.position, InsertedMessageKey::Residue(EpisodeIdx::new(0)))..);
        let beside = beside.take_while(|((position, key), _)| {
            *position == place.position && SpotPart::Before(*key) < place.within
        });
        let whole = sums.sum_before(place.position) + beside.map(|(_, tokens)| tokens).sum::<u64>();
        let SpotPart::Block(end) = place.within else { return whole };
        let start =
            self.layout.order.get(place.position).map_or(0, |m| self.session.messages[m.at()].blocks.start);
        let units: u64 = (start..end.at()).map(|at| self.units_in_request(BlockIdx::new(at))).sum();
        whole + units / u64::from(self.table.divisor())
    }

    fn current_form(&self, block: BlockIdx) -> BlockForm {
        self.form_in(&self.states, block)
    }

    fn form_in(&self, states: &BlockStates, block: BlockIdx) -> BlockForm {
        if self.layout.excluded[block.at()] { BlockForm::Nothing } else { states.state(block).form() }
    }

    fn units_in_request(&self, block: BlockIdx) -> u64 {
        self.current_form(block).units_of(self.table, block)
    }

    /// Updates the counts for arrived and touched blocks and returns the first difference. Counting a block
    /// twice is harmless.
    fn settle_blocks(&mut self, sums: &mut PrefixSums) -> Option<Spot> {
        // Usually, all arrived blocks are present.
        let whole = self.came.filter(|run| self.states.are_there(*run));
        let mut first = whole.map_or(NOWHERE, |run| self.settle_arrivals(run, sums));
        let Self { states, counted, message_units, growth, table, layout, print, end, .. } = self;
        let came = self.came.filter(|_| whole.is_none()).into_iter().flat_map(BlockRun::blocks);
        // Adjacent changes mostly share a message, so sums are updated once per message.
        let mut open: Option<(usize, u64)> = None;
        let mut close = |open: Option<(usize, u64)>, message_units: &[u64]| {
            if let Some((message, units)) = open {
                let position = layout.positions[message] as usize;
                sums.change_at(
                    position,
                    table.tokens_from_units(units),
                    table.tokens_from_units(message_units[message]),
                );
            }
        };
        for block in came.chain(self.touched.iter().copied()) {
            let (was, now) = (counted.take_over(states, block), states.state(block));
            let message = growth.message_of(block);
            if now == was || now.form() == was.form() || layout.excluded[block.at()] {
                continue;
            }
            let position = layout.positions[message] as usize;
            first = first.min((position, block.at()));
            *end = (*end).max(position + 1);
            let change = walk::print_of_block(block, now.form());
            *print = print.wrapping_add(change.wrapping_sub(walk::print_of_block(block, was.form())));
            if open.is_none_or(|(known, _)| known != message) {
                close(open.replace((message, message_units[message])), message_units);
            }
            let (was, now) = (was.units_of(table, block), now.units_of(table, block));
            message_units[message] = message_units[message] + now - was;
        }
        close(open, message_units);
        let (position, block) = first;
        (first != NOWHERE).then_some(Spot { position, within: SpotPart::Block(BlockIdx::new(block)) })
    }

    fn settle_arrivals(&mut self, run: BlockRun, sums: &mut PrefixSums) -> (usize, usize) {
        let Self { states, counted, message_units, growth, table, layout, print, end, .. } = self;
        counted.catch_up_run(states, run);
        let mut first = NOWHERE;
        for message in growth.messages_of(run) {
            let blocks = growth.blocks_of(message);
            let mut sent = blocks.blocks().filter(|block| !layout.excluded[block.at()]).peekable();
            let Some(first_sent) = sent.peek().copied() else { continue };
            let position = layout.positions[message] as usize;
            first = first.min((position, first_sent.at()));
            *end = (*end).max(position + 1);
            let mut units = 0;
            for block in sent {
                *print = print.wrapping_add(walk::print_of_block(block, BlockForm::Whole));
                units += table.units(block);
            }
            message_units[message] = units;
            sums.change_at(position, 0, table.tokens_from_units(message_units[message]));
        }
        first
    }

    fn settle_synthetic(
        &mut self,
        input: &ReplayInput<'_>,
        replay: &Replay,
        asked: &BTreeMap<InsertedMessageKey, Option<MessageIdx>>,
        sums: &mut PrefixSums,
    ) {
        let mut comes_in = false;
        for (key, before) in asked {
            match before {
                Some(before) if self.layout.crossed[before.at()] => {
                    self.floating.insert(*key, *before);
                    comes_in = true;
                }
                Some(before) => self.put_element(
                    *key,
                    Some(self.layout.positions[before.at()] as usize),
                    input,
                    replay,
                    sums,
                ),
                None => {
                    self.floating.remove(key);
                    self.put_element(*key, None, input, replay, sums);
                }
            }
        }
        // Without changed blocks, only newly inserted messages need a position.
        if self.floating.is_empty() || self.touched.is_empty() && self.came.is_none() && !comes_in {
            return;
        }
        let anchored: Vec<(InsertedMessageKey, usize)> = self
            .floating
            .iter()
            .map(|(key, before)| {
                let anchor = anchor_among(self.session, &self.states, *before);
                (*key, self.layout.positions[anchor.at()] as usize)
            })
            .collect();
        for (key, position) in anchored {
            self.put_element(key, Some(position), input, replay, sums);
        }
    }

    fn put_element(
        &mut self,
        key: InsertedMessageKey,
        position: Option<usize>,
        input: &ReplayInput<'_>,
        replay: &Replay,
        sums: &mut PrefixSums,
    ) {
        let was = self.places.get(&key).copied();
        if was == position {
            return;
        }
        self.moved.entry(key).or_insert(was);
        let tokens = match key {
            InsertedMessageKey::Residue(episode) => input.table.residue_tokens(episode),
            InsertedMessageKey::Summary(number) => {
                input.table.tokens_from_units(replay.summary_numbered(number).units)
            }
        };
        if let Some(was) = was {
            self.places.remove(&key);
            self.synthetic.remove(&(was, key));
            self.print = self.print.wrapping_sub(self.beside.remove(&key).unwrap_or(0));
            sums.change_at(was, tokens, 0);
        }
        if let Some(position) = position {
            self.places.insert(key, position);
            self.synthetic.insert((position, key), tokens);
            let print = walk::print_of_key(key, position, replay);
            self.beside.insert(key, print);
            self.print = self.print.wrapping_add(print);
            sums.change_at(position, 0, tokens);
        }
    }
}
