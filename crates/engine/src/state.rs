//! The state at a turn and step, folded from the growth and the log of steps.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockStates, ChangedBy, EpisodeIdx, EvictionLevel, EvictionStep, GraphChange, Levels,
    Life, Memory, Move, Placeholder, Replay, ReplayInput, Session, Steps, Subject, Summary, Transition,
    TurnEffect, TurnIdx,
};

/// A position in time: `turn`'s request, with the first `step` steps of its pass taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    /// The turn.
    pub turn: TurnIdx,
    /// How many of the turn's steps are taken; more than it has means all.
    pub step: usize,
}

impl Cut {
    /// Makes the cut at a turn's request: all its steps are taken.
    pub fn end_of(turn: TurnIdx) -> Self {
        Self { turn, step: usize::MAX }
    }
}

/// The presence of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The block has not come in yet.
    Absent,
    /// The block is in the context.
    Live,
    /// A step took it; the position in [`StateAt::taken`].
    Evicted(u32),
    /// A step put a placeholder in its place; the position in [`StateAt::taken`].
    Masked(u32, Placeholder),
    /// The block came in stripped.
    ArrivedStripped(EvictionLevel),
    /// The harness took it; the position in [`Session::replacements`].
    Dropped(u32),
}

/// A step that was taken up to a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenStep {
    /// The turn before whose request it was taken.
    pub turn: TurnIdx,
    /// The number in that turn, from 1.
    pub number: usize,
    /// The subject the step is about.
    pub subject: Subject,
    /// The action the step takes on its subject.
    pub action: Action,
}

/// The state of a replay at a [`Cut`].
#[derive(Debug, Clone, PartialEq)]
pub struct StateAt {
    /// The cut, its step limited to what the turn has.
    pub cut: Cut,
    /// Each block's state.
    pub states: BlockStates,
    /// The presence of each block by the policy's moves alone, whatever the harness does to it.
    by_policy: Vec<Presence>,
    /// The replacement by which the harness has last taken each block.
    dropped_by: Vec<u32>,
    /// Each block's episode as known at the cut.
    pub owners: Vec<Option<EpisodeIdx>>,
    /// Each episode's level, 0 to 4.
    pub levels: Vec<u8>,
    /// Each episode's life as known at the cut.
    pub lives: Vec<Life>,
    /// Episodes whose residue stands in the context.
    pub residues: BTreeSet<EpisodeIdx>,
    /// Edges exploration → act as known at the cut.
    pub edges: BTreeSet<(EpisodeIdx, EpisodeIdx)>,
    /// Synthetic messages that stand in the context, by their numbers.
    pub summaries: BTreeMap<u32, Summary>,
    /// The steps that were taken: all up to the cut, or those of its turn where the policy has no memory.
    pub taken: Vec<TakenStep>,
}

impl StateAt {
    /// Folds the state at a cut.
    pub fn fold_to(input: &ReplayInput<'_>, replay: &Replay, cut: Cut) -> Self {
        let growth = input.growth;
        let last = replay.turns.len().saturating_sub(1);
        let turn = TurnIdx::from_position(cut.turn.at().min(last));
        let step = cut.step.min(replay.outcome_at(turn).n_steps as usize);
        let mut state = Self { cut: Cut { turn, step }, ..Self::before_all(input) };
        for at in 0..=turn.at() {
            let now = TurnIdx::from_position(at);
            growth.changes_at(now).iter().for_each(|change| state.apply_change(change));
            if now != turn && matches!(replay.policy.memory, Memory::PerTurn(_)) {
                continue;
            }
            replay.effects_of(now).iter().for_each(|effect| state.apply_effect(*effect));
            let steps = replay.steps_of(input, now);
            let n_taken = if now == turn { step } else { steps.steps.len() };
            for (number, one) in (1..).zip(steps.steps.iter().take(n_taken)) {
                state.apply_step(number, one, &steps);
            }
        }
        if replay.policy.levels == Levels::ByContent {
            for (idx, _) in growth.graph.episodes() {
                state.levels[idx.at()] = state.level_by_content(input, idx);
            }
        }
        state
    }

    /// Makes the state in which nothing has come in.
    pub(crate) fn before_all(input: &ReplayInput<'_>) -> Self {
        let (n_blocks, n_episodes) = (input.session.blocks.len(), input.growth.graph.episodes.len());
        Self {
            cut: Cut { turn: TurnIdx::FIRST, step: 0 },
            states: BlockStates::new(n_blocks),
            by_policy: alloc::vec![Presence::Live; n_blocks],
            dropped_by: alloc::vec![0; n_blocks],
            owners: alloc::vec![None; n_blocks],
            levels: alloc::vec![0; n_episodes],
            lives: alloc::vec![Life::Unborn; n_episodes],
            residues: BTreeSet::new(),
            edges: BTreeSet::new(),
            summaries: BTreeMap::new(),
            taken: Vec::new(),
        }
    }

