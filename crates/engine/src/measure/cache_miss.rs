//! The prompt cache as reported by the provider: how much each request read, how much it should
//! have read, and the reason for a miss.
//!
//! The figures come from reported usage alone, so [`super::prefix_cache`], a model, can be checked
//! against them. A request should read at least everything the previous one read and wrote.

use alloc::vec::Vec;

use strum::{Display, IntoStaticStr};

use super::{CacheOptions, CacheTurn, reported_turns};
use crate::session::request_times;
use crate::{BlockIdx, MessageClass, Replacement, ReplacementCause, Session, TurnIdx};

/// Minimum shortfall that counts as a miss, tokens.
pub const SMALLEST_MISS: u64 = 1024;

/// The longer lifetime a request may ask for, milliseconds.
const AN_HOUR: u64 = 3_600_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum MissCause {
    First,
    Model,
    Prompt,
    Compacted,
    Cleared,
    Revised,
    Branch,
    Expired,
    /// Content disappeared without a record in the log.
    HiddenLoss,
    Unknown,
}

impl MissCause {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Lists of turns are in order.
#[derive(Debug, Clone, Copy)]
pub struct MissInput<'a> {
    pub session: &'a Session,
    pub options: &'a CacheOptions,
    /// Turns before which the log continued elsewhere.
    pub branched: &'a [TurnIdx],
    pub lost: &'a [TurnIdx],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRead {
    pub turn: TurnIdx,
    /// Tokens read and written by the previous request; for the first request, the whole prompt.
    pub expected: u64,
    pub prompt: CacheTurn,
    pub for_an_hour: u64,
    /// True for a request copied from another log; its misses count there.
    pub copied: bool,
    pub passed_ms: Option<u64>,
    /// `None` if the request is no miss.
    pub cause: Option<MissCause>,
    /// First block that differs from the previous request, if known.
    pub block: Option<BlockIdx>,
}

impl CacheRead {
    /// Returns the shortfall in tokens; 0 if the request is no miss.
    pub fn missed_tokens(&self) -> u64 {
        self.cause.map_or(0, |_| self.expected.saturating_sub(self.prompt.cached))
    }

    pub fn billed_instead(&self) -> CacheTurn {
        let missed = self.missed_tokens();
        let written = missed.min(self.prompt.written);
        CacheTurn { cached: 0, written, fresh: missed - written }
    }
}

pub fn is_miss(expected: u64, read: u64) -> bool {
    expected.saturating_sub(read) >= SMALLEST_MISS
}

/// Returns the cache read of every request with reported usage, in order; empty if no request ever
/// used the cache.
///
/// Providers without reported writes are assumed to cache whole prompts, in units of the
/// granularity. The lifetime is at least the longest pause survived by a prefix.
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
        // The last write decides the lifetime of the prefix.
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

fn time_between(times: &[Option<i64>], before: usize, now: usize) -> Option<u64> {
    let (before, now) = ((*times.get(before)?)?, (*times.get(now)?)?);
    u64::try_from(now.checked_sub(before)?).ok()
}

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
    // A lapse is an assumption, not a record, and so no evidence.
    let told = session.replacements.iter().filter(|replaced| replaced.cause != ReplacementCause::Lapse);
    let replaced = told.filter(|replaced| is_since(session.turn_of(replaced)));
    let first = replaced.filter_map(|replaced| Some((first_dropped(session, replaced)?, replaced.cause)));
    if let Some((block, cause)) = first.min_by_key(|(block, _)| (session.stands_at(*block), *block)) {
        let is_system = session.message_of(block).class == MessageClass::System;
        let cause = match cause {
            ReplacementCause::Compaction => MissCause::Compacted,
            ReplacementCause::Clearing | ReplacementCause::Eviction => MissCause::Cleared,
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

fn first_dropped(session: &Session, replaced: &Replacement) -> Option<BlockIdx> {
    replaced.drops.iter().copied().min_by_key(|block| (session.stands_at(*block), *block))
}
