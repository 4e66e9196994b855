//! The past: what of old turns may go, a call always with its results.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, EvictionLevel, GraphChange, KeptReason, Ledger, MessageClass, MessageIdx,
    ReplayInput, Session, StateAt, StepLog, TurnIdx,
};

const NONE: u32 = u32::MAX;
/// How many blocks of one call are looked at to tell whether it has gone: it goes as a whole.
const SEARCHED: usize = 64;

/// Walks over the history once, from the first reply on, and takes what may go.
///
/// What stands before the first reply stays (the task, and what the harness says of itself), and so do human and
/// system words, what is pinned, summaries that the harness recorded, and calls that are not answered yet.
pub(super) struct Past<'a> {
    session: &'a Session,
    /// The first message that was not looked at.
    next: usize,
    /// What belongs together, each with the next: a call, its results, and what repeats the call.
    chain: Vec<u32>,
    /// What was looked at and may go later: what the harness put back, and what was put back after a vain try.
    late: BTreeSet<BlockIdx>,
}

impl<'a> Past<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let mut chain = alloc::vec![NONE; session.blocks.len()];
        let mut last = alloc::vec![NONE; session.blocks.len()];
        for at in 0..session.blocks.len() {
            let head = head(session, BlockIdx::new(at)).at();
            if head != at {
                let number = u32::try_from(at).unwrap_or(NONE);
                let before = core::mem::replace(&mut last[head], number);
                chain[if before == NONE { head } else { before as usize }] = number;
            }
        }
        Self { session, next: session.turns[0].end, chain, late: BTreeSet::new() }
    }

    /// Returns how many messages stand before the first reply.
    fn opening(&self) -> usize {
        self.session.turns[0].end
    }

    /// Returns a block with all that goes with it: a call and its results.
    pub(super) fn group(&self, block: BlockIdx) -> impl Iterator<Item = BlockIdx> {
        core::iter::successors(Some(head(self.session, block)), |block| self.after(*block))
    }

    fn after(&self, block: BlockIdx) -> Option<BlockIdx> {
        let next = self.chain[block.at()];
        (next != NONE).then(|| BlockIdx::new(next as usize))
    }

    /// Takes note of a change: what comes back late is looked at again, and what belongs to something that has
    /// gone goes after it.
    pub(super) fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let (GraphChange::Arrived(block) | GraphChange::Restored(block)) = *change else { return };
        if ledger.is_evicted(block) {
            return;
        }
        let row = &self.session.blocks[block.at()];
        let arrived = self.group(block).take_while(|other| ledger.has_arrived(*other));
        if arrived.take(SEARCHED).any(|other| ledger.is_evicted(other)) {
            ledger.evict(block);
            log.arrived_stripped(block, EvictionLevel::WholeEpisode);
        } else if (self.opening()..self.next).contains(&row.message.at()) {
            self.late.insert(block);
        }
    }

    /// Takes what may go of all messages before `to`, and adds it to `taken`.
    pub(super) fn take(&mut self, to: usize, ledger: &mut Ledger<'_>, taken: &mut Vec<BlockIdx>) {
        for block in core::mem::take(&mut self.late) {
            if self.session.blocks[block.at()].message.at() < to {
                self.take_group(block, to, ledger, taken);
            } else {
                self.late.insert(block);
            }
        }
        while self.next < to {
            let message = &self.session.messages[self.next];
            if may_go(message.class) {
                for block in message.blocks.clone().map(BlockIdx::new) {
                    // What belongs together is taken at the last of it.
                    if self.after(block).is_none_or(|next| !ledger.has_arrived(next)) {
                        self.take_group(block, to, ledger, taken);
                    }
                }
            }
            self.next += 1;
        }
    }

    /// Takes a block with all that goes with it, if nothing of it must stay.
    fn take_group(&self, block: BlockIdx, to: usize, ledger: &mut Ledger<'_>, taken: &mut Vec<BlockIdx>) {
        if ledger.is_evicted(block) || ledger.is_dropped(block) {
            return;
        }
        let (mut n_arrived, mut n_results) = (0, 0);
        for member in self.group(block).take_while(|member| ledger.has_arrived(*member)) {
            let row = &self.session.blocks[member.at()];
            let class = self.session.messages[row.message.at()].class;
            if row.message.at() >= to || !may_go(class) || ledger.is_pinned(member) {
                return;
            }
            n_arrived += 1;
            n_results += usize::from(matches!(row.kind, BlockKind::Result(_)));
        }
        let is_call = matches!(self.session.blocks[block.at()].kind, BlockKind::Call(_));
        if is_call && n_results == 0 {
            return;
        }
        for member in self.group(block).take(n_arrived) {
            if !ledger.is_evicted(member) && !ledger.is_dropped(member) {
                ledger.evict(member);
                taken.push(member);
            }
        }
    }

    /// Looks at blocks again that were put back.
    pub(super) fn reconsider(&mut self, blocks: impl IntoIterator<Item = BlockIdx>) {
        self.late.extend(blocks);
    }
}

/// Returns the call that a block belongs to, or the block itself.
fn head(session: &Session, block: BlockIdx) -> BlockIdx {
    let row = &session.blocks[block.at()];
    match row.kind {
        BlockKind::Result(_) => row.pair.unwrap_or(block),
        BlockKind::Call(_) => row.stands_for.unwrap_or(block),
        BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => block,
    }
}

pub(super) fn may_go(class: MessageClass) -> bool {
    class.is_evictable() && class != MessageClass::Summary
}

/// Returns the reply with which the `n`-th turn before the request of `turn` begins; at least one turn back, and
/// not before the first.
pub(super) fn turns_back(turn: TurnIdx, n: u64) -> usize {
    turn.at().saturating_sub(usize::try_from(n).unwrap_or(usize::MAX).max(1))
}

/// Returns the message with which a turn begins, by the turn's place: its reply.
pub(super) fn reply_of(session: &Session, turn: usize) -> MessageIdx {
    let row = &session.turns[turn.min(session.turns.len() - 1)];
    row.message.unwrap_or(MessageIdx::new(row.end))
}

/// Tells why something is still there under a policy that takes old turns but for the last `n`.
pub(super) fn kept(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx, n_turns: u64) -> KeptReason {
    let session = input.session;
    let row = &session.blocks[block.at()];
    let there = |at: usize| !matches!(state.blocks[at], crate::Presence::Absent);
    let is_open =
        matches!(row.kind, BlockKind::Call(_)) && !row.pair.is_some_and(|result| there(result.at()));
    if row.message.at() < session.turns[0].end || !may_go(session.message_of(block).class) || is_open {
        KeptReason::OutOfReach
    } else if row.message.at() >= session.turns[turns_back(state.cut.turn, n_turns)].end {
        KeptReason::Recent
    } else {
        KeptReason::Eligible
    }
}
