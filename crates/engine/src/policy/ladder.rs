//! `ladder`: the gentlest rung that keeps the context under pressure's mark, and only then the next one.
//!
//! Over the high mark it works down to the low one: outputs that a newer one repeats become a placeholder, then old
//! outputs are cleared, then old turns go under a running summary; only where the budget itself is not met are turns
//! that no summary pays for, and at last the summary, dropped. What the agent is in the middle of stays to the
//! letter: its open episode and the last turns.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::past::{self, may_go, turns_back};
use super::running::{Reach, Running};
use super::summary::SIZE;
use crate::{
    Action, BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, EvictionStep, GraphChange, KeptReason, Ledger,
    Life, Move, OptionSpec, Placeholder, PolicyRun, ReplayInput, StandIn, StateAt, StepLog, Subject, TurnIdx,
};

const HIGH: OptionSpec = OptionSpec::number(
    "high",
    "1..1000 per mille",
    "850",
    1..=1000,
    "the share of the budget over which it acts",
);
const LOW: OptionSpec = OptionSpec::number(
    "low",
    "1..1000 per mille",
    "600",
    1..=1000,
    "the share of the budget to which it goes down",
);
const KEEP_TURNS: OptionSpec = OptionSpec::number(
    "keep_turns",
    "1..",
    "4",
    1..=u32::MAX as u64,
    "the last turns that stay to the letter",
);
const OPEN_LOOP: OptionSpec = OptionSpec::number(
    "open_loop",
    "0|1",
    "1",
    0..=1,
    "1: an open episode stays to the letter from its start on",
);

pub(super) const OPTIONS: &[OptionSpec] = &[HIGH, LOW, KEEP_TURNS, OPEN_LOOP, SIZE];

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let share = |spec| {
        let tokens = u128::from(input.budget) * u128::from(input.options.number(spec)) / 1000;
        u64::try_from(tokens).unwrap_or(u64::MAX)
    };
    let high = share(&HIGH);
    Box::new(Ladder {
        input,
        running: Running::new(input, input.options.number(&SIZE)),
        high,
        low: share(&LOW).min(high),
        keep_turns: input.options.number(&KEEP_TURNS),
        holds_open: input.options.number(&OPEN_LOOP) == 1,
        open: None,
        newest: alloc::vec![None; input.session.blocks.len() + 1],
        repeated: BTreeMap::new(),
        copies: BTreeMap::new(),
        orphaned: Vec::new(),
        pruned: 0,
        numbers: [None; Placeholder::ALL.len()],
        moves: Vec::new(),
    })
}

pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    let reason = past::kept(input, state, block, input.options.number(&KEEP_TURNS));
    let is_open = |owner: EpisodeIdx| {
        state.lives[owner.at()] == Life::Open
            && input.growth.graph.get(owner).kind != EpisodeKind::Unannotated
    };
    let holds_open = input.options.number(&OPEN_LOOP) == 1;
    if reason == KeptReason::Eligible && holds_open && state.owners[block.at()].is_some_and(is_open) {
        return KeptReason::Active;
    }
    reason
}

struct Ladder<'a> {
    input: ReplayInput<'a>,
    running: Running<'a>,
    /// Tokens.
    high: u64,
    /// Tokens.
    low: u64,
    keep_turns: u64,
    holds_open: bool,
    /// The declared episode that is open, with the message of its start.
    open: Option<(EpisodeIdx, usize)>,
    /// The newest output of each text, by the numbers that equal texts share.
    newest: Vec<Option<BlockIdx>>,
    /// Outputs that a newer one repeats.
    repeated: BTreeMap<BlockIdx, BlockIdx>,
    /// Outputs for which others have been replaced, with those.
    copies: BTreeMap<BlockIdx, Vec<BlockIdx>>,
    /// Such outputs that the harness has taken since.
    orphaned: Vec<BlockIdx>,
    /// Outputs before this block were looked at for clearing.
    pruned: usize,
    /// The stand-ins of the placeholders, once they are used.
    numbers: [Option<u32>; Placeholder::ALL.len()],
    /// The moves of one step; kept between steps for its memory alone.
    moves: Vec<Move>,
}

