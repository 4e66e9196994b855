//! The prompt cache as the provider reported it: how much of each request was read from it, how much should have been, and why
//! it was not.
//!
//! This is no model: it looks at reported usage alone, and [`super::prefix_cache`] can be judged by it. A request should read
//! at the least everything that the one before had read and written. Where it read less, the log may show the reason.

use alloc::vec::Vec;

use super::prefix_cache::request_times;
use super::{CacheOptions, CacheTurn, reported_turns};
use crate::{BlockIdx, MessageClass, Replacement, ReplacementCause, Session, TurnIdx};

/// A request that read at least this much less than it should have is a miss, tokens.
pub const SMALLEST_MISS: u64 = 1024;

/// The longer lifetime a request may ask for, milliseconds.
const AN_HOUR: u64 = 3_600_000;

/// Why a request did not read what it should have read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MissCause {
    /// No request stands before it.
    First,
    /// Another model answered.
    Model,
    /// System prompt or tool definitions are others.
    Prompt,
    /// The harness put a summary in place of older messages.
    Compacted,
    /// The harness cleared old outputs.
    Cleared,
    /// Messages were written anew.
    Revised,
    /// The log goes on from an earlier point.
    Branch,
    /// More time has passed than the provider keeps a prefix.
    Expired,
    /// Something went without a word in the log.
    HiddenLoss,
    /// Nothing in the log tells.
    Unknown,
}

/// The inputs that reported usage does not hold. All lists of turns are in order.
#[derive(Debug, Clone, Copy)]
pub struct MissInput<'a> {
    /// The session as it was recorded.
    pub session: &'a Session,
    /// How the provider's cache works.
    pub options: &'a CacheOptions,
    /// Turns before which the log went on elsewhere.
    pub branched: &'a [TurnIdx],
    /// Turns from which on something is missing without a word.
    pub lost: &'a [TurnIdx],
}

/// The part of one request that was read from the cache, as it was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRead {
    /// The request.
    pub turn: TurnIdx,
    /// The tokens it should have read: what the one before had read and written; of the first one all.
    pub expected: u64,
    /// The prompt by how it was billed.
    pub prompt: CacheTurn,
    /// The part of what was written to the cache that is kept for an hour.
    pub for_an_hour: u64,
    /// True for a request copied from another log, where its misses are told.
    pub copied: bool,
    /// The time since the request before, milliseconds by the log's clock.
    pub passed_ms: Option<u64>,
    /// Why it read less; `None` if it did not.
    pub cause: Option<MissCause>,
    /// The first block that differs from the request before, where the log shows one.
    pub block: Option<BlockIdx>,
}

impl CacheRead {
    /// Returns how many tokens it read less than it should have; 0 if it is no miss.
    pub fn missed_tokens(&self) -> u64 {
        self.cause.map_or(0, |_| self.expected.saturating_sub(self.prompt.cached))
    }

    /// Returns the missed tokens by how they were billed instead.
    pub fn billed_instead(&self) -> CacheTurn {
        let missed = self.missed_tokens();
        let written = missed.min(self.prompt.written);
        CacheTurn { cached: 0, written, fresh: missed - written }
    }
}

/// Tells whether a request missed what the one before had brought, by so much that it counts.
pub fn is_miss(expected: u64, read: u64) -> bool {
    expected.saturating_sub(read) >= SMALLEST_MISS
}

