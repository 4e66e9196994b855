//! The prompt cache of a provider: how much of each request the one before has already brought.
//!
//! Providers keep what they worked out for the beginning of a prompt and charge less where the next prompt begins
//! the same. So what counts is the first place, in model order, at which two successive requests differ: everything
//! before it is read from the cache, everything from it on is worked out anew. Eviction saves tokens and moves that
//! place forward; this measure says what the one is worth beside the other.
//!
//! Providers that match prefixes by themselves read everything before that place: one request is compared with the one
//! before it, block by block, what a policy itself put in included, and what is not read is written in whole. Anthropic
//! reads only what an earlier request wrote at a breakpoint ([`super::cache_entries`]).

use alloc::vec::Vec;

use super::cache_entries::CacheEntries;
use super::prefix_sums::PrefixSums;
use super::request_diff::{ElementPositions, RequestAtTurn};
use crate::{BlockIdx, Replay, ReplayInput, Session, TurnIdx};

/// How a provider finds what it has cached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheMatch {
    /// By itself: the longest prefix the request before had too.
    #[default]
    Prefix,
    /// By breakpoints, which a harness that does not log them sets so.
    Breakpoints(BreakpointHabit),
}

/// The cache breakpoints a harness sets in each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakpointHabit {
    /// One stands after tool definitions and system prompt.
    pub head: bool,
    /// One stands at the end of each of that many last messages, as the provider counts messages: neighbours of one role
    /// are one.
    pub last_messages: u8,
}

impl Default for BreakpointHabit {
    fn default() -> Self {
        Self { head: true, last_messages: 1 }
    }
}

/// How a provider's cache works. The defaults are what the providers' own pages on prompt caching say of most of
/// their models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// The shortest prefix that is cached, tokens. Anthropic: 1024 for most models; OpenAI: 1024; Google: 1024 to
    /// 4096.
    pub minimum: u64,
    /// A cached prefix is a multiple of this number of tokens. Anthropic: 1; OpenAI: 128.
    pub granularity: u64,
    /// How long a prefix is kept after its last use, milliseconds; 0 is for ever. Anthropic: five minutes, an hour
    /// for a higher price of writing; OpenAI: five to ten minutes, at quiet times up to an hour.
    pub lifetime_ms: u64,
    /// How the provider finds what it has cached.
    pub matching: CacheMatch,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self { minimum: 1024, granularity: 1, lifetime_ms: 300_000, matching: CacheMatch::Prefix }
    }
}

/// The prompt of one request by how it is billed, tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheTurn {
    /// Read from the cache.
    pub cached: u64,
    /// Written to the cache.
    pub written: u64,
    /// Neither: too short, or past the last whole unit of the cache.
    pub fresh: u64,
}

impl CacheTurn {
    /// Returns the prompt's size.
    pub fn prompt_tokens(&self) -> u64 {
        self.cached + self.written + self.fresh
    }
}

impl CacheOptions {
    /// Splits a prompt of which `same` tokens were in the request before.
    fn split_prompt(&self, same: u64, prompt: u64) -> CacheTurn {
        let cached = self.cached_tokens(same.min(prompt));
        let written = self.cached_tokens(prompt).saturating_sub(cached);
        CacheTurn { cached, written, fresh: prompt - cached - written }
    }

    /// Returns how much of a prefix is kept.
    pub(super) fn cached_tokens(&self, tokens: u64) -> u64 {
        if tokens < self.minimum { 0 } else { tokens - tokens % self.granularity.max(1) }
    }
}

/// A session as the prompt cache of a provider sees it under every policy and budget, worked out once.
#[derive(Debug, Clone)]
pub struct PromptLayout {
    layout: ElementPositions,
    /// When each request was made, milliseconds by the log's clock.
    times: Vec<Option<i64>>,
    /// The blocks that carried a breakpoint in the request in which they came in, in log order.
    marked: Vec<BlockIdx>,
}

