//! Segment facts: what every replay of `pi-cwl` needs about blocks and messages.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, BlockKind, DelimiterMark, EpisodeName, MessageClass, MessageForm, Role, Session,
    SessionMessage, ToolClass,
};

/// The step that evicts a block inside a segment, by the tool's exact lower-case name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenBy {
    Fixed,
    Reasoning,
    Bulk,
    Shell,
    Read,
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

    fn from_block(kind: &BlockKind, role: Role) -> Self {
        match kind {
            BlockKind::Reasoning if role == Role::Assistant => Self::Reasoning,
            BlockKind::Call(call) if role == Role::Assistant => Self::of_tool(&call.name),
            _ => Self::Rest,
        }
    }

    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::Bulk | Self::Shell | Self::Read)
    }
}

fn stays_in_place(message: &SessionMessage) -> bool {
    let is_shell = matches!(message.form, MessageForm::HumanShell { .. });
    !(message.class.is_evictable() || message.class == MessageClass::User && is_shell)
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MarkNames {
    pub(crate) own: u32,
    pub(crate) lists: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarkedResult {
    pub(crate) block: BlockIdx,
    pub(crate) recorded: MarkNames,
    pub(crate) called: MarkNames,
}

pub(super) type NameNumbers = BTreeMap<Option<EpisodeName>, u32>;

#[derive(Debug, Clone)]
pub(super) struct FactsPoint {
    n_blocks: usize,
    n_empties: usize,
    n_marked: usize,
    n_names: usize,
    n_listed: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SegmentFacts {
    pub(crate) taken_by: Vec<TakenBy>,
    /// Evictable messages without blocks, in log order; true for replies of the model.
    pub(crate) empties: Vec<(u32, bool)>,
    pub(crate) marked: Vec<MarkedResult>,
    /// All names in marks, including "no name", numbered once for all replays.
    pub(crate) names: Vec<Option<EpisodeName>>,
    /// Names listed by marks, as positions in [`SegmentFacts::names`].
    pub(crate) listed: Vec<u32>,
    /// Messages displaced in model order: (next message, own index), sorted.
    pub(crate) displaced: Vec<(u32, u32)>,
    /// True if some calls share an id, or replace a call with another id; pairs are then no
    /// groups.
    pub(crate) has_odd_ids: bool,
}

impl SegmentFacts {
    pub(super) fn add_messages(
        &mut self,
        session: &Session,
        messages: Range<usize>,
        numbers: &mut NameNumbers,
    ) {
        self.has_odd_ids |= session.odd_call_ids;
        for (at, message) in messages.clone().zip(session.messages.range(messages)) {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            let fixed = stays_in_place(message);
            if let Some(before) = message.before {
                self.displaced.push((u32::try_from(before.at()).unwrap_or(u32::MAX), number));
            }
            if message.blocks.is_empty() && !fixed && message.before.is_none() {
                self.empties.push((number, message.role == Role::Assistant));
            }
            for at in message.blocks.clone() {
                let row = &session.blocks[at];
                let taken_by =
                    if fixed { TakenBy::Fixed } else { TakenBy::from_block(&row.kind, message.role) };
                self.taken_by.push(taken_by);
                match (&row.kind, row.stands_for) {
                    (BlockKind::Call(call), Some(original)) => {
                        let first = &session.blocks[original.at()].kind;
                        self.has_odd_ids |= matches!(first, BlockKind::Call(first) if first.id != call.id);
                    }
                    // A result inside a replacement is never a mark.
                    (BlockKind::Result(result), _)
                        if message.before.is_none()
                            && (result.mark.is_some() || row.class == Some(ToolClass::Delimiter)) =>
                    {
                        let recorded = self.names_of(result.mark.as_ref(), numbers);
                        let block = BlockIdx::new(at);
                        let called = self.names_of(mark_of_call(session, block), numbers);
                        self.marked.push(MarkedResult { block, recorded, called });
                    }
                    _ => {}
                }
            }
        }
        self.displaced.sort_unstable();
    }

    pub(super) fn point(&self) -> FactsPoint {
        FactsPoint {
            n_blocks: self.taken_by.len(),
            n_empties: self.empties.len(),
            n_marked: self.marked.len(),
            n_names: self.names.len(),
            n_listed: self.listed.len(),
        }
    }

    pub(super) fn undo_to(&mut self, point: &FactsPoint, numbers: &mut NameNumbers) {
        self.taken_by.truncate(point.n_blocks);
        self.empties.truncate(point.n_empties);
        self.marked.truncate(point.n_marked);
        self.listed.truncate(point.n_listed);
        self.names.drain(point.n_names..).for_each(|name| _ = numbers.remove(&name));
    }

    fn names_of(&mut self, mark: Option<&DelimiterMark>, numbers: &mut NameNumbers) -> MarkNames {
        let (own, lists): (_, &[EpisodeName]) = match mark {
            None => return MarkNames::default(),
            Some(DelimiterMark::Open { name, dependencies, .. }) => {
                (Some(name), dependencies.as_deref().unwrap_or_default())
            }
            Some(DelimiterMark::Close { name, .. }) => (name.as_ref(), &[]),
            Some(DelimiterMark::Malformed { name, dependencies, .. }) => {
                (name.as_ref(), dependencies.as_deref().unwrap_or_default())
            }
        };
        let mut number = |name: Option<&EpisodeName>| {
            *numbers.entry(name.cloned()).or_insert_with(|| {
                self.names.push(name.cloned());
                u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let own = number(own);
        let first = self.listed.len();
        self.listed.extend(lists.iter().map(|name| number(Some(name))));
        MarkNames { own, lists: first..self.listed.len() }
    }
}

pub(crate) fn mark_of_call(session: &Session, result: BlockIdx) -> Option<&DelimiterMark> {
    let row = &session.blocks[result.at()];
    let is_ok = matches!(&row.kind, BlockKind::Result(result) if result.ok);
    let call = &session.blocks[row.pair.filter(|_| is_ok)?.at()];
    match &call.kind {
        BlockKind::Call(asked) if call.pair == Some(result) => asked.mark.as_ref(),
        _ => None,
    }
}
