//! `cwl+`: `cwl` (paper 4.4) with four changes of ours, each an option. Order and graph rules are
//! the paper's.
//!
//! - Item by item within levels 1 to 3 (Principle 6): a pass evicts no more than it must.
//! - A low water mark: a pass continues below the budget, so passes are fewer. Each pass makes the provider
//!   write nearly the whole prompt to its cache again.
//! - Cheap turns: if the cache is lost anyway, after a pause or a change of model, a pass evicts down to the
//!   mark although the budget is met.
//! - A guard for fresh explorations: under `cwl`, an exploration no act draws on is evicted at once,
//!   although agents look before they act. Here it goes last until `guard_fresh` acts have begun since it
//!   closed. The guard is no lock: if nothing else is left, the oldest goes.
//!
//! docs/policies.md has the effect of each change. Other eviction orders do not help: newest first lowers
//! the recall of references by 7 points on the sample `pi/long`, and neither oldest of any kind nor lowest
//! level first raises it at the same cost on 59 real logs.

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
