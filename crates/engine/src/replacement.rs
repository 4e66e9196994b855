//! Replacements: what the harness or the human took out of the history, and what was put in its place.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::session::Draft;
use crate::{
    Author, BlockIdx, BlockKind, ContentBlock, EntryId, EventIdx, EventLog, MessageForm, MessageIdx, Role,
    Target, ToolCallId,
};

/// An act of the harness or the human that took content out of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// How many messages stood before it.
    pub at: usize,
    /// Its record.
    pub entry: EntryId,
    /// Its record's line, from 1.
    pub line: u64,
    /// Why the content was taken out.
    pub cause: ReplacementCause,
    /// Blocks that are not in the context from here on.
    pub drops: Vec<BlockIdx>,
    /// Blocks that are in the context again.
    pub restores: Vec<BlockIdx>,
    /// Messages without a block that are not in the context from here on.
    pub drops_bare: Vec<MessageIdx>,
    /// Messages without a block that are in the context again.
    pub restores_bare: Vec<MessageIdx>,
    /// The size of the context before it as the log states it, tokens.
    pub tokens_before: Option<u64>,
}

/// Why content was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReplacementCause {
    /// A summary took its place.
    Compaction,
    /// The harness cleared old outputs, or masked them.
    Clearing,
    /// The human went back to an earlier point.
    Rewind,
    /// It was written anew: a message that grew or was edited, a history that was exchanged.
    Revision,
    /// It was reasoning that is sent back only until the human speaks again; no record of a log says so.
    Lapse,
}

impl ReplacementCause {
    /// Returns the name on the wire: `compaction`, `clearing`, `rewind`, `revision`, `lapse`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Tells whether the harness did it to save room: what a replay over the full history undoes.
    pub fn saves_room(self) -> bool {
        matches!(self, Self::Compaction | Self::Clearing)
    }
}

/// A block before all blocks have numbers: its message, and its position there.
pub(crate) type DraftBlock = (usize, usize);

/// A replacement before the blocks have numbers.
pub(crate) struct DraftReplacement {
    pub(crate) at: usize,
    pub(crate) event: EventIdx,
    pub(crate) cause: ReplacementCause,
    pub(crate) taken: Taken,
    pub(crate) tokens_before: Option<u64>,
}

/// The blocks that a replacement takes out of the history and puts back.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) drops: Vec<DraftBlock>,
    pub(crate) restores: Vec<DraftBlock>,
    /// Messages that have no block so far.
    drops_bare: Vec<usize>,
    restores_bare: Vec<usize>,
}

/// Says whether a block is in the history, as all changes so far have left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is in the history.
    In,
    /// A compaction took it; a later one may keep from before it.
    Out,
    /// It was cleared, rolled back or written anew.
    Gone,
}

/// The part of the history before a compaction that stays, as the history has it.
pub(crate) enum Kept {
    /// Nothing.
    Nothing,
    /// Everything that stands from that message on.
    From(usize),
    /// The blocks of these records.
    Records(BTreeSet<EventIdx>),
}

impl Kept {
    /// Returns the first message that stays.
    pub(crate) fn first(&self, drafts: &[Draft<'_>]) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::From(from) => Some(*from),
            Self::Records(_) => {
                // A summary stands behind system prompt and tools, which stay where they are.
                let stays = |at: &usize| {
                    let draft = &drafts[*at];
                    draft.message.role != Role::System
                        && (0..draft.blocks.len()).any(|pos| self.has(draft, *at, pos))
                };
                (0..drafts.len()).filter(stays).map(|at| drafts[at].place(at)).min()
            }
        }
    }

    /// Tells whether a message without a block stays.
    fn has_bare(&self, draft: &Draft<'_>, at: usize) -> bool {
        !draft.by_compaction
            && match self {
                Self::Nothing => false,
                Self::From(from) => draft.place(at) >= *from,
                Self::Records(records) => records.contains(&draft.event),
            }
    }

    fn has(&self, draft: &Draft<'_>, at: usize, pos: usize) -> bool {
        // An earlier compaction's summary never outlives the next compaction.
        !draft.by_compaction
            && match self {
                Self::Nothing => false,
                Self::From(from) => draft.place(at) >= *from,
                Self::Records(records) => {
                    draft.blocks.get(pos).is_some_and(|block| records.contains(&block.0))
                }
            }
    }
}

/// Takes everything out but what is kept.
pub(crate) fn compact(drafts: &mut [Draft<'_>], kept: &Kept) -> Taken {
    let mut taken = Taken::default();
    for (at, draft) in drafts.iter_mut().enumerate() {
        for pos in 0..draft.standings.len() {
            let stays = kept.has(draft, at, pos);
            let standing = &mut draft.standings[pos];
            match (*standing, stays) {
                (Standing::In, false) => {
                    *standing = Standing::Out;
                    taken.drops.push((at, pos));
                }
                (Standing::Out, true) => {
                    *standing = Standing::In;
                    taken.restores.push((at, pos));
                }
                _ => {}
            }
        }
        if draft.blocks.is_empty() {
            let stays = kept.has_bare(draft, at);
            match (draft.bare, stays) {
                (Standing::In, false) => {
                    draft.bare = Standing::Out;
                    taken.drops_bare.push(at);
                }
                (Standing::Out, true) => {
                    draft.bare = Standing::In;
                    taken.restores_bare.push(at);
                }
                _ => {}
            }
        }
    }
    taken
}

/// Where blocks are by what a change may name, so that a log of many changes is read in one go.
#[derive(Default)]
pub(crate) struct Index<'a> {
    by_entry: BTreeMap<&'a EntryId, Vec<DraftBlock>>,
    results: BTreeMap<&'a ToolCallId, Vec<DraftBlock>>,
}

