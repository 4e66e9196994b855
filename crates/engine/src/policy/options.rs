//! Options of policies, as people set them: `key=value`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use core::ops::RangeInclusive;
use thiserror::Error;

use crate::{EvictionLevel, History, Policy};

/// How much goes at once within levels 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Granularity {
    /// A level at a time (Algorithm 1).
    #[default]
    Level,
    /// One call with its result, or one reasoning block, at a time, oldest first (Principle 6).
    Item,
}

/// The residue option: the text that stays of an exploration after full eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResidueOption {
    /// `[NAME] DESCRIPTION`.
    #[default]
    Description,
    /// Nothing.
    None,
}

/// An option that a policy takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// The key.
    pub key: &'static str,
    /// The values, as people type them.
    pub values: &'static str,
    /// The default.
    pub default: &'static str,
    /// The effect of the option, in words for people.
    pub about: &'static str,
    /// The numbers that it takes, where it is a number of the policy's own ([`PolicyOptions::number`]).
    pub range: Option<(u64, u64)>,
}

impl OptionSpec {
    /// Makes an option that is a number of the policy's own.
    pub const fn number(
        key: &'static str,
        values: &'static str,
        default: &'static str,
        range: RangeInclusive<u64>,
        about: &'static str,
    ) -> Self {
        Self { key, values, default, about, range: Some((*range.start(), *range.end())) }
    }
}

/// Options that every policy accepts, even where they have no effect.
pub const COMMON_OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "classify_shell",
        values: "true|false",
        default: "true",
        about: "a shell command whose first program is a search counts as a search",
        range: None,
    },
    OptionSpec {
        key: "ignore_compaction",
        values: "true|false",
        default: "false",
        about: "run over the full history, as if the harness had dropped nothing",
        range: None,
    },
];

pub(super) const GRANULARITY: OptionSpec = OptionSpec {
    key: "granularity",
    values: "level|item",
    default: "level",
    about: "how much goes at once within levels 1 to 3",
    range: None,
};
pub(super) const LOW_WATER: OptionSpec = OptionSpec {
    key: "low_water",
    values: "1..1000 per mille",
    default: "1000",
    about: "the budget is the trigger, budget × low_water / 1000 the stop",
    range: None,
};
pub(super) const PROTECTED_TURNS: OptionSpec = OptionSpec {
    key: "protected_turns",
    values: "0..",
    default: "0",
    about: "blocks after the n-th last human turn are kept",
    range: None,
};
pub(super) const LEVELS: OptionSpec = OptionSpec {
    key: "levels",
    values: "any of 1234",
    default: "1234",
    about: "the levels that are on",
    range: None,
};
pub(super) const RESIDUE: OptionSpec = OptionSpec {
    key: "residue",
    values: "description|none",
    default: "description",
    about: "what stays of an exploration after full eviction",
    range: None,
};

/// Options of the policy `cwl`.
pub const CWL_OPTIONS: &[OptionSpec] = &[GRANULARITY, LOW_WATER, PROTECTED_TURNS, LEVELS, RESIDUE];

/// The options of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOptions {
    /// A shell command whose first program is a search counts as a search.
    pub classify_shell: bool,
    /// Over which history to run.
    pub history: History,
    /// How much goes at once.
    pub granularity: Granularity,
    /// Where a pass stops, per mille of the budget.
    pub low_water: u32,
    /// How many human turns at the end are protected; 0 protects nothing.
    pub protected_turns: u32,
    /// Which levels are on.
    pub levels: [bool; 4],
    /// The text that stays of an exploration after full eviction.
    pub residue: ResidueOption,
    /// Numbers of single policies that were set.
    pub numbers: BTreeMap<&'static str, u64>,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self {
            classify_shell: true,
            history: History::AsRecorded,
            granularity: Granularity::Level,
            low_water: 1000,
            protected_turns: 0,
            levels: [true; 4],
            residue: ResidueOption::Description,
            numbers: BTreeMap::new(),
        }
    }
}

/// Why an option is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The policy has no such option.
    #[error("{policy} has no option `{key}`; it has: {known}")]
    Unknown {
        /// The policy.
        policy: &'static str,
        /// The key.
        key: String,
        /// The keys that the policy has, with commas between them.
        known: String,
    },
    /// The value does not fit.
    #[error("`{key}` takes {values}, not `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// The values that the option takes.
        values: &'static str,
        /// The value that was given.
        value: String,
    },
    /// The harness itself can do it, and a replay cannot.
    #[error(
        "`{key}=exact` asks a provider's endpoint for every count, which cannot be played again from a log; \
         --tokenizer o200k comes nearest"
    )]
    NotReplayable {
        /// The key.
        key: &'static str,
    },
}

impl PolicyOptions {
    /// Returns the options of a policy at their defaults.
    ///
    /// # Errors
    /// Where a row of the registry has a default that the option itself does not take.
    pub fn of(policy: &Policy) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for spec in policy.options {
            options.set(policy, spec.key, spec.default)?;
        }
        Ok(options)
    }

    /// Returns a number of a policy's own: what was set, else its default.
    pub fn number(&self, spec: &OptionSpec) -> u64 {
        self.numbers.get(spec.key).copied().or_else(|| spec.default.parse().ok()).unwrap_or(0)
    }

    /// Sets one option of a policy from its text.
    pub fn set(&mut self, policy: &Policy, key: &str, value: &str) -> Result<(), OptionError> {
        let mut known = COMMON_OPTIONS.iter().chain(policy.options);
        let Some(spec) = known.clone().find(|spec| spec.key == key) else {
            let known = known.by_ref().map(|spec| spec.key).collect::<alloc::vec::Vec<_>>().join(", ");
            return Err(OptionError::Unknown { policy: policy.name, key: key.to_string(), known });
        };
        let refuse = || OptionError::Value { key: spec.key, values: spec.values, value: value.to_string() };
        let flag = || value.parse::<bool>().map_err(|_not_bool| refuse());
        match spec.key {
            "classify_shell" => self.classify_shell = flag()?,
            "ignore_compaction" => self.history = if flag()? { History::Full } else { History::AsRecorded },
            "granularity" => {
                self.granularity = match value {
                    "level" => Granularity::Level,
                    "item" => Granularity::Item,
                    _ => return Err(refuse()),
                };
            }
            "low_water" => {
                self.low_water =
                    value.parse().ok().filter(|share| (1..=1000).contains(share)).ok_or_else(refuse)?;
            }
            "protected_turns" => self.protected_turns = value.parse().map_err(|_not_number| refuse())?,
            "levels" => {
                let mut levels = [false; 4];
                for digit in value.chars() {
                    let level = digit.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
                    let level = level.and_then(EvictionLevel::from_number).ok_or_else(refuse)?;
                    levels[usize::from(level.number()) - 1] = true;
                }
                self.levels = levels;
            }
            // The one way to count that can be played again.
            "count" if value == "exact" => return Err(OptionError::NotReplayable { key: spec.key }),
            "count" if value == spec.default => {}
            "residue" => {
                self.residue = match value {
                    "description" => ResidueOption::Description,
                    "none" => ResidueOption::None,
                    _ => return Err(refuse()),
                };
            }
            key => {
                let (least, most) = spec.range.ok_or_else(refuse)?;
                let number = value.parse().ok().filter(|number| (least..=most).contains(number));
                self.numbers.insert(key, number.ok_or_else(refuse)?);
            }
        }
        Ok(())
    }

    /// Tells whether a level is on.
    pub fn is_on(&self, level: EvictionLevel) -> bool {
        self.levels[usize::from(level.number()) - 1]
    }
}
