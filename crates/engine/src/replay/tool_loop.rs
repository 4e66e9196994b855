//! The open tool loop: the last reply, as long as its results go back to the model.
//!
//! Anthropic refuses a request if the last reply of an open loop has lost its signed reasoning.
//! The reply therefore stays unchanged, with its results, until the next reply arrives; with
//! `keep_last_turn`, every last reply does. A rewind may remove the human's words after a loop and
//! reopen it; evicted blocks of this reply are then restored.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, BlockStates, GraphTimeline, Holds, MessageIdx, PolicyOptions, ReplyOutcome, Role,
    Session, SessionBlock, SessionMessage, TurnIdx,
};

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HeldLoops {
    /// The session has signed reasoning; not computed if every last reply stays.
    has_signatures: bool,
    /// Every last reply stays (`keep_last_turn`).
    holds_all: bool,
}

impl HeldLoops {
    pub(crate) fn new(session: &Session, options: &PolicyOptions) -> Self {
        let holds_all = options.keep_last_turn;
        let is_signed = |block: &SessionBlock| block.holds == Holds::Signature;
        Self { has_signatures: !holds_all && session.blocks.iter().any(is_signed), holds_all }
    }

    pub(crate) fn held_blocks(
        &self,
        session: &Session,
        growth: &GraphTimeline,
        states: &BlockStates,
        turn: TurnIdx,
    ) -> Vec<BlockIdx> {
        let end = session.turn_at(turn).end;
        let is_signed = |message: &SessionMessage| {
            let mut blocks = session.blocks.range(message.blocks.clone());
            is_reply(message) && blocks.any(|block| block.holds == Holds::Signature)
        };
        let is_signed_loop = || since_human(session, states, end).any(|(_, message)| is_signed(message));
        let is_held = self.holds_all || self.has_signatures && is_signed_loop();
        if !is_held {
            return Vec::new();
        }
        let Some(reply) = last_reply(session, states, end) else { return Vec::new() };
        let mut held = Vec::new();
        for (block, row) in session.blocks_of(reply) {
            held.push(block);
            if matches!(row.kind, BlockKind::Call(_)) {
                held.extend(growth.blocks_of_pair(block));
            }
        }
        held.retain(|block| states.state(*block).has_arrived());
        held.sort_unstable();
        held.dedup();
        held
    }
}

/// Returns `true` if the request has a block of `message`. Reasoning that is never sent is none.
fn is_there(session: &Session, states: &BlockStates, message: &SessionMessage) -> bool {
    session.blocks.range(message.blocks.clone()).zip(message.blocks.clone()).any(|(row, at)| {
        let state = states.state(BlockIdx::new(at));
        state.has_arrived() && !state.is_dropped() && row.holds != Holds::UnsentReasoning
    })
}

fn since_human<'a>(
    session: &'a Session,
    states: &'a BlockStates,
    end: usize,
) -> impl Iterator<Item = (usize, &'a SessionMessage)> {
    let known = session.messages.range(0..end).enumerate().rev();
    known.take_while(|(_, message)| !(is_of_human(message) && is_there(session, states, message)))
}

fn last_reply(session: &Session, states: &BlockStates, end: usize) -> Option<MessageIdx> {
    let last =
        since_human(session, states, end).find(|(_, message)| is_reply(message) && is_there(session, states, message));
    last.map(|(at, _)| MessageIdx::new(at))
}

fn is_reply(message: &SessionMessage) -> bool {
    message.role == Role::Assistant && message.outcome == ReplyOutcome::Complete && !message.added
}

fn is_of_human(message: &SessionMessage) -> bool {
    message.role == Role::User && !message.class.is_evictable() && message.form.is_sent()
}
