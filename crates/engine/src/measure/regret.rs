//! The likely cause of each regret, and the change of the marks that would have prevented it.
//!
//! Three episodes meet in a regret: X, in which the agent got something first, the policy's step that took it, and Y, in
//! which the agent got it again. The causes are asked for in the order of [`RegretCause`], and the first that
//! holds is told. What no mark can help comes first: content that was another by then, a policy that does not go by
//! marks, a budget that is too small. Then the marks of X and Y, from the surest to the vaguest.
//!
//! A cause is told from the log and the replay alone, so it is likely and not certain. Where it says that a dependency
//! or a merge would have helped, that is so by the rules of `cwl`: an exploration is kept for the acts that name it, and
//! nothing of an open episode goes.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Regret, turn_that_got};
use crate::{
    BlockIdx, BlockStates, ChangedBy, DeclaredKind, Edit, Effect, EpisodeGraph, EpisodeIdx, EpisodeKind,
    Facts, KeptRule, Material, NameKind, Replay, ReplayInput, ToolClass, Transition, TurnEffect, TurnIdx,
    Use,
};

/// The least number of symbols of one exploration that count as a use of it, where no path and no command is among
/// the names.
pub const SYMBOLS_THAT_TELL: usize = 8;

/// The most names a description can be asked to hold.
pub const FEW_NAMES: usize = 6;

/// The least number of names that tell what was needed: one may be chance.
pub const LEAST_NAMES: usize = 2;

/// The least share of what came back that must have been there before, per mille, to be the same again.
pub const SAME_PER_MILLE: u16 = 500;

/// The likely causes of a [`Regret`](super::Regret), in the order in which they are tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegretCause {
    /// No mark's fault: the content was another one by then.
    ///
    /// For a file: a call edited it between the two, or less than [`SAME_PER_MILLE`] of the lines that came back were there
    /// before (another part of it, or a change from outside). For a command: its output is another one in the same
    /// sense, or something was changed in between and the command is no mere search or look.
    Changed {
        /// The last call between the two that changed it; `None` if none is known.
        by: Option<BlockIdx>,
    },
    /// The policy does not go by what acts declare: no mark would have changed what it takes.
    Policy,
    /// τ is too small for the working set: Y's blocks up to then, the blocks outside it of which Y used a path, a command or
    /// [`SYMBOLS_THAT_TELL`] symbols, and what may never go, are larger than the budget together.
    TooSmall {
        /// Their size, tokens.
        needs: u64,
    },
    /// X or Y is a stretch without marks, so nothing can be kept of the one or for the other.
    Unmarked {
        /// True if it is X.
        held: bool,
    },
    /// Y is an act that could have declared X and did not: X was closed, and the block went only at the first request that
    /// knew Y, or later.
    Undeclared,
    /// X is an act and changes nothing, so it is an exploration; or Y is an exploration that changes something, so it is an act,
    /// and the block went only at the first request that knew Y, or later.
    WrongKind {
        /// The episode of the wrong kind.
        of: EpisodeIdx,
    },
    /// X was closed too early: the next episode of the agent's is Y, of the same kind, and it goes on with the same.
    ClosedEarly,
    /// X is an act that changes something. No episode can name it, so whatever it reads goes with it.
    ReadInAct,
    /// X's description lacks what Y needed: after it got the content again, Y used from [`LEAST_NAMES`] to [`FEW_NAMES`] names of it and edited
    /// nothing of it, and some of these names the description does not have.
    ThinDescription {
        /// The names it lacks, as places in [`Material::names`].
        names: Vec<u32>,
    },
    /// The block had gone before the first request that knew Y, or came into X when that was stripped already, so nothing
    /// which Y says could have kept it.
    StrippedBefore {
        /// How many turns before the reply with which Y begins.
        turns: u32,
    },
    /// Y is an exploration, and explorations declare nothing.
    NeededByExploration,
}

impl RegretCause {
    /// Returns the name on the wire.
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
            Self::StrippedBefore { .. } => "stripped_before",
            Self::NeededByExploration => "needed_by_exploration",
        }
    }
}

/// One regret with its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegretStory {
    /// The regret.
    pub regret: Regret,
    /// X: the episode in which the agent got it first; `None` before the first episode.
    pub first: Option<EpisodeIdx>,
    /// Y: the episode in which the agent got it again.
    pub again: Option<EpisodeIdx>,
    /// The likely cause.
    pub cause: RegretCause,
    /// The changes of marks that together would have prevented it; none if no change of marks would.
    pub changes: Vec<Edit>,
}

