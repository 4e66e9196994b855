//! `window`: recency truncation by whole turns, as most harnesses without a memory do it.
//!
//! Over the budget the oldest turn goes, whole: the reply with its calls, all their results (late ones too) and
//! what the harness put in after it. What the human and the system said stays where it stands, and so does what
//! came before the first reply. Turns are dropped in order and never come back, so the context is always a
//! fixed beginning and an unbroken run of newest turns.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::cwl::low_water;
use super::options::LOW_WATER;
use crate::{
    Action, BlockIdx, BlockKind, EvictionLevel, EvictionStep, GraphChange, KeptReason, Ledger, MessageClass,
    OptionSpec, PolicyRun, ReplayInput, Session, StateAt, StepLog, Subject, TurnIdx,
};

const KEEP_TURNS: OptionSpec = OptionSpec::number(
    "keep_turns",
    "1..10000",
    "1",
    1..=10_000,
    "newest turns that stay, even over the budget",
);

/// The options of `window`.
pub(super) const OPTIONS: &[OptionSpec] = &[KEEP_TURNS, LOW_WATER];

struct Window<'a> {
    input: ReplayInput<'a>,
    turns: Turns,
    n_kept: usize,
    /// Turns before this one are gone.
    horizon: usize,
    taken: Vec<BlockIdx>,
}

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_kept = usize::try_from(input.options.number(&KEEP_TURNS)).unwrap_or(usize::MAX);
    let turns = Turns::of(input.session);
    Box::new(Window { input, turns, n_kept, horizon: 0, taken: Vec::new() })
}

impl PolicyRun for Window<'_> {
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let (GraphChange::Arrived(block) | GraphChange::Restored(block)) = *change else { return };
        // What belongs to a turn that is gone comes too late.
        if self.turns.of_block[block.at()].is_some_and(|turn| turn.at() < self.horizon)
            && ledger.is_live(block)
            && !ledger.is_pinned(block)
        {
            ledger.evict(block);
            log.arrived_stripped(block, EvictionLevel::WholeEpisode);
        }
    }

    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        if ledger.total() <= self.input.budget {
            return;
        }
        let stop = low_water(self.input.budget, self.input.options.low_water);
        let end = turn.at().saturating_sub(self.n_kept);
        while ledger.total() > stop && self.horizon < end {
            let oldest = TurnIdx::from_position(self.horizon);
            self.horizon += 1;
            self.taken.clear();
            let there = |block: &&BlockIdx| ledger.is_live(**block) && !ledger.is_pinned(**block);
            self.taken.extend(self.turns.blocks(oldest).iter().filter(there));
            if self.taken.is_empty() {
                continue;
            }
            let before = ledger.total();
            self.taken.iter().for_each(|block| ledger.evict(*block));
            let (subject, after) = (Subject::Turn(oldest), ledger.total());
            log.step(EvictionStep::new(turn, subject, Action::DropTurn, before, after), &self.taken);
        }
    }
}

/// Says why a block is still there.
pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    let n_kept = usize::try_from(input.options.number(&KEEP_TURNS)).unwrap_or(usize::MAX);
    match turn_of(input.session, block) {
        None => KeptReason::OutOfReach,
        Some(turn) if turn.at() >= state.cut.turn.at().saturating_sub(n_kept) => KeptReason::Recent,
        Some(_) => KeptReason::Eligible,
    }
}

/// Returns the turn to which a block belongs: the one whose reply it is or follows; a result belongs to its
/// call's. `None` for what stands before the first reply and for what the human or the system said.
fn turn_of(session: &Session, block: BlockIdx) -> Option<TurnIdx> {
    if !session.message_of(block).class.is_evictable() {
        return None;
    }
    let row = &session.blocks[block.at()];
    let head = row.pair.filter(|_| matches!(row.kind, BlockKind::Result(_))).unwrap_or(block);
    turn_at(session, head)
}

fn turn_at(session: &Session, block: BlockIdx) -> Option<TurnIdx> {
    // A summary stands far back, and is new all the same.
    let is_summary = session.message_of(block).class == MessageClass::Summary;
    let own = session.blocks[block.at()].message.at();
    let message = if is_summary { own } else { session.stands_at(block) };
    let n_replies = session.turns.partition_point(|turn| turn.end <= message);
    n_replies.checked_sub(1).map(TurnIdx::from_position)
}

/// The blocks of each turn, one after the other: `blocks[starts[t]..starts[t + 1]]`.
struct Turns {
    of_block: Vec<Option<TurnIdx>>,
    blocks: Vec<BlockIdx>,
    starts: Vec<usize>,
}

impl Turns {
    fn of(session: &Session) -> Self {
        let of_block: Vec<Option<TurnIdx>> =
            (0..session.blocks.len()).map(|at| turn_of(session, BlockIdx::new(at))).collect();
        let mut sorted: Vec<(TurnIdx, BlockIdx)> = (0usize..)
            .zip(&of_block)
            .filter_map(|(at, turn)| turn.map(|turn| (turn, BlockIdx::new(at))))
            .collect();
        // Nearly sorted: only late results stand apart from their turn.
        sorted.sort();
        let starts =
            (0..=session.turns.len()).map(|at| sorted.partition_point(|(turn, _)| turn.at() < at)).collect();
        Self { of_block, blocks: sorted.into_iter().map(|(_, block)| block).collect(), starts }
    }

    fn blocks(&self, turn: TurnIdx) -> &[BlockIdx] {
        &self.blocks[self.starts[turn.at()]..self.starts[turn.at() + 1]]
    }
}
