//! `auto`: compaction on overflow, as harnesses do it when a provider refuses a request as too long.
//!
//! A recorded log holds no refusals for a budget that was never set, so a request whose total is over τ is one: it
//! would have been refused. Then the oldest turns go under a running summary until room is reserved again, so that
//! the next turns do not overflow at once; the total is counted again, and a try that has not lowered it is
//! undone. The first try leaves the last four turns alone, a later one only the last. A turn whose total is still
//! over τ after the last try is over budget.

use alloc::boxed::Box;

use super::past::{self, turns_back};
use super::running::{Reach, Running};
use super::summary::SIZE;
use crate::{BlockIdx, KeptReason, OptionSpec, Pass, PolicyRun, ReplayInput, StateAt, Transition};

/// How many turns the first try leaves alone.
const FIRST_KEPT: u64 = 4;

const RESERVE: OptionSpec = OptionSpec::of("auto", "reserve");
const TRIES: OptionSpec = OptionSpec::of("auto", "tries");

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let (size, budget) = (input.options.number(&SIZE), input.budget);
    Box::new(AutoCompaction {
        running: Running::new(input, size),
        goal: budget - input.options.number(&RESERVE).min(budget / 2),
        tries: input.options.number(&TRIES),
    })
}

pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    past::kept(input, state, block, FIRST_KEPT)
}

struct AutoCompaction<'a> {
    running: Running<'a>,
    /// Tokens.
    goal: u64,
    tries: u64,
}

impl PolicyRun for AutoCompaction<'_> {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.told(transition, pass);
    }

    fn pass(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh(pass);
        for n_kept in [FIRST_KEPT, 1].into_iter().take(usize::try_from(self.tries).unwrap_or(1)) {
            if pass.is_over() {
                let reach = Reach { least: 0, most: turns_back(pass.turn, n_kept), goal: self.goal };
                self.running.cover(&reach, pass);
            }
        }
    }
}
