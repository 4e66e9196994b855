//! The oracle: how much of what was used could have been there at best, by who knows the future.
//!
//! # What is bounded
//!
//! The tokens a replay hits ([`crate::look_back`]): a block a reply uses counts with its size, once a reply, if the request
//! held it. The bound is for this replay: it has the room that this replay had, and what this replay itself brought back it
//! may bring back too. No replay is above its own bound, and among all that have the same room and bring nothing back, none
//! is above it.
//!
//! # The argument
//!
//! 1. *Pages.* Cut every block into pages of one unit. Between a use and the one before it (or the block's
//!    arrival) a page is either kept in every request, and then the use hits, or not, and then it misses. Blocks
//!    that nothing uses are never kept. Policies keep blocks whole; an oracle that may keep parts of them can
//!    do whatever they can.
//! 2. *What is free.* Keeping costs room in every request from the first one after the use before (the arrival) up to
//!    the one before the reply that uses. At a use the page is at hand whether it hit or not: a use that missed
//!    made the agent get it again, as paging does at a fault. It need not be kept from there on (bypassing).
//!    So each use of a page asks for one interval of requests, worth one unit, and intervals depend on nothing
//!    but the room that they share.
//! 3. *The greedy choice.* Go through the requests in order; where the intervals that are kept need more room than
//!    there is, give up the ones that end last. That is Belady's MIN (evict what is used furthest in the future),
//!    and it is optimal also where the room differs from request to request: at the first request that is too full
//!    some interval over it must go; of two such intervals the one that ends last covers every later
//!    request that the other one covers, so giving it up leaves at least as much room everywhere.
//!    It needs pages of one size and one worth, hence pages and not blocks: with whole blocks the problem is a knapsack.
//! 4. *Room.* At turn *t* no replay with budget τ holds more than `max(τ, its own total at t)` tokens (it is above τ where
//!    it cannot meet it). Off that go the overhead and everything human or of the system that it holds: these are in
//!    every request and are no pages (a use of one is a hit for every policy). A message's cost is its units divided
//!    by the divisor and rounded up, so room in units is tokens × divisor, and no rounding is lost.
//!    Calls, reasoning, summaries and placeholders need room too; the oracle does without them, which keeps it above.
//! 5. *Coming back.* A policy may bring a block back at another time than a use (`tiers` pages a whole span in; a policy
//!    without memory starts from everything again; the harness may restore). MIN over uses alone is then *no* bound:
//!    the policy leaves the block out while room is short and has it back in time. So a block that comes back in
//!    this replay, or is restored by the harness, is at hand at that turn like at a use, and the interval begins there.
//!    An interval that begins later lies within the earlier one and is worth the same, so the latest is enough.
//!
//! With uses once a reply, a heap of ends gives the whole bound in O(uses log uses).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use super::look_back::UsesByTurn;
use crate::{
    BlockIdx, BlockState, BlockStates, MessageClass, MessageForm, Replay, ReplayInput, Session, Transition,
    TurnIdx,
};

/// An upper bound: the most uses that any policy could have kept in the room of a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    /// The most that could have been there when it was used, tokens.
    pub hit_tokens: u64,
    /// The size of the blocks that were used, as in [`crate::LookBackTurn::used_tokens`], tokens.
    pub used_tokens: u64,
}

/// A use that asks for room from one request to another.
#[derive(Debug, Clone, Copy)]
struct Interval {
    /// The first request that has to hold it, by the turn's position.
    start: u32,
    /// The last one: that of the reply that uses it.
    end: u32,
    units: u64,
}

/// Returns an upper bound of the uses that any policy could have hit in the room of this `replay`.
pub fn hit_upper_bound(input: &ReplayInput<'_>, replay: &Replay) -> Bound {
    let table = input.table;
    let Demand { intervals, rooms, always_hit, used } = Demand::from_replay(input, replay);
    let hit = always_hit.saturating_add(hit_at_most(intervals, &rooms));
    Bound { hit_tokens: table.tokens_from_units(hit), used_tokens: table.tokens_from_units(used) }
}

