//! The likely cause of each reacquisition, and the edit of the annotation that would have
//! prevented it.
//!
//! A reacquisition involves three parts: episode X, where the agent got something first, the
//! policy's step that evicted it, and episode Y, where the agent got it again. [`ReacquisitionCause`]s
//! are tested in order, and the first match wins. Causes no annotation can fix come first: changed
//! content, a policy that ignores marks, a budget that is too small. Then follow the marks of X
//! and Y, from the most to the least certain cause.
//!
//! The log and the replay alone decide, so a cause is likely rather than certain. If a cause
//! suggests a dependency or a merge, this follows from the rules of `cwl`: an exploration is kept
//! for the acts that declare it, and open episodes are never evicted.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::working_set::working_sets;
use super::{Reacquisition, turn_that_got};
use crate::{
    BlockIdx, BlockStates, DeclaredKind, Edit, Effect, EpisodeGraph, EpisodeIdx, EpisodeKind, Facts,
    KeptRule, Material, NameKind, Replay, ReplayInput, ToolClass, TurnEffect, TurnIdx, Use,
};

/// Maximum number of names a description can be expected to contain.
pub const FEW_NAMES: usize = 6;

/// Minimum number of names that show a need; a single one may be chance.
pub const LEAST_NAMES: usize = 2;

/// Maximum length of a name that a description is advised to contain, characters.
const NAME_SAID: usize = 80;

/// Minimum share of repeated content, per mille, for a reacquisition to count as the same.
pub const SAME_PER_MILLE: u16 = 500;

/// The likely cause of a [`Reacquisition`](super::Reacquisition), in the order tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReacquisitionCause {
    /// The content had changed, so no mark is at fault.
    ///
    /// A file counts as changed if a call edited it in between, or if less than [`SAME_PER_MILLE`]
    /// of the lines are repeated (another part of the file, or a change from outside). A command
    /// counts as changed if its output differs by the same criterion, or if something changed in
    /// between and the command is no mere search or look.
    Changed {
        /// The last call in between with a change, if known.
        by: Option<BlockIdx>,
    },
    /// The policy ignores declarations, so marks would not have mattered.
    Policy,
    /// τ is smaller than the working set: Y's blocks so far, outside blocks whose path, command or
    /// [`SYMBOLS_THAT_TELL`](crate::SYMBOLS_THAT_TELL) symbols Y used, and content that is never evicted.
    TooSmall { needs: u64 },
    /// X or Y is an unannotated stretch, so no dependency was possible.
    Unmarked { held: bool },
    /// Y is an act that could have declared X: X was closed, and the block was evicted at the
    /// first request with Y or later.
    Undeclared,
    /// X is an act without changes and should be an exploration; or Y is an exploration with
    /// changes and should be an act, and the block was evicted at the first request with Y or
    /// later.
    WrongKind { of: EpisodeIdx },
    /// X was closed too early: the next episode is Y, of the same kind, and continues the work.
    ClosedEarly,
    /// X is an act with changes. No episode can declare it, so its reads are evicted with it.
    ReadInAct,
    /// X's description lacks what Y needed: after the reacquisition, Y used [`LEAST_NAMES`] to [`FEW_NAMES`]
    /// of its names without editing it, and the description lacks some names.
    ThinDescription { names: Vec<u32> },
    /// X's description names everything that Y needed, judged as for `ThinDescription`. The log does not show
    /// if the agent would have read the content again in spite of the description.
    InDescription,
    /// The block was evicted before the first request with Y, or arrived in X after X was
    /// stripped, so no declaration by Y could have kept it.
    StrippedBefore { turns: u32 },
    /// Y is an exploration, and explorations declare nothing.
    NeededByExploration,
}

