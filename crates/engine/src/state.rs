//! The state at a turn and step, folded from the growth and the log of steps.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, EpisodeIdx, EpisodeKind, EpisodeState, EvictionLevel, EvictionStep, GraphChange,
    Growth, Levels, Memory, MessageClass, MessageForm, Move, Note, Pass, Placeholder, Replay, ReplayInput,
    Role, Session, StandIn, Subject, Summary, TurnIdx,
};

/// A position in time: before the request of a turn, with that many of its steps taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    /// The turn.
    pub turn: TurnIdx,
    /// How many of the turn's steps are taken; more than it has means all.
    pub step: usize,
}

impl Cut {
    /// The request of a turn: all of its steps are taken.
    pub fn end_of(turn: TurnIdx) -> Self {
        Self { turn, step: usize::MAX }
    }
}

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It has not come in yet.
    Absent,
    /// It is in the context.
    Live,
    /// A step took it; the position in [`StateAt::taken`].
    Evicted(u32),
    /// A step put a placeholder in its place; the position in [`StateAt::taken`].
    Masked(u32, Placeholder),
    /// It came in stripped.
    ArrivedStripped(EvictionLevel),
    /// The harness took it; the position in [`Session::replacements`].
    Dropped(u32),
}

/// A step that was taken up to a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenStep {
    /// The turn before whose request it was taken.
    pub turn: TurnIdx,
    /// Its number in that turn, from 1.
    pub number: usize,
    /// What it is about.
    pub subject: Subject,
    /// What it does.
    pub action: Action,
}

/// Everything that is true at a cut.
#[derive(Debug, Clone, PartialEq)]
pub struct StateAt {
    /// The cut, its step limited to what the turn has.
    pub cut: Cut,
    /// Where each block is.
    pub blocks: Vec<Presence>,
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

/// Where an episode is in its life at a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It has not begun.
    Unborn,
    /// It is active.
    Open,
    /// It is closed.
    Closed,
    /// A late result gave it to another episode.
    Vanished,
}

impl StateAt {
    /// Folds the state at a cut.
    pub fn fold(input: &ReplayInput<'_>, replay: &Replay, cut: Cut) -> Self {
        let ReplayInput { session, growth, .. } = *input;
        let last = replay.turns.len().saturating_sub(1);
        let turn = TurnIdx::from_position(cut.turn.at().min(last));
        let step = cut.step.min(replay.turn(turn).n_steps as usize);
        let mut state = Self { cut: Cut { turn, step }, ..Self::before_all(input) };
        let mut below = alloc::vec![Presence::Live; session.blocks.len()];
        for at in 0..=turn.at() {
            let now = TurnIdx::from_position(at);
            for change in growth.changes(now) {
                state.change(change, &mut below);
            }
            if now != turn && matches!(replay.policy.memory, Memory::PerTurn(_)) {
                continue;
            }
            for note in replay.notes_of(now) {
                state.note(*note, &mut below);
            }
            let pass = replay.pass(input, now);
            let n_taken = if now == turn { step } else { pass.steps.len() };
            for (number, one) in (1..).zip(pass.steps.iter().take(n_taken)) {
                state.step(number, one, &pass, &mut below);
            }
        }
        if replay.policy.levels == Levels::ByContent {
            for (idx, _) in growth.graph.iter() {
                state.levels[idx.at()] = state.level_by_content(input, idx);
            }
        }
        state
    }

