//! Options of policies, as people set them: `key=value`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use thiserror::Error;

use crate::cells::{same_text, split_cell, split_once};
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

/// Which results say where a segment of `pi-cwl` begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DelimiterRule {
    /// As the log's format has it: the program that opened it chooses one of the others.
    #[default]
    Auto,
    /// Results of a tool whose name is exactly `delimiter`, by the event the harness recorded with them, as pi-cwl itself
    /// reads its logs.
    Exact,
    /// Results of a tool the table of tools calls a delimiter; where no event is recorded, the call speaks.
    Table,
}

/// An option a policy takes: a row of `options.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// The key.
    pub key: &'static str,
    /// The values, as people type them.
    pub values: &'static str,
    /// The default.
    pub default: &'static str,
    /// The effect as a sentence, with `{}` in place of the value; of a switch, the sentence it makes true.
    pub sentence: &'static str,
    /// More words on it; empty if the sentence says all.
    pub about: &'static str,
    numbers: &'static str,
}

const TABLE: &str = include_str!("options.txt");

/// Options that every policy accepts, even where they have no effect.
pub const COMMON_OPTIONS: [OptionSpec; 2] = OptionSpec::all_of("*");

impl OptionSpec {
    /// Returns an option of `policy`. To be called in a constant: then a row that is missing does not compile.
    pub(super) const fn look_up(policy: &str, key: &str) -> Self {
        let mut rest = TABLE;
        while !rest.is_empty() {
            let (row, below) = split_once(rest, b'\n');
            if let Some(spec) = Self::parse_row(row, policy)
                && same_text(spec.key, key)
            {
                return spec;
            }
            rest = below;
        }
        panic!("options.txt has no row for this option of the policy")
    }

    /// Returns all options of `policy`, which has `N` of them. To be called in a constant, as [`OptionSpec::of`].
    pub(super) const fn all_of<const N: usize>(policy: &str) -> [Self; N] {
        let mut all = [Self { key: "", values: "", default: "", sentence: "", about: "", numbers: "" }; N];
        let (mut rest, mut n_found) = (TABLE, 0);
        while !rest.is_empty() {
            let (row, below) = split_once(rest, b'\n');
            if let Some(spec) = Self::parse_row(row, policy) {
                all[n_found] = spec;
                n_found += 1;
            }
            rest = below;
        }
        assert!(n_found == N, "options.txt has another number of options for this policy");
        all
    }

    /// Reads a row; `None` if the policy does not have that option.
    const fn parse_row(row: &'static str, policy: &str) -> Option<Self> {
        let (mut policies, row) = split_cell(row, b';');
        while !policies.is_empty() {
            let (one, others) = split_once(policies, b' ');
            let (name, default) = split_once(one, b'=');
            if same_text(name, policy) {
                let (key, row) = split_cell(row, b';');
                let (values, row) = split_cell(row, b';');
                let (numbers, row) = split_cell(row, b';');
                let (sentence, about) = split_cell(row, b';');
                let about = about.trim_ascii();
                let about = if same_text(about, "-") { "" } else { about };
                return Some(Self { key, values, default, sentence, about, numbers });
            }
            policies = others;
        }
        None
    }

    /// Tells whether it is a share of something, per mille.
    pub fn is_share(&self) -> bool {
        self.values.ends_with("per mille")
    }

    /// Returns the least and the most, where it is a number of the policy's own ([`PolicyOptions::number_value`]).
    pub fn number_range(&self) -> Option<(u64, u64)> {
        let (least, most) = self.numbers.split_once("..")?;
        Some((least.parse().ok()?, most.parse().ok()?))
    }
}

/// A replay's options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOptions {
    /// A shell command whose first program is a search counts as a search.
    pub classify_shell: bool,
    /// Over which history to run.
    pub history: History,
    /// How much goes at once.
    pub granularity: Granularity,
    /// The share of the budget at which a pass stops, per mille.
    pub low_water: u32,
    /// How many human turns at the end are protected; 0 protects nothing.
    pub protected_turns: u32,
    /// Which levels are on.
    pub levels: [bool; 4],
    /// The text that stays of an exploration after full eviction.
    pub residue: ResidueOption,
    /// Which results say where a segment of `pi-cwl` begins and ends.
    pub delimiter: DelimiterRule,
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
            delimiter: DelimiterRule::Auto,
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
        /// The keys the policy has, with commas between them.
        known: String,
    },
    /// The value does not fit.
    #[error("`{key}` takes {values}, not `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// The values the option takes.
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
    /// Returns the options of `policy` at their defaults.
    ///
    /// # Errors
    /// If a row of the registry has a default the option itself does not take.
    pub fn defaults(policy: &Policy) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for spec in policy.options {
            options.set_from_text(policy, spec.key, spec.default)?;
        }
        Ok(options)
    }

    /// Returns a number of a policy's own: what was set, else its default.
    pub fn number_value(&self, spec: &OptionSpec) -> u64 {
        self.numbers.get(spec.key).copied().or_else(|| spec.default.parse().ok()).unwrap_or(0)
    }

    /// Sets one option of `policy` from its text.
    pub fn set_from_text(&mut self, policy: &Policy, key: &str, value: &str) -> Result<(), OptionError> {
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
            "delimiter" => {
                self.delimiter = match value {
                    "auto" => DelimiterRule::Auto,
                    "exact" => DelimiterRule::Exact,
                    "table" => DelimiterRule::Table,
                    _ => return Err(refuse()),
                };
            }
            "residue" => {
                self.residue = match value {
                    "description" => ResidueOption::Description,
                    "none" => ResidueOption::None,
                    _ => return Err(refuse()),
                };
            }
            key => {
                let (least, most) = spec.number_range().ok_or_else(refuse)?;
                let number = value.parse().ok().filter(|number| (least..=most).contains(number));
                self.numbers.insert(key, number.ok_or_else(refuse)?);
            }
        }
        Ok(())
    }

    /// Tells whether `level` is on.
    pub fn is_on(&self, level: EvictionLevel) -> bool {
        self.levels[usize::from(level.number()) - 1]
    }
}