/// Tells the likely cause of each regret of `replay`.
///
/// `same` has for each regret the share of what came back that was there before, per mille ([`shared_lines`]). `input` must
/// have the material the regrets were found in, and `facts` are those of its session.
pub fn regret_stories(
    input: &ReplayInput<'_>,
    replay: &Replay,
    facts: &Facts,
    regrets: &[Regret],
    same: &[u16],
) -> Vec<RegretStory> {
    let judge = Judge::new(input, replay, facts, regrets);
    let needs = working_sets(input, regrets);
    regrets
        .iter()
        .zip(same.iter().copied().chain(core::iter::repeat(1000)))
        .zip(needs)
        .map(|((regret, same), needs)| judge.tell_story(regret, same, needs))
        .collect()
}

/// Finds for each regret the first of some budgets at which the block would still have been there when it was got again.
///
/// The regrets must be in the order of the turns, as [`super::Absences::regrets`] are. Each budget costs a replay.
pub fn budgets_that_keep(input: &ReplayInput<'_>, budgets: &[u64], regrets: &[Regret]) -> Vec<Option<u64>> {
    let mut found = vec![None; regrets.len()];
    for budget in budgets {
        if found.iter().all(Option::is_some) {
            break;
        }
        let input = ReplayInput { budget: *budget, ..*input };
        let replay = Replay::run(&input);
        let mut states = BlockStates::new(input.session.blocks.len());
        let mut at = 0;
        for (regret, found) in regrets.iter().zip(&mut found) {
            while at <= regret.turn.at() {
                states.advance_to(&input, &replay, TurnIdx::from_position(at), |_, _| {});
                at += 1;
            }
            if found.is_none() && states.state(regret.held).is_there() {
                *found = Some(*budget);
            }
        }
    }
    found
}

/// Returns the share of a text's lines another text has too, by their length, per mille.
///
/// Lines are compared without the blanks around them; a text without a line has nothing the other lacks.
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

/// Everything that the causes are told from.
struct Judge<'a> {
    input: &'a ReplayInput<'a>,
    replay: &'a Replay,
    facts: &'a Facts,
    graph: &'a EpisodeGraph,
    /// True when the policy goes by what acts declare.
    by_marks: bool,
    /// The later uses of what was got again.
    uses: BTreeMap<BlockIdx, Vec<Use>>,
    /// The calls that change something, in log order.
    changing: Vec<BlockIdx>,
}

/// The effects of a call that changes something outside the agent.
const CHANGES: [Effect; 4] = [Effect::Edit, Effect::Mutate, Effect::Publish, Effect::Delegate];

impl<'a> Judge<'a> {
    fn new(input: &'a ReplayInput<'a>, replay: &'a Replay, facts: &'a Facts, regrets: &[Regret]) -> Self {
        let material: &Material = input.material;
        let got: BTreeSet<BlockIdx> = regrets.iter().map(|regret| regret.again).collect();
        let mut uses: BTreeMap<BlockIdx, Vec<Use>> = BTreeMap::new();
        for one in material.uses.iter().filter(|one| got.contains(&one.held)) {
            uses.entry(one.held).or_default().push(*one);
        }
        let blocks = (0..input.session.blocks.len()).map(BlockIdx::new);
        let changing = blocks.filter(|block| facts.effects_of(*block).has_any(&CHANGES)).collect();
        let by_marks = matches!(replay.policy.kept, KeptRule::ByGraph) || replay.policy.own_marks;
        Self { input, replay, facts, graph: &input.growth.graph, by_marks, uses, changing }
    }

    fn tell_story(&self, regret: &Regret, same: u16, needs: u64) -> RegretStory {
        let (first, again) =
            (self.graph.owner_of(regret.held), self.graph.owner_of(self.acquiring_call(regret)));
        let cause = self.find_cause(regret, first, again, same, needs);
        let changes = self.fixing_edits(&cause, first, again);
        RegretStory { regret: regret.clone(), first, again, cause, changes }
    }

    fn acquiring_call(&self, regret: &Regret) -> BlockIdx {
        self.input.session.blocks[regret.again.at()].pair.unwrap_or(regret.again)
    }

