//! Policy options, set as `key=value`.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use strum::{EnumString, IntoStaticStr};
use thiserror::Error;

use crate::text::cells::{same_text, split_cell, split_once};
use crate::{EvictionLevel, History, Policy};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Granularity {
    /// A whole level (Algorithm 1).
    #[default]
    Level,
    /// One call with its result, or one reasoning block, oldest first (Principle 6).
    Item,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResidueOption {
    #[default]
    Description,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DelimiterRule {
    /// Chosen by the program, depending on the log's format.
    #[default]
    Auto,
    /// Results from a tool named exactly `delimiter`, by the event recorded with them, as pi-cwl reads its
    /// own logs.
    Exact,
    /// Results from any tool classified as a delimiter; without a recorded event, the call counts.
    Table,
}

/// The order of eviction of policies that treat outputs as pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PageOrder {
    #[default]
    Lru,
    Lfu,
    /// Greedy Dual Size Frequency: the one with the fewest uses per token, aged by what went before.
    Gdsf,
    Fifo,
}

/// A row in `options.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    pub key: &'static str,
    pub values: &'static str,
    pub default: &'static str,
    /// The effect, with `{}` for the value. For a switch, the sentence that becomes true.
    pub sentence: &'static str,
    pub about: &'static str,
    numbers: &'static str,
}

const TABLE: &str = include_str!("options.txt");

/// Accepted by every policy, even without effect.
pub const COMMON_OPTIONS: [OptionSpec; 4] = OptionSpec::all_of("*");

impl OptionSpec {
    /// Looks up an option of `policy`. Use it in a constant, so a missing row is a compile error.
    pub(crate) const fn look_up(policy: &str, key: &str) -> Self {
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

    /// Returns all `N` options of `policy`. Use it in a constant, like [`OptionSpec::look_up`].
    pub(crate) const fn all_of<const N: usize>(policy: &str) -> [Self; N] {
        Self::preset_of(policy, policy)
    }

    /// Returns all `N` options of `policy`, with the defaults of `preset` where a row has one.
    pub(crate) const fn preset_of<const N: usize>(policy: &str, preset: &str) -> [Self; N] {
        let mut all = [Self { key: "", values: "", default: "", sentence: "", about: "", numbers: "" }; N];
        let (mut rest, mut n_found) = (TABLE, 0);
        while !rest.is_empty() {
            let (row, below) = split_once(rest, b'\n');
            if let Some(spec) = Self::parse_row(row, policy) {
                all[n_found] = match Self::parse_row(row, preset) {
                    Some(own) => own,
                    None => spec,
                };
                n_found += 1;
            }
            rest = below;
        }
        assert!(n_found == N, "options.txt has another number of options for this policy");
        all
    }

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

    pub fn is_share(&self) -> bool {
        self.values.ends_with("per mille")
    }

    pub fn number_range(&self) -> Option<(u64, u64)> {
        let (least, most) = self.numbers.split_once("..")?;
        Some((least.parse().ok()?, most.parse().ok()?))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOptions {
    pub classify_shell: bool,
    pub history: History,
    pub granularity: Granularity,
    pub low_water: u32,
    /// Keeps the last reply with its results until the next reply has come.
    pub keep_last_turn: bool,
    pub protected_turns: u32,
    /// The levels that are on, by [`EvictionLevel::number`] - 1.
    pub levels: [bool; 4],
    pub residue: ResidueOption,
    pub delimiter: DelimiterRule,
    pub order: PageOrder,
    /// Names of tools, in lower case, whose outputs stay.
    pub exclude_tools: Vec<Box<str>>,
    pub numbers: BTreeMap<&'static str, u64>,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self {
            classify_shell: true,
            history: History::AsRecorded,
            granularity: Granularity::Level,
            low_water: 1000,
            keep_last_turn: false,
            protected_turns: 0,
            levels: [true; 4],
            residue: ResidueOption::Description,
            delimiter: DelimiterRule::Auto,
            order: PageOrder::Lru,
            exclude_tools: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    #[error("{policy} has no option `{key}`; it has: {known}")]
    Unknown { policy: &'static str, key: String, known: String },
    #[error("`{key}` takes {values}, not `{value}`")]
    Value { key: &'static str, values: &'static str, value: String },
    #[error(
        "`{key}=exact` asks a provider's endpoint for every count, which cannot be played again from a log; \
         --tokenizer o200k comes nearest"
    )]
    NotReplayable { key: &'static str },
}

impl PolicyOptions {
    /// Returns the defaults of `policy`.
    ///
    /// # Errors
    /// Returns an error if the registry contains an invalid default.
    pub fn defaults(policy: &Policy) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for spec in policy.options {
            options.set_from_text(policy, spec.key, spec.default)?;
        }
        Ok(options)
    }

    pub fn number_value(&self, spec: &OptionSpec) -> u64 {
        self.numbers.get(spec.key).copied().or_else(|| spec.default.parse().ok()).unwrap_or(0)
    }

    /// Sets one option of `policy`.
    ///
    /// # Errors
    /// Returns an error if the policy has no such option or does not take the value.
    pub fn set_from_text(&mut self, policy: &Policy, key: &str, value: &str) -> Result<(), OptionError> {
        let mut known = COMMON_OPTIONS.iter().chain(policy.options);
        let Some(spec) = known.clone().find(|spec| spec.key == key) else {
            let known = known.by_ref().map(|spec| spec.key).collect::<Vec<_>>().join(", ");
            return Err(OptionError::Unknown { policy: policy.name, key: key.to_string(), known });
        };
        let refuse = || OptionError::Value { key: spec.key, values: spec.values, value: value.to_string() };
        let flag = || value.parse::<bool>().map_err(|_not_bool| refuse());
        match spec.key {
            "classify_shell" => self.classify_shell = flag()?,
            "ignore_compaction" => self.set_history(History::Full, flag()?),
            "ignore_eviction" => self.set_history(History::Unevicted, flag()?),
            "keep_last_turn" => self.keep_last_turn = flag()?,
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
            // The only replayable way of counting.
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
            "order" => self.order = value.parse().map_err(|_not_order| refuse())?,
            "exclude_tools" => {
                let names = value.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "none"));
                self.exclude_tools = names.map(|name| name.to_lowercase().into_boxed_str()).collect();
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

    fn set_history(&mut self, history: History, is_on: bool) {
        match is_on {
            true if self.history != History::Full => self.history = history,
            false if self.history == history => self.history = History::AsRecorded,
            _ => {}
        }
    }

    /// Returns `true` if the outputs of a tool stay by `exclude_tools`; the last part of an MCP name counts, too.
    pub fn excludes_tool(&self, name: &str) -> bool {
        let last = name.rsplit("__").next().unwrap_or(name);
        let is_named = |one: &str| one.eq_ignore_ascii_case(name) || one.eq_ignore_ascii_case(last);
        self.exclude_tools.iter().any(|one| is_named(one))
    }

    pub fn is_on(&self, level: EvictionLevel) -> bool {
        self.levels[usize::from(level.number()) - 1]
    }
}
