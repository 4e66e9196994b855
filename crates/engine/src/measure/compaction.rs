//! Compactions, audited: what a session needed again after each one, and what of it the compaction had taken.
//!
//! The stretch of a compaction lasts from the first request without what it took to the next compaction, or to the end.
//! A name is *needed* there when a reply uses it ([`Use`]) and the latest block that held it stood in the context right
//! before the compaction. That block either stayed or went. Once the agent has got the same again, or a new result
//! has the name, later uses are about the new block and count no more.
//!
//! A need in a later stretch, of a block that this compaction took, is counted apart: each need is told once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::uses_of;
use crate::{
    BlockIdx, BlockKind, Material, MessageIdx, Replacement, ReplacementCause, Session, ToolClass, TurnIdx,
    Use,
};

/// A name that replies used after a compaction, and whose block stood in the context before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededName {
    /// The name, as a place in [`crate::Material::names`].
    pub name: u32,
    /// The block that held it.
    pub held: BlockIdx,
    /// The first turn whose reply used it.
    pub turn: TurnIdx,
    /// How many replies used it before a newer block held it.
    pub n_uses: u32,
    /// True when the compaction took the block.
    pub is_taken: bool,
    /// The result by which the agent got the same again, if it did.
    pub again: Option<BlockIdx>,
}

/// The audit of one compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionAudit {
    /// The compaction, as a place in [`Session::replacements`].
    pub replacement: usize,
    /// The first turn whose request is without what it took.
    pub turn: TurnIdx,
    /// The first turn of the next compaction; `None` if its stretch lasts to the end.
    pub next: Option<TurnIdx>,
    /// The names the stretch needed, in the order of their first uses.
    pub needed: Vec<NeededName>,
    /// The names that later stretches needed and this compaction had taken.
    pub late: Vec<NeededName>,
    /// Calls of the stretch before its first edit; all of them where it has none.
    pub n_calls_before_edit: u32,
    /// The turn whose reply has the first edit of the stretch.
    pub edit: Option<TurnIdx>,
}

impl CompactionAudit {
    /// Lists the results by which the agent got again what the compaction had taken, each once, in log order.
    pub fn got_again(needed: &[NeededName]) -> Vec<BlockIdx> {
        let taken = needed.iter().filter(|one| one.is_taken);
        let mut results: Vec<BlockIdx> = taken.filter_map(|one| one.again).collect();
        results.sort_unstable();
        results.dedup();
        results
    }

    /// Lists the blocks the compaction took and that were needed again, with how often: the most used first.
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

/// Audits every compaction of `session`. Names that may be mere words ([`crate::Name::is_telling`]) do not count.
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

/// The session's replacements, taken over turn by turn.
struct Walk<'a> {
    session: &'a Session,
    /// The replacement that took each block, where one did.
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
        // The place of each name of a block in the audit that counts it.
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
                // Content that was taken otherwise (cleared, rolled back) is no compaction's loss.
                let by = by.map(|by| audits.iter().position(|audit| audit.replacement == by));
                let of = match by {
                    None => last,
                    Some(Some(of)) => of,
                    Some(None) => continue,
                };
                let audit = &mut audits[of];
                let list = if of == last { &mut audit.needed } else { &mut audit.late };
                // A block that went stays gone, so all later stretches are one.
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

/// The place of a needed name in its list, and the last turn that used it.
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
