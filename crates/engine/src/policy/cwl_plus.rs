//! `cwl+`: `cwl` (paper 4.4) with four changes of ours, each of them an option; the order and the rules of the graph are the
//! paper's.
//!
//! - Item by item within levels 1 to 3 (Principle 6), so that a pass takes no more than it must of what is
//!   still of use.
//! - A low water mark: a pass goes on below the budget, so that passes are fewer. Each one has nearly the whole prompt
//!   written to the provider's cache anew.
//! - Cheap turns: where that is so anyway, after a pause or where another model is asked, a pass goes down to the mark
//!   although the budget is met, and fewer passes are left for other moments.
//! - A guard for what is fresh: an exploration on which no act has drawn is, under `cwl`, free to go at once,
//!   although agents look before they act. Here it goes only when nothing else can, until `guard_fresh` acts
//!   have begun since it closed without drawing on it. It is no lock: if nothing else is left, the oldest goes.
//!
//! docs/policies.md has what each of them brings. Other orders of what the graph lets go bring nothing: the newest first finds
//! 7 points less again on the sample `pi/long`, and the oldest of any kind or the lowest level first finds no more at the same
//! cost on 59 real logs.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::cheap_turns::cheap_turns;
use super::cwl::{self, Preferences};
use crate::{OptionSpec, PolicyRun, ReplayInput};

const GUARD_FRESH: OptionSpec = OptionSpec::look_up("cwl+", "guard_fresh");
const IDLE: OptionSpec = OptionSpec::look_up("cwl+", "idle");

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let guard = input.options.number_value(&GUARD_FRESH);
    let cheap_turns = match input.options.number_value(&IDLE) {
        0 => Vec::new(),
        seconds => cheap_turns(input.session, seconds.saturating_mul(1000)),
    };
    cwl::begin_preferring(input, Preferences { guard, cheap_turns })
}