    /// Is the state in which nothing has come in.
    pub(crate) fn before_all(input: &ReplayInput<'_>) -> Self {
        let (n_blocks, n_episodes) = (input.session.blocks.len(), input.growth.graph.episodes.len());
        Self {
            cut: Cut { turn: TurnIdx::FIRST, step: 0 },
            blocks: alloc::vec![Presence::Absent; n_blocks],
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
        for block in &input.growth.graph.get(idx).blocks {
            let row = &input.session.blocks[block.at()];
            let at = usize::from(EvictionLevel::of_block(row, input.options.classify_shell).number()) - 1;
            match self.blocks[block.at()] {
                Presence::Absent => {}
                Presence::Live => there[at] = true,
                Presence::Evicted(_)
                | Presence::Masked(..)
                | Presence::ArrivedStripped(_)
                | Presence::Dropped(_) => gone[at] = true,
            }
        }
        let n_clear = there.iter().take_while(|there| !**there).count();
        let reached = gone[..n_clear].iter().rposition(|gone| *gone).map_or(0, |at| at + 1);
        let level = if n_clear == 4 && reached > 0 { 4 } else { reached };
        u8::try_from(level).unwrap_or(4)
    }

    /// Returns the size of what no policy and no harness has taken of an episode, tokens.
    ///
    /// A placeholder and a residue count with their own sizes, and blocks that have not come in yet are not missing.
    pub fn left(&self, input: &ReplayInput<'_>, idx: EpisodeIdx) -> u64 {
        let table = input.table;
        let units = |block: &BlockIdx| match self.blocks[block.at()] {
            Presence::Live | Presence::Absent => table.units(*block),
            Presence::Masked(_, placeholder) => table.placeholder(placeholder),
            Presence::Evicted(_) | Presence::ArrivedStripped(_) | Presence::Dropped(_) => 0,
        };
        let blocks = table.tokens(input.growth.graph.get(idx).blocks.iter().map(units).sum());
        let residue = if self.residues.contains(&idx) { table.residue(idx) } else { 0 };
        blocks.saturating_add(residue)
    }

    /// `below` remembers what a block is apart from the harness, so that a restored block is as it was.
    pub(crate) fn change(&mut self, change: &GraphChange, below: &mut [Presence]) {
        match *change {
            GraphChange::Arrived(block) => self.blocks[block.at()] = Presence::Live,
            GraphChange::Owned(block, owner) => self.owners[block.at()] = owner,
            GraphChange::Edge { from, to, added: true } => {
                self.edges.insert((from, to));
            }
            GraphChange::Edge { from, to, added: false } => {
                self.edges.remove(&(from, to));
            }
            GraphChange::Opened(idx) | GraphChange::Reopened(idx) => self.lives[idx.at()] = Life::Open,
            GraphChange::Closed(idx) => self.lives[idx.at()] = Life::Closed,
            GraphChange::Vanished(idx) => self.lives[idx.at()] = Life::Vanished,
            GraphChange::Described(..) => {}
            GraphChange::Dropped(block, by) => self.blocks[block.at()] = Presence::Dropped(by),
            GraphChange::Restored(block) => self.blocks[block.at()] = below[block.at()],
        }
    }

    pub(crate) fn note(&mut self, note: Note, below: &mut [Presence]) {
        match note {
            Note::ArrivedStripped(block, level) => {
                below[block.at()] = Presence::ArrivedStripped(level);
                if self.blocks[block.at()] == Presence::Live {
                    self.blocks[block.at()] = Presence::ArrivedStripped(level);
                }
            }
            Note::Emptied(idx) => {
                self.levels[idx.at()] = 4;
                self.residues.remove(&idx);
            }
            Note::Refilled(idx, level, residue) => {
                self.levels[idx.at()] = level;
                if residue {
                    self.residues.insert(idx);
                }
            }
        }
    }

    pub(crate) fn step(
        &mut self,
        number: usize,
        step: &EvictionStep,
        pass: &Pass<'_>,
        below: &mut [Presence],
    ) {
        let place = u32::try_from(self.taken.len()).unwrap_or(u32::MAX);
        let EvictionStep { turn, ref subject, action, .. } = *step;
        self.taken.push(TakenStep { turn, number, subject: subject.clone(), action });
        for block in pass.blocks_of(step) {
            self.put(*block, Presence::Evicted(place), below);
        }
        for one in pass.moves_of(step) {
            match *one {
                Move::Out(block) => self.put(block, Presence::Evicted(place), below),
                Move::In(block) => self.put(block, Presence::Live, below),
                Move::Masked(block, number) => {
                    if let StandIn::Placeholder(placeholder) = pass.stand_in(number) {
                        self.put(block, Presence::Masked(place, *placeholder), below);
                    }
                }
                Move::Placed(number) => {
                    if let StandIn::Summary(summary) = pass.stand_in(number) {
                        self.summaries.insert(number, summary.clone());
                    }
                }
                Move::Lifted(number) => {
                    self.summaries.remove(&number);
                }
                Move::Residue(idx, true) => {
                    self.residues.insert(idx);
                }
                Move::Residue(idx, false) => {
                    self.residues.remove(&idx);
                }
            }
        }
        let Some(episode) = step.episode() else { return };
        if step.reached
            && let Some(level) = action.level()
        {
            self.levels[episode.at()] = level.number();
        }
        if step.residue {
            self.residues.insert(episode);
        }
    }

    /// What the harness has taken stays taken, whatever the policy does to it.
    fn put(&mut self, block: BlockIdx, presence: Presence, below: &mut [Presence]) {
        below[block.at()] = presence;
        if !matches!(self.blocks[block.at()], Presence::Dropped(_)) {
            self.blocks[block.at()] = presence;
        }
    }

    /// Returns the acts that keep an episode from going: its dependents that are not fully evicted.
    pub fn waiting_for(&self, growth: &Growth, idx: EpisodeIdx) -> Vec<EpisodeIdx> {
        let graph = &growth.graph;
        let unevicted = |act: &EpisodeIdx| {
            self.levels[act.at()] < 4 && matches!(self.lives[act.at()], Life::Open | Life::Closed)
        };
        match graph.get(idx).kind {
            EpisodeKind::Action => Vec::new(),
            EpisodeKind::Exploratory => self
                .edges
                .range((idx, EpisodeIdx::new(0))..)
                .take_while(|(from, _)| *from == idx)
                .map(|(_, act)| *act)
                .filter(unevicted)
                .collect(),
            EpisodeKind::Unannotated => {
                let start = graph.get(idx).start;
                // They are in start order, but for those that have vanished.
                let first = if graph.get(idx).state == EpisodeState::Vanished { 0 } else { idx.at() };
                let acts = (first..graph.episodes.len()).map(EpisodeIdx::new);
                acts.filter(|act| {
                    graph.get(*act).kind == EpisodeKind::Action && graph.get(*act).start > start
                })
                .filter(unevicted)
                .collect()
            }
        }
    }
}

/// Returns the message from which on content is protected: that of the n-th last human turn; all of it
/// where there are fewer, none (`usize::MAX`) for n = 0.
pub fn protected_from(session: &Session, protected_turns: u32, turn: TurnIdx) -> usize {
    let Some(nth) = (protected_turns as usize).checked_sub(1) else { return usize::MAX };
    let end = session.turn(turn).end;
    session.messages[..end]
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, m)| {
            m.class == MessageClass::User && m.role == Role::User && m.form == MessageForm::Plain
        })
        .nth(nth)
        .map_or(0, |(at, _)| at)
}
