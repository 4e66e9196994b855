//! Evictable history: old content a policy may take, always a call together with its results.

use alloc::collections::BTreeSet;

use crate::{
    BlockIdx, BlockKind, EvictionLevel, KeptReason, MessageClass, MessageIdx, PairSide, Pass, Presence,
    ReplayInput, Session, StateAt, Transition, TurnIdx,
};

/// The evictable history, walked once from the first reply on.
///
/// Not evictable: everything before the first reply (the task, and the harness's words about itself), words
/// by the human and the system, pinned blocks, summaries recorded by the harness, and unanswered calls.
pub(super) struct EvictableHistory<'a> {
    session: &'a Session,
    next: usize,
    /// Visited blocks that may still go: they arrived late or were restored.
    late: BTreeSet<BlockIdx>,
}

impl<'a> EvictableHistory<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, next: session.turns[0].end, late: BTreeSet::new() }
    }

    fn n_opening(&self) -> usize {
        self.session.turns[0].end
    }

    pub(super) fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        match transition {
            Transition::Arrived(run) => run.blocks().for_each(|block| self.on_block(block, pass)),
            Transition::Changed { block, is, .. } if !is.is_dropped() => self.on_block(block, pass),
            _ => {}
        }
    }

    pub(super) fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.on_block(block, pass);
    }

    fn on_block(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        if pass.state(block).is_taken() {
            return;
        }
        let message = pass.input.growth.message_of(block);
        if pass.has_lost_half(block) {
            pass.strip_arrival(block, EvictionLevel::WholeEpisode);
        } else if (self.n_opening()..self.next).contains(&message) {
            self.late.insert(block);
        }
    }

    pub(super) fn take_before(&mut self, to: usize, pass: &mut Pass<'_>) {
        for block in core::mem::take(&mut self.late) {
            if pass.input.growth.message_of(block) < to {
                self.take_group(block, to, pass);
            } else {
                self.late.insert(block);
            }
        }
        while self.next < to {
            let growth = pass.input.growth;
            for block in growth.blocks_of(self.next).blocks() {
                // A pair is taken at its last block.
                let is_last = growth.next_in_pair(block).is_none_or(|next| !pass.state(next).has_arrived());
                if is_last && may_go(growth.class_of(block)) {
                    self.take_group(block, to, pass);
                }
            }
            self.next += 1;
        }
    }

    fn take_group(&self, block: BlockIdx, to: usize, pass: &mut Pass<'_>) {
        let is_out = |pass: &Pass<'_>, block| pass.state(block).is_taken() || pass.state(block).is_dropped();
        if is_out(pass, block) {
            return;
        }
        let growth = pass.input.growth;
        let (mut n_arrived, mut n_results) = (0, 0);
        for member in growth.blocks_of_pair(block).take_while(|member| pass.state(*member).has_arrived()) {
            let may_go = growth.message_of(member) < to && may_go(growth.class_of(member));
            if !may_go || pass.state(member).is_pinned() || pass.is_held(member) {
                return;
            }
            n_arrived += 1;
            n_results += usize::from(growth.side_of(member) == PairSide::Result);
        }
        if n_results == 0 && growth.side_of(block) == PairSide::Call {
            return;
        }
        for member in growth.blocks_of_pair(block).take(n_arrived) {
            if !is_out(pass, member) {
                pass.take_block(member);
            }
        }
    }

    pub(super) fn reconsider_blocks(&mut self, blocks: impl IntoIterator<Item = BlockIdx>) {
        self.late.extend(blocks);
    }
}

pub(super) fn may_go(class: MessageClass) -> bool {
    class.is_evictable() && class != MessageClass::Summary
}

pub(super) fn turns_back(turn: TurnIdx, n: u64) -> usize {
    turn.at().saturating_sub(usize::try_from(n).unwrap_or(usize::MAX))
}

pub(super) fn reply_of(session: &Session, turn: usize) -> MessageIdx {
    let row = &session.turns[turn.min(session.turns.len() - 1)];
    row.message.unwrap_or(MessageIdx::new(row.end))
}

pub(super) fn kept_reason(
    input: &ReplayInput<'_>,
    state: &StateAt,
    block: BlockIdx,
    n_turns: u64,
) -> KeptReason {
    let session = input.session;
    let row = &session.blocks[block.at()];
    let there = |block: BlockIdx| state.presence(block) != Presence::Absent;
    let is_open = matches!(row.kind, BlockKind::Call(_)) && !row.pair.is_some_and(there);
    if row.message.at() < session.turns[0].end
        || !may_go(session.class_of(block))
        || !session.is_evictable(block)
        || is_open
    {
        KeptReason::OutOfReach
    } else if row.message.at() >= session.turns[turns_back(state.cut.turn, n_turns)].end {
        KeptReason::Recent
    } else {
        KeptReason::Eligible
    }
}
