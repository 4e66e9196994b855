//! The running summary: old turns go, and one summary of all that went is made anew each time.

use alloc::vec::Vec;
use core::ops::Range;

use super::extract::Extract;
use super::past::{Past, reply_of};
use crate::{
    Action, BlockIdx, EvictionStep, GraphChange, Ledger, MessageForm, Move, Placeholder, ReplayInput,
    StandIn, StepLog, Subject, Summary, TurnIdx,
};

/// How far one try goes, in turns by their places: at least through `least`, not beyond `most`, and in between
/// until the total is at or below `goal`.
pub(super) struct Reach {
    pub(super) least: usize,
    pub(super) most: usize,
    /// Tokens.
    pub(super) goal: u64,
}

/// Old turns under one summary.
pub(super) struct Running<'a> {
    input: ReplayInput<'a>,
    past: Past<'a>,
    extract: Extract<'a>,
    /// The size of a summary at most, units.
    size: u64,
    placed: Option<Placed>,
    /// The turns under the summary, by their places.
    covers: Range<usize>,
    /// Everything before this turn, by its place, was looked at.
    walked: usize,
    /// Blocks that went and that the harness has not taken.
    n_gone: usize,
    /// The harness took something of what the summary is made of.
    stale: bool,
    /// For each block the placeholder that stands in its place; empty where there never was one.
    masked: Vec<Option<Placeholder>>,
    /// What went in the last try; kept between tries for its memory alone.
    taken: Vec<BlockIdx>,
}

#[derive(Clone, Copy)]
struct Placed {
    number: u32,
    units: u64,
}

impl<'a> Running<'a> {
    /// Starts with nothing under the summary, which will have at most that many tokens.
    pub(super) fn new(input: ReplayInput<'a>, tokens: u64) -> Self {
        Self {
            input,
            past: Past::new(input.session),
            extract: Extract::new(input.material, input.session.blocks.len()),
            size: tokens.saturating_mul(input.table.divisor().into()),
            placed: None,
            covers: 0..0,
            walked: 0,
            n_gone: 0,
            stale: false,
            masked: Vec::new(),
            taken: Vec::new(),
        }
    }

