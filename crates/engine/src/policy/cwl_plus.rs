//! `cwl+`: `cwl` (paper 4.4) with three changes of ours, each of them an option.
//!
//! - Item by item within levels 1 to 3 (Principle 6), so that a pass takes no more than it must of what is
//!   still of use.
//! - A low water mark: a pass goes on below the budget, so that passes are fewer and the prefix stays steady
//!   for the prompt cache between them.
//! - A guard for what is fresh: an exploration on which no act has drawn is, under `cwl`, free to go at once,
//!   although agents look before they act. Here it goes only when nothing else can, until `guard_fresh` acts
//!   have begun since it closed without drawing on it. It is no lock: if nothing else is left, the oldest goes.
//!
//! The defaults are what `cwl sweep --policy cwl+ --set KEY=VALUE` shows at 80,000 tokens on three invented
//! sessions: the sample `pi/long` (361 requests), and the usual and the long one of the benches (1,250 and 3,973):
//!
//! | | pi/long | usual | long |
//! |---|---|---|---|
//! | `cwl` | $35.59, look-back 86.8 % | $164.58, 26.3 % | $466.55, 17.7 % |
//! | `cwl+`, low water 900 | $28.53, 86.6 % | $71.89, 25.9 % | $211.04, 17.5 % |
//! | `cwl+`, low water 800 | $24.19, 86.9 % | $51.47, 25.0 % | $154.66, 16.9 % |
//! | `cwl+`, low water 700 | $22.58, 86.1 % | $43.34, 24.5 % | $131.50, 16.3 % |
//!
//! The low water mark is what pays: below 800, another 7 to 16 % of the cost take 0.5 to 0.8 points of look-back.
//! Item by item brings 0.2 to 0.8 points for 2 to 4 % of the cost; without a low water mark it would cost a quarter
//! to a third more than `cwl`, as every step moves the prefix. The guard changes next to nothing there: one of 1
//! nothing at all, one of 2 takes 0.7 points on `pi/long` and none on the others, as the agents of these sessions act
//! at once on their explorations. It stands at 1, the act that an exploration was made for.

use alloc::boxed::Box;

use super::cwl;
use crate::{OptionSpec, PolicyRun, ReplayInput};

const GUARD_FRESH: OptionSpec = OptionSpec::of("cwl+", "guard_fresh");

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let guard = input.options.number(&GUARD_FRESH);
    cwl::begin_guarded(input, guard)
}
