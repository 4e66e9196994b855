//! A model of a provider's prompt cache: how much of each request is read from the cache.
//!
//! Providers keep the processed beginning of a prompt and charge less if the next prompt begins
//! alike. The first difference in model order between two successive requests decides: everything
//! before is read from the cache, everything after is processed again. Eviction saves tokens but
//! moves this place forward; this measure weighs the two effects.
//!
//! Providers with automatic matching read everything before the first difference. Successive
//! requests are compared block by block, texts inserted by the policy included, and whatever is
//! not read is written. Anthropic reads only prefixes an earlier request wrote at a breakpoint
//! ([`super::cache_entries`]).

use alloc::vec::Vec;

use super::cache_entries::CacheEntries;
use super::prefix_sums::PrefixSums;
use super::request_diff::{ElementPositions, RequestAtTurn};
use crate::session::request_times;
use crate::{BlockIdx, Replay, ReplayInput, Session, TurnIdx};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheMatch {
    #[default]
    Prefix,
    /// By breakpoints, set by this habit if the log does not record them.
    Breakpoints(BreakpointHabit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakpointHabit {
    /// True if one breakpoint follows tool definitions and system prompt.
    pub head: bool,
    /// Number of last messages with a breakpoint at their end. Adjacent messages with one role count as one,
    /// as for the provider.
    pub last_messages: u8,
}

impl Default for BreakpointHabit {
    fn default() -> Self {
        Self { head: true, last_messages: 1 }
    }
}

/// A provider's cache parameters. The defaults follow the providers' own documentation for most models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// Minimum cached prefix, tokens. Anthropic: 1024 for most models; OpenAI: 1024; Google: 1024
    /// to 4096.
    pub minimum: u64,
    /// Cached prefixes are multiples of this many tokens. Anthropic: 1; OpenAI: 128.
    pub granularity: u64,
    /// Lifetime after the last use, milliseconds; 0 for ever. Anthropic: five minutes, or an hour
    /// at a higher write price; OpenAI: five to ten minutes, up to an hour at quiet times.
    pub lifetime_ms: u64,
    pub matching: CacheMatch,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self { minimum: 1024, granularity: 1, lifetime_ms: 300_000, matching: CacheMatch::Prefix }
    }
}

/// A request's prompt by how it is billed, tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheTurn {
    pub cached: u64,
    pub written: u64,
    /// Neither read nor written: too short, or beyond the last cache unit.
    pub fresh: u64,
}

impl CacheTurn {
    pub fn prompt_tokens(&self) -> u64 {
        self.cached + self.written + self.fresh
    }
}

impl CacheOptions {
    fn split_prompt(&self, same: u64, prompt: u64) -> CacheTurn {
        let cached = self.cached_tokens(same.min(prompt));
        let written = self.cached_tokens(prompt).saturating_sub(cached);
        CacheTurn { cached, written, fresh: prompt - cached - written }
    }

    pub(super) fn cached_tokens(&self, tokens: u64) -> u64 {
        if tokens < self.minimum { 0 } else { tokens - tokens % self.granularity.max(1) }
    }
}

/// A session's elements in model order, shared by all policies and budgets.
#[derive(Debug, Clone)]
pub struct PromptLayout {
    layout: ElementPositions,
    times: Vec<Option<i64>>,
    marked: Vec<BlockIdx>,
}

impl PromptLayout {
    pub fn from_session(session: &Session) -> Self {
        Self {
            layout: ElementPositions::from_session(session),
            times: request_times(session),
            marked: Vec::new(),
        }
    }

    /// Sets the breakpoints recorded in a log: blocks that had one in their first request, in log
    /// order. Recorded breakpoints override the habit.
    #[must_use]
    pub fn with_breakpoints(self, marked: Vec<BlockIdx>) -> Self {
        Self { marked, ..self }
    }

    pub fn has_breakpoints(&self) -> bool {
        !self.marked.is_empty()
    }
}

/// Bills every turn's request, `now` included.
///
/// Overhead ([`ReplayInput::overhead`]) precedes everything else and counts under every policy,
/// because every request contains it; two requests share the smaller of their overheads. A partly
/// shared message is rounded down to whole tokens. The cost depends on the number of changes, not
/// on the session's size. `layout` must belong to the input's session.
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

fn has_expired(times: &[Option<i64>], at: usize, lifetime_ms: u64) -> bool {
    let time = |at: usize| times.get(at).copied().flatten();
    is_over(time(at - 1), time(at), lifetime_ms)
}

/// A lifetime of 0 means for ever; an unknown or backward clock counts as no pause.
pub(super) fn is_over(before: Option<i64>, now: Option<i64>, lifetime_ms: u64) -> bool {
    let (Some(before), Some(now)) = (before, now) else { return false };
    let passed = u64::try_from(now.saturating_sub(before)).unwrap_or(0);
    lifetime_ms > 0 && passed > lifetime_ms
}
