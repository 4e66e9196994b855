//! Views: what people choose, understood.

use std::sync::Arc;

use cwl_engine::{EntryId, EventIdx, EventLog, History, Policy, PolicyOptions};
use cwl_tokens::Tokenizer;

use crate::asked::budget::{AskedOverhead, read_budget, read_overhead};
use crate::asked::watch::Watched;
use crate::dto::ViewDto;
use crate::marks::Written;
use crate::{ApiError, ErrorCode};

/// Whose marks give a branch its episodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MarksKey {
    /// Those of the agent itself.
    Declared,
    /// Those that this program infers.
    Inferred,
    /// Those of the agent itself, and inferred ones in the stretches between.
    Filled,
    /// Those that were written afterwards.
    Written(Arc<Written>),
}

/// The annotation that a view asks for, as people type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedMarks<'a> {
    /// The agent's own marks where there are any, else inferred ones.
    Auto,
    /// The agent's own marks.
    Declared,
    /// Inferred ones.
    Inferred,
    /// The agent's own, with inferred ones in the stretches that it left.
    Filled,
    /// A name under which marks are stored, or a file of marks.
    Named(&'a str),
    /// Marks themselves, as JSON.
    Told(&'a str),
}

impl<'a> AskedMarks<'a> {
    fn read(annotation: &'a str) -> Result<Self, ApiError> {
        match annotation.trim() {
            "auto" => Ok(Self::Auto),
            "declared" => Ok(Self::Declared),
            "inferred" => Ok(Self::Inferred),
            "filled" => Ok(Self::Filled),
            "" => Err(ApiError::new(ErrorCode::BadView, "no annotation is named")
                .hint("an annotation is auto, declared, inferred, filled, or a name or a file of marks")),
            told if told.starts_with('{') => Ok(Self::Told(told)),
            named => Ok(Self::Named(named)),
        }
    }
}

/// Returns the file of marks that an annotation names; `None` where it is a word, a name of stored marks, or marks themselves.
pub(crate) fn file_of_marks(annotation: &str) -> Option<&str> {
    match AskedMarks::read(annotation) {
        Ok(AskedMarks::Named(name)) => is_file_of_marks(name).then_some(name),
        _ => None,
    }
}

/// Tells whether an annotation is meant as a file, and not as a name under which marks are stored.
pub(crate) fn is_file_of_marks(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".json")
}

/// Which messages a view is about, and whose episodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BranchKey {
    /// The last record of the branch; `None` is the log's own.
    pub(crate) leaf: Option<EventIdx>,
    /// With or without what the harness took out.
    pub(crate) history: History,
    /// Whose marks give it its episodes.
    pub(crate) marks: MarksKey,
}

impl BranchKey {
    /// The branch that the session is on, as recorded, with the agent's own marks.
    pub(crate) const CURRENT: Self =
        Self { leaf: None, history: History::AsRecorded, marks: MarksKey::Declared };

    /// Returns the same messages with the agent's own marks.
    pub(crate) fn declared(&self) -> Self {
        Self { leaf: self.leaf, history: self.history, marks: MarksKey::Declared }
    }

    /// Returns the same branch as it was recorded.
    pub(crate) fn recorded(&self) -> Self {
        Self { history: History::AsRecorded, ..self.clone() }
    }
}

/// Everything chosen in a view that does not depend on the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) policy: &'static str,
    pub(crate) options: PolicyOptions,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) branch: BranchKey,
    /// The pins and probes, as people typed them.
    pub(crate) pins: Vec<String>,
    pub(crate) probes: Vec<String>,
}

impl Chosen {
    /// Understands a view, apart from its budget and overhead. `marks` finds out whose marks are meant, which the log and
    /// what lies beside it tell; it is given the policy and the messages.
    pub(crate) fn read(
        view: &ViewDto,
        log: &EventLog,
        marks: impl FnOnce(AskedMarks<'_>, &Policy, &BranchKey) -> Result<MarksKey, ApiError>,
    ) -> Result<Self, ApiError> {
        let policy = find_policy(&view.policy)?;
        let mut options = PolicyOptions::of(policy).map_err(ApiError::internal)?;
        for (key, value) in &view.options {
            options.set(policy, key, value).map_err(|error| {
                ApiError::new(ErrorCode::BadView, error.to_string())
                    .hint("options are set as --set key=value")
            })?;
        }
        let tokenizer = view.tokenizer.parse().map_err(|error: cwl_tokens::UnknownTokenizer| {
            ApiError::new(ErrorCode::BadView, error.to_string())
        })?;
        let leaf = match view.branch.as_deref() {
            None => None,
            Some(leaf) => {
                let found = log.find(&EntryId::new(leaf)).ok_or_else(|| {
                    ApiError::new(
                        ErrorCode::UnknownBranch,
                        format!("no record `{leaf}` to end a branch with"),
                    )
                    .hint("`cwl branches` lists the branches")
                })?;
                Some(found).filter(|found| log.leaf() != Some(*found))
            }
        };
        let mut branch = BranchKey { leaf, history: options.history, marks: MarksKey::Declared };
        branch.marks = marks(AskedMarks::read(&view.annotation)?, policy, &branch)?;
        let (pins, probes) = (view.pins.clone(), view.probes.clone());
        let chosen = Self { policy: policy.name, options, tokenizer, branch, pins, probes };
        chosen.watched().map(|_| chosen)
    }

    /// Returns what is watched.
    pub(crate) fn watched(&self) -> Result<Watched, ApiError> {
        Watched::read(&self.pins, &self.probes)
    }

    /// Returns the policy's row.
    pub(crate) fn policy(&self) -> Result<&'static Policy, ApiError> {
        find_policy(self.policy)
    }
}

/// Finds a policy by the name that people type.
pub(crate) fn find_policy(name: &str) -> Result<&'static Policy, ApiError> {
    Policy::find(name).ok_or_else(|| {
        let known: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name).collect();
        ApiError::new(ErrorCode::BadView, format!("unknown policy `{name}`"))
            .hint(format!("known policies are {}", known.join(", ")))
    })
}

/// Checks the parts of a view that do not depend on a log.
///
/// # Errors
/// The first part that is not understood.
pub fn check_view(view: &ViewDto) -> Result<(), ApiError> {
    let on_no_branch = ViewDto { branch: None, ..view.clone() };
    Chosen::read(&on_no_branch, &EventLog::default(), |_, _, branch| Ok(branch.marks.clone()))?;
    read_overhead(&view.overhead)?;
    // Whether a log says its window is seen when it is open.
    read_budget(&view.budget, view.window.or(Some(1))).map(drop)
}

/// Understands budget and overhead.
pub(crate) fn read_amounts(view: &ViewDto, window: Option<u64>) -> Result<(u64, AskedOverhead), ApiError> {
    Ok((read_budget(&view.budget, view.window.or(window))?, read_overhead(&view.overhead)?))
}
