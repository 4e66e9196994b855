//! `cwl+`: `cwl` (paper 4.4) with three changes of ours, each of them an option.
//!
//! - Item by item within levels 1 to 3 (Principle 6), so that a pass takes no more than it must of what is
//!   still of use.
//! - A low water mark: a pass goes on below the budget, so that passes are fewer and the prefix stays steady
//!   for the prompt cache between them.
//! - A guard for what is fresh: an exploration on which no act has drawn is, under `cwl`, free to go at once,
//!   although agents look before they act. Here it goes only when nothing else can, until `guard_fresh` acts
//!   have begun since it closed without drawing on it. It is no lock: if nothing else is left, the oldest goes.

use alloc::boxed::Box;

use super::cwl;
use crate::{OptionSpec, PolicyRun, ReplayInput};

const GUARD_FRESH: OptionSpec = OptionSpec::number(
    "guard_fresh",
    "0.. acts",
    "2",
    0..=1_000_000,
    "an exploration that no act draws on goes after all others until so many acts have begun since it closed",
);

/// The options of `cwl+`.
pub(super) const OPTIONS: &[OptionSpec] = &[
    GUARD_FRESH,
    OptionSpec {
        key: "granularity",
        values: "level|item",
        default: "item",
        about: "how much goes at once within levels 1 to 3",
        range: None,
    },
    OptionSpec {
        key: "low_water",
        values: "1..1000 per mille",
        default: "800",
        about: "the budget is the trigger, budget × low_water / 1000 the stop",
        range: None,
    },
    OptionSpec {
        key: "protected_turns",
        values: "0..",
        default: "0",
        about: "blocks after the n-th last human turn are kept",
        range: None,
    },
    OptionSpec {
        key: "levels",
        values: "any of 1234",
        default: "1234",
        about: "the levels that are on",
        range: None,
    },
    OptionSpec {
        key: "residue",
        values: "description|none",
        default: "description",
        about: "what stays of an exploration after full eviction",
        range: None,
    },
];

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let guard = input.options.number(&GUARD_FRESH);
    cwl::begin_guarded(input, guard)
}
