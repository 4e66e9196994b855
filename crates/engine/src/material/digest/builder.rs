//! Builds a branch's digest while its texts pass by once.

use alloc::string::String;
use alloc::vec::Vec;

use super::{DigestRule, Passage, digest_lines};
use crate::{
    BlockIdx, BlockKind, CallReading, DigestLine, GraphTimeline, MessageClass, MessageIdx, Session,
    SummarySlot, TodoChange, ToolClass, TurnIdx,
};

#[derive(Debug)]
pub struct DigestBuilder<'a> {
    session: &'a Session,
    growth: &'a GraphTimeline,
    lines: Vec<(BlockIdx, DigestRule, String)>,
    plans: Vec<BlockIdx>,
}

impl<'a> DigestBuilder<'a> {
    pub fn new(session: &'a Session, growth: &'a GraphTimeline) -> Self {
        Self { session, growth, lines: Vec::new(), plans: Vec::new() }
    }

    pub fn add_block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        if reading.is_some_and(|reading| matches!(reading.todo, Some(TodoChange::Whole(_)))) {
            self.plans.push(block);
        }
        let session = self.session;
        let row = &session.blocks[block.at()];
        let pair = row.pair.map(|pair| &session.blocks[pair.at()].kind);
        let (tool_name, succeeded) = match (&row.kind, pair) {
            (BlockKind::Call(_), Some(BlockKind::Result(result))) => (None, Some(result.ok)),
            (BlockKind::Result(_), Some(BlockKind::Call(call))) => (Some(&*call.name), None),
            (BlockKind::Result(result), _) => (result.name.as_deref(), None),
            _ => (None, None),
        };
        let passage = Passage {
            kind: &row.kind,
            class: session.message_of(block).class,
            tool: if row.shell_search { Some(ToolClass::Search) } else { row.class },
            tool_name,
            episode: self.growth.graph.owner_of(block).map(|owner| self.growth.graph.episode(owner).kind),
            succeeded,
            text,
            reading,
        };
        self.lines.extend(digest_lines(&passage).into_iter().map(|(rule, line)| (block, rule, line)));
    }

    /// Returns the lines in block order, without sizes ([`DigestLine::units`]), and the calls that
    /// write a whole plan.
    pub fn finish(mut self) -> (Vec<DigestLine>, Vec<BlockIdx>) {
        self.lines.sort_by_key(|(block, ..)| *block);
        self.plans.sort_unstable();
        let answers = AnsweringMessages::from_session(self.session);
        let made = |(block, rule, text): (BlockIdx, DigestRule, String)| {
            let message = self.session.blocks[block.at()].message;
            let mut line = DigestLine::new(block, rule.slot(), text, 0);
            line.rule = Some(rule);
            if rule.slot() == SummarySlot::Facts {
                // A fact arrives with a reply and is first contained in the next turn's request.
                let next = self.session.turn_after(message).at();
                line.turn = Some(TurnIdx::from_position(next.saturating_sub(1)));
            }
            if rule == DigestRule::Asked {
                line.until = answers.answer_to(message);
            }
            line
        };
        (self.lines.into_iter().map(made).collect(), self.plans)
    }
}

/// Messages that answer questions: the human's next words, and replies without calls.
struct AnsweringMessages<'a> {
    session: &'a Session,
    by_human: Vec<usize>,
    by_model: Vec<usize>,
}

impl<'a> AnsweringMessages<'a> {
    fn from_session(session: &'a Session) -> Self {
        let (mut by_human, mut by_model) = (Vec::new(), Vec::new());
        for (at, message) in session.messages.iter().enumerate() {
            let kinds = || session.blocks.range(message.blocks.clone()).map(|block| &block.kind);
            let speaks = kinds().any(|kind| matches!(kind, BlockKind::Text));
            if speaks && message.is_typed() {
                by_human.push(at);
            } else if speaks
                && message.class == MessageClass::Assistant
                && !message.added
                && !kinds().any(|kind| matches!(kind, BlockKind::Call(_)))
            {
                by_model.push(at);
            }
        }
        Self { session, by_human, by_model }
    }

    fn answer_to(&self, asked: MessageIdx) -> Option<BlockIdx> {
        let row = &self.session.messages[asked.at()];
        let answers = if row.class == MessageClass::Assistant { &self.by_human } else { &self.by_model };
        let answer = *answers.get(answers.partition_point(|at| *at <= asked.at()))?;
        Some(BlockIdx::new(self.session.messages[answer].blocks.start))
    }
}
