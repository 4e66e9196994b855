//! Facts about segments: the few things about blocks and messages that every replay of `pi-cwl` looks at.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    BlockIdx, BlockKind, DelimiterMark, EpisodeName, MessageClass, MessageForm, Role, Session,
    SessionMessage, ToolClass,
};

/// Which step takes a block inside a segment; by the tool's own name, which is lower-case and fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenBy {
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

    fn from_block(kind: &BlockKind, role: Role) -> Self {
        match kind {
            BlockKind::Reasoning if role == Role::Assistant => Self::Reasoning,
            BlockKind::Call(call) if role == Role::Assistant => Self::of_tool(&call.name),
            _ => Self::Rest,
        }
    }

    /// Tells whether it is a call a step of its own takes.
    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::Bulk | Self::Shell | Self::Read)
    }
}

/// Tells whether the policy leaves a message where it stands: what pi calls a `user` message, and the system's.
fn stays_in_place(message: &SessionMessage) -> bool {
    let is_shell = matches!(message.form, MessageForm::HumanShell { .. });
    !(message.class.is_evictable() || message.class == MessageClass::User && is_shell)
}

/// The names a mark gives, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkNames {
    /// The segment's own name, as a place in [`SegmentFacts::names`].
    pub(crate) own: u32,
    /// The listed names, as places in [`SegmentFacts::listed`].
    pub(crate) lists: Range<usize>,
}

/// A result that may say where a segment begins or ends.
#[derive(Debug, Clone)]
pub(crate) struct MarkedResult {
    pub(crate) block: BlockIdx,
    pub(crate) recorded: MarkNames,
    /// The names in what its call says ([`mark_of_call`]).
    pub(crate) called: MarkNames,
}

/// The facts, which depend on the session alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct SegmentFacts {
    /// The step that takes each block.
    pub(crate) taken_by: Vec<TakenBy>,
    /// Messages that came without any block and may go, in log order; true for replies of the model.
    pub(crate) empties: Vec<(u32, bool)>,
    /// Results that may say where a segment begins or ends, in log order.
    pub(crate) marked: Vec<MarkedResult>,
    /// The names of all marks; no name is one as well. They are told apart here, once for all replays.
    pub(crate) names: Vec<Option<EpisodeName>>,
    /// The names that marks list, as places in [`SegmentFacts::names`].
    pub(crate) listed: Vec<u32>,
    /// Messages that do not stand where they came, as (the message they stand before, their own number), sorted.
    pub(crate) displaced: Vec<(u32, u32)>,
    /// Some calls share an id with others, or stand for a call of another id, so pairs are no groups.
    pub(crate) has_odd_ids: bool,
}

impl SegmentFacts {
    pub(super) fn from_session(session: &Session) -> Self {
        let mut facts = Self { has_odd_ids: session.odd_call_ids, ..Self::default() };
        facts.taken_by.reserve(session.blocks.len());
        let mut numbers = BTreeMap::new();
        for (number, message) in (0u32..).zip(&session.messages) {
            let fixed = stays_in_place(message);
            if let Some(before) = message.before {
                facts.displaced.push((u32::try_from(before.at()).unwrap_or(u32::MAX), number));
            }
            if message.blocks.is_empty() && !fixed && message.before.is_none() {
                facts.empties.push((number, message.role == Role::Assistant));
            }
            for at in message.blocks.clone() {
                let row = &session.blocks[at];
                let taken_by =
                    if fixed { TakenBy::Fixed } else { TakenBy::from_block(&row.kind, message.role) };
                facts.taken_by.push(taken_by);
                match (&row.kind, row.stands_for) {
                    (BlockKind::Call(call), Some(original)) => {
                        let first = &session.blocks[original.at()].kind;
                        facts.has_odd_ids |= matches!(first, BlockKind::Call(first) if first.id != call.id);
                    }
                    // A result in a replacement marks nothing.
                    (BlockKind::Result(result), _)
                        if message.before.is_none()
                            && (result.mark.is_some() || row.class == Some(ToolClass::Delimiter)) =>
                    {
                        let recorded = facts.names_of(result.mark.as_ref(), &mut numbers);
                        let block = BlockIdx::new(at);
                        let called = facts.names_of(mark_of_call(session, block), &mut numbers);
                        facts.marked.push(MarkedResult { block, recorded, called });
                    }
                    _ => {}
                }
            }
        }
        facts.displaced.sort_unstable();
        facts
    }

    fn names_of<'a>(
        &mut self,
        mark: Option<&'a DelimiterMark>,
        numbers: &mut BTreeMap<Option<&'a EpisodeName>, u32>,
    ) -> MarkNames {
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
        let mut number = |name: Option<&'a EpisodeName>| {
            *numbers.entry(name).or_insert_with(|| {
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

/// Returns what a delimiter's call says, where this is the first result of it and none of a failure.
pub(crate) fn mark_of_call(session: &Session, result: BlockIdx) -> Option<&DelimiterMark> {
    let row = &session.blocks[result.at()];
    let is_ok = matches!(&row.kind, BlockKind::Result(result) if result.ok);
    let call = &session.blocks[row.pair.filter(|_| is_ok)?.at()];
    match &call.kind {
        BlockKind::Call(asked) if call.pair == Some(result) => asked.mark.as_ref(),
        _ => None,
    }
}
