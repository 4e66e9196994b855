//! Hidden losses: requests that are smaller than the log accounts for, though it tells of nothing that was taken out.
//!
//! A log that only grows says how large the next request is at the least: as large as the one before, and larger by what
//! came in. Two things may leave a request without a word in the log and are no loss: reasoning, which providers drop when
//! the user speaks again, and what came into an earlier request without a word in the log. Both are allowed for.

use crate::dto::LossOfDto;
use crate::figures::with_commas;
use crate::measure::calibration::{CLEARLY, CLEARLY_TOKENS, Calibration, CalibrationRequest, FACTORS};

/// A request that only the counted size shows to be too small must be below it by this share.
const FAR_BELOW: f64 = 0.05;
/// And by so many tokens.
const FAR_BELOW_TOKENS: f64 = 2000.0;
/// A loss is over when so much of it comes in again without a word in the log.
const MOST_OF_IT: f64 = 0.5;

/// Requests that are smaller than the log accounts for. Positions are those of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The first request that shows it.
    pub(crate) from: usize,
    /// The last request before the history changes or the size is as large as it should be again.
    pub(crate) to: usize,
    /// The request whose sizes these are.
    pub(crate) at: usize,
    /// How much fewer tokens were sent, at the least.
    pub(crate) tokens: u64,
    pub(crate) reported: u64,
    /// The counted size.
    pub(crate) counted: u64,
    /// The reported size before, where it fell.
    pub(crate) before: Option<u64>,
    /// The part of the request that went.
    pub(crate) of: LossOfDto,
}

impl Loss {
    /// Says it, with the evidence.
    pub(crate) fn describe_loss(&self) -> String {
        let Self { from, at, tokens, reported, counted, before, of, .. } = *self;
        let [tokens, reported, counted] = [tokens, reported, counted].map(with_commas);
        let turn = from + 1;
        match (before.map(with_commas), of) {
            (Some(before), LossOfDto::Unlogged) => format!(
                "at least {tokens} tokens fewer were sent than before, from turn {turn}: the provider reports {reported} after \
                 {before}; this log holds only {counted}, so system prompt or tool definitions went"
            ),
            (Some(before), LossOfDto::Either | LossOfDto::Log) => format!(
                "at least {tokens} tokens fewer were sent than this log holds, from turn {turn}: the provider reports {reported} \
                 after {before}, and the log tells of nothing that was taken out"
            ),
            (None, _) => format!(
                "at least {tokens} tokens fewer were sent than this log holds, from turn {turn}: of turn {} the provider reports \
                 {reported}, this log holds {counted}, and it tells of nothing that was taken out",
                at + 1
            ),
        }
    }
}

/// A request with a report, and what a later one may be without.
#[derive(Clone, Copy)]
struct RequestBaseline {
    at: usize,
    size: f64,
    reported: f64,
    /// Tokens that came in without a word in the log since the history changed.
    unlogged: f64,
}

