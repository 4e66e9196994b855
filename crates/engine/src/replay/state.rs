//! The state at a cut, folded from the graph timeline and the step log.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockStates, ChangedBy, EpisodeIdx, EvictionLevel, EvictionStep, GraphChange, Levels,
    Life, Memory, Move, Placeholder, Replay, ReplayInput, Session, Steps, Subject, Summary, Transition,
    TurnEffect, TurnIdx,
};

/// A position in time: a turn's request after the first `step` steps in its pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    pub turn: TurnIdx,
    /// Number of steps taken; larger numbers mean all.
    pub step: usize,
}

impl Cut {
    pub fn end_of(turn: TurnIdx) -> Self {
        Self { turn, step: usize::MAX }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Absent,
    Live,
    /// Evicted by a step, given as a position in [`StateAt::taken`].
    Evicted(u32),
    /// Masked by a step, given as a position in [`StateAt::taken`].
    Masked(u32, Placeholder),
    ArrivedStripped(EvictionLevel),
    /// Removed by a replacement, given as a position in [`Session::replacements`].
    Dropped(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenStep {
    pub turn: TurnIdx,
    /// Number in the turn, from 1.
    pub number: usize,
    pub subject: Subject,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StateAt {
    /// With `step` clamped to the turn's number of steps.
    pub cut: Cut,
    pub states: BlockStates,
    /// Each block's presence by the policy's moves alone, regardless of the harness.
    by_policy: Vec<Presence>,
    dropped_by: Vec<u32>,
    pub owners: Vec<Option<EpisodeIdx>>,
    pub levels: Vec<u8>,
    pub lives: Vec<Life>,
    pub residues: BTreeSet<EpisodeIdx>,
    pub edges: BTreeSet<(EpisodeIdx, EpisodeIdx)>,
    pub summaries: BTreeMap<u32, Summary>,
    /// All steps up to the cut; under a policy without memory, only steps of the cut's turn.
    pub taken: Vec<TakenStep>,
}

impl StateAt {
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

    /// Computes an episode's level from its remaining blocks: the highest evicted level with
    /// nothing left at or below it.
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

    /// Returns an episode's remaining tokens.
    ///
    /// Placeholders and residues have their own sizes. Blocks not yet arrived count in full.
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

/// Returns the first protected message: the n-th last human turn. Returns 0 if there are fewer
/// turns and `usize::MAX` for n = 0.
pub fn protected_from(session: &Session, protected_turns: u32, turn: TurnIdx) -> usize {
    let Some(nth) = (protected_turns as usize).checked_sub(1) else { return usize::MAX };
    let end = session.turn_at(turn).end;
    let typed = session.messages.range(0..end).enumerate().rev().filter(|(_, message)| message.is_typed());
    typed.map(|(at, _)| at).nth(nth).unwrap_or(0)
}
