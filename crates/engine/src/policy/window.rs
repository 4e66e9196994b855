//! `window`: recency truncation by whole turns, as in most harnesses without memory.
//!
//! Over the budget, the oldest turn goes: the reply with its calls, all their results (late ones
//! too), and harness messages after it. Words of the human and the system stay, and so does
//! everything before the first reply. Turns go in order and never return, so the context is a
//! fixed beginning and an unbroken run of the newest turns.
//!
//! The preset `inspect-trim` drops a share of the messages at once (`drop`): messages are counted
//! from the first reply on, less those of turns that have gone.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::graph::grouped::BlocksByGroup;
use crate::{
    Action, BlockIdx, BlockKind, EvictionLevel, KeptReason, MessageClass, OptionSpec, Pass, PolicyRun,
    ReplayInput, Session, StateAt, Subject, Transition, TurnIdx,
};

const KEEP_TURNS: OptionSpec = OptionSpec::look_up("window", "keep_turns");
const DROP: OptionSpec = OptionSpec::look_up("window", "drop");

struct Window {
    turns: Vec<Option<TurnIdx>>,
    blocks: BlocksByGroup,
    n_kept: usize,
    horizon: usize,
    /// The share of the messages that a pass drops at least, per mille.
    drop: u64,
}

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let n_kept = usize::try_from(input.options.number_value(&KEEP_TURNS)).unwrap_or(usize::MAX);
    let session = input.session;
    let turns: Vec<Option<TurnIdx>> =
        (0..session.blocks.len()).map(|at| turn_of(session, BlockIdx::new(at))).collect();
    let members = (0..).zip(&turns).filter_map(|(at, turn)| Some(((*turn)?.at(), BlockIdx::new(at))));
    let blocks = BlocksByGroup::new(session.turns.len(), members);
    Box::new(Window { turns, blocks, n_kept, horizon: 0, drop: input.options.number_value(&DROP) })
}

impl Window {
    fn strip_arrival(&self, block: BlockIdx, pass: &mut Pass<'_>) {
        if self.turns[block.at()].is_some_and(|turn| turn.at() < self.horizon) {
            pass.strip_arrival(block, EvictionLevel::WholeEpisode);
        }
    }
}

impl PolicyRun for Window {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        match transition {
            Transition::Arrived(run) => run.blocks().for_each(|block| self.strip_arrival(block, pass)),
            Transition::Changed { block, .. } => self.strip_arrival(block, pass),
            _ => {}
        }
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.strip_arrival(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        if !pass.is_over() {
            return;
        }
        let stop = pass.share_of_budget(pass.input.options.low_water.into());
        let end = pass.turn.at().saturating_sub(self.n_kept);
        let turns = &pass.input.session.turns;
        let first = turns[self.horizon].end;
        let least = (turns[pass.turn.at()].end - first) as u64 * self.drop / 1000;
        let is_short = |horizon: usize| ((turns[horizon].end - first) as u64) < least;
        while (pass.total() > stop || is_short(self.horizon)) && self.horizon < end {
            let oldest = TurnIdx::from_position(self.horizon);
            self.horizon += 1;
            for block in self.blocks.blocks_in(oldest.at()..oldest.at() + 1) {
                if pass.may_take(*block) {
                    pass.take_block(*block);
                }
            }
            if !pass.taken_blocks().is_empty() {
                pass.end_step(Subject::Turn(oldest), Action::DropTurn);
            }
        }
    }
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    let n_kept = usize::try_from(input.options.number_value(&KEEP_TURNS)).unwrap_or(usize::MAX);
    match turn_of(input.session, block) {
        None => KeptReason::OutOfReach,
        Some(turn) if turn.at() >= state.cut.turn.at().saturating_sub(n_kept) => KeptReason::Recent,
        Some(_) => KeptReason::Eligible,
    }
}

/// Returns a block's turn: the last one whose reply it is or follows; a result belongs to its call's turn.
/// Returns `None` before the first reply and for words by the human or the system.
fn turn_of(session: &Session, block: BlockIdx) -> Option<TurnIdx> {
    if !session.is_evictable(block) {
        return None;
    }
    let row = &session.blocks[block.at()];
    let head = row.pair.filter(|_| matches!(row.kind, BlockKind::Result(_))).unwrap_or(block);
    turn_at(session, head)
}

fn turn_at(session: &Session, block: BlockIdx) -> Option<TurnIdx> {
    // A summary precedes older messages but counts as new.
    let is_summary = session.message_of(block).class == MessageClass::Summary;
    let own = session.blocks[block.at()].message.at();
    let message = if is_summary { own } else { session.stands_at(block) };
    let n_replies = session.turns.partition_point(|turn| turn.end <= message);
    n_replies.checked_sub(1).map(TurnIdx::from_position)
}
