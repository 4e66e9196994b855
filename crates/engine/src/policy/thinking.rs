//! Thinking: reasoning of earlier replies goes, the newest stays. A part of [`super::mask`].
//!
//! `clear-thinking` keeps reasoning since the last human turns that have any, as the provider counts turns of the
//! assistant in a loop of tools; `inspect-edit` keeps that of the last replies that have any. The last reply of an
//! open loop keeps its signed reasoning as under every policy.

use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockKind, KeptReason, MessageClass, OptionSpec, Pass, PolicyOptions, Presence,
    ReplayInput, Session, StateAt, Subject, Transition, TurnIdx,
};

const KEEP_REPLIES: OptionSpec = OptionSpec::look_up("mask", "keep_thinking");
const KEEP_TURNS: OptionSpec = OptionSpec::look_up("mask", "keep_thinking_turns");

#[derive(Debug, Clone, Copy)]
struct ThinkingOptions {
    /// Number of groups whose reasoning stays: replies or human turns, the smaller rest of both.
    replies: u64,
    turns: u64,
}

impl ThinkingOptions {
    fn from_options(options: &PolicyOptions) -> Self {
        Self { replies: options.number_value(&KEEP_REPLIES), turns: options.number_value(&KEEP_TURNS) }
    }

    fn is_on(self) -> bool {
        self.replies > 0 || self.turns > 0
    }
}

fn is_thinking(session: &Session, block: BlockIdx) -> bool {
    let row = &session.blocks[block.at()];
    row.kind == BlockKind::Reasoning
        && session.message_of(block).class == MessageClass::Assistant
        && session.is_evictable(block)
}

/// The reasoning that has arrived, with the positions at which a new reply or a new human turn begins.
pub(super) struct Thinking {
    rules: ThinkingOptions,
    /// For each message, the number of human turns up to it.
    human_turns: Vec<usize>,
    blocks: Vec<BlockIdx>,
    replies: Vec<usize>,
    turns: Vec<usize>,
    next: usize,
}

impl Thinking {
    pub(super) fn new(input: ReplayInput<'_>) -> Self {
        let rules = ThinkingOptions::from_options(input.options);
        let human_turns = if rules.is_on() { count_human_turns(input.session) } else { Vec::new() };
        Self { rules, human_turns, blocks: Vec::new(), replies: Vec::new(), turns: Vec::new(), next: 0 }
    }

    pub(super) fn on_transition(&mut self, transition: Transition, pass: &Pass<'_>) {
        if !self.rules.is_on() {
            return;
        }
        if let Transition::Arrived(run) = transition {
            let session = pass.input.session;
            for block in run.blocks().filter(|block| is_thinking(session, *block)) {
                self.add_block(session, block);
            }
        } else if let Some((block, is)) = transition.by_harness()
            && !is.is_dropped()
        {
            self.look_again_from(block);
        }
    }

    pub(super) fn on_release(&mut self, block: BlockIdx) {
        self.look_again_from(block);
    }

    fn look_again_from(&mut self, block: BlockIdx) {
        if let Ok(at) = self.blocks.binary_search(&block) {
            self.next = self.next.min(at);
        }
    }

    fn add_block(&mut self, session: &Session, block: BlockIdx) {
        let message = |block: BlockIdx| session.blocks[block.at()].message.at();
        let last = self.blocks.last().map(|last| message(*last));
        let (own, at) = (message(block), self.blocks.len());
        if last != Some(own) {
            self.replies.push(at);
        }
        if last.is_none_or(|last| self.human_turns[last] != self.human_turns[own]) {
            self.turns.push(at);
        }
        self.blocks.push(block);
    }

    fn kept_from(&self) -> usize {
        let start = |groups: &[usize], kept: u64| match usize::try_from(kept).unwrap_or(usize::MAX) {
            0 => self.blocks.len(),
            kept => groups.len().checked_sub(kept).map_or(0, |at| groups[at]),
        };
        match self.rules.is_on() {
            true => start(&self.replies, self.rules.replies).min(start(&self.turns, self.rules.turns)),
            false => 0,
        }
    }

    pub(super) fn evict(&mut self, pass: &mut Pass<'_>) {
        let (session, edge) = (pass.input.session, self.kept_from());
        while self.next < edge {
            let message = session.blocks[self.blocks[self.next].at()].message;
            let is_of_reply = |block: &&BlockIdx| session.blocks[block.at()].message == message;
            let n_blocks = self.blocks[self.next..edge].iter().take_while(is_of_reply).count();
            for block in &self.blocks[self.next..self.next + n_blocks] {
                if pass.may_take(*block) {
                    pass.take_block(*block);
                }
            }
            self.next += n_blocks;
            if !pass.taken_blocks().is_empty() {
                let turn = session.turn_after(message).at().saturating_sub(1);
                pass.end_step(Subject::Turn(TurnIdx::from_position(turn)), Action::Reasoning);
            }
        }
    }
}

fn count_human_turns(session: &Session) -> Vec<usize> {
    let mut n_turns = 0;
    let count = |message: &crate::SessionMessage| {
        n_turns += usize::from(message.is_typed());
        n_turns
    };
    session.messages.iter().map(count).collect()
}

/// Returns the first block of reasoning that stays at a cut; `None` if all of it does.
pub(super) fn kept_from(input: &ReplayInput<'_>, state: &StateAt) -> Option<BlockIdx> {
    let mut thinking = Thinking::new(*input);
    if !thinking.rules.is_on() {
        return None;
    }
    let session = input.session;
    let has_come = |block: &BlockIdx| state.presence(*block) != Presence::Absent;
    let blocks = (0..session.blocks.len()).map(BlockIdx::new);
    for block in blocks.filter(|block| is_thinking(session, *block) && has_come(block)) {
        thinking.add_block(session, block);
    }
    let from = thinking.kept_from();
    Some(thinking.blocks.get(from).copied().unwrap_or(BlockIdx::new(session.blocks.len())))
}

pub(super) fn kept_reason(from: Option<BlockIdx>, session: &Session, block: BlockIdx) -> Option<KeptReason> {
    let from = from.filter(|_| is_thinking(session, block))?;
    Some(if block >= from { KeptReason::Recent } else { KeptReason::Eligible })
}
