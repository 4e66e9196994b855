//! Replacements: content removed from the history by the harness or the human, and what replaced
//! it.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::session::session_builder::MessageDraft;
use crate::{
    Author, BlockIdx, BlockKind, ContentBlock, EntryId, EventIdx, EventLog, MessageForm, MessageIdx,
    ReplacementCause, RewriteTarget, Role, ToolCallId,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Length of [`crate::Session::messages`] before the replacement.
    pub at: usize,
    pub entry: EntryId,
    pub line: u64,
    pub cause: ReplacementCause,
    pub drops: Vec<BlockIdx>,
    pub restores: Vec<BlockIdx>,
    /// Messages without blocks, absent from now on.
    pub drops_bare: Vec<MessageIdx>,
    /// Messages without blocks, present again from now on.
    pub restores_bare: Vec<MessageIdx>,
    pub tokens_before: Option<u64>,
}

pub(crate) type DraftBlock = (usize, usize);

/// A [`Replacement`] before blocks are numbered.
pub(crate) struct DraftReplacement {
    pub(crate) at: usize,
    pub(crate) event: EventIdx,
    pub(crate) cause: ReplacementCause,
    pub(crate) taken: RemovedBlocks,
    pub(crate) tokens_before: Option<u64>,
}

#[derive(Default)]
pub(crate) struct RemovedBlocks {
    pub(crate) drops: Vec<DraftBlock>,
    pub(crate) restores: Vec<DraftBlock>,
    /// The message before which the incoming messages stand, unless they stand where the first block was.
    pub(crate) before: Option<usize>,
    drops_bare: Vec<usize>,
    restores_bare: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryPresence {
    In,
    /// Removed by a compaction; a later compaction may restore it.
    Out,
    Gone,
    /// A policy at work in the agent took it, and may put it back.
    Evicted,
}

pub(crate) enum RetainedHistory {
    Nothing,
    From(usize),
    Records(BTreeSet<EventIdx>),
}

impl RetainedHistory {
    pub(crate) fn first_kept(&self, drafts: &[MessageDraft<'_>]) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::From(from) => Some(*from),
            Self::Records(_) => {
                // The summary goes behind the system prompt and tools, which keep their places.
                let stays = |at: &usize| {
                    let draft = &drafts[*at];
                    draft.message.role != Role::System
                        && (0..draft.blocks.len()).any(|pos| self.keeps_draft(draft, *at, pos))
                };
                (0..drafts.len()).filter(stays).map(|at| drafts[at].model_order(at)).min()
            }
        }
    }

    fn has_bare(&self, draft: &MessageDraft<'_>, at: usize) -> bool {
        !draft.by_compaction
            && match self {
                Self::Nothing => false,
                Self::From(from) => draft.model_order(at) >= *from,
                Self::Records(records) => records.contains(&draft.event),
            }
    }