    /// Works out the level of an episode from what is left of it: the last one of whose content and of all
    /// before it nothing is there.
    pub(crate) fn level_by_content(&self, input: &ReplayInput<'_>, idx: EpisodeIdx) -> u8 {
        let (mut gone, mut there) = ([false; 4], [false; 4]);
        for block in &input.growth.graph.episode(idx).blocks {
            let level = input.growth.level_of(*block, input.options.classify_shell);
            let (at, state) = (usize::from(level.number()) - 1, self.states.state(*block));
            there[at] |= state.is_there();
            gone[at] |= state.has_arrived() && !state.is_there();
        }
        let n_clear = there.iter().take_while(|there| !**there).count();
        let reached = gone[..n_clear].iter().rposition(|gone| *gone).map_or(0, |at| at + 1);
        let level = if n_clear == 4 && reached > 0 { 4 } else { reached };
        u8::try_from(level).unwrap_or(4)
    }

    /// Returns the size of what no policy and no harness has taken of an episode, tokens.
    ///
    /// A placeholder and a residue count with their own sizes, and blocks that have not come in yet are not missing.
    pub fn tokens_left(&self, input: &ReplayInput<'_>, idx: EpisodeIdx) -> u64 {
        let table = input.table;
        let units = |block: &BlockIdx| match self.states.state(*block) {
            state if state.has_arrived() => state.units_of(table, *block),
            _ => table.units(*block),
        };
        let blocks = table.tokens_from_units(input.growth.graph.episode(idx).blocks.iter().map(units).sum());
        let residue = if self.residues.contains(&idx) { table.residue_tokens(idx) } else { 0 };
        blocks.saturating_add(residue)
    }

    /// Tells where `block` is.
    pub fn presence(&self, block: BlockIdx) -> Presence {
        match self.states.state(block) {
            state if state.is_dropped() => Presence::Dropped(self.dropped_by[block.at()]),
            state if !state.has_arrived() => Presence::Absent,
            _ => self.by_policy[block.at()],
        }
    }

    pub(crate) fn apply_change(&mut self, change: &GraphChange) {
        match self.states.apply_change(change) {
            Some(Transition::Changed { block, is, by: ChangedBy::Harness(by), .. }) if is.is_dropped() => {
                self.dropped_by[block.at()] = by;
            }
            Some(Transition::Owned(run, owner)) => self.owners[run.range()].fill(owner),
            Some(Transition::Lives(idx, life)) => self.lives[idx.at()] = life,
            Some(Transition::Edge { from, to, added: true }) => {
                self.edges.insert((from, to));
            }
            Some(Transition::Edge { from, to, added: false }) => {
                self.edges.remove(&(from, to));
            }
            _ => {}
        }
    }

    pub(crate) fn apply_effect(&mut self, effect: TurnEffect) {
        let taken = match effect {
            TurnEffect::ArrivedStripped(_, level) => Presence::ArrivedStripped(level),
            TurnEffect::Releveled(idx, level, _) => {
                self.levels[idx.at()] = level;
                Presence::Live
            }
            TurnEffect::Restored(_) => Presence::Live,
        };
        self.apply_move(effect.as_move(), taken);
    }

    pub(crate) fn apply_step(&mut self, number: usize, step: &EvictionStep, steps: &Steps<'_>) {
        let place = u32::try_from(self.taken.len()).unwrap_or(u32::MAX);
        let EvictionStep { turn, ref subject, action, .. } = *step;
        self.taken.push(TakenStep { turn, number, subject: subject.clone(), action });
        steps.each_move(step, |one| {
            if let Move::Placed(number) = one {
                self.summaries.insert(number, steps.summary_numbered(number).clone());
            }
            self.apply_move(one, Presence::Evicted(place));
        });
        if let (Some(episode), Some(level), true) = (step.episode(), action.level(), step.reached) {
            self.levels[episode.at()] = level.number();
        }
    }

    /// Takes over a move; `taken` says where a block is that goes by it.
    fn apply_move(&mut self, one: Move, taken: Presence) {
        match self.states.apply_move(one) {
            Some(Transition::Changed { block, .. }) => {
                self.by_policy[block.at()] = match (one, taken) {
                    (Move::Out(_), taken) => taken,
                    (Move::Masked(_, placeholder), Presence::Evicted(place)) => {
                        Presence::Masked(place, placeholder)
                    }
                    _ => Presence::Live,
                };
            }
            Some(Transition::Residue(idx, true)) => {
                self.residues.insert(idx);
            }
            Some(Transition::Residue(idx, false)) => {
                self.residues.remove(&idx);
            }
            Some(Transition::Lifted(number)) => {
                self.summaries.remove(&number);
            }
            _ => {}
        }
    }
}

/// Returns the message from which on content is protected: that of the n-th last human turn; all of it if there are fewer,
/// none (`usize::MAX`) for n = 0.
pub fn protected_from(session: &Session, protected_turns: u32, turn: TurnIdx) -> usize {
    let Some(nth) = (protected_turns as usize).checked_sub(1) else { return usize::MAX };
    let end = session.turn_at(turn).end;
    let typed = session.messages[..end].iter().enumerate().rev().filter(|(_, message)| message.is_typed());
    typed.map(|(at, _)| at).nth(nth).unwrap_or(0)
}
