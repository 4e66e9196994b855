//! Columns: the facts that the policy looks at for every block and message, worked out once per run.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, BlockKind, Ledger, MessageClass, MessageForm, MessageIdx, Role, Session, SessionBlock,
    SessionMessage, ToolCall, ToolCallId, ToolClass, TurnIdx,
};

/// No place in a table.
pub(super) const NONE: u32 = u32::MAX;

/// Which step takes a block inside a segment; by the tool's own name, which is lower-case and fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenBy {
    /// Words of the human or of the system: no step does.
    Fixed,
    /// Reasoning of a reply.
    Reasoning,
    /// A call of `grep`, `glob`, `find` or `ls`.
    Bulk,
    /// A call of `bash`.
    Shell,
    /// A call of `read`.
    Read,
    /// Everything else goes with the whole segment, and a result with its call.
    Rest,
}

impl TakenBy {
    fn of_tool(name: &str) -> Self {
        match name {
            "grep" | "glob" | "find" | "ls" => Self::Bulk,
            "bash" => Self::Shell,
            "read" => Self::Read,
            _ => Self::Rest,
        }
    }

    fn of(kind: &BlockKind, role: Role) -> Self {
        match kind {
            BlockKind::Reasoning if role == Role::Assistant => Self::Reasoning,
            BlockKind::Call(call) if role == Role::Assistant => Self::of_tool(&call.name),
            _ => Self::Rest,
        }
    }

    /// Tells whether it is a call that a step of its own takes.
    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::Bulk | Self::Shell | Self::Read)
    }
}

/// Tells whether the policy leaves a message where it stands: what pi calls a `user` message, and the system's.
pub(super) fn stays(message: &SessionMessage) -> bool {
    let is_shell = matches!(message.form, MessageForm::HumanShell { .. });
    !(message.class.is_evictable() || message.class == MessageClass::User && is_shell)
}

