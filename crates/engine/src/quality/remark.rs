//! Remarks: results of the quality rules, as data with a place.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use thiserror::Error;

use super::Clue;
use crate::{
    BlockIdx, DeclaredKind, Edit, EpisodeGraph, EpisodeIdx, EpisodeName, Rule, count_noun,
    fuller_description, with_commas,
};

pub const NAMES_LISTED: usize = 12;

pub const EVIDENCE_LISTED: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub episode: EpisodeIdx,
    pub on: Option<EpisodeIdx>,
    pub at: BlockIdx,
    /// Blocks as evidence, in log order; at most [`EVIDENCE_LISTED`].
    pub evidence: Vec<BlockIdx>,
    /// Strength of the `evidence`, per mille.
    pub strength: u16,
    /// Tokens under the given policy and budget; `None` if unknown.
    pub cost: Option<u64>,
    pub kind: RemarkKind,
}

impl Remark {
    /// Suggests an edit that settles the remark. Returns `None` if a reader must decide, for
    /// example on another boundary or name. `graph` must be the remark's own.
    pub fn settled_by(&self, graph: &EpisodeGraph) -> Option<Edit> {
        Some(match &self.kind {
            RemarkKind::ExplorationChanges { name, .. } => {
                Edit::Retype { of: name.clone(), kind: DeclaredKind::Action }
            }
            RemarkKind::ActChangesNothing { name, .. } => {
                Edit::Retype { of: name.clone(), kind: DeclaredKind::Exploratory }
            }
            RemarkKind::DependencyForgotten { act, on, .. } => {
                Edit::Link { act: act.clone(), on: on.clone() }
            }
            RemarkKind::DependencyUnused { act, on } => Edit::Unlink { act: act.clone(), on: on.clone() },
            RemarkKind::LeftOpen { name, .. } => Edit::Close { of: name.clone() },
            RemarkKind::TaskChanged { name, .. } => Edit::Split { of: name.clone(), at: self.at },
            RemarkKind::ThinDescription { name, lacks, n_missing, .. } => {
                if lacks.len() < *n_missing as usize {
                    return None;
                }
                let said = graph.episode(self.episode).description.as_deref()?;
                let text = fuller_description(Some(said), lacks.iter().map(|name| &**name))?;
                Edit::Describe { of: name.clone(), text }
            }
            RemarkKind::DependencyStripped { .. }
            | RemarkKind::AcquiredTwice { .. }
            | RemarkKind::AcquiredAfterEviction { .. }
            | RemarkKind::TooCoarse { .. }
            | RemarkKind::TooFine { .. }
            | RemarkKind::LongStretch { .. }
            | RemarkKind::EmptyName { .. } => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum RemarkKind {
    #[error("`{name}` is an exploration and changes things: {}", describe_calls(*.n_edits, *.n_others))]
    ExplorationChanges { name: EpisodeName, n_edits: u32, n_others: u32 },
    #[error("`{name}` is an act and changes nothing: all of its {} only look or check", count_noun(*.n_calls, "call"))]
    ActChangesNothing { name: EpisodeName, n_calls: u32 },
    #[error("`{act}` uses {} that `{on}` found, and {} `{on}`", describe_names(.name, *.n_names), if *.inferred { "no edge was inferred from" } else { "does not name" })]
    DependencyForgotten {
        act: EpisodeName,
        on: EpisodeName,
        clue: Clue,
        name: Arc<str>,
        n_names: u32,
        inferred: bool,
    },
    #[error("`{act}` names `{on}` and uses no path, command, number or identifier that `{on}` found")]
    DependencyUnused { act: EpisodeName, on: EpisodeName },
    #[error("when `{act}` opens, {} of the {} tokens of `{on}`, which it names, are gone already", with_commas(*.gone), with_commas(*.all))]
    DependencyStripped { act: EpisodeName, on: EpisodeName, gone: u64, all: u64 },
    #[error("`{name}` gets `{what}` again while the same text still stands in the context")]
    AcquiredTwice { name: EpisodeName, what: Arc<str> },
    #[error("`{name}` gets `{what}` again after the policy had evicted it")]
    AcquiredAfterEviction { name: EpisodeName, what: Arc<str> },
    #[error("the description of `{name}` lacks {}, of {} of it that later turns used after it had gone", describe_names(.missing, *.n_missing), count_noun(*.n_needed, "name"))]
    ThinDescription {
        name: EpisodeName,
        missing: Arc<str>,
        n_missing: u32,
        lacks: Vec<Arc<str>>,
        n_needed: u32,
    },
    #[error("`{name}` has {} tokens, {} % of τ: a policy takes or keeps all of it at once", with_commas(*.tokens), .per_mille / 10)]
    TooCoarse { name: EpisodeName, tokens: u64, per_mille: u64 },
    #[error("`{name}` has {} tokens in all: too few to matter to any policy", with_commas(*.tokens))]
    TooFine { name: EpisodeName, tokens: u64 },
    #[error("{} without an episode, {} tokens: every later act keeps them", count_noun(*.n_turns, "turn"), with_commas(*.tokens))]
    LongStretch { n_turns: u32, tokens: u64 },
    #[error("`{name}` is still open after {}: no policy takes anything of its {} tokens", count_noun(*.n_turns, "turn"), with_commas(*.tokens))]
    LeftOpen { name: EpisodeName, n_turns: u32, tokens: u64 },
    #[error("the human speaks inside `{name}`, and the agent goes on with other files: {} before, {} after, none in common", count_noun(*.n_before, "file"), count_noun(*.n_after, "file"))]
    TaskChanged { name: EpisodeName, n_before: u32, n_after: u32 },
    #[error("the name `{name}` does not tell this episode from any other")]
    EmptyName { name: EpisodeName },
}

impl RemarkKind {
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::ExplorationChanges { .. } => const { &Rule::look_up("Q001") },
            Self::ActChangesNothing { .. } => const { &Rule::look_up("Q002") },
            Self::DependencyForgotten { .. } => const { &Rule::look_up("Q003") },
            Self::DependencyUnused { .. } => const { &Rule::look_up("Q004") },
            Self::DependencyStripped { .. } => const { &Rule::look_up("Q005") },
            Self::AcquiredTwice { .. } | Self::AcquiredAfterEviction { .. } => {
                const { &Rule::look_up("Q006") }
            }
            Self::ThinDescription { .. } => const { &Rule::look_up("Q007") },
            Self::TooCoarse { .. } | Self::TooFine { .. } => const { &Rule::look_up("Q008") },
            Self::LongStretch { .. } => const { &Rule::look_up("Q009") },
            Self::LeftOpen { .. } => const { &Rule::look_up("Q010") },
            Self::TaskChanged { .. } => const { &Rule::look_up("Q011") },
            Self::EmptyName { .. } => const { &Rule::look_up("Q012") },
        }
    }

    /// Returns `true` for remarks about evicted content or an episode too large for τ; they change
    /// with policy and budget.
    pub fn depends_on_policy(&self) -> bool {
        matches!(
            self,
            Self::DependencyStripped { .. }
                | Self::AcquiredAfterEviction { .. }
                | Self::ThinDescription { .. }
                | Self::TooCoarse { .. }
        )
    }

    pub fn code(&self) -> &'static str {
        self.rule().code
    }
}

fn describe_calls(n_edits: u32, n_others: u32) -> String {
    let edits = || format!("{} of files or commits", count_noun(n_edits, "change"));
    let others = || format!("{} of the machine", count_noun(n_others, "change"));
    match (n_edits, n_others) {
        (_, 0) => edits(),
        (0, _) => others(),
        _ => format!("{}, {}", edits(), others()),
    }
}

fn describe_names(first: &str, n_names: u32) -> String {
    let first = displayed_name(first);
    match n_names {
        0 | 1 => format!("`{first}`"),
        2 => format!("`{first}` and 1 other name"),
        n => format!("`{first}` and {} other names", with_commas((n - 1).into())),
    }
}

pub(super) fn displayed_name(name: &str) -> String {
    const MOST: usize = 60;
    let mut chars = name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control());
    let mut shown: String = chars.by_ref().take(MOST).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_name_is_one_short_line() {
        let check = |name: &str, expected: &str| assert_eq!(displayed_name(name), expected);
        check("src/ingest.rs", "src/ingest.rs");
        check("cargo test\n\u{1b}[2J", "cargo test [2J");
        check(&"é".repeat(70), &format!("{}…", "é".repeat(60)));
    }

    #[test]
    fn sentences_count() {
        let kind =
            |n_edits, n_others| RemarkKind::ExplorationChanges { name: "look".into(), n_edits, n_others };
        let check = |kind: RemarkKind, expected: &str| assert_eq!(kind.to_string(), expected);
        check(kind(1, 0), "`look` is an exploration and changes things: 1 change of files or commits");
        check(
            kind(2, 1),
            "`look` is an exploration and changes things: 2 changes of files or commits, 1 change of the machine",
        );
        check(
            RemarkKind::LongStretch { n_turns: 1, tokens: 9 },
            "1 turn without an episode, 9 tokens: every later act keeps them",
        );
    }
}
