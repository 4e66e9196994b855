//! Successive requests of a replay, and the first place at which each differs from the one before.
//!
//! Requests are sequences of blocks, placeholders, descriptions and summaries over one fixed order of places, so
//! that a place at which something came or went is a difference, and everything before the first one is the same.

mod walk;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::prefix_sums::PrefixSums;
use crate::render::{anchor_among, crossed};
use crate::{
    BlockIdx, EpisodeIdx, EpisodeKind, GraphChange, MessageIdx, Move, Placeholder, Presence, Replay,
    ReplayInput, Session, StandIn, TokenTable, TurnIdx,
};

/// What stands in a context without being in the log; in this order where two stand before one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// What stays of an exploration.
    Residue(EpisodeIdx),
    /// A summary, by its number.
    Summary(u32),
}

/// Where something stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The message's place in model order.
    pub(super) position: usize,
    /// Before the message or in it.
    pub(super) within: Within,
}

/// What stands at a place: what stands before a message comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Within {
    /// Something that stands before the message.
    Before(Key),
    /// A block of it.
    Block(BlockIdx),
}

/// What a block is in a request: nothing, itself, or (from [`MASKED`] on) one of the placeholders.
type Form = u8;
const NOTHING: Form = 0;
const ITSELF: Form = 1;
const MASKED: Form = 2;

const ARRIVED: u8 = 1;
const DROPPED: u8 = 2;
/// The log keeps it out of every request.
const EXCLUDED: u8 = 4;

/// Where everything of a session stands in a request, the same for every policy and budget.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The messages in model order, and each message's place in it.
    order: Vec<MessageIdx>,
    positions: Vec<u32>,
    /// Messages across which a call and its result reach; only before these the anchor depends on what is there.
    crossed: Vec<bool>,
    rows: Vec<Row>,
}

/// What is known of a block, in one place, because this is all memory traffic.
#[derive(Debug, Clone, Copy)]
struct Row {
    message: u32,
    /// The turn in which it was last touched.
    stamp: u32,
    flags: u8,
    /// What the policy makes of it, whatever the harness did.
    form: Form,
}

impl Row {
    fn now(self) -> Form {
        if self.flags == ARRIVED { self.form } else { NOTHING }
    }
}

impl Layout {
    /// Lays out a session.
    pub(super) fn of(session: &Session) -> Self {
        let order = session.model_order(session.messages.len());
        let mut positions = alloc::vec![0; order.len()];
        for (position, message) in (0u32..).zip(&order) {
            positions[message.at()] = position;
        }
        let mut rows = Vec::with_capacity(session.blocks.len());
        for (number, message) in (0u32..).zip(&session.messages) {
            let excluded = message.form == crate::MessageForm::HumanShell { excluded: true };
            let flags = if excluded { EXCLUDED } else { 0 };
            rows.resize(message.blocks.end, Row { message: number, stamp: 0, flags, form: ITSELF });
        }
        Self { order, positions, crossed: crossed(session), rows }
    }
}

/// The request of a replay at the turn to which it was advanced.
pub(super) struct Requests<'a> {
    session: &'a Session,
    table: &'a TokenTable,
    layout: &'a Layout,
    rows: Vec<Row>,
    message_units: Vec<u64>,
    /// What stands beside the log: where, and its size in tokens.
    synthetic: BTreeMap<(usize, Key), u64>,
    places: BTreeMap<Key, usize>,
    /// Present keys that belong before a crossed message.
    floating: BTreeMap<Key, MessageIdx>,
    /// Blocks that may have changed since the request before, with what they were in it.
    touched: Vec<(BlockIdx, Form)>,
    /// Keys that may have changed since the request before, with where they stood in it.
    moved: BTreeMap<Key, Option<usize>>,
}

impl<'a> Requests<'a> {
    /// Begins before the first request.
    pub(super) fn new(input: &ReplayInput<'a>, layout: &'a Layout) -> Self {
        Self {
            session: input.session,
            table: input.table,
            layout,
            rows: layout.rows.clone(),
            message_units: alloc::vec![0; input.session.messages.len()],
            synthetic: BTreeMap::new(),
            places: BTreeMap::new(),
            floating: BTreeMap::new(),
            touched: Vec::new(),
            moved: BTreeMap::new(),
        }
    }

