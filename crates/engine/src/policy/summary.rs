//! `summary`: over the budget everything but the last turns and the open loop goes, and one running summary stands for it.
//! A pass evicts down to the low water mark, so that the next turns do not summarise again.
//!
//! The summary is extractive: lines that fixed rules find in what went ([`crate::digest`]), and it says so. A
//! summary that the harness recorded stays as it is, and ours covers only what came after it.

use alloc::boxed::Box;

use super::open_loop::{self, OpenLoop};
use super::running::{Reach, Running};
use crate::{BlockIdx, KeptReason, OptionSpec, Pass, PolicyRun, ReplayInput, StateAt, Transition};

const KEEP_TURNS: OptionSpec = OptionSpec::of("summary", "keep_turns");

/// The size of a summary, for every policy that makes one.
pub(super) const SIZE: OptionSpec = OptionSpec::of("summary", "size");

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let size = input.options.number(&SIZE);
    Box::new(RunningSummary {
        running: Running::new(input, size),
        open_loop: OpenLoop::new(input),
        keep_turns: input.options.number(&KEEP_TURNS),
    })
}

pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept(input, state, block, input.options.number(&KEEP_TURNS))
}

struct RunningSummary<'a> {
    running: Running<'a>,
    open_loop: OpenLoop,
    keep_turns: u64,
}

impl PolicyRun for RunningSummary<'_> {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.told(transition, pass);
        self.open_loop.told(transition, pass);
    }

    fn released(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.running.released(block, pass);
    }

    fn pass(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh(pass);
        if pass.is_over() {
            let ReplayInput { budget, options, .. } = pass.input;
            let reach = Reach {
                least: self.open_loop.end_before_human(pass, self.keep_turns),
                soft: self.open_loop.end_before_human(pass, 1),
                most: self.open_loop.end(pass, 1),
                goal: pass.input.share(options.low_water.into()),
                limit: budget,
            };
            self.running.cover(&reach, pass);
        }
    }
}
