//! Views, parsed.

use std::sync::Arc;

use cwl_engine::{EntryId, EventIdx, EventLog, History, Policy, PolicyOptions};

use crate::api::ViewSettings;
use crate::asked::budget::{AskedOverhead, read_budget, read_overhead};
use crate::asked::unit::TokenUnit;
use crate::asked::watch::PinsAndProbes;
use crate::marks::NamedMarks;
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarksKey {
    Declared,
    Inferred,
    /// Marks by the agent, with inferred ones in the stretches between.
    Filled,
    Written(Arc<NamedMarks>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedMarks<'a> {
    /// `Declared` if the agent marked episodes, else `Inferred`.
    Auto,
    Declared,
    Inferred,
    Filled,
    /// An overlay's name, or a file of marks.
    Named(&'a str),
    /// Marks as JSON.
    Told(&'a str),
}

impl<'a> AskedMarks<'a> {
    pub(crate) fn parse_selection(annotation: &'a str) -> Result<Self, ApiError> {
        match annotation.trim() {
            "auto" => Ok(Self::Auto),
            "declared" => Ok(Self::Declared),
            "inferred" => Ok(Self::Inferred),
            "filled" => Ok(Self::Filled),
            "" => Err(ApiError::new(ErrorCode::BadView, "no annotation is named").with_hint(
                "an annotation is auto, declared, inferred, filled, or a name or a file of marks",
            )),
            told if told.starts_with('{') => Ok(Self::Told(told)),
            named => Ok(Self::Named(named)),
        }
    }
}

pub fn file_of_marks(annotation: &str) -> Option<&str> {
    match AskedMarks::parse_selection(annotation) {
        Ok(AskedMarks::Named(name)) => is_file_of_marks(name).then_some(name),
        _ => None,
    }
}

pub fn is_file_of_marks(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".json")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchKey {
    /// The branch's last record; `None` is the log's current branch.
    pub leaf: Option<EventIdx>,
    /// The recorded history, or the history without removals by the harness or by a live policy.
    pub history: History,
    pub marks: MarksKey,
}

impl BranchKey {
    pub(crate) const CURRENT: Self =
        Self { leaf: None, history: History::AsRecorded, marks: MarksKey::Declared };

    pub(crate) fn with_declared_marks(&self) -> Self {
        Self { leaf: self.leaf, history: self.history, marks: MarksKey::Declared }
    }

    pub(crate) fn with_recorded_history(&self) -> Self {
        Self { history: History::AsRecorded, ..self.clone() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSelection {
    pub policy: &'static str,
    pub options: PolicyOptions,
    pub unit: TokenUnit,
    pub branch: BranchKey,
    pub pins: Vec<String>,
    pub probes: Vec<String>,
}

impl ViewSelection {
    /// Parses `view`, except budget and overhead. `marks` resolves the annotation, given the policy and the branch,
    /// because only the log and its folder tell which marks exist.
    pub fn parse_view(
        view: &ViewSettings,
        log: &EventLog,
        marks: impl FnOnce(AskedMarks<'_>, &Policy, &BranchKey) -> Result<MarksKey, ApiError>,
    ) -> Result<Self, ApiError> {
        let policy = find_policy(&view.policy)?;
        let mut options = PolicyOptions::defaults(policy).map_err(ApiError::from_internal)?;
        for (key, value) in &view.options {
            options.set_from_text(policy, key, value).map_err(|error| {
                ApiError::new(ErrorCode::BadView, error.to_string())
                    .with_hint("options are set as --set key=value")
            })?;
        }
        let unit = view.tokenizer.parse()?;
        let leaf = match view.branch.as_deref() {
            None => None,
            Some(leaf) => {
                let found = log.find_record(&EntryId::new(leaf)).ok_or_else(|| {
                    ApiError::new(
                        ErrorCode::UnknownBranch,
                        format!("no record `{leaf}` to end a branch with"),
                    )
                    .with_hint("`cwl branches` lists the branches")
                })?;
                Some(found).filter(|found| log.leaf() != Some(*found))
            }
        };
        let mut branch = BranchKey { leaf, history: options.history, marks: MarksKey::Declared };
        branch.marks = marks(AskedMarks::parse_selection(&view.annotation)?, policy, &branch)?;
        let (pins, probes) = (view.pins.clone(), view.probes.clone());
        let chosen = Self { policy: policy.name, options, unit, branch, pins, probes };
        chosen.pins_and_probes().map(|_| chosen)
    }

    pub(crate) fn pins_and_probes(&self) -> Result<PinsAndProbes, ApiError> {
        PinsAndProbes::parse_patterns(&self.pins, &self.probes)
    }

    pub(crate) fn policy_row(&self) -> Result<&'static Policy, ApiError> {
        find_policy(self.policy)
    }
}

pub fn find_policy(name: &str) -> Result<&'static Policy, ApiError> {
    Policy::find(name).ok_or_else(|| {
        let known: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name).collect();
        ApiError::new(ErrorCode::BadView, format!("unknown policy `{name}`"))
            .with_hint(format!("known policies are {}", known.join(", ")))
    })
}

/// Checks the parts of a view that do not depend on a log.
///
/// # Errors
/// The first part that cannot be parsed.
pub fn check_view(view: &ViewSettings) -> Result<(), ApiError> {
    let on_no_branch = ViewSettings { branch: None, ..view.clone() };
    ViewSelection::parse_view(&on_no_branch, &EventLog::default(), |_, _, branch| Ok(branch.marks.clone()))?;
    read_overhead(&view.overhead)?;
    // The log may state a window, so a percentage is accepted here.
    read_budget(&view.budget, view.window.or(Some(1))).map(drop)
}

pub(crate) fn read_amounts(
    view: &ViewSettings,
    window: Option<u64>,
) -> Result<(u64, AskedOverhead), ApiError> {
    Ok((read_budget(&view.budget, view.window.or(window))?, read_overhead(&view.overhead)?))
}
