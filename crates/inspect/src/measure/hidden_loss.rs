//! Hidden losses: requests smaller than the log explains, although it records no removal.
//!
//! A log that only grows gives a lower bound for the next request: the previous size plus the added content. Two
//! removals are no loss: reasoning, which providers drop at the next user message, and content that had been added
//! without being logged. Both are subtracted from the bound.

use crate::api::LostContent;
use crate::figures::with_commas;
use crate::measure::calibration::{CLEARLY, CLEARLY_TOKENS, Calibration, CalibrationRequest, FACTORS};

/// A loss shown only by the counted size must exceed this fraction plus [`FAR_BELOW_TOKENS`].
const FAR_BELOW: f64 = 0.05;
/// See [`FAR_BELOW`]; tokens.
const FAR_BELOW_TOKENS: f64 = 2000.0;
/// A loss ends once this fraction of it reappears without being logged.
const MOST_OF_IT: f64 = 0.5;

/// Requests smaller than the log explains. Fields of type `usize` are request indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    pub from: usize,
    /// The last request before the history changes or the size recovers.
    pub to: usize,
    /// The request with the sizes below.
    pub at: usize,
    /// Missing tokens, lower bound.
    pub tokens: u64,
    pub reported: u64,
    pub counted: u64,
    /// Reported size of the previous request, if the report fell.
    pub before: Option<u64>,
    pub of: LostContent,
}

impl Loss {
    pub(crate) fn describe_loss(&self) -> String {
        let Self { from, at, tokens, reported, counted, before, of, .. } = *self;
        let [tokens, reported, counted] = [tokens, reported, counted].map(with_commas);
        let turn = from + 1;
        match (before.map(with_commas), of) {
            (Some(before), LostContent::Unlogged) => format!(
                "at least {tokens} tokens fewer were sent than before, from turn {turn}: the provider reports {reported} after \
                 {before}; this log holds only {counted}, so system prompt or tool definitions went"
            ),
            (Some(before), LostContent::Either | LostContent::Log) => format!(
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

#[derive(Clone, Copy)]
struct RequestBaseline {
    at: usize,
    size: f64,
    reported: f64,
    /// Tokens added without being logged since the history changed.
    unlogged: f64,
}

/// Finds losses, in order. `reasoning` returns an upper bound for the reasoning in each request's history, in the
/// provider's tokens; it is called only if a report fell.
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
    // The index of the current loss.
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

/// Tells whether the loss ended with `request`; `jumped` tokens were added without being logged.
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

fn size_of(request: &CalibrationRequest<'_>) -> f64 {
    (request.counted + request.hidden) as f64
}

/// Compares a report with the previous one. `spoken` tokens of reasoning may have been dropped at a user message;
/// `factor` is reported tokens per counted token.
fn loss_between(
    requests: &[CalibrationRequest<'_>],
    before: RequestBaseline,
    now: RequestBaseline,
    spoken: f64,
    factor: f64,
) -> Option<Loss> {
    let [earlier, request] = [before.at, now.at].map(|at| &requests[at]);
    // Hidden replies have their reported size, which needs no factor, and are dropped at a user message.
    let hidden = request.hidden as f64 - earlier.hidden as f64;
    let grown = request.counted as f64 - earlier.counted as f64;
    // Removed content may have been larger than counted here.
    let came_in = grown * if grown < 0.0 { FACTORS.end() } else { FACTORS.start() };
    let least = before.reported + came_in + hidden.min(0.0) - before.unlogged - spoken;
    let tokens = least - now.reported;
    if tokens < CLEARLY_TOKENS + CLEARLY * before.reported {
        return None;
    }
    let held = FACTORS.start() * now.size;
    let of = match () {
        () if now.reported < held => LostContent::Log,
        () if tokens > factor * before.size => LostContent::Unlogged,
        () => LostContent::Either,
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

/// Compares a report with the log's content without reasoning, counted with the smallest plausible factor.
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
        of: LostContent::Log,
    })
}

/// Returns the tokens added without being logged since the previous request: the growth beyond what any tokenizer
/// counts for the added content. Negative if the report fell.
fn unlogged_gain(before: RequestBaseline, now: RequestBaseline) -> f64 {
    let grown = now.reported - before.reported;
    let told = (now.size - before.size).max(0.0) * FACTORS.end();
    if grown > told { grown - told } else { grown.min(0.0) }
}

#[cfg(test)]
#[path = "hidden_loss_tests.rs"]
mod tests;
