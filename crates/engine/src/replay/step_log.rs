//! The step log: a policy's steps, with blocks, moves, summaries and effects in shared columns.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{BlockIdx, EvictionStep, Move, Summary, TurnEffect};

#[derive(Debug, Clone, Default)]
pub struct StepLog {
    pub(crate) steps: Vec<EvictionStep>,
    pub(crate) blocks: Vec<BlockIdx>,
    pub(crate) moves: Vec<Move>,
    pub(crate) summaries: Vec<Summary>,
    pub(crate) effects: Vec<TurnEffect>,
    /// Steps in the current turn that are not in the log, because they are listed on demand.
    pub(crate) n_unlisted: u32,
}

impl StepLog {
    pub(crate) fn end_step(&mut self, mut step: EvictionStep, first_block: usize, first_move: usize) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        step.blocks = place(first_block)..place(self.blocks.len());
        step.moves = place(first_move)..place(self.moves.len());
        self.steps.push(step);
    }

    pub(crate) fn keep_summary(&mut self, summary: Summary) -> u32 {
        self.summaries.push(summary);
        u32::try_from(self.summaries.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn steps_in(&self, range: Range<usize>) -> Steps<'_> {
        Steps {
            steps: Cow::Borrowed(&self.steps[range]),
            blocks: Cow::Borrowed(&self.blocks),
            moves: Cow::Borrowed(&self.moves),
            summaries: Cow::Borrowed(&self.summaries),
        }
    }

    pub(crate) fn into_steps(self) -> Steps<'static> {
        Steps {
            steps: Cow::Owned(self.steps),
            blocks: Cow::Owned(self.blocks),
            moves: Cow::Owned(self.moves),
            summaries: Cow::Owned(self.summaries),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Steps<'a> {
    pub steps: Cow<'a, [EvictionStep]>,
    blocks: Cow<'a, [BlockIdx]>,
    moves: Cow<'a, [Move]>,
    summaries: Cow<'a, [Summary]>,
}

impl Steps<'_> {
    pub fn blocks_of(&self, step: &EvictionStep) -> &[BlockIdx] {
        &self.blocks[step.blocks.start as usize..step.blocks.end as usize]
    }

    pub fn moves_of(&self, step: &EvictionStep) -> &[Move] {
        &self.moves[step.moves.start as usize..step.moves.end as usize]
    }

    /// Calls `each` with all moves in a step: taken blocks, residue, other moves.
    #[inline]
    pub fn each_move(&self, step: &EvictionStep, mut each: impl FnMut(Move)) {
        self.blocks_of(step).iter().for_each(|block| each(Move::Out(*block)));
        if step.residue
            && let Some(episode) = step.episode()
        {
            each(Move::Residue(episode, true));
        }
        self.moves_of(step).iter().for_each(|one| each(*one));
    }

    pub fn summary_numbered(&self, number: u32) -> &Summary {
        &self.summaries[number as usize]
    }
}