impl Ladder<'_> {
    /// Returns the turn, by its place, before which everything may go.
    fn cut(&self, turn: TurnIdx) -> usize {
        let last = turns_back(turn, self.keep_turns);
        match self.open {
            Some((_, start)) if self.holds_open => {
                last.min(self.input.session.turn_after(crate::MessageIdx::new(start)).at().saturating_sub(1))
            }
            _ => last,
        }
    }

    fn may_mask(&self, block: BlockIdx, placeholder: Placeholder, ledger: &Ledger<'_>) -> bool {
        let ReplayInput { session, table, .. } = self.input;
        let row = &session.blocks[block.at()];
        // The placeholder must be smaller by a whole token.
        let least = table.placeholder(placeholder) + u64::from(table.divisor());
        matches!(row.kind, BlockKind::Result(_))
            && ledger.is_live(block)
            && !ledger.is_pinned(block)
            && row.message.at() >= session.turns[0].end
            && may_go(session.message_of(block).class)
            && table.units(block) >= least
    }

    fn put(
        &mut self,
        block: BlockIdx,
        placeholder: Placeholder,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) -> Move {
        self.running.mask(block, placeholder, ledger);
        let number = self.numbers[placeholder as usize]
            .get_or_insert_with(|| log.stand_in(StandIn::Placeholder(placeholder)));
        Move::Masked(block, *number)
    }

    fn mask(
        &mut self,
        block: BlockIdx,
        action: Action,
        turn: TurnIdx,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) {
        let before = ledger.total();
        let is_repeat = action == Action::Dedupe;
        let placeholder = if is_repeat { Placeholder::Duplicate } else { Placeholder::Cleared };
        let mut moves = core::mem::take(&mut self.moves);
        moves.clear();
        moves.push(self.put(block, placeholder, ledger, log));
        if !is_repeat {
            self.forsake(block, ledger, log, &mut moves);
        }
        let step = EvictionStep::new(turn, Subject::Output(block), action, before, ledger.total());
        log.step_with(step, &[], &moves);
        self.moves = moves;
    }

    /// Says no longer that an output stands elsewhere.
    fn forsake(&mut self, gone: BlockIdx, ledger: &mut Ledger<'_>, log: &mut StepLog, moves: &mut Vec<Move>) {
        for copy in self.copies.remove(&gone).unwrap_or_default() {
            if ledger.is_masked(copy) && !ledger.is_evicted(copy) && !ledger.is_dropped(copy) {
                moves.push(self.put(copy, Placeholder::Cleared, ledger, log));
            }
        }
    }

    /// Corrects the placeholders of outputs whose newer copies have gone.
    fn correct(&mut self, gone: Vec<BlockIdx>, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        for kept in gone.into_iter().filter(|kept| !ledger.is_live(*kept)).collect::<Vec<_>>() {
            let (before, mut moves) = (ledger.total(), Vec::new());
            self.forsake(kept, ledger, log, &mut moves);
            if !moves.is_empty() {
                let subject = Subject::Output(kept);
                let step = EvictionStep::new(turn, subject, Action::Clear, before, ledger.total());
                log.step_with(step, &[], &moves);
            }
        }
    }

    fn dedupe(&mut self, end: BlockIdx, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        while ledger.total() > self.low
            && let Some((&older, &newer)) = self.repeated.range(..end).next()
        {
            self.repeated.remove(&older);
            if ledger.is_live(newer) && self.may_mask(older, Placeholder::Duplicate, ledger) {
                self.mask(older, Action::Dedupe, turn, ledger, log);
                let mut copies = self.copies.remove(&older).unwrap_or_default();
                copies.push(older);
                self.copies.entry(newer).or_default().append(&mut copies);
            }
        }
    }

    fn prune(&mut self, end: BlockIdx, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        while ledger.total() > self.low && self.pruned < end.at() {
            let block = BlockIdx::new(self.pruned);
            self.pruned += 1;
            if self.may_mask(block, Placeholder::Cleared, ledger) {
                self.mask(block, Action::Clear, turn, ledger, log);
            }
        }
    }
}

impl PolicyRun for Ladder<'_> {
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        self.running.grow(change, ledger, log);
        let graph = &self.input.growth.graph;
        match *change {
            GraphChange::Arrived(block) => {
                let alike = self.input.material.alike.get(block.at()).copied().unwrap_or(0);
                let newest = usize::try_from(alike).ok().and_then(|alike| self.newest.get_mut(alike));
                if let Some(newest) = newest
                    && alike != 0
                    && ledger.is_live(block)
                    && let Some(older) = newest.replace(block)
                {
                    self.repeated.insert(older, block);
                }
            }
            GraphChange::Opened(idx) | GraphChange::Reopened(idx)
                if graph.get(idx).kind != EpisodeKind::Unannotated =>
            {
                let start = graph.get(idx).start;
                self.open = Some((idx, self.input.session.blocks[start.at()].message.at()));
            }
            GraphChange::Closed(idx) | GraphChange::Vanished(idx)
                if self.open.is_some_and(|(open, _)| open == idx) =>
            {
                self.open = None;
            }
            GraphChange::Dropped(block, _) if self.copies.contains_key(&block) => self.orphaned.push(block),
            _ => {}
        }
    }

    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let session = self.input.session;
        let orphaned = core::mem::take(&mut self.orphaned);
        self.correct(orphaned, turn, ledger, log);
        self.running.refresh(turn, ledger, log);
        if ledger.total() > self.high {
            let most = self.cut(turn);
            let first = session.messages.get(session.turns[most].end).map(|message| message.blocks.start);
            let end = BlockIdx::new(first.unwrap_or(session.blocks.len()));
            self.dedupe(end, turn, ledger, log);
            self.prune(end, turn, ledger, log);
            if ledger.total() > self.low {
                self.running.cover(&Reach { least: 0, most, goal: self.low }, turn, ledger, log);
            }
            if ledger.total() > self.input.budget {
                self.running.truncate(most, self.input.budget, turn, ledger, log);
            }
            let gone = self.copies.range(..end).map(|(kept, _)| *kept).collect();
            self.correct(gone, turn, ledger, log);
        }
    }
}
