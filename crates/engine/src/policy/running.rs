//! The running summary: old turns are evicted under one summary, which is rewritten each time.

use alloc::vec::Vec;
use core::ops::Range;

use super::evictable::{EvictableHistory, reply_of};
use super::extract::Extract;
use crate::{Action, BlockIdx, MessageIdx, Pass, ReplayInput, Subject, Summary, Transition, TurnIdx};

/// Limits for one try, as positions of turns: at least through `least`, at most to `most`, and in between
/// until the total is at most `goal`, or at `soft` at most `limit`.
pub(super) struct TryRange {
    pub(super) least: usize,
    pub(super) soft: usize,
    pub(super) most: usize,
    pub(super) goal: u64,
    pub(super) limit: u64,
}

pub(super) struct Running<'a> {
    past: EvictableHistory<'a>,
    extract: Extract<'a>,
    size: u64,
    /// Number and size, in units, of the summary in the context.
    placed: Option<(u32, u64)>,
    covers: Range<usize>,
    walked: usize,
    n_gone: usize,
    /// True if the harness removed a source of the summary.
    stale: bool,
}

impl<'a> Running<'a> {
    pub(super) fn new(input: ReplayInput<'a>, tokens: u64) -> Self {
        Self {
            past: EvictableHistory::new(input.session),
            extract: Extract::new(input.material, input.session.blocks.len()),
            size: tokens.saturating_mul(input.table.divisor().into()),
            placed: None,
            covers: 0..0,
            walked: 0,
            n_gone: 0,
            stale: false,
        }
    }

    pub(super) fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.past.on_transition(transition, pass);
        if let Some((_, is)) = transition.by_harness().filter(|(_, is)| is.is_taken()) {
            if is.is_dropped() {
                self.n_gone = self.n_gone.saturating_sub(1);
                self.stale = true;
            } else {
                self.n_gone += 1;
            }
        }
        if let Transition::Arrived(run) = transition {
            let ReplayInput { session, growth, .. } = pass.input;
            // A recorded summary covers everything before it; ours starts after it.
            for before in growth.summaries_in(run).filter_map(|message| session.messages[message].before) {
                let start = session.turn_after(before).at().saturating_sub(1);
                self.covers.start = self.covers.start.max(start).min(self.covers.end);
            }
        }
    }

    pub(super) fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.past.on_release(block, pass);
    }

    pub(super) fn refresh_summary(&mut self, pass: &mut Pass<'_>) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        let Some((number, units)) = self.placed.take() else { return };
        let subject = self.step_subject();
        // The new summary is smaller, so the turn does not grow.
        let size = units.saturating_sub(pass.input.table.divisor().into());
        let summary = (self.n_gone > 0).then(|| self.write_summary(size, pass));
        pass.lift_summary(number);
        match summary.filter(|summary| summary.units <= size) {
            Some(summary) => self.place_summary(summary, pass),
            None => self.forget_summary(),
        }
        pass.end_step(subject, Action::Summarise);
    }

    pub(super) fn cover_turns(&mut self, reach: &TryRange, pass: &mut Pass<'_>) {
        let ReplayInput { session, table, .. } = pass.input;
        let before = pass.total();
        if let Some((number, _)) = self.placed {
            pass.lift_summary(number);
        }
        let old_end = self.covers.end;
        let mut summary = None;
        for end in self.walked.min(reach.most)..=reach.most {
            let n_taken = pass.taken_blocks().len();
            self.past.take_before(session.turns[end].end, pass);
            pass.taken_blocks()[n_taken..].iter().for_each(|block| self.extract.add_block(*block));
            self.walked = self.walked.max(end);
            self.covers.end = self.covers.end.max(end);
            if end < reach.least || pass.taken_blocks().is_empty() {
                continue;
            }
            // Write a summary only if this may be the last turn to cover.
            let goal = if end == reach.soft { reach.limit } else { reach.goal };
            if end == reach.most || pass.total() <= goal {
                let made = self.write_summary(self.fitting_size(reach.limit, pass), pass);
                let enough = pass.total() + table.tokens_from_units(made.units) <= goal;
                summary = Some(made);
                if enough {
                    break;
                }
            }
        }
        match summary {
            Some(summary) if pass.total() + table.tokens_from_units(summary.units) < before => {
                self.n_gone += pass.taken_blocks().len();
                self.place_summary(summary, pass);
                pass.end_step(self.step_subject(), Action::Summarise);
            }
            _ => {
                self.past.reconsider_blocks(pass.taken_blocks().iter().copied());
                pass.undo_step();
                self.extract.drop_newest(|block| pass.state(block).is_taken());
                self.covers.end = old_end;
            }
        }
    }

    /// Returns the maximum size for a summary, in units, such that the total stays within `limit`. If the
    /// rest alone exceeds `limit`, the summary keeps its normal size.
    fn fitting_size(&self, limit: u64, pass: &Pass<'_>) -> u64 {
        let ReplayInput { table, material, .. } = pass.input;
        let room = limit.saturating_sub(pass.total()).saturating_mul(table.divisor().into());
        if room > u64::from(material.title_units) { self.size.min(room) } else { self.size }
    }

    fn place_summary(&mut self, summary: Summary, pass: &mut Pass<'_>) {
        let units = summary.units;
        self.placed = Some((pass.place_summary(summary), units));
    }

    fn forget_summary(&mut self) {
        self.extract.clear_lines();
        self.covers = self.covers.end..self.covers.end;
    }

    fn write_summary(&mut self, size: u64, pass: &Pass<'_>) -> Summary {
        let lines = self.extract.choose_lines(size, pass, |block| pass.state(block).is_taken());
        let summary = summary_of(&self.covers, 0, lines, &pass.input);
        // The reply behind the last turn has not come: the summary goes before the request's last message that
        // stands where it came in.
        let session = pass.input.session;
        let came = (0..session.turn_at(pass.turn).end).rev();
        let last = came.map(MessageIdx::new).find(|at| session.messages[at.at()].before.is_none());
        let last = last.unwrap_or(MessageIdx::new(0));
        Summary { before: summary.before.min(last), ..summary }
    }

    pub(super) fn end_of_covered(&self) -> usize {
        self.covers.end
    }

    pub(super) fn has_summary(&self) -> bool {
        self.placed.is_some()
    }

    fn step_subject(&self) -> Subject {
        span_of(&self.covers)
    }
}

pub(super) fn summary_of(
    covers: &Range<usize>,
    depth: u32,
    lines: Vec<u32>,
    input: &ReplayInput<'_>,
) -> Summary {
    let session = input.session;
    let messages = session.turns[covers.start].end..session.turns[covers.end].end;
    Summary::new(reply_of(session, covers.end), messages, depth, lines, input.material)
}

pub(super) fn span_of(covers: &Range<usize>) -> Subject {
    let last = covers.end.saturating_sub(1).max(covers.start);
    Subject::Span(TurnIdx::from_position(covers.start), TurnIdx::from_position(last))
}
