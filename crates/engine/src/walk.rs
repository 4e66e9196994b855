//! A walk: a replay's states one after the other, with the differences.
//!
//! A walk stops before each turn's request and after each step. [`StateAt::fold_to`] starts at the first
//! turn for every cut; a walk pays only for changes.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::render::{anchor_message, crossed_messages, made_by_message};
use crate::{
    BlockIdx, Cut, EpisodeIdx, GraphChange, Levels, Memory, MessageIdx, Move, RenderedMessage, Replay,
    ReplayInput, Session, StateAt, Steps, TurnIdx,
};

pub struct ReplayWalk<'a> {
    input: ReplayInput<'a>,
    replay: &'a Replay,
    state: StateAt,
    /// For a policy without memory: the state without steps, where each turn starts.
    base: Option<StateAt>,
    steps: Option<Steps<'a>>,
    touched: CutChanges,
    /// Blocks and episodes touched by this turn's steps and effects. A policy without memory
    /// reverts these changes at the next turn.
    of_turn: CutChanges,
    /// Messages between a call and its result: insertion points there may have to move.
    crossed: Vec<bool>,
    is_remade: bool,
    /// True as long as the policy's messages also depend on other blocks.
    is_unsettled: bool,
}

/// A residue or summary, and its position in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyMessage {
    pub message: RenderedMessage,
    pub before: Option<BlockIdx>,
}

/// Blocks and episodes that may differ from the previous [`Cut`].
#[derive(Debug, Clone, Default)]
pub struct CutChanges {
    /// Blocks that arrived, left, returned or changed owners.
    pub blocks: BTreeSet<BlockIdx>,
    /// Episodes of such blocks, and episodes whose level, life or residue may have changed.
    pub episodes: BTreeSet<EpisodeIdx>,
    pub made: bool,
}

impl<'a> ReplayWalk<'a> {
    /// Starts before the first cut; call [`ReplayWalk::step_forward`] to reach it.
    pub fn new(input: ReplayInput<'a>, replay: &'a Replay) -> Self {
        let state = StateAt::before_all(&input);
        let is_anew = matches!(replay.policy.memory, Memory::PerTurn(_));
        Self {
            input,
            replay,
            base: is_anew.then(|| state.clone()),
            state,
            steps: None,
            touched: CutChanges::default(),
            of_turn: CutChanges::default(),
            crossed: crossed_messages(input.session),
            is_remade: true,
            is_unsettled: false,
        }
    }

    pub fn state(&self) -> &StateAt {
        &self.state
    }

    pub fn total(&self) -> u64 {
        let outcome = self.replay.outcome_at(self.state.cut.turn);
        let last = self.state.cut.step.checked_sub(1);
        let step = last.and_then(|last| self.steps.as_ref()?.steps.get(last));
        step.map_or(outcome.before, |step| step.after)
    }

    pub fn touched(&self) -> &CutChanges {
        &self.touched
    }

    /// Advances to the next cut; returns `false` at the end.
    pub fn step_forward(&mut self) -> bool {
        let (replay, input) = (self.replay, self.input);
        self.touched = CutChanges::default();
        let next = match &self.steps {
            None => TurnIdx::FIRST,
            Some(steps) => {
                let number = self.state.cut.step;
                let n_steps = replay.outcome_at(self.state.cut.turn).n_steps as usize;
                if let Some(step) = steps.steps.get(number).filter(|_| number < n_steps) {
                    steps.each_move(step, |one| self.touched.by_move(one));
                    self.touched.episodes.extend(step.episode());
                    self.state.apply_step(number + 1, step, steps);
                    self.state.cut.step += 1;
                    self.derive_changes();
                    return true;
                }
                if self.state.cut.turn.at() + 1 >= replay.turns.len() {
                    return false;
                }
                TurnIdx::from_position(self.state.cut.turn.at() + 1)
            }
        };
        for change in input.growth.changes_at(next) {
            self.touched.by_change(change);
            self.base.as_mut().unwrap_or(&mut self.state).apply_change(change);
        }
        if let Some(base) = &self.base {
            self.state.clone_from(base);
            self.touched.merge_with(core::mem::take(&mut self.of_turn));
        }
        for effect in replay.effects_of(next) {
            self.touched.by_move(effect.as_move());
            self.of_turn.by_move(effect.as_move());
            self.state.apply_effect(*effect);
        }
        self.state.cut = Cut { turn: next, step: 0 };
        self.steps = Some(replay.steps_of(&input, next));
        self.derive_changes();
        true
    }

