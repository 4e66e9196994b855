//! The run over all turns, and the pass of one turn from the whole history.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::columns::Columns;
use super::schedule::Schedule;
use super::segment::Events;
use crate::{
    BlockIdx, ChangedBy, EpisodeIdx, EpisodeName, EvictionStep, GraphChange, Ledger, MessageIdx, Move, Pass,
    PolicyRun, ReplayInput, StepLog, Steps, Subject, Transition, TurnIdx,
};

/// A run: what the pass of the turn before did is kept, and only what new content changes is done again.
pub(super) struct Run<'a> {
    schedule: Schedule<'a>,
    /// How many events have come in.
    n_events: usize,
    /// The whole history, from which every pass starts.
    history: Ledger<'a>,
    /// Which blocks were out of the last request.
    out: Vec<bool>,
    /// The harness has taken or put back something since.
    disturbed: bool,
    /// It took or put back something that says where segments are.
    redraw: bool,
    /// How many replacements by the harness have been told.
    n_replacements: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(input: ReplayInput<'a>) -> Self {
        let session = input.session;
        let columns = Columns::new(session, input.growth);
        let events = Events::of(&columns, input.options.delimiter);
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

impl Run<'_> {
    fn came(&mut self, block: BlockIdx, ledger: &mut Ledger<'_>) {
        let schedule = &mut self.schedule;
        if schedule.columns.is_displaced(block) {
            self.disturbed = true;
            return schedule.reconsider(block, ledger);
        }
        schedule.late_result(block, ledger);
        // Blocks come in in log order, and so do events.
        if schedule.events.nth(self.n_events) == Some(block) {
            self.n_events += 1;
            if !self.redraw {
                schedule.event(block, ledger);
            }
        }
    }
}

impl PolicyRun for Run<'_> {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        match transition {
            Transition::Arrived(run) => {
                self.history.grow(&GraphChange::Arrived(run));
                run.blocks().for_each(|block| self.came(block, &mut pass.ledger));
            }
            Transition::Changed { block, is, by: ChangedBy::Harness(by), .. } => {
                self.disturbed = true;
                self.redraw |= self.schedule.events.at(block).is_some();
                if is.is_dropped() {
                    self.history.grow(&GraphChange::Dropped(block, by));
                    self.schedule.dropped(block, &mut pass.ledger);
                } else {
                    self.history.grow(&GraphChange::Restored(block));
                    self.schedule.reconsider(block, &mut pass.ledger);
                }
            }
            _ => {}
        }
    }

    fn before(&self, _: &Pass<'_>) -> u64 {
        self.history.total()
    }

    fn pass(&mut self, pass: &mut Pass<'_>) {
        let (budget, session, turn) = (pass.input.budget, pass.input.session, pass.turn);
        let Pass { ledger, log, .. } = pass;
        let end = session.turn(turn).end;
        while let Some(replacement) =
            session.replacements.get(self.n_replacements).filter(|replacement| replacement.at <= end)
        {
            self.schedule.bare(replacement, ledger);
            self.n_replacements += 1;
        }
        if core::mem::take(&mut self.redraw) {
            self.schedule.rebuild(ledger);
        }
        if core::mem::take(&mut self.disturbed) {
            self.schedule.shrink(budget, ledger);
        }
        self.schedule.advance(budget, ledger);
        for block in self.schedule.touched.drain(..) {
            let is_out = ledger.state(block).is_taken();
            if core::mem::replace(&mut self.out[block.at()], is_out) != is_out {
                log.moves.push(if is_out { Move::Out(block) } else { Move::In(block) });
            }
        }
        log.n_unlisted = u32::try_from(self.schedule.n_steps()).unwrap_or(u32::MAX);
    }
}

/// One pass of `pi-cwl`: its steps before one request, from the whole history.
#[derive(Debug, Clone)]
pub struct PiCwlPass {
    /// The total before, tokens.
    pub before: u64,
    /// The total after, tokens.
    pub after: u64,
    /// Its steps.
    pub pass: Steps<'static>,
    /// The names that count as evicted, in order; not each has a step.
    pub evicted: Vec<Option<EpisodeName>>,
    /// The messages without a block that each step takes.
    pub empties: Vec<Vec<MessageIdx>>,
    /// The messages of which something is left, in model order.
    pub messages: Vec<MessageIdx>,
}

/// Works out what `pi-cwl` does before the request of a turn.
pub fn pi_cwl_pass(input: &ReplayInput<'_>, turn: TurnIdx) -> PiCwlPass {
    let ReplayInput { session, growth, table, pins, budget, options, .. } = *input;
    let mut ledger = Ledger::new(growth, table, pins);
    for at in 0..=turn.at().min(session.now().at()) {
        for change in growth.changes(TurnIdx::from_position(at)) {
            ledger.grow(change);
        }
    }
    let before = ledger.total();
    let columns = Columns::new(session, growth);
    let events = Events::of(&columns, options.delimiter);
    let mut schedule = Schedule::new(columns, events);
    let end = session.turn(turn).end;
    for replacement in session.replacements.iter().filter(|replacement| replacement.at <= end) {
        schedule.bare(replacement, &mut ledger);
    }
    schedule.rebuild(&mut ledger);
    schedule.advance(budget, &mut ledger);
    let episodes: BTreeMap<BlockIdx, EpisodeIdx> =
        growth.graph.iter().map(|(idx, episode)| (episode.start, idx)).collect();
    let mut log = StepLog::default();
    for step in schedule.steps() {
        let segment = schedule.segment_of(step);
        let name = schedule.events.names[segment.name as usize].cloned();
        let episode = episodes.get(&segment.opened_by(session, growth)).copied();
        let subject = Subject::Segment { name, episode };
        let first = log.blocks.len();
        log.blocks.extend_from_slice(schedule.blocks_of(step));
        let one = EvictionStep::new(turn, subject, step.action, step.before, step.after);
        log.step(EvictionStep { reached: step.reached, ..one }, first, 0);
    }
    PiCwlPass {
        before,
        after: ledger.total(),
        pass: log.into_steps(),
        evicted: schedule.evicted().map(|name| schedule.events.names[name as usize].cloned()).collect(),
        empties: schedule.steps().map(|step| schedule.empties_of(step).collect()).collect(),
        messages: schedule.columns.left(turn, &ledger, &schedule.gone),
    }
}
