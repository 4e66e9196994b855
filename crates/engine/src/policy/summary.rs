//! `summary`: over the budget, one running summary replaces everything except the last turns and
//! the open loop. A pass evicts down to the low water mark, so the next turns need no pass.
//!
//! The summary is extractive: fixed rules choose lines of evicted content ([`crate::digest`]), and
//! its title says so. A summary recorded by the harness stays, and ours covers only what came
//! after it.

use alloc::boxed::Box;

use super::open_loop::{self, OpenLoop};
use super::running::{Running, TryRange};
use crate::{BlockIdx, KeptReason, OptionSpec, Pass, PolicyRun, ReplayInput, StateAt, Transition};

const KEEP_TURNS: OptionSpec = OptionSpec::look_up("summary", "keep_turns");

pub(super) const SIZE: OptionSpec = OptionSpec::look_up("summary", "size");

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let size = input.options.number_value(&SIZE);
    Box::new(RunningSummary {
        running: Running::new(input, size),
        open_loop: OpenLoop::new(input),
        keep_turns: input.options.number_value(&KEEP_TURNS),
    })
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept_reason(input, state, block, input.options.number_value(&KEEP_TURNS))
}

struct RunningSummary<'a> {
    running: Running<'a>,
    open_loop: OpenLoop,
    keep_turns: u64,
}

impl PolicyRun for RunningSummary<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.on_transition(transition, pass);
        self.open_loop.on_transition(transition, pass);
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.running.on_release(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh_summary(pass);
        if pass.is_over() {
            let reach = TryRange {
                least: self.open_loop.end_before_human(pass, self.keep_turns),
                soft: self.open_loop.end_before_human(pass, 1),
                most: self.open_loop.end_of_old(pass, 1),
                goal: pass.share_of_budget(pass.input.options.low_water.into()),
                limit: pass.budget(),
            };
            self.running.cover_turns(&reach, pass);
        }
    }
}