    /// Returns the policy's messages in model order; `None` if unchanged since the last call.
    pub fn policy_messages(&mut self) -> Option<Vec<PolicyMessage>> {
        if !core::mem::take(&mut self.is_remade) {
            return None;
        }
        let Self { input, state, crossed, .. } = self;
        let session = input.session;
        let end = session.turn_at(state.cut.turn).end;
        let is_unsettled = Cell::new(false);
        let anchor = |message: MessageIdx| {
            let is_crossed = crossed[message.at()];
            let anchor = if is_crossed { anchor_message(session, state, message) } else { message };
            let stands = anchor.at() < end && !session.messages[anchor.at()].blocks.is_empty();
            is_unsettled.set(is_unsettled.get() || is_crossed || !stands);
            anchor
        };
        let made = made_by_message(input, state, &anchor);
        self.is_unsettled = is_unsettled.get();
        let mut placed: Vec<(MessageIdx, Vec<RenderedMessage>)> =
            made.into_iter().filter(|(message, _)| message.at() < end).collect();
        placed.sort_by_key(|(message, _)| session.messages[message.at()].order_key(message.at()));
        let with_next = placed.into_iter().flat_map(|(message, made)| {
            let before = next_block(session, message, end);
            made.into_iter().map(move |message| PolicyMessage { message, before })
        });
        Some(with_next.collect())
    }

    fn derive_changes(&mut self) {
        let graph = &self.input.growth.graph;
        self.touched.episodes.extend(self.touched.blocks.iter().filter_map(|block| graph.owner_of(*block)));
        if self.replay.policy.levels == Levels::ByContent {
            // A turn starting from `base` has no levels by content yet.
            let is_all = self.base.is_some() && self.state.cut.step == 0;
            for (idx, _) in graph.episodes().filter(|(idx, _)| is_all || self.touched.episodes.contains(idx))
            {
                self.state.levels[idx.at()] = self.state.level_by_content(&self.input, idx);
            }
        }
        let is_moved = self.is_unsettled && (self.state.cut.step == 0 || !self.touched.blocks.is_empty());
        self.is_remade |= self.touched.made || is_moved;
        if self.base.is_some() && self.state.cut.step > 0 {
            self.of_turn.merge_with(self.touched.clone());
        }
    }
}

/// Returns the first block in `message`, or in the next message in model order with a block.
fn next_block(session: &Session, message: MessageIdx, end: usize) -> Option<BlockIdx> {
    let first = |message: MessageIdx| session.blocks_of(message).map(|(block, _)| block).next();
    first(message).or_else(|| {
        let order = session.model_order(end);
        let at = order.iter().position(|other| *other == message)?;
        order[at..].iter().find_map(|message| first(*message))
    })
}

impl CutChanges {
    fn merge_with(&mut self, mut other: Self) {
        self.blocks.append(&mut other.blocks);
        self.episodes.append(&mut other.episodes);
        self.made |= other.made;
    }

    fn by_change(&mut self, change: &GraphChange) {
        match *change {
            GraphChange::Arrived(run) | GraphChange::Owned(run, _) => self.blocks.extend(run.blocks()),
            GraphChange::Dropped(block, _) | GraphChange::Restored(block) => {
                self.blocks.insert(block);
            }
            GraphChange::Lives(idx, _) | GraphChange::Described(idx, _) => {
                self.episodes.insert(idx);
            }
            GraphChange::Edge { from, to, .. } => self.episodes.extend([from, to]),
        }
    }

    fn by_move(&mut self, one: Move) {
        match one {
            Move::Out(block) | Move::In(block) | Move::Masked(block, _) => {
                self.blocks.insert(block);
            }
            Move::Placed(_) | Move::Lifted(_) => self.made = true,
            Move::Residue(idx, _) => {
                self.episodes.insert(idx);
                self.made = true;
            }
        }
    }
}