/// The room the uses of a session ask for, and the room that there is.
struct Demand {
    /// In the order of their ends.
    intervals: Vec<Interval>,
    /// The room every request has, units.
    rooms: Vec<u64>,
    /// Uses of blocks in every request, units.
    always_hit: u64,
    /// All uses, units.
    used: u64,
}

impl Demand {
    fn from_replay(input: &ReplayInput<'_>, replay: &Replay) -> Self {
        let ReplayInput { session, table, material, .. } = *input;
        let mut states = BlockStates::new(session.blocks.len());
        let mut uses = UsesByTurn::new(session, &material.uses);
        // The first request for which a block is at hand.
        let mut at_hand = alloc::vec![0; session.blocks.len()];
        let is_fixed = fixed_blocks(session);
        let mut fixed = 0u64;
        let mut demand = Self { intervals: Vec::new(), rooms: Vec::new(), always_hit: 0, used: 0 };
        for (at, outcome) in replay.turns.iter().enumerate() {
            let turn = TurnIdx::from_position(at);
            let request = turn.number() - 1;
            states.advance_to(input, replay, turn, |states, transition| match transition {
                Transition::Arrived(run) => {
                    for block in run.blocks().filter(|block| states.state(*block).is_there()) {
                        fixed += if is_fixed[block.at()] { table.units(block) } else { 0 };
                        at_hand[block.at()] = request;
                    }
                }
                Transition::Changed { block, was, is, .. } => {
                    let is_restored = was.is_dropped() && !is.is_dropped();
                    if is_restored || is.is_there() {
                        at_hand[block.at()] = request;
                    }
                    let size = |state: BlockState| if state.is_there() { table.units(block) } else { 0 };
                    if is_fixed[block.at()] {
                        fixed = fixed - size(was) + size(is);
                    }
                }
                _ => {}
            });
            let tokens =
                outcome.after.max(replay.budget_at(turn)).saturating_sub(replay.overhead.tokens_at(turn));
            let units = tokens.saturating_mul(table.divisor().into());
            demand.rooms.push(units.saturating_sub(fixed));
            for one in uses.of_next_turn() {
                demand.add_interval(
                    one.held,
                    request,
                    states.state(one.held),
                    &mut at_hand,
                    &is_fixed,
                    table.units(one.held),
                );
            }
        }
        demand
    }

    fn add_interval(
        &mut self,
        held: BlockIdx,
        request: u32,
        state: BlockState,
        at_hand: &mut [u32],
        is_fixed: &[bool],
        units: u64,
    ) {
        // A block that this reply has used already is at hand for the next request at the earliest.
        if !state.has_arrived() || state.is_dropped() || at_hand[held.at()] > request {
            return;
        }
        self.used += units;
        let start = core::mem::replace(&mut at_hand[held.at()], request + 1);
        if is_fixed[held.at()] {
            self.always_hit += units;
        } else {
            self.intervals.push(Interval { start, end: request, units });
        }
    }
}

/// Tells for each block whether it is fixed, as no policy takes it: words of the human and of the system.
fn fixed_blocks(session: &Session) -> Vec<bool> {
    let mut fixed = Vec::with_capacity(session.blocks.len());
    for message in &session.messages {
        let is_fixed = match message.class {
            MessageClass::System => true,
            // Commands that the human ran are taken by one policy.
            MessageClass::User => message.form == MessageForm::Plain,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool | MessageClass::Summary => {
                false
            }
        };
        fixed.resize(message.blocks.end, is_fixed);
    }
    fixed
}

