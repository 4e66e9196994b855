//! `auto`: compaction on overflow, as in harnesses whose provider refused a request as too long.
//!
//! A request overflows if the log says the provider refused it for its length, or if its total
//! exceeds τ or the model's window. The oldest turns then go under a running summary until the
//! reserve is free again, so the next turns do not overflow at once. A try that does not lower the
//! total is undone. The first try spares the last four turns, the second only the last one. If the
//! total still exceeds τ, the turn is over budget. The open loop stays, except for the last human
//! turn if the request overflows without it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::open_loop::{self, OpenLoop};
use super::running::{Running, TryRange};
use super::summary::SIZE;
use crate::{
    BlockIdx, KeptReason, MessageIdx, OptionSpec, Pass, PolicyRun, ReplayInput, ReplyOutcome, Session,
    SessionMessage, StateAt, Transition, TurnIdx,
};

const FIRST_KEPT: u64 = 4;

const RESERVE: OptionSpec = OptionSpec::look_up("auto", "reserve");
const TRIES: OptionSpec = OptionSpec::look_up("auto", "tries");

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(AutoCompaction {
        running: Running::new(input, input.options.number_value(&SIZE)),
        open_loop: OpenLoop::new(input),
        reserve: input.options.number_value(&RESERVE),
        refused: refused_turns(input.session),
        tries: input.options.number_value(&TRIES),
    })
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept_reason(input, state, block, FIRST_KEPT)
}

/// The reserve takes at most half the limit.
pub(crate) fn clearing_goal(limit: u64, reserve: u64) -> u64 {
    limit - reserve.min(limit / 2)
}

fn refused_turns(session: &Session) -> Vec<TurnIdx> {
    let messages = session.messages.iter().enumerate();
    let refusals = messages.filter(|(_, message)| message.outcome == ReplyOutcome::Overflow);
    let turn_of = |(at, _): (usize, &SessionMessage)| {
        // A harness that logs the refusal itself asks again with the next turn.
        let message = MessageIdx::new(at);
        let own = session.turns.iter().position(|turn| turn.message == Some(message));
        own.map_or_else(|| session.turn_after(message), TurnIdx::from_position)
    };
    refusals.map(turn_of).collect()
}

struct AutoCompaction<'a> {
    running: Running<'a>,
    open_loop: OpenLoop,
    reserve: u64,
    refused: Vec<TurnIdx>,
    tries: u64,
}

impl PolicyRun for AutoCompaction<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.on_transition(transition, pass);
        self.open_loop.on_transition(transition, pass);
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.running.on_release(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh_summary(pass);
        let window = pass.input.material.window_at(pass.turn);
        let mut limit = window.map_or(pass.budget(), |window| window.min(pass.budget()));
        let is_refused = self.refused.binary_search(&pass.turn).is_ok();
        if is_refused {
            limit = limit.min(pass.total());
        }
        let mut overflows = is_refused || pass.total() > limit;
        let goal = clearing_goal(limit, self.reserve);
        for n_kept in [FIRST_KEPT, 1].into_iter().take(usize::try_from(self.tries).unwrap_or(1)) {
            if overflows {
                let reach = TryRange {
                    least: 0,
                    soft: self.open_loop.end_before_human(pass, n_kept),
                    most: self.open_loop.end_of_old(pass, n_kept),
                    goal,
                    limit: if is_refused { goal } else { limit },
                };
                self.running.cover_turns(&reach, pass);
                overflows = pass.total() > limit || is_refused && pass.total() > goal;
            }
        }
    }
}
