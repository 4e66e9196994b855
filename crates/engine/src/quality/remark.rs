//! Remarks: what the rules of quality say of an annotation, as data with a place.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use thiserror::Error;

use super::Clue;
use crate::{
    BlockIdx, DeclaredKind, Edit, EpisodeGraph, EpisodeIdx, EpisodeName, Rule, count_noun, with_commas,
};

/// A longer name has no place in a description, characters.
const NAME_SAID: usize = 80;

/// The most names a remark lists.
pub const NAMES_LISTED: usize = 12;

/// The most blocks a remark names as its evidence.
pub const EVIDENCE_LISTED: usize = 12;

/// One doubt about an annotation: a heuristic rule that applies, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The episode or stretch that it is about.
    pub episode: EpisodeIdx,
    /// The exploration an act needs, where it is about a dependency.
    pub on: Option<EpisodeIdx>,
    /// The block at which it shows first.
    pub at: BlockIdx,
    /// The blocks that speak for it, in log order; at most [`EVIDENCE_LISTED`].
    pub evidence: Vec<BlockIdx>,
    /// How strong the evidence is, per mille.
    pub strength: u16,
    /// The cost under the policy and the budget that were asked, tokens; `None` if it cannot be said.
    pub cost: Option<u64>,
    /// The kind of doubt.
    pub kind: RemarkKind,
}

impl Remark {
    /// Returns the change of marks that settles the remark, where one is known to: where else a boundary should be, or
    /// another name is for a reader to say. `graph` is the one that the remark is about.
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
                let can_say =
                    |name: &Arc<str>| name.chars().count() <= NAME_SAID && !name.contains(char::is_control);
                if lacks.len() < *n_missing as usize || !lacks.iter().all(can_say) {
                    return None;
                }
                let said = graph.episode(self.episode).description.as_deref()?;
                let text = format!("{} Needed later: {}.", said.trim_end(), lacks.join(", "));
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

/// The kinds of doubts; their codes and severities are rows of `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RemarkKind {
    /// An exploration that changes files or the machine.
    #[error("`{name}` is an exploration and changes things: {}", describe_calls(*.n_edits, *.n_others))]
    ExplorationChanges {
        /// The exploration.
        name: EpisodeName,
        /// Calls that edit, commit or publish.
        n_edits: u32,
        /// Other calls that change something.
        n_others: u32,
    },
    /// An act that changes nothing.
    #[error("`{name}` is an act and changes nothing: all of its {} only look or check", count_noun(*.n_calls, "call"))]
    ActChangesNothing {
        /// The act.
        name: EpisodeName,
        /// All its calls.
        n_calls: u32,
    },
    /// An act uses what an exploration found and does not name it.
    #[error("`{act}` uses {} that `{on}` found, and {} `{on}`", describe_names(.name, *.n_names), if *.inferred { "no edge was inferred from" } else { "does not name" })]
    DependencyForgotten {
        /// The act.
        act: EpisodeName,
        /// The exploration.
        on: EpisodeName,
        /// The strongest kind of evidence.
        clue: Clue,
        /// The first name of that kind.
        name: Arc<str>,
        /// How many names there are in all.
        n_names: u32,
        /// No agent named any edge of this annotation.
        inferred: bool,
    },
    /// An act names an exploration and uses nothing of it.
    #[error("`{act}` names `{on}` and uses no path, command, number or identifier that `{on}` found")]
    DependencyUnused {
        /// The act.
        act: EpisodeName,
        /// The exploration.
        on: EpisodeName,
    },
    /// An act begins with an exploration of which much is gone already.
    #[error("when `{act}` opens, {} of the {} tokens of `{on}`, which it names, are gone already", with_commas(*.gone), with_commas(*.all))]
    DependencyStripped {
        /// The act.
        act: EpisodeName,
        /// The exploration.
        on: EpisodeName,
        /// The part that is gone of it, tokens.
        gone: u64,
        /// Size in tokens.
        all: u64,
    },
    /// The same was acquired again while it was there.
    #[error("`{name}` gets `{what}` again while the same text still stands in the context")]
    AcquiredTwice {
        /// The episode that gets it again.
        name: EpisodeName,
        /// The path or the command.
        what: Arc<str>,
    },
    /// The same was acquired again after the policy had evicted it.
    #[error("`{name}` gets `{what}` again after the policy had evicted it")]
    AcquiredAfterEviction {
        /// The episode that gets it again.
        name: EpisodeName,
        /// The path or the command.
        what: Arc<str>,
    },
    /// A description lacks what later turns needed.
    #[error("the description of `{name}` lacks {}, of {} of it that later turns used after it had gone", describe_names(.missing, *.n_missing), count_noun(*.n_needed, "name"))]
    ThinDescription {
        /// The exploration.
        name: EpisodeName,
        /// The first name it lacks.
        missing: Arc<str>,
        /// How many names it lacks.
        n_missing: u32,
        /// These names, the first ones.
        lacks: Vec<Arc<str>>,
        /// How many names later turns used.
        n_needed: u32,
    },
    /// An episode is large beside the budget.
    #[error("`{name}` has {} tokens, {} % of τ: a policy takes or keeps all of it at once", with_commas(*.tokens), .per_mille / 10)]
    TooCoarse {
        /// The episode.
        name: EpisodeName,
        /// Size in tokens.
        tokens: u64,
        /// The budget's share, per mille.
        per_mille: u64,
    },
    /// An episode is so small that its marks are most of it.
    #[error("`{name}` has {} tokens in all: too few to matter to any policy", with_commas(*.tokens))]
    TooFine {
        /// The episode.
        name: EpisodeName,
        /// Size in tokens.
        tokens: u64,
    },
    /// A long stretch belongs to no episode.
    #[error("{} without an episode, {} tokens: every later act keeps them", count_noun(*.n_turns, "turn"), with_commas(*.tokens))]
    LongStretch {
        /// The length, turns.
        n_turns: u32,
        /// Size in tokens.
        tokens: u64,
    },
    /// An episode was left open.
    #[error("`{name}` is still open after {}: no policy takes anything of its {} tokens", count_noun(*.n_turns, "turn"), with_commas(*.tokens))]
    LeftOpen {
        /// The episode.
        name: EpisodeName,
        /// The length, turns.
        n_turns: u32,
        /// Size in tokens.
        tokens: u64,
    },
    /// The human's words inside an episode begin another task.
    #[error("the human speaks inside `{name}`, and the agent goes on with other files: {} before, {} after, none in common", count_noun(*.n_before, "file"), count_noun(*.n_after, "file"))]
    TaskChanged {
        /// The episode.
        name: EpisodeName,
        /// Files before the human's words.
        n_before: u32,
        /// Files after them.
        n_after: u32,
    },
    /// A name says nothing.
    #[error("the name `{name}` does not tell this episode from any other")]
    EmptyName {
        /// The episode.
        name: EpisodeName,
    },
}

impl RemarkKind {
    /// Returns the rule: a row of `docs/rules.md`.
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

    /// Tells whether it speaks of content the policy took, or of an episode that is too large for τ: another policy or
    /// budget has other doubts of this kind on the same annotation.
    pub fn depends_on_policy(&self) -> bool {
        matches!(
            self,
            Self::DependencyStripped { .. }
                | Self::AcquiredAfterEviction { .. }
                | Self::ThinDescription { .. }
                | Self::TooCoarse { .. }
        )
    }

    /// Returns the stable code, `Q…`.
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

/// Returns a name on one short line, without signs that would steer a terminal.
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