    fn find_cause(
        &self,
        regret: &Regret,
        first: Option<EpisodeIdx>,
        again: Option<EpisodeIdx>,
        same: u16,
        needs: u64,
    ) -> RegretCause {
        let by = self.changed_by(regret);
        if by.is_some() || same < SAME_PER_MILLE {
            return RegretCause::Changed { by };
        }
        if !self.by_marks {
            return RegretCause::Policy;
        }
        if needs > self.input.budget {
            return RegretCause::TooSmall { needs };
        }
        let is_marked = |idx: &EpisodeIdx| self.graph.episode(*idx).kind != EpisodeKind::Unannotated;
        let Some(x) = first.filter(is_marked) else { return RegretCause::Unmarked { held: true } };
        let Some(y) = again.filter(is_marked) else { return RegretCause::Unmarked { held: false } };
        let y_began = self.graph.episode(y).first_turn;
        let was_there = regret.gone >= y_began && !self.came_too_late(regret);
        let goes_on =
            self.graph.episode(x).kind == self.graph.episode(y).kind && self.next_marked(x) == Some(y);
        match (self.graph.episode(x).kind, self.graph.episode(y).kind) {
            (EpisodeKind::Exploratory, EpisodeKind::Action) if was_there && !self.declares_edge(y, x) => {
                return RegretCause::Undeclared;
            }
            (EpisodeKind::Action, _) if !self.changes_something(x) => {
                return RegretCause::WrongKind { of: x };
            }
            (EpisodeKind::Exploratory, EpisodeKind::Exploratory)
                if was_there && x != y && self.changes_something(y) =>
            {
                return RegretCause::WrongKind { of: y };
            }
            _ if goes_on => return RegretCause::ClosedEarly,
            (EpisodeKind::Action, _) => return RegretCause::ReadInAct,
            _ => {}
        }
        if let Some(names) = self.lacking_names(regret, x, y) {
            return RegretCause::ThinDescription { names };
        }
        if was_there {
            return RegretCause::NeededByExploration;
        }
        let began = turn_that_got(self.input.session, self.graph.episode(y).start);
        RegretCause::StrippedBefore { turns: began.number().saturating_sub(regret.gone.number()) }
    }

    /// Tells whether the block came in when its episode had been stripped already.
    fn came_too_late(&self, regret: &Regret) -> bool {
        let effects = self.replay.effects_of(regret.gone);
        effects
            .iter()
            .any(|one| matches!(one, TurnEffect::ArrivedStripped(block, _) if *block == regret.held))
    }

    /// Finds the last call between the two that changed what was got again.
    fn changed_by(&self, regret: &Regret) -> Option<BlockIdx> {
        let material = self.input.material;
        let call = self.acquiring_call(regret);
        let kind_of = |name: &u32| material.names.get(*name as usize).map(|name| name.kind);
        let is_between = |by: BlockIdx| regret.held < by && by < call;
        let (paths, others): (Vec<u32>, Vec<u32>) =
            regret.names.iter().copied().partition(|name| kind_of(name) == Some(NameKind::Path));
        let edits = material.changes.iter().rev();
        let mut edits = edits.filter(|one| is_between(one.by) && paths.contains(&one.name));
        if let Some(edit) = edits.next() {
            return Some(edit.by);
        }
        // A file that is read by a command is told as a file.
        if others.is_empty() || !paths.is_empty() || self.is_look(call) {
            return None;
        }
        let n_before = self.changing.partition_point(|by| *by < call);
        self.changing[..n_before].last().copied().filter(|by| is_between(*by))
    }

    /// Tells whether a call only looks: what it says does not depend on what was changed elsewhere, as a repository's state
    /// does.
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

    /// Finds the names an exploration's description lacks, where a few of them were all that another episode needed.
    fn lacking_names(&self, regret: &Regret, x: EpisodeIdx, y: EpisodeIdx) -> Option<Vec<u32>> {
        let material = self.input.material;
        let is_of_y = |by: BlockIdx| by > regret.again && self.graph.owner_of(by) == Some(y);
        let mut edits = material.changes.iter();
        if edits.any(|one| is_of_y(one.by) && regret.names.contains(&one.name)) {
            return None;
        }
        let mut names: Vec<u32> = Vec::new();
        for one in self.uses.get(&regret.again).into_iter().flatten().filter(|one| is_of_y(one.by)) {
            let is_telling = |name: &crate::Name| name.kind == NameKind::Symbol && name.is_telling();
            if material.names.get(one.name as usize).is_some_and(is_telling) && !names.contains(&one.name) {
                names.push(one.name);
            }
            if names.len() > FEW_NAMES {
                return None;
            }
        }
        if names.len() < LEAST_NAMES {
            return None;
        }
        let description = self.graph.episode(x).description.as_deref().unwrap_or_default();
        names.retain(|name| !description.contains(&*material.names[*name as usize].text));
        (!names.is_empty()).then_some(names)
    }

