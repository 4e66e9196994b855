//! `window`: recency truncation by whole turns, as most harnesses without a memory do it.
//!
//! Over the budget the oldest turn goes, whole: the reply with its calls, all their results (late ones too) and
//! what the harness put in after it. What the human and the system said stays where it stands, and so does what
//! came before the first reply. Turns are dropped in order and never come back, so the context is always a
//! fixed beginning and an unbroken run of newest turns.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockKind, EvictionLevel, KeptReason, MessageClass, OptionSpec, Pass, PolicyRun,
    ReplayInput, Session, StateAt, Subject, Transition, TurnIdx,
};

const KEEP_TURNS: OptionSpec = OptionSpec::of("window", "keep_turns");

struct Window {
    turns: Turns,
    n_kept: usize,
    /// Turns before this one are gone.
    horizon: usize,
}

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_kept = usize::try_from(input.options.number(&KEEP_TURNS)).unwrap_or(usize::MAX);
    Box::new(Window { turns: Turns::of(input.session), n_kept, horizon: 0 })
}

impl Window {
    /// Takes a block that comes too late, because the turn to which it belongs is gone.
    fn strip_arrival(&self, block: BlockIdx, pass: &mut Pass<'_>) {
        if self.turns.of_block[block.at()].is_some_and(|turn| turn.at() < self.horizon) {
            pass.strip_arrival(block, EvictionLevel::WholeEpisode);
        }
    }
}

impl PolicyRun for Window {
    fn told(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        match transition {
            Transition::Arrived(run) => run.blocks().for_each(|block| self.strip_arrival(block, pass)),
            Transition::Changed { block, .. } => self.strip_arrival(block, pass),
            _ => {}
        }
    }

    fn pass(&mut self, pass: &mut Pass<'_>) {
        if !pass.is_over() {
            return;
        }
        let stop = pass.input.share(pass.input.options.low_water.into());
        let end = pass.turn.at().saturating_sub(self.n_kept);
        while pass.total() > stop && self.horizon < end {
            let oldest = TurnIdx::from_position(self.horizon);
            self.horizon += 1;
            for block in self.turns.blocks(oldest) {
                if pass.may_take(*block) {
                    pass.take(*block);
                }
            }
            if !pass.taken().is_empty() {
                pass.step(Subject::Turn(oldest), Action::DropTurn);
            }
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
