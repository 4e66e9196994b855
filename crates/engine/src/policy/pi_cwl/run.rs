//! The run over all turns, and a single turn's pass from the whole history.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::columns::SegmentColumns;
use super::schedule::Schedule;
use super::segment::Events;
use crate::{
    BlockIdx, ChangedBy, EpisodeIdx, EpisodeName, EvictionStep, GraphChange, Ledger, MessageIdx, Move, Pass,
    PolicyRun, ReplayInput, StepLog, Steps, Subject, Transition, TurnIdx,
};

/// A run: keeps the previous turn's schedule and recomputes only what new content affects.
pub(super) struct PiCwlRun<'a> {
    schedule: Schedule<'a>,
    n_events: usize,
    history: Ledger<'a>,
    out: Vec<bool>,
    /// True if the harness removed or restored blocks since the last pass.
    disturbed: bool,
    /// True if the harness removed or restored a result that delimits a segment.
    redraw: bool,
    n_replacements: usize,
}

impl<'a> PiCwlRun<'a> {
    pub(super) fn new(input: ReplayInput<'a>) -> Self {
        let session = input.session;
        let columns = SegmentColumns::new(session, input.growth);
        let events = Events::from_columns(&columns, input.options.delimiter);
        Self {
            schedule: Schedule::new(columns, events),
            n_events: 0,
            history: Ledger::new(input.growth, input.table, &[]),
            out: alloc::vec![false; session.blocks.len()],
            disturbed: false,
            redraw: false,
            n_replacements: 0,
        }
    }
}

impl PiCwlRun<'_> {
    fn on_block(&mut self, block: BlockIdx, ledger: &mut Ledger<'_>) {
        let schedule = &mut self.schedule;
        if schedule.columns.is_displaced(block) {
            self.disturbed = true;
            return schedule.reconsider_block(block, ledger);
        }
        schedule.late_result(block, ledger);
        // Blocks arrive in log order, and so do events.
        if schedule.events.nth_result(self.n_events) == Some(block) {
            self.n_events += 1;
            if !self.redraw {
                schedule.on_event(block, ledger);
            }
        }
    }
}

impl PolicyRun for PiCwlRun<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        match transition {
            Transition::Arrived(run) => {
                self.history.apply_change(&GraphChange::Arrived(run));
                run.blocks().for_each(|block| self.on_block(block, &mut pass.ledger));
            }
            Transition::Changed { block, is, by: ChangedBy::Harness(by), .. } => {
                self.disturbed = true;
                self.redraw |= self.schedule.events.event_at(block).is_some();
                if is.is_dropped() {
                    self.history.apply_change(&GraphChange::Dropped(block, by));
                    self.schedule.on_harness_removal(block, &mut pass.ledger);
                } else {
                    self.history.apply_change(&GraphChange::Restored(block));
                    self.schedule.reconsider_block(block, &mut pass.ledger);
                }
            }
            _ => {}
        }
    }

    fn total_before(&self, _: &Pass<'_>) -> u64 {
        self.history.total()
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        let (budget, session, turn) = (pass.input.budget, pass.input.session, pass.turn);
        let Pass { ledger, log, .. } = pass;
        let end = session.turn_at(turn).end;
        while let Some(replacement) =
            session.replacements.get(self.n_replacements).filter(|replacement| replacement.at <= end)
        {
            self.schedule.apply_bare(replacement, ledger);
            self.n_replacements += 1;
        }
        if core::mem::take(&mut self.redraw) {
            self.schedule.rebuild(ledger);
        }
        if core::mem::take(&mut self.disturbed) {
            self.schedule.drop_unneeded(budget, ledger);
        }
        self.schedule.advance_to_budget(budget, ledger);
        for block in self.schedule.touched.drain(..) {
            let is_out = ledger.state(block).is_taken();
            if core::mem::replace(&mut self.out[block.at()], is_out) != is_out {
                log.moves.push(if is_out { Move::Out(block) } else { Move::In(block) });
            }
        }
        log.n_unlisted = u32::try_from(self.schedule.n_steps()).unwrap_or(u32::MAX);
    }
}

#[derive(Debug, Clone)]
pub struct PiCwlPass {
    pub before: u64,
    pub after: u64,
    pub pass: Steps<'static>,
    /// Names counted as evicted, in order; not each has a step.
    pub evicted: Vec<Option<EpisodeName>>,
    /// Messages without blocks, per step that removes them.
    pub empties: Vec<Vec<MessageIdx>>,
    pub messages: Vec<MessageIdx>,
}

pub fn pi_cwl_pass(input: &ReplayInput<'_>, turn: TurnIdx) -> PiCwlPass {
    let ReplayInput { session, growth, table, pins, budget, options, .. } = *input;
    let mut ledger = Ledger::new(growth, table, pins);
    for at in 0..=turn.at().min(session.last_turn().at()) {
        for change in growth.changes_at(TurnIdx::from_position(at)) {
            ledger.apply_change(change);
        }
    }
    let before = ledger.total();
    let columns = SegmentColumns::new(session, growth);
    let events = Events::from_columns(&columns, options.delimiter);
    let mut schedule = Schedule::new(columns, events);
    let end = session.turn_at(turn).end;
    for replacement in session.replacements.iter().filter(|replacement| replacement.at <= end) {
        schedule.apply_bare(replacement, &mut ledger);
    }
    schedule.rebuild(&mut ledger);
    schedule.advance_to_budget(budget, &mut ledger);
    let episodes: BTreeMap<BlockIdx, EpisodeIdx> =
        growth.graph.episodes().map(|(idx, episode)| (episode.start, idx)).collect();
    let mut log = StepLog::default();
    for step in schedule.taken_steps() {
        let segment = schedule.segment_of(step);
        let name = schedule.events.names[segment.name as usize].cloned();
        let episode = episodes.get(&segment.opened_by(session, growth)).copied();
        let subject = Subject::Segment { name, episode };
        let first = log.blocks.len();
        log.blocks.extend_from_slice(schedule.blocks_of(step));
        let one = EvictionStep::new(turn, subject, step.action, step.before, step.after);
        log.end_step(EvictionStep { reached: step.reached, ..one }, first, 0);
    }
    PiCwlPass {
        before,
        after: ledger.total(),
        pass: log.into_steps(),
        evicted: schedule.evicted_names().map(|name| schedule.events.names[name as usize].cloned()).collect(),
        empties: schedule.taken_steps().map(|step| schedule.empties_of(step).collect()).collect(),
        messages: schedule.columns.messages_left(turn, &ledger, &schedule.gone),
    }
}
