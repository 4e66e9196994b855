//! `summary`: over the budget everything but the last turns goes, and one running summary stands for it.
//!
//! The summary is extractive: lines that fixed rules find in what went ([`crate::digest`]), and it says so. A
//! summary that the harness recorded stays as it is, and ours covers only what came after it.

use alloc::boxed::Box;

use super::past::{self, turns_back};
use super::running::{Reach, Running};
use crate::{BlockIdx, KeptReason, OptionSpec, Pass, PolicyRun, ReplayInput, StateAt, Transition};

const KEEP_TURNS: OptionSpec = OptionSpec::of("summary", "keep_turns");

/// The size of a summary, for every policy that makes one.
pub(super) const SIZE: OptionSpec = OptionSpec::of("summary", "size");

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let size = input.options.number(&SIZE);
    Box::new(RunningSummary {
        running: Running::new(input, size),
        keep_turns: input.options.number(&KEEP_TURNS),
    })
}

pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    past::kept(input, state, block, input.options.number(&KEEP_TURNS))
}

struct RunningSummary<'a> {
    running: Running<'a>,
    keep_turns: u64,
}

impl PolicyRun for RunningSummary<'_> {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.told(transition, pass);
    }

    fn pass(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh(pass);
        if pass.is_over() {
            let (least, most) = (turns_back(pass.turn, self.keep_turns), turns_back(pass.turn, 1));
            self.running.cover(&Reach { least, most, goal: pass.input.budget }, pass);
        }
    }
}
