//! Hidden gains: requests that grew by more than the added content under any tokenizer.
//!
//! Something was then sent without being logged: results of a provider's search, files attached by the harness, a
//! resumed history.

use cwl_engine::{BlockKind, MessageClass, Session};

use crate::api::GainCause;
use crate::figures::with_commas;
use crate::measure::calibration::{CalibrationRequest, gain_between};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gain {
    pub at: usize,
    /// Unexplained tokens, lower bound.
    pub tokens: u64,
    pub reported: u64,
    pub before: u64,
    /// The likely cause: a message in between that may be larger than logged.
    pub cause: GainCause,
}

impl Gain {
    pub(crate) fn describe_gain(&self) -> String {
        let Self { at, tokens, reported, before, cause } = *self;
        let [tokens, reported, before] = [tokens, reported, before].map(with_commas);
        let why = match cause {
            GainCause::Search => "the provider ran a tool of its own in between",
            GainCause::Attachment => "something whose size the log does not show came in",
            GainCause::Resumed => "the session was taken up again after an hour and more",
            GainCause::Unknown => "the log does not tell of what",
        };
        format!(
            "at least {tokens} tokens more were sent than came in, at turn {}: the provider reports {reported} after {before}; {why}",
            at + 1
        )
    }
}

/// A pause this long means the session was resumed, milliseconds.
const PAUSE: i64 = 3_600_000;

pub(crate) fn find_gains(session: &Session, requests: &[CalibrationRequest<'_>]) -> Vec<Gain> {
    let mut gains = Vec::new();
    let mut last: Option<(usize, &CalibrationRequest<'_>)> = None;
    let mut model = None;
    for (at, request) in requests.iter().enumerate() {
        let is_other = request.model.is_some() && model.is_some() && request.model != model;
        model = request.model.or(model);
        if request.is_changed || is_other {
            last = None;
        }
        let Some(reported) = request.reported else { continue };
        if let Some((before_at, before)) = last
            && let Some(tokens) = gain_between(before, request)
        {
            gains.push(Gain {
                at,
                tokens: tokens as u64,
                reported,
                before: before.reported.unwrap_or(0),
                cause: gain_cause(session, before_at, at),
            });
        }
        last = Some((at, request));
    }
    gains
}

fn gain_cause(session: &Session, before: usize, now: usize) -> GainCause {
    let [from, to] = [before, now].map(|at| session.turns[at].end);
    let came_in = session.messages.range(from..to);
    let ran = |usage: cwl_engine::Usage| {
        usage.beside_input + usage.beside_cache_read + usage.beside_cache_write > 0
    };
    if came_in.clone().any(|message| message.usage.is_some_and(ran)) {
        return GainCause::Search;
    }
    let blocks = came_in.clone().flat_map(|message| message.blocks.clone()).map(|at| &session.blocks[at]);
    let is_unsized = |kind: &BlockKind| matches!(kind, BlockKind::Image | BlockKind::Opaque);
    let is_injected = |class| matches!(class, MessageClass::Injected | MessageClass::System);
    if blocks.clone().any(|block| is_unsized(&block.kind) || block.images > 0)
        || came_in.clone().any(|message| is_injected(message.class))
    {
        return GainCause::Attachment;
    }
    let times: Vec<i64> = came_in.filter_map(|message| message.at_ms).collect();
    let is_pause = |pair: &[i64]| matches!(pair, [one, other] if other.saturating_sub(*one) >= PAUSE);
    if times.windows(2).any(is_pause) { GainCause::Resumed } else { GainCause::Unknown }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn request(counted: u64, reported: u64, output: u64) -> CalibrationRequest<'static> {
        CalibrationRequest {
            counted,
            reported: Some(reported),
            output,
            model: Some("one"),
            ..CalibrationRequest::default()
        }
    }

    /// Checks the unexplained growth of the second request in tokens; 0 for none.
    fn check(before: CalibrationRequest<'_>, now: CalibrationRequest<'_>, expected: u64) {
        assert_eq!(
            gain_between(&before, &now).map_or(0, |tokens| tokens as u64),
            expected,
            "{before:?} {now:?}"
        );
    }

    #[test]
    fn only_what_no_tokenizer_makes_of_what_came_in_is_a_gain() {
        check(request(1000, 10_000, 50), request(2000, 11_100, 0), 0);
        check(request(1000, 10_000, 50), request(2000, 12_000, 0), 0);
        check(request(1000, 10_000, 50), request(2000, 30_000, 0), 17_950);
        // A reply with hidden reasoning may be sent back whole.
        check(request(1000, 10_000, 18_000), request(2000, 30_000, 0), 0);
        check(request(1000, 100_000, 0), request(1000, 102_500, 0), 0);
    }
}