    fn keeps_draft(&self, draft: &MessageDraft<'_>, at: usize, pos: usize) -> bool {
        // A compaction's summary never survives the next compaction.
        !draft.by_compaction
            && match self {
                Self::Nothing => false,
                Self::From(from) => draft.model_order(at) >= *from,
                Self::Records(records) => {
                    draft.blocks.get(pos).is_some_and(|block| records.contains(&block.0))
                }
            }
    }
}

pub(crate) fn compact_history(drafts: &mut [MessageDraft<'_>], kept: &RetainedHistory) -> RemovedBlocks {
    let mut taken = RemovedBlocks::default();
    for (at, draft) in drafts.iter_mut().enumerate() {
        for pos in 0..draft.standings.len() {
            let stays = kept.keeps_draft(draft, at, pos);
            let standing = &mut draft.standings[pos];
            match (*standing, stays) {
                (HistoryPresence::In, false) => {
                    *standing = HistoryPresence::Out;
                    taken.drops.push((at, pos));
                }
                // A compaction keeps what a policy took before out of the context.
                (HistoryPresence::Evicted, false) => *standing = HistoryPresence::Out,
                (HistoryPresence::Out, true) => {
                    *standing = HistoryPresence::In;
                    taken.restores.push((at, pos));
                }
                _ => {}
            }
        }
        if draft.blocks.is_empty() {
            let stays = kept.has_bare(draft, at);
            match (draft.bare, stays) {
                (HistoryPresence::In, false) => {
                    draft.bare = HistoryPresence::Out;
                    taken.drops_bare.push(at);
                }
                (HistoryPresence::Out, true) => {
                    draft.bare = HistoryPresence::In;
                    taken.restores_bare.push(at);
                }
                _ => {}
            }
        }
    }
    taken
}

/// Blocks indexed by record and call, so many changes need only one scan.
#[derive(Default)]
pub(crate) struct BlockIndex<'a> {
    by_entry: BTreeMap<&'a EntryId, Vec<DraftBlock>>,
    results: BTreeMap<&'a ToolCallId, Vec<DraftBlock>>,
}

impl RemovedBlocks {
    pub(crate) fn merge_with(&mut self, other: Self) {
        self.drops.extend(other.drops);
        self.restores.extend(other.restores);
        self.drops_bare.extend(other.drops_bare);
    }
}

impl<'a> BlockIndex<'a> {
    pub(crate) fn add_block(&mut self, entry: &'a EntryId, block: &'a ContentBlock, at: DraftBlock) {
        self.by_entry.entry(entry).or_default().push(at);
        if let BlockKind::Result(result) = &block.kind {
            self.results.entry(&result.call).or_default().push(at);
        }
    }
}

/// Removes a change's target; `None` if the history does not contain it.
pub(crate) fn take_out(
    index: &BlockIndex<'_>,
    drafts: &mut [MessageDraft<'_>],
    target: &RewriteTarget,
) -> Option<RemovedBlocks> {
    let still_in = |all: Option<&Vec<DraftBlock>>| -> Vec<DraftBlock> {
        let is_in = |(at, pos): &&DraftBlock| drafts[*at].standings[*pos] == HistoryPresence::In;
        all.into_iter().flatten().filter(is_in).copied().collect()
    };
    let part_in = |entry: &EntryId, part: u32, standing: HistoryPresence| -> Option<DraftBlock> {
        let is_meant = |(at, pos): &&DraftBlock| {
            let draft = &drafts[*at];
            draft.standings[*pos] == standing && draft.blocks[*pos].2.index == part
        };
        index.by_entry.get(entry)?.iter().find(is_meant).copied()
    };
    // Messages without blocks are removed along with the messages around them.
    let mut bare_from = usize::MAX;
    let found: Vec<DraftBlock> = match target {
        RewriteTarget::All => {
            bare_from = 0;
            blocks_in(drafts, |_, _, _| true)
        }
        RewriteTarget::Entry(entry) => still_in(index.by_entry.get(entry)),
        RewriteTarget::Part(entry, part) => {
            let (at, pos) = part_in(entry, *part, HistoryPresence::In)?;
            drafts[at].standings[pos] = HistoryPresence::Evicted;
            return Some(RemovedBlocks { drops: alloc::vec![(at, pos)], ..RemovedBlocks::default() });
        }
        RewriteTarget::PartBack(entry, part) => {
            let (at, pos) = part_in(entry, *part, HistoryPresence::Evicted)?;
            drafts[at].standings[pos] = HistoryPresence::In;
            return Some(RemovedBlocks { restores: alloc::vec![(at, pos)], ..RemovedBlocks::default() });
        }
        RewriteTarget::Before(None) => return Some(RemovedBlocks::default()),
        RewriteTarget::Before(Some(entry)) => {
            let (before, _) = *index.by_entry.get(entry)?.first()?;
            return Some(RemovedBlocks { before: Some(before), ..RemovedBlocks::default() });
        }
        RewriteTarget::Results(call) => still_in(index.results.get(call)),
        RewriteTarget::From(entry) => {
            let (from, _) = *still_in(index.by_entry.get(entry)).first()?;
            bare_from = drafts[from].model_order(from);
            from_place(drafts, bare_from)
        }
        RewriteTarget::Turns(n_turns) => {
            let mut humans = (0..drafts.len()).rev().filter(|&at| {
                let draft = &drafts[at];
                let is_turn =
                    draft.message.author == Author::Human && draft.message.form == MessageForm::Plain;
                is_turn && draft.standings.contains(&HistoryPresence::In)
            });
            let back = (*n_turns as usize).checked_sub(1)?;
            let from = humans.by_ref().take(back.saturating_add(1)).last()?;
            bare_from = drafts[from].model_order(from);
            from_place(drafts, bare_from)
        }
    };
    if found.is_empty() && *target != RewriteTarget::All {
        return None;
    }
    for &(at, pos) in &found {
        drafts[at].standings[pos] = HistoryPresence::Gone;
    }
    let mut taken = RemovedBlocks { drops: found, ..RemovedBlocks::default() };
    let goes_around = bare_from < drafts.len();
    for (at, draft) in drafts.iter_mut().enumerate().filter(|_| goes_around) {
        if draft.blocks.is_empty() && draft.bare == HistoryPresence::In && draft.model_order(at) >= bare_from
        {
            draft.bare = HistoryPresence::Gone;
            taken.drops_bare.push(at);
        }
    }
    Some(taken)
}

/// Tells whether an eviction names a record that is in the log, but not so on this branch: its record says the state of a
/// whole context, and parts of that may have been evicted on another branch, or not at all.
pub(crate) fn is_known_elsewhere(log: &EventLog, target: &RewriteTarget) -> bool {
    match target {
        RewriteTarget::Part(entry, _)
        | RewriteTarget::PartBack(entry, _)
        | RewriteTarget::Before(Some(entry)) => log.find_record(entry).is_some(),
        _ => false,
    }
}

fn from_place(drafts: &[MessageDraft<'_>], place: usize) -> Vec<DraftBlock> {
    blocks_in(drafts, |at, draft, _| draft.model_order(at) >= place)
}

fn blocks_in(
    drafts: &[MessageDraft<'_>],
    is_meant: impl Fn(usize, &MessageDraft<'_>, usize) -> bool,
) -> Vec<DraftBlock> {
    let all = drafts.iter().enumerate().flat_map(|(at, draft)| {
        let of_draft = draft.standings.iter().enumerate();
        of_draft
            .filter(|(_, standing)| **standing == HistoryPresence::In)
            .map(move |(pos, _)| (at, draft, pos))
    });
    all.filter(|(at, draft, pos)| is_meant(*at, draft, *pos)).map(|(at, _, pos)| (at, pos)).collect()
}

pub(crate) fn target_name(target: &RewriteTarget) -> Box<str> {
    match target {
        RewriteTarget::Entry(entry) | RewriteTarget::From(entry) => entry.to_string(),
        RewriteTarget::Part(entry, part) | RewriteTarget::PartBack(entry, part) => format!("{entry}:{part}"),
        RewriteTarget::Before(entry) => {
            entry.as_ref().map_or_else(|| "the end".to_string(), EntryId::to_string)
        }
        RewriteTarget::Results(call) => format!("the result of {call}"),
        RewriteTarget::Turns(n_turns) => format!("the last {n_turns} turns"),
        RewriteTarget::All => "everything".into(),
    }
    .into_boxed_str()
}

pub(crate) fn number_replacements(
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
            let event = log.record(draft.event);
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