/// Returns what every request with reported usage read from the cache and should have read, in order; nothing if no request
/// ever read or wrote anything.
///
/// Providers that do not report what they write keep whole prompts, in steps of the cache. The lifetime is at least the longest
/// time after which a prefix was still there.
pub fn reported_cache(input: &MissInput<'_>) -> Vec<CacheRead> {
    let session = input.session;
    let reported = reported_turns(session);
    let mut reads: Vec<CacheRead> = Vec::new();
    let used = || reported.iter().flatten().map(|request| request.prompt);
    if !used().any(|prompt| prompt.cached > 0 || prompt.written > 0) {
        return reads;
    }
    let reports_writes = used().any(|prompt| prompt.written > 0);
    let times = request_times(session);
    for (at, request) in reported.iter().enumerate().filter_map(|(at, known)| Some((at, known.as_ref()?))) {
        let prompt = request.prompt;
        let before = reads.last();
        let kept = before.map_or(prompt.prompt_tokens(), |before| match reports_writes {
            true => before.prompt.cached.saturating_add(before.prompt.written),
            false => input.options.cached_tokens(before.prompt.prompt_tokens()),
        });
        let passed_ms = before.and_then(|before| time_between(&times, before.turn.at(), at));
        reads.push(CacheRead {
            turn: TurnIdx::from_position(at),
            expected: kept.min(prompt.prompt_tokens()),
            prompt,
            for_an_hour: request.for_an_hour,
            copied: request.copied,
            passed_ms,
            cause: None,
            block: None,
        });
    }
    let survived =
        reads.iter().filter(|read| !is_miss(read.expected, read.prompt.cached) && read.prompt.cached > 0);
    let lifetime_ms = match input.options.lifetime_ms {
        0 => u64::MAX,
        listed => {
            survived.filter_map(|read| read.passed_ms).max().map_or(listed, |longest| longest.max(listed))
        }
    };
    let mut is_hour = false;
    for at in 0..reads.len() {
        let read = reads[at];
        // The last request that wrote something says how long the prefix is kept.
        let lifetime_ms = if is_hour { lifetime_ms.max(AN_HOUR) } else { lifetime_ms };
        if read.prompt.written > 0 {
            is_hour = read.for_an_hour.saturating_mul(2) >= read.prompt.written;
        }
        if is_miss(read.expected, read.prompt.cached) && !read.copied {
            let before = at.checked_sub(1).map(|before| reads[before].turn);
            let (cause, block) = miss_cause(input, before, &read, lifetime_ms);
            reads[at].cause = Some(cause);
            reads[at].block = block;
        }
    }
    reads
}

/// Returns the time between two requests; a clock that is unknown or goes back tells nothing.
fn time_between(times: &[Option<i64>], before: usize, now: usize) -> Option<u64> {
    let (before, now) = ((*times.get(before)?)?, (*times.get(now)?)?);
    u64::try_from(now.checked_sub(before)?).ok()
}

/// Returns why a request missed, and the first block that differs where the log shows one.
fn miss_cause(
    input: &MissInput<'_>,
    before: Option<TurnIdx>,
    read: &CacheRead,
    lifetime_ms: u64,
) -> (MissCause, Option<BlockIdx>) {
    let session = input.session;
    let Some(before) = before else { return (MissCause::First, None) };
    let model = |turn: TurnIdx| session.messages[session.turn_at(turn).message?.at()].model.as_deref();
    let is_since = |turn: TurnIdx| before < turn && turn <= read.turn;
    if matches!((model(before), model(read.turn)), (Some(one), Some(other)) if one != other) {
        return (MissCause::Model, None);
    }
    // No record of a log tells of a lapse: it is taken to be, and is no evidence.
    let told = session.replacements.iter().filter(|replaced| replaced.cause != ReplacementCause::Lapse);
    let replaced = told.filter(|replaced| is_since(session.turn_of(replaced)));
    let first = replaced.filter_map(|replaced| Some((first_dropped(session, replaced)?, replaced.cause)));
    if let Some((block, cause)) = first.min_by_key(|(block, _)| (session.stands_at(*block), *block)) {
        let is_system = session.message_of(block).class == MessageClass::System;
        let cause = match cause {
            ReplacementCause::Compaction => MissCause::Compacted,
            ReplacementCause::Clearing => MissCause::Cleared,
            ReplacementCause::Rewind => MissCause::Branch,
            ReplacementCause::Revision if is_system => MissCause::Prompt,
            ReplacementCause::Revision | ReplacementCause::Lapse => MissCause::Revised,
        };
        return (cause, Some(block));
    }
    let is_among = |turns: &[TurnIdx]| turns.iter().any(|turn| is_since(*turn));
    let cause = match () {
        () if is_among(input.branched) => MissCause::Branch,
        () if read.passed_ms.is_some_and(|passed| passed > lifetime_ms) => MissCause::Expired,
        () if is_among(input.lost) => MissCause::HiddenLoss,
        () => MissCause::Unknown,
    };
    (cause, None)
}

/// Returns the block in model order at which a replacement begins.
fn first_dropped(session: &Session, replaced: &Replacement) -> Option<BlockIdx> {
    replaced.drops.iter().copied().min_by_key(|block| (session.stands_at(*block), *block))
}