    pub(super) fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        self.past.grow(change, ledger, log);
        match *change {
            GraphChange::Dropped(block, _) if ledger.is_evicted(block) => {
                self.n_gone = self.n_gone.saturating_sub(1);
                self.stale = true;
            }
            GraphChange::Restored(block) if ledger.is_evicted(block) => self.n_gone += 1,
            GraphChange::Arrived(block) => {
                // What a recorded summary covers is told by that one; ours begins where it stands.
                let session = self.input.session;
                let message = session.message_of(block);
                if let (MessageForm::Summary, Some(before)) = (&message.form, message.before) {
                    let start = session.turn_after(before).at().saturating_sub(1);
                    self.covers.start = self.covers.start.max(start).min(self.covers.end);
                }
            }
            _ => {}
        }
    }

    /// Puts a placeholder in the place of a block that has not gone.
    pub(super) fn mask(&mut self, block: BlockIdx, placeholder: Placeholder, ledger: &mut Ledger<'_>) {
        self.masked.resize(self.input.session.blocks.len(), None);
        self.masked[block.at()] = Some(placeholder);
        ledger.mask(block, self.input.table.placeholder(placeholder));
    }

    /// Makes the summary anew without what the harness has taken since; where nothing is left it goes.
    pub(super) fn refresh(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        let Some(old) = self.placed else { return };
        let (before, subject) = (ledger.total(), self.subject());
        // Whatever comes in its place is smaller, so that no turn grows by it.
        let size = old.units.saturating_sub(self.input.table.divisor().into());
        let summary = (self.n_gone > 0).then(|| self.summary(size, ledger));
        let summary = summary.filter(|summary| summary.units <= size);
        ledger.lift(old.units);
        let mut moves = alloc::vec![Move::Lifted(old.number)];
        self.placed = summary.map(|summary| place(summary, ledger, log, &mut moves));
        if self.placed.is_none() {
            self.forget();
        }
        let step = EvictionStep::new(turn, subject, Action::Summarise, before, ledger.total());
        log.step_with(step, &[], &moves);
    }

    /// Takes old turns and makes the summary anew; tells whether that lowered the total, and undoes it if not.
    pub(super) fn cover(
        &mut self,
        reach: &Reach,
        turn: TurnIdx,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) -> bool {
        let session = self.input.session;
        let before = ledger.total();
        if let Some(old) = self.placed {
            ledger.lift(old.units);
        }
        self.taken.clear();
        let old_end = self.covers.end;
        let mut summary = None;
        for end in self.walked.min(reach.most)..=reach.most {
            let n_taken = self.taken.len();
            self.past.take(session.turns[end].end, ledger, &mut self.taken);
            for block in &self.taken[n_taken..] {
                self.extract.add(*block);
            }
            self.walked = self.walked.max(end);
            self.covers.end = self.covers.end.max(end);
            if end < reach.least || self.taken.is_empty() {
                continue;
            }
            // The summary is made only where it may be the last one.
            if end == reach.most || ledger.total() <= reach.goal {
                let made = self.summary(self.size, ledger);
                let enough = ledger.total() + self.input.table.tokens(made.units) <= reach.goal;
                summary = Some(made);
                if enough {
                    break;
                }
            }
        }
        let after = summary.as_ref().map(|summary| ledger.total() + self.input.table.tokens(summary.units));
        let (Some(summary), Some(after)) = (summary, after) else {
            return self.undo(ledger, old_end);
        };
        if after >= before {
            return self.undo(ledger, old_end);
        }
        self.taken.sort_unstable();
        self.n_gone += self.taken.len();
        let mut moves: Vec<Move> = self.placed.map(|old| Move::Lifted(old.number)).into_iter().collect();
        self.placed = Some(place(summary, ledger, log, &mut moves));
        let step = EvictionStep::new(turn, self.subject(), Action::Summarise, before, ledger.total());
        log.step_with(step, &self.taken, &moves);
        true
    }

    fn undo(&mut self, ledger: &mut Ledger<'_>, old_end: usize) -> bool {
        for block in &self.taken {
            ledger.unevict(*block);
            if let Some(placeholder) = self.masked.get(block.at()).copied().flatten() {
                ledger.mask(*block, self.input.table.placeholder(placeholder));
            }
        }
        self.past.reconsider(self.taken.drain(..));
        self.extract.settle(|block| ledger.is_evicted(block));
        self.covers.end = old_end;
        if let Some(old) = self.placed {
            ledger.place(old.units);
        }
        false
    }

    /// Takes old turns without a summary, turn by turn, and at last the summary itself, until the total is at or
    /// below the goal.
    pub(super) fn truncate(
        &mut self,
        most: usize,
        goal: u64,
        turn: TurnIdx,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) {
        let session = self.input.session;
        for end in self.walked.min(most)..=most {
            if ledger.total() <= goal {
                return;
            }
            let before = ledger.total();
            self.taken.clear();
            self.past.take(session.turns[end].end, ledger, &mut self.taken);
            self.walked = self.walked.max(end);
            if self.taken.is_empty() {
                continue;
            }
            self.taken.sort_unstable();
            self.n_gone += self.taken.len();
            let subject = Subject::Turn(TurnIdx::from_position(end.saturating_sub(1)));
            let step = EvictionStep::new(turn, subject, Action::DropTurn, before, ledger.total());
            log.step(step, &self.taken);
        }
        if ledger.total() > goal
            && let Some(old) = self.placed.take()
        {
            let before = ledger.total();
            ledger.lift(old.units);
            let step = EvictionStep::new(turn, self.subject(), Action::DropTurn, before, ledger.total());
            log.step_with(step, &[], &[Move::Lifted(old.number)]);
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.extract.clear();
        self.covers = self.covers.end..self.covers.end;
    }

    fn summary(&mut self, size: u64, ledger: &Ledger<'_>) -> Summary {
        let session = self.input.session;
        let lines = self.extract.choose(size, ledger, |block| ledger.is_evicted(block));
        let before = reply_of(session, self.covers.end);
        let messages = session.turns[self.covers.start].end..session.turns[self.covers.end].end;
        Summary::new(before, messages, 0, lines, self.input.material)
    }

    fn subject(&self) -> Subject {
        let last = self.covers.end.saturating_sub(1).max(self.covers.start);
        Subject::Span(TurnIdx::from_position(self.covers.start), TurnIdx::from_position(last))
    }
}

fn place(summary: Summary, ledger: &mut Ledger<'_>, log: &mut StepLog, moves: &mut Vec<Move>) -> Placed {
    let units = summary.units;
    ledger.place(units);
    let number = log.stand_in(StandIn::Summary(summary));
    moves.push(Move::Placed(number));
    Placed { number, units }
}
