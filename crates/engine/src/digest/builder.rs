//! The digest of a branch, built while its texts pass by once.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Passage, digest};
use crate::{BlockIdx, BlockKind, CallReading, Growth, Session, Slot, TodoChange, ToolClass};

/// Collects the lines of a session's blocks, whose texts may come in any order.
#[derive(Debug)]
pub struct DigestBuilder<'a> {
    session: &'a Session,
    growth: &'a Growth,
    lines: Vec<(BlockIdx, Slot, String)>,
    plans: Vec<BlockIdx>,
}

impl<'a> DigestBuilder<'a> {
    /// Starts without lines.
    pub fn new(session: &'a Session, growth: &'a Growth) -> Self {
        Self { session, growth, lines: Vec::new(), plans: Vec::new() }
    }

    /// Takes the lines of a block from its text and, for a call, from its arguments.
    pub fn block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
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
            episode: self.growth.graph.owner(block).map(|owner| self.growth.graph.get(owner).kind),
            succeeded,
            text,
            reading,
        };
        self.lines.extend(digest(&passage).into_iter().map(|(rule, line)| (block, rule.slot(), line)));
    }

    /// Returns the lines in the order of their blocks, each with its block and slot, to be counted; and the calls that
    /// write down a whole plan.
    pub fn finish(mut self) -> (Vec<(BlockIdx, Slot, String)>, Vec<BlockIdx>) {
        self.lines.sort_by_key(|(block, ..)| *block);
        self.plans.sort_unstable();
        (self.lines, self.plans)
    }
}