impl ReacquisitionCause {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Changed { .. } => "changed",
            Self::Policy => "policy",
            Self::TooSmall { .. } => "too_small",
            Self::Unmarked { .. } => "unmarked",
            Self::Undeclared => "undeclared",
            Self::WrongKind { .. } => "wrong_kind",
            Self::ClosedEarly => "closed_early",
            Self::ReadInAct => "read_in_act",
            Self::ThinDescription { .. } => "thin_description",
            Self::InDescription => "in_description",
            Self::StrippedBefore { .. } => "stripped_before",
            Self::NeededByExploration => "needed_by_exploration",
        }
    }

    pub fn is_of_change(&self) -> bool {
        matches!(self, Self::Changed { .. })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReacquisitionStory {
    pub reacquisition: Reacquisition,
    /// X, the episode with the first acquisition; `None` before the first episode.
    pub first: Option<EpisodeIdx>,
    pub again: Option<EpisodeIdx>,
    pub cause: ReacquisitionCause,
    /// Edits that together would have prevented it; may be empty.
    pub changes: Vec<Edit>,
}

/// Finds each reacquisition's likely cause. The rules of quality, the list of what was read again and the
/// ranking of blame all go by these causes.
///
/// `same` is the share of repeated content per reacquisition, per mille ([`shared_lines`]). `reacquisitions` must
/// come from `input.material`, and `facts` from its session.
pub fn reacquisition_stories(
    input: &ReplayInput<'_>,
    replay: &Replay,
    facts: &Facts,
    reacquisitions: &[Reacquisition],
    same: &[u16],
) -> Vec<ReacquisitionStory> {
    let judge = Judge::new(input, replay, facts, reacquisitions);
    // Without marks, the working set decides nothing.
    let needs =
        if judge.by_marks { working_sets(input, reacquisitions) } else { vec![0; reacquisitions.len()] };
    reacquisitions
        .iter()
        .zip(same.iter().copied().chain(core::iter::repeat(1000)))
        .zip(needs)
        .map(|((reacquisition, same), needs)| judge.tell_story(reacquisition, same, needs))
        .collect()
}

/// Returns for each reacquisition the first of `budgets` at which the block would still have been
/// in the context.
///
/// `reacquisitions` must be in turn order, like [`super::Absences::reacquisitions`]. Each budget costs one
/// replay.
pub fn budgets_that_keep(
    input: &ReplayInput<'_>,
    budgets: &[u64],
    reacquisitions: &[Reacquisition],
) -> Vec<Option<u64>> {
    let mut found = vec![None; reacquisitions.len()];
    for budget in budgets {
        if found.iter().all(Option::is_some) {
            break;
        }
        let input = ReplayInput { budget: *budget, ..*input };
        let replay = Replay::run(&input);
        let mut states = BlockStates::new(input.session.blocks.len());
        let mut at = 0;
        for (reacquisition, found) in reacquisitions.iter().zip(&mut found) {
            while at <= reacquisition.turn.at() {
                states.advance_to(&input, &replay, TurnIdx::from_position(at), |_, _| {});
                at += 1;
            }
            if found.is_none() && states.state(reacquisition.held).is_there() {
                *found = Some(*budget);
            }
        }
    }
    found
}

/// Returns the share of `after`'s lines, by length, per mille, that `before` contains; 1000 for an empty
/// text.
///
/// Leading and trailing blanks do not matter.
pub fn shared_lines(before: &str, after: &str) -> u16 {
    let known: BTreeSet<&str> = before.lines().map(str::trim).collect();
    let (mut all, mut shared) = (0u64, 0u64);
    for line in after.lines().map(str::trim) {
        let size = line.len() as u64;
        all += size;
        shared += if known.contains(line) { size } else { 0 };
    }
    (shared * 1000).checked_div(all).map_or(1000, |share| u16::try_from(share).unwrap_or(1000))
}

struct Judge<'a> {
    input: &'a ReplayInput<'a>,
    replay: &'a Replay,
    facts: &'a Facts,
    graph: &'a EpisodeGraph,
    by_marks: bool,
    uses: BTreeMap<BlockIdx, Vec<Use>>,
    changing: Vec<BlockIdx>,
}

const CHANGES: [Effect; 4] = [Effect::Edit, Effect::Mutate, Effect::Publish, Effect::Delegate];

impl<'a> Judge<'a> {
    fn new(
        input: &'a ReplayInput<'a>,
        replay: &'a Replay,
        facts: &'a Facts,
        reacquisitions: &[Reacquisition],
    ) -> Self {
        let material: &Material = input.material;
        let got: BTreeSet<BlockIdx> =
            reacquisitions.iter().map(|reacquisition| reacquisition.again).collect();
        let mut uses: BTreeMap<BlockIdx, Vec<Use>> = BTreeMap::new();
        for one in material.uses.iter().filter(|one| got.contains(&one.held)) {
            uses.entry(one.held).or_default().push(*one);
        }
        let blocks = (0..input.session.blocks.len()).map(BlockIdx::new);
        let changing = blocks.filter(|block| facts.effects_of(*block).has_any(&CHANGES)).collect();
        let by_marks = matches!(replay.policy.kept, KeptRule::ByGraph) || replay.policy.own_marks;
        Self { input, replay, facts, graph: &input.growth.graph, by_marks, uses, changing }
    }