/// Returns how many units of the intervals fit into `rooms`: where they do not, those that end last go.
fn hit_at_most(intervals: Vec<Interval>, rooms: &[u64]) -> u64 {
    let mut by_start: Vec<u32> = (0u32..).zip(&intervals).map(|(number, _)| number).collect();
    by_start.sort_by_key(|number| intervals[*number as usize].start);
    let mut kept: Vec<u64> = intervals.iter().map(|one| one.units).collect();
    // Intervals stand in the order of their ends: the greatest number ends last.
    let mut open: BinaryHeap<u32> = BinaryHeap::new();
    let (mut next_start, mut next_end) = (0, 0);
    let (mut load, mut hit) = (0u64, 0u64);
    for (request, room) in (0u32..).zip(rooms) {
        while let Some(number) = by_start.get(next_start).filter(|n| intervals[**n as usize].start == request)
        {
            open.push(*number);
            load += kept[*number as usize];
            next_start += 1;
        }
        while load > *room {
            // The load is that of open intervals; those that have ended are below all others.
            let Some(last) = open.peek() else { break };
            let units = &mut kept[*last as usize];
            let n_gone = (*units).min(load - room);
            *units -= n_gone;
            load -= n_gone;
            if *units == 0 {
                open.pop();
            }
        }
        while let Some(ended) = intervals.get(next_end).filter(|one| one.end == request) {
            debug_assert!(ended.start <= ended.end, "an interval begins before it ends");
            hit += kept[next_end];
            load -= kept[next_end];
            next_end += 1;
        }
    }
    hit
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(intervals: &[(u32, u32, u64)], rooms: &[u64], expected: u64) {
        let mut all: Vec<Interval> = intervals
            .iter()
            .map(|(start, end, units)| Interval { start: *start, end: *end, units: *units })
            .collect();
        all.sort_by_key(|one| one.end);
        assert_eq!(hit_at_most(all, rooms), expected, "{intervals:?} in {rooms:?}");
    }

    #[test]
    fn what_fits() {
        check(&[], &[], 0);
        check(&[], &[5, 5], 0);
        check(&[(0, 1, 5)], &[5, 5], 5);
        check(&[(0, 1, 5)], &[5, 3], 3);
        check(&[(0, 1, 5)], &[0, 9], 0);
        check(&[(1, 1, 5)], &[0, 9], 5);
        check(&[(0, 0, 5), (1, 1, 5)], &[5, 5], 10);
        // The one that ends last goes.
        check(&[(0, 3, 5), (0, 1, 5)], &[5, 5, 5, 5], 5);
        check(&[(0, 5, 5), (0, 1, 5), (2, 3, 5)], &[5; 6], 10);
        // Of a block a part may stay.
        check(&[(0, 3, 5), (0, 1, 3)], &[5; 4], 5);
        // Room that is short once takes what lies over it.
        check(&[(0, 2, 4), (0, 0, 4), (2, 2, 4)], &[9, 1, 9], 9);
    }

    /// Finds the most units that fit, by trying every way: a unit of an interval is kept or not.
    fn by_trying(units: &[(u32, u32)], loads: &mut Vec<u64>, rooms: &[u64]) -> u64 {
        let Some(((start, end), rest)) = units.split_first() else { return 0 };
        let without = by_trying(rest, loads, rooms);
        let over = *start as usize..=*end as usize;
        if over.clone().any(|at| loads[at] >= rooms[at]) {
            return without;
        }
        loads[over.clone()].iter_mut().for_each(|load| *load += 1);
        let with = 1 + by_trying(rest, loads, rooms);
        loads[over].iter_mut().for_each(|load| *load -= 1);
        with.max(without)
    }

    proptest! {
        #[test]
        fn no_other_choice_fits_more(
            spans in prop::collection::vec((0..6u32, 0..6u32, 0..4u64), 0..6),
            rooms in prop::collection::vec(0..6u64, 6),
        ) {
            let mut intervals: Vec<Interval> = spans
                .iter()
                .map(|(a, b, units)| Interval { start: *a.min(b), end: *a.max(b), units: *units })
                .collect();
            intervals.sort_by_key(|one| one.end);
            let pages: Vec<(u32, u32)> = intervals
                .iter()
                .flat_map(|one| core::iter::repeat_n((one.start, one.end), usize::try_from(one.units).unwrap_or(0)))
                .collect();
            let best = by_trying(&pages, &mut alloc::vec![0; 6], &rooms);
            prop_assert_eq!(hit_at_most(intervals, &rooms), best);
        }
    }
}
