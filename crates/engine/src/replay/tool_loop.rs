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

#[derive(Debug, Clone, Default)]
pub(crate) struct HeldLoops {
    /// Replies with signed reasoning, in order; not computed if every last reply stays.
    signed: Vec<MessageIdx>,
    humans: Vec<MessageIdx>,
    /// Every last reply stays (`keep_last_turn`).
    holds_all: bool,
}

impl HeldLoops {
    pub(crate) fn new(session: &Session, options: &PolicyOptions) -> Self {
        let holds_all = options.keep_last_turn;
        let is_signed = |block: &&SessionBlock| !holds_all && block.holds == Holds::Signature;
        let mut signed: Vec<MessageIdx> =
            session.blocks.iter().filter(is_signed).map(|block| block.message).collect();
        signed.dedup();
        signed.retain(|message| is_reply(&session.messages[message.at()]));
        let mut humans = Vec::new();
        if holds_all || !signed.is_empty() {
            let messages = session.messages.iter().enumerate();
            humans.extend(messages.filter(|(_, one)| is_of_human(one)).map(|(at, _)| MessageIdx::new(at)));
        }
        Self { signed, humans, holds_all }
    }

    pub(crate) fn held_blocks(
        &self,
        session: &Session,
        growth: &GraphTimeline,
        states: &BlockStates,
        turn: TurnIdx,
    ) -> Vec<BlockIdx> {
        let end = session.turn_at(turn).end;
        let is_there = |at: usize| is_there(session, states, &session.messages[at]);
        let known = |messages: &[MessageIdx]| messages.partition_point(|message| message.at() < end);
        let spoken = self.humans[..known(&self.humans)].iter().rev();
        let start = spoken.map(|human| human.at()).find(|at| is_there(*at)).map_or(0, |human| human + 1);
        let last_signed = known(&self.signed).checked_sub(1).map(|at| self.signed[at]);
        if !self.holds_all && last_signed.is_none_or(|signed| signed.at() < start) {
            return Vec::new();
        }
        let is_last = |at: &usize| is_reply(&session.messages[*at]) && is_there(*at);
        let Some(reply) = (start..end).rev().find(is_last).map(MessageIdx::new) else { return Vec::new() };
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

fn is_reply(message: &SessionMessage) -> bool {
    message.role == Role::Assistant && message.outcome == ReplyOutcome::Complete && !message.added
}

fn is_of_human(message: &SessionMessage) -> bool {
    message.role == Role::User && !message.class.is_evictable() && message.form.is_sent()
}
