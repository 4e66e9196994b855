//! The open loop of tools: the last reply, whose results go back to the model.
//!
//! Anthropic refuses a request in which the last reply of an open loop has lost its signed reasoning. Such a reply stays as
//! it is, with its results, until the next one has come, so that none that was stripped before is ever the last.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, BlockStates, Growth, Holds, MessageIdx, ReplyOutcome, Role, Session, SessionMessage,
    TurnIdx,
};

/// Which replies stand in a loop with signed reasoning.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignedLoops {
    /// For each message whether some reply since the human's last words has signed reasoning; empty where none has.
    is_signed: Vec<bool>,
}

impl SignedLoops {
    pub(crate) fn of(session: &Session) -> Self {
        if session.blocks.iter().all(|block| block.holds != Holds::Signature) {
            return Self::default();
        }
        let mut is_signed = false;
        let after = |message: &SessionMessage| {
            let blocks = &session.blocks[message.blocks.clone()];
            is_signed = !is_of_human(message)
                && (is_signed
                    || is_reply(message) && blocks.iter().any(|block| block.holds == Holds::Signature));
            is_signed
        };
        Self { is_signed: session.messages.iter().map(after).collect() }
    }

    /// Lists the blocks that have to stay before the request of a turn, in log order: those of the last reply, and its
    /// results.
    pub(crate) fn held(
        &self,
        session: &Session,
        growth: &Growth,
        states: &BlockStates,
        turn: TurnIdx,
    ) -> Vec<BlockIdx> {
        let end = session.turn(turn).end;
        if !end.checked_sub(1).and_then(|last| self.is_signed.get(last)).is_some_and(|is_signed| *is_signed) {
            return Vec::new();
        }
        let Some(reply) = last_reply(session, states, end) else { return Vec::new() };
        let own = || session.blocks_of(reply);
        let calls = own().filter(|(_, row)| matches!(row.kind, BlockKind::Call(_)));
        let results = calls.flat_map(|(call, _)| growth.pair(call));
        let mut held: Vec<BlockIdx> = own().map(|(block, _)| block).chain(results).collect();
        held.retain(|block| states.of(*block).has_arrived());
        held.sort_unstable();
        held.dedup();
        held
    }
}

/// Returns the last reply of which the history has something, if nothing of the human's stands behind it.
fn last_reply(session: &Session, states: &BlockStates, end: usize) -> Option<MessageIdx> {
    let is_there = |at: usize| {
        let state = states.of(BlockIdx::new(at));
        state.has_arrived() && !state.is_dropped()
    };
    let mut known = session.messages[..end].iter().enumerate().rev();
    let last = known.find(|(_, message)| {
        (is_reply(message) || is_of_human(message)) && message.blocks.clone().any(is_there)
    });
    last.filter(|(_, message)| is_reply(message)).map(|(at, _)| MessageIdx::new(at))
}

/// Tells whether a message is a reply that a request holds.
fn is_reply(message: &SessionMessage) -> bool {
    message.role == Role::Assistant && message.outcome == ReplyOutcome::Complete && !message.added
}

/// Tells whether a message ends a loop, as the human says something.
fn is_of_human(message: &SessionMessage) -> bool {
    message.role == Role::User && !message.class.is_evictable()
}
