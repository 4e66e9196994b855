//! Prompt cache misses according to reported usage, on the wire: cause and cost.

use std::collections::BTreeSet;
use std::sync::Arc;

use cwl_engine::{CacheRead, EventBody, EventIdx, MissCause, MissInput, Session, TurnIdx, reported_cache};

use crate::ApiError;
use crate::api::MissRow;
use crate::asked::view::ViewSelection;
use crate::figures::{saturate_u32, with_commas};
use crate::measure::branch::Branch;
use crate::measure::measured::{Terms, write_dollars};
use crate::measure::opened::SessionSnapshot;

pub(crate) fn cache_reads(
    opened: &SessionSnapshot,
    chosen: &ViewSelection,
    terms: &Terms,
) -> Result<(Arc<Branch>, Vec<CacheRead>), ApiError> {
    let recorded = chosen.branch.with_recorded_history();
    let branch = opened.branch(&recorded)?;
    let sizes = opened.sizes(&recorded, chosen.unit)?;
    let turn = |at: usize| TurnIdx::new(saturate_u32(at) + 1);
    let lost: Vec<TurnIdx> = sizes.losses.iter().map(|loss| turn(loss.from)).collect();
    let branched: Vec<TurnIdx> = branch_points(opened, &branch.session).into_iter().map(turn).collect();
    let input =
        MissInput { session: &branch.session, options: &terms.cache, branched: &branched, lost: &lost };
    let reads = reported_cache(&input);
    Ok((branch, reads))
}

pub(crate) fn find_misses(
    opened: &SessionSnapshot,
    branch: &Branch,
    reads: &[CacheRead],
    terms: &Terms,
) -> Vec<MissRow> {
    reads.iter().filter_map(|read| Some(miss_row(opened, branch, read, read.cause?, terms))).collect()
}

/// Returns the indices of turns before which the session jumped to an earlier point: messages off the branch lie
/// between the turn and its predecessor.
fn branch_points(opened: &SessionSnapshot, session: &Session) -> Vec<usize> {
    let own: BTreeSet<EventIdx> = session
        .messages
        .iter()
        .map(|message| message.event)
        .chain(session.blocks.iter().map(|block| block.event))
        .collect();
    let events = opened.log.events();
    let is_elsewhere = |at: usize| {
        matches!(events[at].body, EventBody::Message(_))
            && !events[at].side
            && !own.contains(&EventIdx::new(at))
    };
    let n_elsewhere: Vec<u32> = (0..events.len())
        .scan(0, |n, at| {
            *n += u32::from(is_elsewhere(at));
            Some(*n)
        })
        .collect();
    let (mut found, mut last) = (Vec::new(), None);
    for (at, turn) in session.turns.iter().enumerate() {
        let Some(reply) = turn.message.map(|message| session.messages[message.at()].event.at()) else {
            continue;
        };
        let n = n_elsewhere.get(reply).copied().unwrap_or(0);
        if last.replace(n).is_some_and(|before| n > before) {
            found.push(at);
        }
    }
    found
}

fn miss_row(
    opened: &SessionSnapshot,
    branch: &Branch,
    read: &CacheRead,
    cause: MissCause,
    terms: &Terms,
) -> MissRow {
    let session = &branch.session;
    let (expected, cached, tokens) = (read.expected, read.prompt.cached, read.missed_tokens());
    let reply = session.turn_at(read.turn).message;
    let model = reply.and_then(|reply| session.messages[reply.at()].model.as_deref());
    let cost = terms.lost_money(read, model);
    let passed = read.passed_ms.map(|passed| passed / 1000);
    let line = read.block.map(|block| opened.line_of(session, block));
    let why = match (cause, passed) {
        (MissCause::Expired, Some(seconds)) => {
            format!(
                "{} since the request before, and the provider keeps a prefix for less",
                write_duration(seconds)
            )
        }
        (MissCause::Unknown, Some(seconds)) => {
            // A pause that is longer than the listed lifetime looks like the cause.
            let outlasts =
                seconds.saturating_mul(1000) > terms.cache.lifetime_ms && terms.cache.lifetime_ms > 0;
            let kept = if outlasts { "; in this session the cache kept prefixes for longer" } else { "" };
            format!("{}, {} after the request before{kept}", describe_cause(cause), write_duration(seconds))
        }
        _ => describe_cause(cause).to_owned(),
    };
    let first =
        line.map(|line| format!("; the first block that differs is on line {line}")).unwrap_or_default();
    MissRow {
        turn: read.turn.number(),
        cause,
        expected,
        read: cached,
        tokens,
        cost,
        passed,
        block: read.block.map(|block| session.blocks[block.at()].id.to_string()),
        line,
        says: format!(
            "{} of {} tokens were read from the prompt cache, {} were not{}: {why}{first}",
            with_commas(cached),
            with_commas(expected),
            with_commas(tokens),
            for_more(cost, terms.prices_of(model).is_some())
        ),
    }
}

pub(crate) fn for_more(cost: u64, is_priced: bool) -> String {
    if is_priced { format!(", for {} more", write_dollars(cost)) } else { String::new() }
}

fn write_duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", with_commas(seconds / 3600)),
    }
}

pub(crate) fn describe_cause(cause: MissCause) -> &'static str {
    match cause {
        MissCause::First => "the first request",
        MissCause::Model => "another model answered",
        MissCause::Prompt => "system prompt or tool definitions changed",
        MissCause::Compacted => "the harness compacted",
        MissCause::Cleared => "the harness cleared old outputs",
        MissCause::Revised => "messages were written anew",
        MissCause::Branch => "the session went on from an earlier point",
        MissCause::Expired => "more time passed than the provider keeps a prefix",
        MissCause::HiddenLoss => "something was left out without a word in the log",
        MissCause::Unknown => "the log does not tell why",
    }
}