    fn fixing_edits(
        &self,
        cause: &RegretCause,
        first: Option<EpisodeIdx>,
        again: Option<EpisodeIdx>,
    ) -> Vec<Edit> {
        let (Some(x), Some(y)) = (first, again) else { return Vec::new() };
        let name = |idx: EpisodeIdx| self.graph.episode(idx).name.clone();
        let link = Edit::Link { act: name(y), on: name(x) };
        match cause {
            RegretCause::Undeclared => vec![link],
            RegretCause::WrongKind { of } if *of == x => {
                let kind = Edit::Retype { of: name(x), kind: DeclaredKind::Exploratory };
                match self.graph.episode(y).kind {
                    EpisodeKind::Action if x != y => vec![kind, link],
                    _ => vec![kind],
                }
            }
            RegretCause::WrongKind { of } => {
                vec![Edit::Retype { of: name(*of), kind: DeclaredKind::Action }, link]
            }
            RegretCause::ClosedEarly => vec![Edit::Merge { of: name(x) }],
            RegretCause::ThinDescription { names } => {
                vec![Edit::Describe { of: name(x), text: self.fuller_description(x, names) }]
            }
            RegretCause::Changed { .. }
            | RegretCause::Policy
            | RegretCause::TooSmall { .. }
            | RegretCause::Unmarked { .. }
            | RegretCause::ReadInAct
            | RegretCause::StrippedBefore { .. }
            | RegretCause::NeededByExploration => Vec::new(),
        }
    }

    fn fuller_description(&self, x: EpisodeIdx, names: &[u32]) -> String {
        let names = names.iter().filter_map(|name| self.input.material.names.get(*name as usize));
        let names: Vec<&str> = names.map(|name| &*name.text).collect();
        let said = self.graph.episode(x).description.as_deref();
        format!("{}({})", said.map_or(String::new(), |said| format!("{said} ")), names.join(", "))
    }
}

/// Returns for each regret the size of the working set of the episode that got it again, tokens.
fn working_sets(input: &ReplayInput<'_>, regrets: &[Regret]) -> Vec<u64> {
    let ReplayInput { session, growth, table, material, .. } = *input;
    let graph = &growth.graph;
    let mut by_episode: BTreeMap<EpisodeIdx, Vec<Use>> = BTreeMap::new();
    let wanted: BTreeSet<EpisodeIdx> =
        regrets.iter().filter_map(|regret| graph.owner_of(regret.again)).collect();
    for one in &material.uses {
        if let Some(y) = graph.owner_of(one.by).filter(|y| wanted.contains(y)) {
            by_episode.entry(y).or_default().push(*one);
        }
    }
    let may_go = |block: BlockIdx| session.is_evictable(block) && !graph.in_prologue(block);
    let mut states = BlockStates::new(session.blocks.len());
    let (mut fixed, mut at) = (0u64, 0usize);
    let mut sizes = Vec::with_capacity(regrets.len());
    for regret in regrets {
        while at <= regret.turn.at() {
            states.grow_to(growth, TurnIdx::from_position(at), |_, transition| match transition {
                Transition::Arrived(run) => {
                    let blocks = run.range().map(BlockIdx::new).filter(|block| !may_go(*block));
                    fixed += blocks.map(|block| table.units(block)).sum::<u64>();
                }
                Transition::Changed { block, is, by: ChangedBy::Harness(_), .. } if !may_go(block) => {
                    let units = table.units(block);
                    fixed = if is.is_dropped() { fixed.saturating_sub(units) } else { fixed + units };
                }
                _ => {}
            });
            at += 1;
        }
        let Some(y) = graph.owner_of(regret.again) else {
            sizes.push(0);
            continue;
        };
        let is_there = |block: &BlockIdx| {
            let state = states.state(*block);
            may_go(*block) && state.has_arrived() && !state.is_dropped()
        };
        let own = graph.episode(y).blocks.iter().filter(|block| is_there(block));
        let units: u64 = own.map(|block| table.units(*block)).sum();
        let used = by_episode.get(&y).map_or(&[][..], Vec::as_slice);
        let used = used_outside(used, regret.again, graph, y, material);
        let outside: u64 = used.iter().filter(|block| is_there(block)).map(|block| table.units(*block)).sum();
        sizes.push(
            table
                .tokens_from_units(fixed + units + outside)
                .saturating_add(input.overhead.tokens_at(regret.turn)),
        );
    }
    sizes
}

fn used_outside(
    uses: &[Use],
    until: BlockIdx,
    graph: &EpisodeGraph,
    y: EpisodeIdx,
    material: &Material,
) -> BTreeSet<BlockIdx> {
    let mut symbols: BTreeMap<BlockIdx, BTreeSet<u32>> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for one in uses.iter().filter(|one| one.by <= until && graph.owner_of(one.held) != Some(y)) {
        match material.names.get(one.name as usize).map(|name| name.kind) {
            Some(NameKind::Symbol) => {
                let known = symbols.entry(one.held).or_default();
                known.insert(one.name);
                if known.len() >= SYMBOLS_THAT_TELL {
                    used.insert(one.held);
                }
            }
            Some(NameKind::Path | NameKind::Command) => {
                used.insert(one.held);
            }
            None => {}
        }
    }
    used
}
