//! A prompt cache with breakpoints, as documented by Anthropic.
//!
//! A request writes one entry per breakpoint: the prefix up to it. A request reads the longest entry of an
//! earlier request that is a prefix of its own prompt and ends at one of the 20 places counted back from a
//! breakpoint, block by block. A shared prefix is therefore worthless unless an entry ends inside it: after
//! a change far from the end, everything except the entry behind tool definitions and system prompt is
//! written again. Reading or rewriting an entry renews its lifetime. Each model has its own entries.
//! (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>, looked up on 28 November 2026.)
//!
//! A prefix is identified by the sum of its elements' hashes. Elements keep their order, so prefixes with
//! the same elements are equal.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::prefix_cache::is_over;
use super::prefix_sums::PrefixSums;
use super::request_diff::{RequestAtTurn, print_of};
use super::{BreakpointHabit, CacheOptions, CacheTurn};
use crate::{BlockIdx, ReplayInput, TurnIdx};

/// Places to check for an entry per breakpoint, the breakpoint itself included.
const PLACES_LOOKED_AT: u32 = 20;
const MOST_BREAKPOINTS: usize = 4;

pub(super) struct CacheEntries<'a> {
    habit: BreakpointHabit,
    options: &'a CacheOptions,
    marked: &'a [BlockIdx],
    /// When each entry was last used, keyed by its prefix's hash.
    last_used: BTreeMap<u64, Option<i64>>,
    model: u64,
}

#[derive(Debug, Clone, Copy)]
struct Prefix {
    print: u64,
    size: u64,
}

impl<'a> CacheEntries<'a> {
    pub(super) fn new(habit: BreakpointHabit, options: &'a CacheOptions, marked: &'a [BlockIdx]) -> Self {
        Self { habit, options, marked, last_used: BTreeMap::new(), model: 0 }
    }

    pub(super) fn bill_request(
        &mut self,
        requests: &RequestAtTurn<'_>,
        sums: &PrefixSums,
        input: &ReplayInput<'_>,
        turn: TurnIdx,
        now: Option<i64>,
    ) -> CacheTurn {
        let overhead = input.overhead.tokens_at(turn);
        self.learn_model(input, turn);
        let base = print_of(overhead, self.model);
        let prompt = overhead.saturating_add(sums.total());
        let (breakpoints, read) = self.look_up(requests, sums, base, overhead, now);
        let is_long_enough = |prefix: &&Prefix| prefix.size >= self.options.minimum;
        let cached = read.map_or(0, |read| self.options.cached_tokens(read.size.min(prompt)));
        let reaches = breakpoints.iter().filter(is_long_enough).map(|prefix| prefix.size).max().unwrap_or(0);
        let written = self.options.cached_tokens(reaches.min(prompt)).saturating_sub(cached);
        let used: Vec<u64> = breakpoints.iter().filter(is_long_enough).map(|prefix| prefix.print).collect();
        self.last_used.extend(used.into_iter().chain(read.map(|read| read.print)).map(|print| (print, now)));
        CacheTurn { cached, written, fresh: prompt - cached - written }
    }

    fn look_up(
        &self,
        requests: &RequestAtTurn<'_>,
        sums: &PrefixSums,
        base: u64,
        overhead: u64,
        now: Option<i64>,
    ) -> (Vec<Prefix>, Option<Prefix>) {
        let (mut breakpoints, mut read) = (Vec::new(), None);
        let most = MOST_BREAKPOINTS - usize::from(self.habit.head);
        let mut marks: Vec<BlockIdx> = requests.new_blocks().map_or_else(Vec::new, |run| {
            self.marked.iter().copied().filter(|block| run.range().contains(&block.at())).collect()
        });
        let is_logged = !marks.is_empty();
        let (mut print, mut left) = (base.wrapping_add(requests.print_sum()), 0);
        let (mut message_by_model, mut n_messages) = (None, 0u8);
        for placed in requests.walk_backward() {
            let begins = message_by_model.replace(placed.by_model) != Some(placed.by_model);
            n_messages = n_messages.saturating_add(u8::from(begins));
            let is_breakpoint = match placed.as_block() {
                // If a marked block is gone, its mark moves to the nearest remaining block before
                // it.
                Some(block) if is_logged => {
                    let n_before = marks.len();
                    marks.retain(|mark| *mark < block);
                    marks.len() < n_before
                }
                _ => !is_logged && begins && n_messages <= self.habit.last_messages,
            };
            let prefix = || Prefix {
                print,
                size: overhead.saturating_add(requests.tokens_through(sums, placed.spot)),
            };
            if is_breakpoint && breakpoints.len() < most {
                breakpoints.push(prefix());
                left = PLACES_LOOKED_AT;
            }
            if left > 0 && read.is_none() && self.has_entry(print, now) {
                read = Some(prefix());
            }
            left = left.saturating_sub(1);
            let may_come = match is_logged {
                true => !marks.is_empty(),
                false => n_messages < self.habit.last_messages,
            };
            if !(may_come && breakpoints.len() < most || left > 0 && read.is_none()) {
                break;
            }
            print = print.wrapping_sub(placed.print);
        }
        if self.habit.head {
            let (print, tokens) = requests.system_prefix(sums);
            let head = Prefix { print: base.wrapping_add(print), size: overhead.saturating_add(tokens) };
            if read.is_none() && self.has_entry(head.print, now) {
                read = Some(head);
            }
            breakpoints.push(head);
        }
        (breakpoints, read)
    }

    fn has_entry(&self, print: u64, now: Option<i64>) -> bool {
        let last_used = self.last_used.get(&print);
        last_used.is_some_and(|last_used| !is_over(*last_used, now, self.options.lifetime_ms))
    }

    fn learn_model(&mut self, input: &ReplayInput<'_>, turn: TurnIdx) {
        let reply = input.session.turn_at(turn).message.map(|reply| &input.session.messages[reply.at()]);
        let model = reply.and_then(|reply| reply.model.as_deref()).filter(|model| !model.starts_with('<'));
        if let Some(model) = model {
            self.model = model.bytes().fold(1, |print, byte| print_of(print, u64::from(byte)));
        }
    }
}