impl PromptLayout {
    /// Lays out a session whose log tells no breakpoints.
    pub fn from_session(session: &Session) -> Self {
        Self {
            layout: ElementPositions::from_session(session),
            times: request_times(session),
            marked: Vec::new(),
        }
    }

    /// Adds the breakpoints of a log that tells them: the blocks that carried one in the request in which they came in, in
    /// log order. They go before the harness's habit.
    #[must_use]
    pub fn with_breakpoints(self, marked: Vec<BlockIdx>) -> Self {
        Self { marked, ..self }
    }

    /// Tells whether the log tells breakpoints.
    pub fn has_breakpoints(&self) -> bool {
        !self.marked.is_empty()
    }
}

/// Returns how every turn's request is billed, `now` included: what the next request would be.
///
/// The overhead stands before everything else, and a request shares with the one before as much as both have of it; it
/// counts here under every policy ([`ReplayInput::overhead`]), because it is sent under every policy. Where a message is shared in
/// part and several units make a token, the part is rounded down. The cost depends on what moves, not on how much
/// there is. `layout` is that of the input's session.
pub fn prefix_cache(
    input: &ReplayInput<'_>,
    replay: &Replay,
    layout: &PromptLayout,
    options: &CacheOptions,
) -> Vec<CacheTurn> {
    let mut requests = RequestAtTurn::new(input, &layout.layout);
    let mut sums = PrefixSums::new(input.session.messages.len());
    if let CacheMatch::Breakpoints(habit) = options.matching {
        let mut entries = CacheEntries::new(habit, options, &layout.marked);
        let bill = |at: usize| {
            let turn = TurnIdx::from_position(at);
            requests.advance_to(input, replay, turn, &mut sums);
            entries.bill_request(&requests, &sums, input, turn, layout.times.get(at).copied().flatten())
        };
        return (0..replay.turns.len()).map(bill).collect();
    }
    (0..replay.turns.len())
        .map(|at| {
            let turn = TurnIdx::from_position(at);
            let changed = requests.advance_to(input, replay, turn, &mut sums);
            let overhead = input.overhead.tokens_at(turn);
            let shared = if at == 0 {
                0
            } else {
                overhead.min(input.overhead.tokens_at(TurnIdx::from_position(at - 1)))
            };
            let prompt = overhead.saturating_add(sums.total());
            let same = match changed {
                _ if at == 0 || has_expired(&layout.times, at, options.lifetime_ms) => 0,
                _ if shared < overhead => shared,
                None => prompt,
                Some(place) => overhead.saturating_add(requests.tokens_before(&sums, place)),
            };
            options.split_prompt(same, prompt)
        })
        .collect()
}

/// Returns when each request was made: when the last thing came in that it answers, milliseconds by the log's clock.
pub(crate) fn request_times(session: &Session) -> Vec<Option<i64>> {
    let mut from = 0;
    let time_of = |turn: &crate::Turn| {
        let came_in = &session.messages[core::mem::replace(&mut from, turn.end)..turn.end];
        came_in.iter().rev().find_map(|message| message.at_ms)
    };
    session.turns.iter().map(time_of).collect()
}

/// Tells whether so much time lies between a request and the one before the cache has nothing left of it; a clock that is
/// unknown or goes back tells nothing.
fn has_expired(times: &[Option<i64>], at: usize, lifetime_ms: u64) -> bool {
    let time = |at: usize| times.get(at).copied().flatten();
    is_over(time(at - 1), time(at), lifetime_ms)
}

/// Tells whether more time than a lifetime lies between two moments; 0 is for ever.
pub(super) fn is_over(before: Option<i64>, now: Option<i64>, lifetime_ms: u64) -> bool {
    let (Some(before), Some(now)) = (before, now) else { return false };
    let passed = u64::try_from(now.saturating_sub(before)).unwrap_or(0);
    lifetime_ms > 0 && passed > lifetime_ms
}