impl Taken {
    /// Takes over what another change of the same rewrite took out.
    pub(crate) fn and(&mut self, other: Self) {
        self.drops.extend(other.drops);
        self.drops_bare.extend(other.drops_bare);
    }
}

impl<'a> Index<'a> {
    /// Takes note of a block of a record.
    pub(crate) fn add(&mut self, entry: &'a EntryId, block: &'a ContentBlock, at: DraftBlock) {
        self.by_entry.entry(entry).or_default().push(at);
        if let BlockKind::Result(result) = &block.kind {
            self.results.entry(&result.call).or_default().push(at);
        }
    }
}

/// Takes out what a change names; `None` where the history has no such thing.
pub(crate) fn take_out(index: &Index<'_>, drafts: &mut [Draft<'_>], target: &Target) -> Option<Taken> {
    let still_in = |all: Option<&Vec<DraftBlock>>| -> Vec<DraftBlock> {
        let is_in = |(at, pos): &&DraftBlock| drafts[*at].standings[*pos] == Standing::In;
        all.into_iter().flatten().filter(is_in).copied().collect()
    };
    // A message without a block goes with what stands around it.
    let mut bare_from = usize::MAX;
    let found: Vec<DraftBlock> = match target {
        Target::All => {
            bare_from = 0;
            blocks_in(drafts, |_, _, _| true)
        }
        Target::Entry(entry) => still_in(index.by_entry.get(entry)),
        Target::Results(call) => still_in(index.results.get(call)),
        Target::From(entry) => {
            let (from, _) = *still_in(index.by_entry.get(entry)).first()?;
            bare_from = drafts[from].place(from);
            from_place(drafts, bare_from)
        }
        Target::Turns(n_turns) => {
            let mut humans = (0..drafts.len()).rev().filter(|&at| {
                let draft = &drafts[at];
                let is_turn =
                    draft.message.author == Author::Human && draft.message.form == MessageForm::Plain;
                is_turn && draft.standings.contains(&Standing::In)
            });
            let back = (*n_turns as usize).checked_sub(1)?;
            let from = humans.by_ref().take(back.saturating_add(1)).last()?;
            bare_from = drafts[from].place(from);
            from_place(drafts, bare_from)
        }
    };
    if found.is_empty() && *target != Target::All {
        return None;
    }
    for &(at, pos) in &found {
        drafts[at].standings[pos] = Standing::Gone;
    }
    let mut taken = Taken { drops: found, ..Taken::default() };
    let goes_around = bare_from < drafts.len();
    for (at, draft) in drafts.iter_mut().enumerate().filter(|_| goes_around) {
        if draft.blocks.is_empty() && draft.bare == Standing::In && draft.place(at) >= bare_from {
            draft.bare = Standing::Gone;
            taken.drops_bare.push(at);
        }
    }
    Some(taken)
}

fn from_place(drafts: &[Draft<'_>], place: usize) -> Vec<DraftBlock> {
    blocks_in(drafts, |at, draft, _| draft.place(at) >= place)
}

/// Finds blocks that are in the history.
fn blocks_in(drafts: &[Draft<'_>], is_meant: impl Fn(usize, &Draft<'_>, usize) -> bool) -> Vec<DraftBlock> {
    let all = drafts.iter().enumerate().flat_map(|(at, draft)| {
        let of_draft = draft.standings.iter().enumerate();
        of_draft.filter(|(_, standing)| **standing == Standing::In).map(move |(pos, _)| (at, draft, pos))
    });
    all.filter(|(at, draft, pos)| is_meant(*at, draft, *pos)).map(|(at, _, pos)| (at, pos)).collect()
}

/// Names what a change means, for a problem.
pub(crate) fn target_name(target: &Target) -> Box<str> {
    match target {
        Target::Entry(entry) | Target::From(entry) => entry.to_string(),
        Target::Results(call) => format!("the result of {call}"),
        Target::Turns(n_turns) => format!("the last {n_turns} turns"),
        Target::All => "everything".into(),
    }
    .into_boxed_str()
}

/// Gives the replacements the final numbers of their blocks.
pub(crate) fn replacements(
    log: &EventLog,
    drafts: &[DraftReplacement],
    starts: &[usize],
) -> Vec<Replacement> {
    let number = |blocks: &[DraftBlock]| {
        let mut blocks: Vec<BlockIdx> =
            blocks.iter().map(|(at, pos)| BlockIdx::new(starts[*at] + pos)).collect();
        blocks.sort_unstable();
        blocks
    };
    drafts
        .iter()
        .map(|draft| {
            let event = log.get(draft.event);
            Replacement {
                at: draft.at,
                entry: event.entry.clone(),
                line: event.line,
                cause: draft.cause,
                drops: number(&draft.taken.drops),
                restores: number(&draft.taken.restores),
                drops_bare: draft.taken.drops_bare.iter().copied().map(MessageIdx::new).collect(),
                restores_bare: draft.taken.restores_bare.iter().copied().map(MessageIdx::new).collect(),
                tokens_before: draft.tokens_before,
            }
        })
        .collect()
}