    /// Goes on to the request of the next turn, keeps `sums` (tokens by place in model order) up to date, and
    /// returns the first place at which it differs from the one before; `None` where it is the same.
    pub(super) fn advance(
        &mut self,
        input: &ReplayInput<'a>,
        replay: &Replay,
        turn: TurnIdx,
        sums: &mut PrefixSums,
    ) -> Option<Place> {
        self.touched.clear();
        self.moved.clear();
        for change in input.growth.changes(turn) {
            match *change {
                GraphChange::Arrived(block) => self.change(block, turn, |row| row.flags |= ARRIVED),
                GraphChange::Dropped(block, _) => self.change(block, turn, |row| row.flags |= DROPPED),
                GraphChange::Restored(block) => self.change(block, turn, |row| row.flags &= !DROPPED),
                GraphChange::Opened(_)
                | GraphChange::Owned(..)
                | GraphChange::Edge { .. }
                | GraphChange::Described(..)
                | GraphChange::Closed(_)
                | GraphChange::Reopened(_)
                | GraphChange::Vanished(_) => {}
            }
        }
        let mut asked: BTreeMap<Key, Option<MessageIdx>> = BTreeMap::new();
        replay.moves_of(turn, |one| match one {
            Move::Out(block) => self.change(block, turn, |row| row.form = NOTHING),
            Move::In(block) => self.change(block, turn, |row| row.form = ITSELF),
            Move::Masked(block, number) => {
                if let StandIn::Placeholder(placeholder) = replay.stand_in(number) {
                    self.change(block, turn, |row| row.form = MASKED + *placeholder as Form);
                }
            }
            Move::Placed(number) => {
                if let StandIn::Summary(summary) = replay.stand_in(number) {
                    asked.insert(Key::Summary(number), Some(summary.before));
                }
            }
            Move::Lifted(number) => {
                asked.insert(Key::Summary(number), None);
            }
            Move::Residue(episode, present) => {
                let known = input.growth.graph.get(episode);
                let is_known = known.kind == EpisodeKind::Exploratory && known.description.is_some();
                let has_text = present && is_known;
                let before = has_text.then(|| self.session.blocks[known.start.at()].message);
                asked.insert(Key::Residue(episode), before);
            }
        });
        let first_block = self.settle_blocks(sums);
        self.settle_synthetic(input, replay, &asked, sums);
        let moved = self.moved.iter().filter(|(key, was)| self.places.get(key).copied() != **was);
        let first_beside = moved
            .flat_map(|(key, was)| [*was, self.places.get(key).copied()].map(|at| (*key, at)))
            .filter_map(|(key, at)| Some(Place { position: at?, within: Within::Before(key) }))
            .min();
        let first = first_block.into_iter().chain(first_beside).min()?;
        if self.repeats_itself(replay) { self.walk(replay, first.position) } else { Some(first) }
    }

    /// Returns the tokens of the request before a place; of a message that is shared in part, rounded down.
    pub(super) fn tokens_before(&self, sums: &PrefixSums, place: Place) -> u64 {
        let beside = self.synthetic.range((place.position, Key::Residue(EpisodeIdx::new(0)))..);
        let beside = beside.take_while(|((position, key), _)| {
            *position == place.position && Within::Before(*key) < place.within
        });
        let whole = sums.before(place.position) + beside.map(|(_, tokens)| tokens).sum::<u64>();
        let Within::Block(end) = place.within else { return whole };
        let start =
            self.layout.order.get(place.position).map_or(0, |m| self.session.messages[m.at()].blocks.start);
        let units: u64 = (start..end.at()).map(|at| self.units(BlockIdx::new(at), self.now(at))).sum();
        whole + units / u64::from(self.table.divisor())
    }

    fn now(&self, at: usize) -> Form {
        self.rows[at].now()
    }