    fn tell_story(&self, reacquisition: &Reacquisition, same: u16, needs: u64) -> ReacquisitionStory {
        let (first, again) = (
            self.graph.owner_of(reacquisition.held),
            self.graph.owner_of(self.acquiring_call(reacquisition)),
        );
        let cause = self.find_cause(reacquisition, first, again, same, needs);
        let changes = self.fixing_edits(&cause, first, again);
        ReacquisitionStory { reacquisition: reacquisition.clone(), first, again, cause, changes }
    }

    fn acquiring_call(&self, reacquisition: &Reacquisition) -> BlockIdx {
        self.input.session.blocks[reacquisition.again.at()].pair.unwrap_or(reacquisition.again)
    }

    fn find_cause(
        &self,
        reacquisition: &Reacquisition,
        first: Option<EpisodeIdx>,
        again: Option<EpisodeIdx>,
        same: u16,
        needs: u64,
    ) -> ReacquisitionCause {
        let by = self.changed_by(reacquisition);
        if by.is_some() || same < SAME_PER_MILLE {
            return ReacquisitionCause::Changed { by };
        }
        if !self.by_marks {
            return ReacquisitionCause::Policy;
        }
        if needs > self.input.budget {
            return ReacquisitionCause::TooSmall { needs };
        }
        let is_marked = |idx: &EpisodeIdx| self.graph.episode(*idx).kind != EpisodeKind::Unannotated;
        let Some(x) = first.filter(is_marked) else { return ReacquisitionCause::Unmarked { held: true } };
        let Some(y) = again.filter(is_marked) else { return ReacquisitionCause::Unmarked { held: false } };
        let y_began = self.graph.episode(y).first_turn;
        let was_there = reacquisition.gone >= y_began && !self.came_too_late(reacquisition);
        let goes_on =
            self.graph.episode(x).kind == self.graph.episode(y).kind && self.next_marked(x) == Some(y);
        match (self.graph.episode(x).kind, self.graph.episode(y).kind) {
            (EpisodeKind::Exploratory, EpisodeKind::Action) if was_there && !self.declares_edge(y, x) => {
                return ReacquisitionCause::Undeclared;
            }
            (EpisodeKind::Action, _) if !self.changes_something(x) => {
                return ReacquisitionCause::WrongKind { of: x };
            }
            (EpisodeKind::Exploratory, EpisodeKind::Exploratory)
                if was_there && x != y && self.changes_something(y) =>
            {
                return ReacquisitionCause::WrongKind { of: y };
            }
            _ if goes_on => return ReacquisitionCause::ClosedEarly,
            (EpisodeKind::Action, _) => return ReacquisitionCause::ReadInAct,
            _ => {}
        }
        if let Some(mut names) = self.needed_names(reacquisition, y) {
            let said = self.graph.episode(x).description.as_deref().unwrap_or_default();
            names.retain(|name| !said.contains(&*self.input.material.names[*name as usize].text));
            return match names.is_empty() {
                true => ReacquisitionCause::InDescription,
                false => ReacquisitionCause::ThinDescription { names },
            };
        }
        if was_there {
            return ReacquisitionCause::NeededByExploration;
        }
        let began = turn_that_got(self.input.session, self.graph.episode(y).start);
        ReacquisitionCause::StrippedBefore {
            turns: began.number().saturating_sub(reacquisition.gone.number()),
        }
    }

    fn came_too_late(&self, reacquisition: &Reacquisition) -> bool {
        let effects = self.replay.effects_of(reacquisition.gone);
        effects
            .iter()
            .any(|one| matches!(one, TurnEffect::ArrivedStripped(block, _) if *block == reacquisition.held))
    }

    fn changed_by(&self, reacquisition: &Reacquisition) -> Option<BlockIdx> {
        let material = self.input.material;
        let call = self.acquiring_call(reacquisition);
        let kind_of = |name: &u32| material.names.get(*name as usize).map(|name| name.kind);
        let is_between = |by: BlockIdx| reacquisition.held < by && by < call;
        let (paths, others): (Vec<u32>, Vec<u32>) =
            reacquisition.names.iter().copied().partition(|name| kind_of(name) == Some(NameKind::Path));
        let edits = material.changes.iter().rev();
        let mut edits = edits.filter(|one| is_between(one.by) && paths.contains(&one.name));
        if let Some(edit) = edits.next() {
            return Some(edit.by);
        }
        // A file read by a command counts as a file.
        if others.is_empty() || !paths.is_empty() || self.is_look(call) {
            return None;
        }
        let n_before = self.changing.partition_point(|by| *by < call);
        self.changing[..n_before].last().copied().filter(|by| is_between(*by))
    }