/// The columns.
pub(super) struct Columns<'a> {
    pub(super) session: &'a Session,
    pub(super) taken_by: Vec<TakenBy>,
    /// Each block's message.
    pub(super) messages: Vec<u32>,
    /// For calls and results the number that all of one call id share.
    groups: Vec<u32>,
    /// The results of each group, by its number: the first, and after each the next one.
    first_results: Vec<u32>,
    next_results: Vec<u32>,
    /// Messages that came without any block and may go, in log order; true for replies of the model.
    pub(super) empties: Vec<(u32, bool)>,
    /// Results that may say where a segment begins or ends, in log order.
    pub(super) marked: Vec<BlockIdx>,
    /// Nothing was taken out or put in by the harness, and every id is of one call: what one segment holds is then
    /// nothing to another.
    pub(super) is_plain: bool,
    /// Messages that do not stand where they came, as (the message that they stand before, their own number).
    displaced: Vec<(u32, u32)>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let n_blocks = session.blocks.len();
        let by_id = session.odd_call_ids;
        let mut columns = Self {
            session,
            taken_by: Vec::with_capacity(n_blocks),
            messages: Vec::with_capacity(n_blocks),
            groups: Vec::with_capacity(n_blocks),
            first_results: alloc::vec![NONE; n_blocks],
            next_results: alloc::vec![NONE; n_blocks],
            empties: Vec::new(),
            marked: Vec::new(),
            is_plain: !by_id && session.replacements.is_empty(),
            displaced: Vec::new(),
        };
        let mut ids: BTreeMap<&ToolCallId, u32> = BTreeMap::new();
        for (number, message) in (0u32..).zip(&session.messages) {
            let fixed = stays(message);
            if let Some(before) = message.before {
                columns.displaced.push((small(before.at()), number));
            }
            if message.blocks.is_empty() && !fixed && message.before.is_none() {
                columns.empties.push((number, message.role == Role::Assistant));
            }
            for at in message.blocks.clone() {
                let row = &session.blocks[at];
                columns.messages.push(number);
                columns.taken_by.push(if fixed {
                    TakenBy::Fixed
                } else {
                    TakenBy::of(&row.kind, message.role)
                });
                let (id, call, is_result) = match &row.kind {
                    BlockKind::Call(call) => (&call.id, Some(original(session, row, call, at)), false),
                    BlockKind::Result(result) => {
                        // A result in a replacement marks nothing.
                        let may_mark = result.mark.is_some() || row.class == Some(ToolClass::Delimiter);
                        if may_mark && message.before.is_none() {
                            columns.marked.push(BlockIdx::new(at));
                        }
                        (&result.call, row.pair.map(BlockIdx::at), true)
                    }
                    BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
                        columns.groups.push(NONE);
                        continue;
                    }
                };
                let group = match by_id {
                    true => *ids.entry(id).or_insert(small(at)),
                    false => call.map_or(NONE, small),
                };
                columns.groups.push(group);
                if is_result && group != NONE {
                    let first = &mut columns.first_results[group as usize];
                    columns.next_results[at] = core::mem::replace(first, small(at));
                }
            }
        }
        columns.displaced.sort_unstable();
        columns.is_plain &= columns.displaced.is_empty();
        columns
    }

    /// Returns the number that a call shares with its results; [`NONE`] for results of no known call.
    pub(super) fn group(&self, block: BlockIdx) -> u32 {
        self.groups[block.at()]
    }

    /// Calls `each` with the results of a group.
    pub(super) fn results(&self, group: u32, mut each: impl FnMut(BlockIdx)) {
        let mut at = self.first_results[group as usize];
        while at != NONE {
            each(BlockIdx::new(at as usize));
            at = self.next_results[at as usize];
        }
    }

    /// Returns the message that holds a block, by its number.
    pub(super) fn message(&self, block: BlockIdx) -> usize {
        self.messages[block.at()] as usize
    }

    /// Tells whether some messages do not stand where they came.
    pub(super) fn has_displaced(&self) -> bool {
        !self.displaced.is_empty()
    }

    /// Tells whether a block does not stand where it came.
    pub(super) fn is_displaced(&self, block: BlockIdx) -> bool {
        self.has_displaced() && self.session.messages[self.message(block)].before.is_some()
    }

    /// Calls `each` with every block of a range of messages, both ends included, displaced ones among them last.
    pub(super) fn blocks(&self, range: Range<usize>, mut each: impl FnMut(BlockIdx)) {
        let messages = &self.session.messages;
        let (Some(first), Some(last)) = (messages.get(range.start), messages.get(range.end - 1)) else {
            return;
        };
        let blocks = first.blocks.start..last.blocks.end;
        if self.displaced.is_empty() {
            return blocks.map(BlockIdx::new).for_each(each);
        }
        blocks
            .filter(|at| messages[self.messages[*at] as usize].before.is_none())
            .map(BlockIdx::new)
            .for_each(&mut each);
        let place = |at: usize| self.displaced.partition_point(|(before, _)| (*before as usize) < at);
        for (_, number) in &self.displaced[place(range.start + 1)..place(range.end)] {
            messages[*number as usize].blocks.clone().map(BlockIdx::new).for_each(&mut each);
        }
    }

    /// Tells whether a message stands in a range of messages.
    pub(super) fn stands_in(&self, message: usize, range: &Range<usize>) -> bool {
        match self.session.messages[message].before {
            // A displaced message stands before that one, so the first of the range does not let it in.
            Some(before) => range.start < before.at() && before.at() < range.end,
            None => range.contains(&message),
        }
    }

    /// Returns the places in [`Columns::empties`] of messages in a range of messages.
    pub(super) fn empties(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.empties.partition_point(|(number, _)| (*number as usize) < at);
        place(range.start)..place(range.end)
    }

    /// Lists the messages before a turn of which something is left, in model order.
    pub(super) fn left(&self, turn: TurnIdx, ledger: &Ledger<'_>, gone: &[bool]) -> Vec<MessageIdx> {
        let stands = self.session.stands_bare(turn);
        let is_left = |message: &MessageIdx| {
            let range = self.session.messages[message.at()].blocks.clone();
            if range.is_empty() {
                return stands[message.at()] && self.empty(*message).is_none_or(|at| !gone[at]);
            }
            range.map(BlockIdx::new).any(|block| ledger.state(block).is_there())
        };
        self.session.model_order(self.session.turn(turn).end).into_iter().filter(is_left).collect()
    }

    /// Finds a message in [`Columns::empties`].
    pub(super) fn empty(&self, message: MessageIdx) -> Option<usize> {
        self.empties.binary_search_by_key(&small(message.at()), |(number, _)| *number).ok()
    }
}

/// Returns the call that a call repeats, or its own place.
fn original(session: &Session, row: &SessionBlock, call: &ToolCall, at: usize) -> usize {
    let of_id = |other: &BlockIdx| matches!(&session.blocks[other.at()].kind, BlockKind::Call(first) if first.id == call.id);
    row.stands_for.filter(of_id).map_or(at, BlockIdx::at)
}

pub(super) fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
