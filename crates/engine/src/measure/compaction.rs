//! Audit of compactions: what the session needed after each one, and what the compaction had removed.
//!
//! A compaction's stretch lasts until the next compaction or the end. A name is *needed* in it if a reply
//! uses it ([`Use`]) and its latest holder was in the context right before the compaction. The holder either
//! stayed or was removed. Once the agent has reacquired it, or a new result has the name, later uses concern
//! the new block and no longer count.
//!
//! A need in a later stretch for a block removed here is listed separately, so each need is counted once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::uses_of;
use crate::{
    BlockIdx, BlockKind, Material, MessageIdx, Replacement, ReplacementCause, Session, ToolClass, TurnIdx,
    Use,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededName {
    pub name: u32,
    pub held: BlockIdx,
    pub turn: TurnIdx,
    pub n_uses: u32,
    pub is_taken: bool,
    pub again: Option<BlockIdx>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionAudit {
    pub replacement: usize,
    /// First turn whose request reflects the compaction.
    pub turn: TurnIdx,
    pub next: Option<TurnIdx>,
    /// Names needed within the stretch, in the order of first use.
    pub needed: Vec<NeededName>,
    /// Names needed in later stretches whose holder this compaction removed.
    pub late: Vec<NeededName>,
    /// Number of calls in the stretch before its first edit; all calls if the stretch has no edit.
    pub n_calls_before_edit: u32,
    pub edit: Option<TurnIdx>,
}

impl CompactionAudit {
    /// Lists the results that reacquired removed content, in log order without duplicates.
    pub fn got_again(needed: &[NeededName]) -> Vec<BlockIdx> {
        let taken = needed.iter().filter(|one| one.is_taken);
        let mut results: Vec<BlockIdx> = taken.filter_map(|one| one.again).collect();
        results.sort_unstable();
        results.dedup();
        results
    }

    /// Lists the removed blocks needed later with their number of uses, most used first.
    pub fn taken_blocks(&self) -> Vec<(BlockIdx, u32)> {
        let mut uses: BTreeMap<BlockIdx, u32> = BTreeMap::new();
        for one in self.needed.iter().chain(&self.late).filter(|one| one.is_taken) {
            *uses.entry(one.held).or_default() += one.n_uses;
        }
        let mut blocks: Vec<(BlockIdx, u32)> = uses.into_iter().collect();
        blocks.sort_by_key(|(block, n_uses)| (core::cmp::Reverse(*n_uses), *block));
        blocks
    }
}

/// Names that may be plain words ([`crate::Name::is_telling`]) do not count.
pub fn audit_compactions(session: &Session, material: &Material) -> Vec<CompactionAudit> {
    let compactions = session.replacements.iter().enumerate();
    let mut audits: Vec<CompactionAudit> = compactions
        .filter(|(_, replacement)| replacement.cause == ReplacementCause::Compaction)
        .map(|(at, replacement)| CompactionAudit {
            replacement: at,
            turn: session.turn_of(replacement),
            next: None,
            needed: Vec::new(),
            late: Vec::new(),
            n_calls_before_edit: 0,
            edit: None,
        })
        .collect();
    for at in 1..audits.len() {
        audits[at - 1].next = Some(audits[at].turn);
    }
    Walk::new(session).find_needs(material, &mut audits);
    for audit in &mut audits {
        count_calls(session, audit);
    }
    audits
}

struct Walk<'a> {
    session: &'a Session,
    taken_by: Vec<Option<usize>>,
    next: usize,
}

impl<'a> Walk<'a> {
    fn new(session: &'a Session) -> Self {
        Self { session, taken_by: alloc::vec![None; session.blocks.len()], next: 0 }
    }

    fn go_to(&mut self, turn: TurnIdx) {
        let due = |one: &&Replacement| self.session.turn_of(one) <= turn;
        while let Some(replacement) = self.session.replacements.get(self.next).filter(due) {
            replacement.drops.iter().for_each(|block| self.taken_by[block.at()] = Some(self.next));
            replacement.restores.iter().for_each(|block| self.taken_by[block.at()] = None);
            self.next += 1;
        }
    }

    fn find_needs(mut self, material: &Material, audits: &mut [CompactionAudit]) {
        // Position of each (name, holder, stretch) in its audit's list.
        let mut places: BTreeMap<(u32, BlockIdx, usize), NeededNameUse> = BTreeMap::new();
        for at in 0..self.session.turns.len() {
            let turn = TurnIdx::from_position(at);
            self.go_to(turn);
            let Some(last) = audits.partition_point(|audit| audit.turn <= turn).checked_sub(1) else {
                continue;
            };
            let before = self.session.replacements[audits[last].replacement].at;
            let uses = &material.uses;
            let is_mere_word =
                |one: &Use| material.names.get(one.name as usize).is_some_and(|name| !name.is_telling());
            for one in &uses[uses_of(self.session, uses, turn)] {
                if is_mere_word(one) || self.session.blocks[one.held.at()].message.at() >= before {
                    continue;
                }
                let by = self.taken_by[one.held.at()];
                // Content removed otherwise (cleared, rolled back) is not a compaction's loss.
                let by = by.map(|by| audits.iter().position(|audit| audit.replacement == by));
                let of = match by {
                    None => last,
                    Some(Some(of)) => of,
                    Some(None) => continue,
                };
                let audit = &mut audits[of];
                let list = if of == last { &mut audit.needed } else { &mut audit.late };
                // A removed block stays removed, so all later stretches count as one.
                let stretch = if of == last { last } else { usize::MAX };
                let place = places.entry((one.name, one.held, stretch)).or_insert_with(|| {
                    let needed = NeededName {
                        name: one.name,
                        held: one.held,
                        turn,
                        n_uses: 0,
                        is_taken: by.is_some(),
                        again: None,
                    };
                    list.push(needed);
                    NeededNameUse { at: list.len() - 1, turn: None }
                });
                let needed = &mut list[place.at];
                if place.turn.replace(turn) != Some(turn) {
                    needed.n_uses += 1;
                }
                needed.again = needed.again.or(one.again);
            }
        }
    }
}

struct NeededNameUse {
    at: usize,
    turn: Option<TurnIdx>,
}

fn count_calls(session: &Session, audit: &mut CompactionAudit) {
    let from = audit.turn.at();
    let end = audit.next.map_or(session.turns.len(), TurnIdx::at);
    let replies = session.turns.get(from..end).unwrap_or_default().iter().zip(from..);
    let replies = replies.filter_map(|(turn, at)| Some((turn.message?, TurnIdx::from_position(at))));
    for (reply, turn) in replies {
        for class in calls_of(session, reply) {
            match class {
                Some(ToolClass::Write) => return audit.edit = Some(turn),
                Some(ToolClass::Delimiter) => {}
                _ => audit.n_calls_before_edit += 1,
            }
        }
    }
}

fn calls_of(session: &Session, reply: MessageIdx) -> impl Iterator<Item = Option<ToolClass>> {
    let blocks = session.blocks_of(reply);
    blocks.filter(|(_, block)| matches!(block.kind, BlockKind::Call(_))).map(|(_, block)| block.class)
}