    fn is_look(&self, call: BlockIdx) -> bool {
        let row = &self.input.session.blocks[call.at()];
        let effects = self.facts.effects_of(call);
        let depends = [Effect::Check, Effect::Run, Effect::GitLook];
        let is_search = row.class == Some(ToolClass::Search) || row.shell_search;
        is_search || !(effects.has_any(&depends) || effects.has_any(&CHANGES))
    }

    fn declares_edge(&self, act: EpisodeIdx, on: EpisodeIdx) -> bool {
        self.graph.episode(act).dependencies.iter().any(|known| known.on == Some(on))
    }

    fn changes_something(&self, idx: EpisodeIdx) -> bool {
        self.graph.episode(idx).blocks.iter().any(|block| self.facts.effects_of(*block).has_any(&CHANGES))
    }

    fn next_marked(&self, idx: EpisodeIdx) -> Option<EpisodeIdx> {
        let later = self.graph.episodes().skip_while(|(other, _)| *other <= idx);
        later.filter(|(_, other)| other.kind != EpisodeKind::Unannotated).map(|(other, _)| other).next()
    }

    fn needed_names(&self, reacquisition: &Reacquisition, y: EpisodeIdx) -> Option<Vec<u32>> {
        let material = self.input.material;
        let is_of_y = |by: BlockIdx| by > reacquisition.again && self.graph.owner_of(by) == Some(y);
        let mut edits = material.changes.iter();
        if edits.any(|one| is_of_y(one.by) && reacquisition.names.contains(&one.name)) {
            return None;
        }
        let mut names: Vec<u32> = Vec::new();
        for one in self.uses.get(&reacquisition.again).into_iter().flatten().filter(|one| is_of_y(one.by)) {
            let is_telling = |name: &crate::Name| name.kind == NameKind::Symbol && name.is_telling();
            if material.names.get(one.name as usize).is_some_and(is_telling) && !names.contains(&one.name) {
                names.push(one.name);
            }
            if names.len() > FEW_NAMES {
                return None;
            }
        }
        (names.len() >= LEAST_NAMES).then_some(names)
    }

    fn fixing_edits(
        &self,
        cause: &ReacquisitionCause,
        first: Option<EpisodeIdx>,
        again: Option<EpisodeIdx>,
    ) -> Vec<Edit> {
        let (Some(x), Some(y)) = (first, again) else { return Vec::new() };
        let name = |idx: EpisodeIdx| self.graph.episode(idx).name.clone();
        let link = Edit::Link { act: name(y), on: name(x) };
        match cause {
            ReacquisitionCause::Undeclared => vec![link],
            ReacquisitionCause::WrongKind { of } if *of == x => {
                let kind = Edit::Retype { of: name(x), kind: DeclaredKind::Exploratory };
                match self.graph.episode(y).kind {
                    EpisodeKind::Action if x != y => vec![kind, link],
                    _ => vec![kind],
                }
            }
            ReacquisitionCause::WrongKind { of } => {
                vec![Edit::Retype { of: name(*of), kind: DeclaredKind::Action }, link]
            }
            ReacquisitionCause::ClosedEarly => vec![Edit::Merge { of: name(x) }],
            ReacquisitionCause::ThinDescription { names } => {
                let names = names.iter().filter_map(|name| self.input.material.names.get(*name as usize));
                let said = self.graph.episode(x).description.as_deref();
                let text = fuller_description(said, names.map(|name| &*name.text));
                text.map(|text| Edit::Describe { of: name(x), text }).into_iter().collect()
            }
            ReacquisitionCause::Changed { .. }
            | ReacquisitionCause::Policy
            | ReacquisitionCause::TooSmall { .. }
            | ReacquisitionCause::Unmarked { .. }
            | ReacquisitionCause::ReadInAct
            | ReacquisitionCause::InDescription
            | ReacquisitionCause::StrippedBefore { .. }
            | ReacquisitionCause::NeededByExploration => Vec::new(),
        }
    }
}

/// Returns a description that names `lacks` as well; `None` if one of the names cannot stand in a line.
pub fn fuller_description<'a>(
    said: Option<&str>,
    lacks: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let lacks: Vec<&str> = lacks.into_iter().collect();
    let can_say = |name: &&str| name.chars().count() <= NAME_SAID && !name.contains(char::is_control);
    let said = said.map(str::trim).filter(|said| !said.is_empty());
    let said = said.map_or(String::new(), |said| format!("{said} "));
    lacks.iter().all(can_say).then(|| format!("{said}Needed later: {}.", lacks.join(", ")))
}