    fn units(&self, block: BlockIdx, form: Form) -> u64 {
        match form {
            NOTHING => 0,
            ITSELF => self.table.units(block),
            masked => {
                let placeholder = Placeholder::ALL.get(usize::from(masked - MASKED));
                placeholder.map_or(0, |placeholder| self.table.placeholder(*placeholder))
            }
        }
    }

    fn change(&mut self, block: BlockIdx, turn: TurnIdx, change: impl Fn(&mut Row)) {
        let row = &mut self.rows[block.at()];
        if row.stamp != turn.number() {
            row.stamp = turn.number();
            self.touched.push((block, row.now()));
        }
        change(row);
    }

    /// Takes over what the touched blocks are now, and returns the first that is not what it was.
    fn settle_blocks(&mut self, sums: &mut PrefixSums) -> Option<Place> {
        let mut first: Option<Place> = None;
        // Blocks of one message come one after the other; its tokens change once.
        let mut open: Option<(usize, u64)> = None;
        for at in 0..self.touched.len() {
            let (block, was) = self.touched[at];
            let is = self.now(block.at());
            if is == was {
                continue;
            }
            let message = self.rows[block.at()].message as usize;
            let position = self.layout.positions[message] as usize;
            let place = Place { position, within: Within::Block(block) };
            first = Some(first.map_or(place, |known| known.min(place)));
            if open.is_none_or(|(known, _)| known != message) {
                self.close(open, sums);
                open = Some((message, self.message_units[message]));
            }
            let (was, is) = (self.units(block, was), self.units(block, is));
            self.message_units[message] = self.message_units[message] - was + is;
        }
        self.close(open, sums);
        first
    }

    fn close(&self, open: Option<(usize, u64)>, sums: &mut PrefixSums) {
        let Some((message, was)) = open else { return };
        let (was, is) = (self.table.tokens(was), self.table.tokens(self.message_units[message]));
        if was != is {
            sums.change(self.layout.positions[message] as usize, was, is);
        }
    }

    /// Takes over what stands beside the log: what was asked for, and what moves because calls went or came.
    fn settle_synthetic(
        &mut self,
        input: &ReplayInput<'_>,
        replay: &Replay,
        asked: &BTreeMap<Key, Option<MessageIdx>>,
        sums: &mut PrefixSums,
    ) {
        let mut comes_in = false;
        for (key, before) in asked {
            match before {
                Some(before) if self.layout.crossed[before.at()] => {
                    self.floating.insert(*key, *before);
                    comes_in = true;
                }
                Some(before) => {
                    self.put(*key, Some(self.layout.positions[before.at()] as usize), input, replay, sums)
                }
                None => {
                    self.floating.remove(key);
                    self.put(*key, None, input, replay, sums);
                }
            }
        }
        // Where no block changed, only what has just come in is without a place.
        if self.floating.is_empty() || self.touched.is_empty() && !comes_in {
            return;
        }
        let anchored: Vec<(Key, usize)> = self
            .floating
            .iter()
            .map(|(key, before)| {
                let there = |block: BlockIdx| match self.now(block.at()) {
                    NOTHING => Presence::Absent,
                    ITSELF => Presence::Live,
                    _ => Presence::Masked(0, Placeholder::Cleared),
                };
                (*key, self.layout.positions[anchor_among(self.session, &there, *before).at()] as usize)
            })
            .collect();
        for (key, position) in anchored {
            self.put(key, Some(position), input, replay, sums);
        }
    }

    fn put(
        &mut self,
        key: Key,
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
            Key::Residue(episode) => input.table.residue(episode),
            Key::Summary(number) => input.table.tokens(replay.stand_in(number).units(input.table)),
        };
        if let Some(was) = was {
            self.places.remove(&key);
            self.synthetic.remove(&(was, key));
            sums.change(was, tokens, 0);
        }
        if let Some(position) = position {
            self.places.insert(key, position);
            self.synthetic.insert((position, key), tokens);
            sums.change(position, 0, tokens);
        }
    }
}