/// Finds the losses of a session, in order. `reasoning` returns the most the reasoning in each request's history can be by
/// the provider's measure, tokens; it is asked only if something fell.
pub(crate) fn find_losses(
    requests: &[CalibrationRequest<'_>],
    calibration: &Calibration,
    reasoning: impl FnOnce() -> Vec<u64>,
) -> Vec<Loss> {
    let mut reasoning = HistoryReasoning { of: Some(reasoning), found: Vec::new() };
    let mut losses: Vec<Loss> = Vec::new();
    let mut last: Option<RequestBaseline> = None;
    let mut model = None;
    let mut has_spoken = false;
    // The loss that goes on.
    let mut open: Option<usize> = None;
    for (at, request) in requests.iter().enumerate() {
        let is_other = request.model.is_some() && model.is_some() && request.model != model;
        model = request.model.or(model);
        has_spoken |= request.spoke;
        if request.is_changed || is_other {
            (last, open) = (None, None);
        }
        let Some(reported) = request.reported.map(|reported| reported as f64) else { continue };
        let mut now = RequestBaseline { at, size: size_of(request), reported, unlogged: 0.0 };
        let found = last
            .filter(|before| reported < before.reported)
            .and_then(|before| {
                let spoken = if has_spoken { reasoning.tokens_at(at) as f64 } else { 0.0 };
                let factor = calibration.stretch_at(before.at).map_or(1.0, |stretch| stretch.factor);
                loss_between(requests, before, now, spoken, factor)
            })
            .or_else(|| loss_below_log(request, at, &mut reasoning).filter(|_| open.is_none()));
        let jumped = last.map_or(0.0, |before| unlogged_gain(before, now));
        match (found, open.map(|open| &mut losses[open])) {
            (Some(loss), _) => {
                open = Some(losses.len());
                losses.push(loss);
            }
            (None, Some(loss)) if is_over(loss, request, jumped, &mut reasoning) => open = None,
            (None, on) => {
                now.unlogged = last.map_or(0.0, |before| (before.unlogged + jumped).max(0.0));
                if let Some(loss) = on {
                    loss.to = at;
                    deepen_loss(loss, request, at, &mut reasoning);
                }
            }
        }
        last = Some(now);
        has_spoken = false;
    }
    losses
}

/// Tells whether `request` is as large as it should be again; `jumped` is what came in without a word in the log.
fn is_over(
    loss: &Loss,
    request: &CalibrationRequest<'_>,
    jumped: f64,
    reasoning: &mut HistoryReasoning<impl FnOnce() -> Vec<u64>>,
) -> bool {
    match loss.before {
        Some(_) => jumped >= loss.tokens as f64 * MOST_OF_IT,
        None => loss_below_log(request, loss.to + 1, reasoning).is_none(),
    }
}

/// Takes over the sizes of a later request that says more of a loss that only the counted size shows.
fn deepen_loss(
    loss: &mut Loss,
    request: &CalibrationRequest<'_>,
    at: usize,
    reasoning: &mut HistoryReasoning<impl FnOnce() -> Vec<u64>>,
) {
    if loss.before.is_some() {
        return;
    }
    if let Some(deeper) = loss_below_log(request, at, reasoning).filter(|deeper| deeper.tokens > loss.tokens)
    {
        *loss = Loss { from: loss.from, to: loss.to, ..deeper };
    }
}

/// The reasoning in each request's history, worked out once and only if asked for.
struct HistoryReasoning<F> {
    of: Option<F>,
    found: Vec<u64>,
}

impl<F: FnOnce() -> Vec<u64>> HistoryReasoning<F> {
    fn tokens_at(&mut self, at: usize) -> u64 {
        if let Some(of) = self.of.take() {
            self.found = of();
        }
        self.found.get(at).copied().unwrap_or(0)
    }
}

/// Returns the size of `request` by this tokenizer, hidden replies as they were reported.
fn size_of(request: &CalibrationRequest<'_>) -> f64 {
    (request.counted + request.hidden) as f64
}

/// Tells whether a report is smaller than the one before it says; `spoken` is the reasoning that may have gone because the user
/// spoke, `factor` the reported tokens for each counted one.
fn loss_between(
    requests: &[CalibrationRequest<'_>],
    before: RequestBaseline,
    now: RequestBaseline,
    spoken: f64,
    factor: f64,
) -> Option<Loss> {
    let [earlier, request] = [before.at, now.at].map(|at| &requests[at]);
    // A hidden reply was reported by the provider itself; it is never counted twice, and goes when the user speaks.
    let hidden = request.hidden as f64 - earlier.hidden as f64;
    let grown = request.counted as f64 - earlier.counted as f64;
    // Something that the log tells of as taken out may have been larger than it is counted here.
    let came_in = grown * if grown < 0.0 { FACTORS.end() } else { FACTORS.start() };
    let least = before.reported + came_in + hidden.min(0.0) - before.unlogged - spoken;
    let tokens = least - now.reported;
    if tokens < CLEARLY_TOKENS + CLEARLY * before.reported {
        return None;
    }
    let held = FACTORS.start() * now.size;
    let of = match () {
        () if now.reported < held => LossOfDto::Log,
        () if tokens > factor * before.size => LossOfDto::Unlogged,
        () => LossOfDto::Either,
    };
    Some(Loss {
        from: now.at,
        to: now.at,
        at: now.at,
        tokens: tokens as u64,
        reported: now.reported as u64,
        counted: now.size as u64,
        before: Some(before.reported as u64),
        of,
    })
}

/// Tells whether a report is far below what the log holds without its reasoning, whatever the tokenizer.
fn loss_below_log(
    request: &CalibrationRequest<'_>,
    at: usize,
    reasoning: &mut HistoryReasoning<impl FnOnce() -> Vec<u64>>,
) -> Option<Loss> {
    let reported = request.reported?;
    let held = FACTORS.start() * request.counted as f64;
    let is_far = |tokens: &f64| *tokens > FAR_BELOW_TOKENS + FAR_BELOW * held;
    let tokens = Some(held - reported as f64).filter(is_far)?;
    let tokens = Some(tokens - reasoning.tokens_at(at) as f64).filter(is_far)?;
    Some(Loss {
        from: at,
        to: at,
        at,
        tokens: tokens as u64,
        reported,
        counted: size_of(request) as u64,
        before: None,
        of: LossOfDto::Log,
    })
}

/// Returns what came in since the request before without a word in the log: what the report grew by beyond what any
/// tokenizer makes of what came in; below 0 if the report fell.
fn unlogged_gain(before: RequestBaseline, now: RequestBaseline) -> f64 {
    let grown = now.reported - before.reported;
    let told = (now.size - before.size).max(0.0) * FACTORS.end();
    if grown > told { grown - told } else { grown.min(0.0) }
}

#[cfg(test)]
#[path = "hidden_loss_tests.rs"]
mod tests;
