//! The upper bound: the most recall any policy could have reached in the same room, knowing the future.
//!
//! # Claim
//!
//! The bound limits a replay's hit tokens ([`crate::recall`]): a block used by a reply counts with its
//! size, once per reply, if the request contained it. The bound belongs to one replay: it assumes the same
//! room and the same blocks brought back. No replay exceeds its own bound, and no replay with the same room
//! that brings nothing back exceeds it either.
//!
//! # Proof
//!
//! 1. *Pages.* Cut every block into pages of one unit. Between a use and the previous one (or the block's
//!    arrival), a page is either kept in every request, and the use hits, or it is not, and the use misses.
//!    Unused blocks are never kept. Policies keep whole blocks, so an oracle with pages can do whatever they
//!    can.
//! 2. *Free uses.* Keeping a page takes room in every request from the first one after the previous use (or
//!    arrival) to the one before the using reply. At a use, the page is at hand even after a miss: the agent
//!    gets it again, as in a page fault, and need not keep it afterwards (bypassing). Each use of a page is
//!    thus one interval of requests, worth one unit, and intervals interact only through the shared room.
//! 3. *Greedy choice.* Go through the requests in order; if the kept intervals exceed the room, drop the
//!    intervals with the latest end: this is Belady's MIN (evict what is used furthest in the future),
//!    optimal even if the room varies: at the first overfull request, some interval over it must go, and the
//!    one with the latest end covers every later request the others cover, so dropping it leaves at least as
//!    much room everywhere. The proof needs pages of equal size and value; with whole blocks, the problem is
//!    a knapsack.
//! 4. *Room.* At turn *t*, a replay with budget τ holds at most `max(τ, its total at t)` tokens (above τ if
//!    it cannot meet τ). Overhead and content of the human and the system are subtracted: every request
//!    contains them, and a use of them is a hit under every policy. A message costs its units divided by the
//!    divisor, rounded up, so the room in units is tokens × divisor and no rounding is lost. Calls,
//!    reasoning, summaries and placeholders need room too; the oracle ignores them, which only raises the
//!    bound.
//! 5. *Coming back.* A policy may bring a block back at other times than a use: `tiers` pages in a whole
//!    span, a policy without memory starts from everything, and the harness may restore. MIN over uses alone
//!    is then *no* bound, because the policy drops the block while room is short and has it back in time.
//!    Hence a block that returns in this replay, or is restored by the harness, is at hand at that turn as
//!    if used, and its interval starts there. The later interval lies within the earlier one and is worth
//!    the same, so the latest start is enough.
//!
//! With uses counted once per reply, a heap of interval ends computes the bound in O(uses log uses).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use super::recall::UsesByTurn;
use crate::{
    BlockIdx, BlockState, BlockStates, MessageClass, MessageForm, Replay, ReplayInput, Session, Transition,
    TurnIdx,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    /// Maximum size of blocks present when used, tokens.
    pub hit_tokens: u64,
    /// Size of all used blocks, as in [`crate::RecallTurn::used_tokens`], tokens.
    pub used_tokens: u64,
}

#[derive(Debug, Clone, Copy)]
struct Interval {
    /// Position of the first turn whose request must hold the block.
    start: u32,
    /// Last such request; its reply uses the block.
    end: u32,
    units: u64,
}

pub fn hit_upper_bound(input: &ReplayInput<'_>, replay: &Replay) -> Bound {
    let table = input.table;
    let Demand { intervals, rooms, always_hit, used } = Demand::from_replay(input, replay);
    let hit = always_hit.saturating_add(hit_at_most(intervals, &rooms));
    Bound { hit_tokens: table.tokens_from_units(hit), used_tokens: table.tokens_from_units(used) }
}

struct Demand {
    intervals: Vec<Interval>,
    rooms: Vec<u64>,
    /// Uses of fixed blocks, which every request holds, units.
    always_hit: u64,
    used: u64,
}

impl Demand {
    fn from_replay(input: &ReplayInput<'_>, replay: &Replay) -> Self {
        let ReplayInput { session, table, material, .. } = *input;
        let mut states = BlockStates::new(session.blocks.len());
        let mut uses = UsesByTurn::new(session, &material.uses);
        // First request for which each block is at hand.
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
        // A block already used by this reply is at hand from the next request on.
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

fn fixed_blocks(session: &Session) -> Vec<bool> {
    let mut fixed = Vec::with_capacity(session.blocks.len());
    for message in &session.messages {
        let is_fixed = match message.class {
            MessageClass::System => true,
            // `pi-cwl` evicts shell commands run by the human.
            MessageClass::User => message.form == MessageForm::Plain,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool | MessageClass::Summary => {
                false
            }
        };
        fixed.resize(message.blocks.end, is_fixed);
    }
    fixed
}

/// Returns the units in intervals that fit into `rooms`; the latest ends are dropped first.
fn hit_at_most(intervals: Vec<Interval>, rooms: &[u64]) -> u64 {
    let mut by_start: Vec<u32> = (0u32..).zip(&intervals).map(|(number, _)| number).collect();
    by_start.sort_by_key(|number| intervals[*number as usize].start);
    let mut kept: Vec<u64> = intervals.iter().map(|one| one.units).collect();
    // Intervals are sorted by end, so the greatest number ends last.
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
            // Only open intervals count towards the load; ended ones have smaller numbers than any
            // open one.
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
        // The latest end is dropped.
        check(&[(0, 3, 5), (0, 1, 5)], &[5, 5, 5, 5], 5);
        check(&[(0, 5, 5), (0, 1, 5), (2, 3, 5)], &[5; 6], 10);
        // A part of a block may stay.
        check(&[(0, 3, 5), (0, 1, 3)], &[5; 4], 5);
        // A single tight request drops only intervals over it.
        check(&[(0, 2, 4), (0, 0, 4), (2, 2, 4)], &[9, 1, 9], 9);
    }

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
