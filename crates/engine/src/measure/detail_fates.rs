//! Fates of details: how each detail in the context before a compaction remains after it, and whether it was needed later.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::detail_lines::{detail_of_line, is_need};
use super::{CompactionAudit, Detail, DetailKind, Mentions, Saying};
use crate::{
    BlockIdx, BlockKind, DigestLine, DigestRule, Material, MessageClass, Replacement, Session, TurnIdx,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailAtCut {
    pub kind: DetailKind,
    pub text: Arc<str>,
    /// The blocks of the context that say it, in log order; never empty.
    pub said_by: Vec<BlockIdx>,
    /// The blocks that came in with the compaction and say it.
    pub brought_by: Vec<BlockIdx>,
    /// The block that needed it first, before the next compaction.
    pub needed_by: Option<BlockIdx>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DetailFate {
    /// The context still has the detail, word for word.
    Literal,
    /// The context has an ending of the file's path, or a command's program and first argument.
    Named,
    Lost,
}

impl DetailAtCut {
    pub fn fate(&self, mut has: impl FnMut(BlockIdx) -> bool, said: &Mentions) -> DetailFate {
        match self.said_by.iter().any(|block| has(*block)) {
            true => DetailFate::Literal,
            false => said.detail_fate(self.kind, &self.text),
        }
    }

    pub fn needed_turn(&self, session: &Session) -> Option<TurnIdx> {
        self.needed_by.map(|block| super::turn_that_got(session, block))
    }
}

struct CompactionCut<'a> {
    session: &'a Session,
    before: Vec<bool>,
    replacement: &'a Replacement,
    from: usize,
    end: usize,
}

/// Lists for each audit the details in the context before its compaction, by kind; within a kind the needed ones come
/// first, in the order of their need.
pub fn details_at_cuts(
    session: &Session,
    material: &Material,
    details: &[Detail],
    audits: &[CompactionAudit],
) -> Vec<Vec<DetailAtCut>> {
    let mut before = alloc::vec![true; session.blocks.len()];
    let mut n_replaced = 0;
    let mut found = Vec::with_capacity(audits.len());
    for (number, audit) in audits.iter().enumerate() {
        for replacement in session.replacements.iter().take(audit.replacement).skip(n_replaced) {
            replacement.drops.iter().for_each(|block| before[block.at()] = false);
            replacement.restores.iter().for_each(|block| before[block.at()] = true);
        }
        n_replaced = audit.replacement;
        let next = audits.get(number + 1);
        let end = next.map_or(session.messages.len(), |next| session.replacements[next.replacement].at);
        let replacement = &session.replacements[audit.replacement];
        let request_end = session.turn_at(audit.turn).end;
        let cut = CompactionCut { session, before: before.clone(), replacement, from: request_end, end };
        let mut at_cut: Vec<DetailAtCut> =
            details.iter().filter_map(|detail| cut.name_at_cut(detail)).collect();
        at_cut.extend(cut.lines_at_cut(material));
        at_cut.sort_by_key(|one| (one.kind, one.needed_by.is_none(), one.needed_by));
        found.push(at_cut);
    }
    found
}

impl CompactionCut<'_> {
    fn stands_before(&self, block: BlockIdx) -> bool {
        self.before[block.at()]
            && self.session.blocks[block.at()].message.at() < self.replacement.at
            && !self.session.is_excluded(block)
    }

    fn is_brought(&self, block: BlockIdx) -> bool {
        let message = self.session.message_of(block);
        let at = self.session.blocks[block.at()].message.at();
        let is_own = message.added && message.entry == self.replacement.entry;
        at >= self.replacement.at && at < self.from && (is_own || message.class == MessageClass::Injected)
    }

    fn is_later(&self, block: BlockIdx) -> bool {
        let at = self.session.blocks[block.at()].message.at();
        (self.replacement.at..self.end).contains(&at) && !self.is_brought(block)
    }

    fn name_at_cut(&self, detail: &Detail) -> Option<DetailAtCut> {
        let blocks = |counts: &dyn Fn(BlockIdx) -> bool| -> Vec<BlockIdx> {
            detail.said.iter().map(|saying| saying.block).filter(|block| counts(*block)).collect()
        };
        let said_by = blocks(&|block| self.stands_before(block));
        let is_before = |block: BlockIdx| self.session.blocks[block.at()].message.at() < self.replacement.at;
        let is_named = || detail.said.iter().any(|saying| saying.is_named && is_before(saying.block));
        if said_by.is_empty() || detail.kind == DetailKind::File && !is_named() {
            return None;
        }
        let mut later = detail.said.iter().filter(|saying| self.is_later(saying.block));
        let is_use = |saying: &&Saying| is_need(self.session, saying);
        let needed = match detail.kind {
            // An equal number in a newer text is more often chance than the old number.
            DetailKind::Number => later.next().filter(is_use),
            _ => later.find(is_use),
        };
        Some(DetailAtCut {
            kind: detail.kind,
            text: detail.text.clone(),
            said_by,
            brought_by: blocks(&|block| self.is_brought(block)),
            needed_by: needed.map(|saying| saying.block),
        })
    }

    fn lines_at_cut(&self, material: &Material) -> Vec<DetailAtCut> {
        let plan = material
            .plans
            .iter()
            .rev()
            .copied()
            .find(|plan| self.session.blocks[plan.at()].message.at() < self.replacement.at);
        let mut places: BTreeMap<(DetailKind, &str), usize> = BTreeMap::new();
        let mut found: Vec<DetailAtCut> = Vec::new();
        for line in &material.digest {
            let Some((kind, text)) = detail_of_line(self.session, line) else { continue };
            let place = places.get(&(kind, text)).copied();
            if self.stands_before(line.block) {
                let is_open = match line.rule {
                    Some(DigestRule::Planned) => plan == Some(line.block),
                    Some(DigestRule::Asked) => !self.is_answered(line),
                    _ => true,
                };
                match place {
                    Some(place) => found[place].said_by.push(line.block),
                    None if is_open => {
                        places.insert((kind, text), found.len());
                        found.push(DetailAtCut {
                            kind,
                            text: text.into(),
                            said_by: alloc::vec![line.block],
                            brought_by: Vec::new(),
                            needed_by: None,
                        });
                    }
                    None => {}
                }
            } else if let Some(place) = place
                && self.is_later(line.block)
            {
                found[place].needed_by.get_or_insert(line.block);
            }
        }
        found
    }

    fn is_answered(&self, line: &DigestLine) -> bool {
        let asked = self.session.blocks[line.block.at()].message.at();
        let by_human = self.session.message_of(line.block).is_typed();
        let mut later = self.session.messages.range(asked + 1..self.replacement.at);
        later.any(|message| {
            let is_other = match by_human {
                true => message.class == MessageClass::Assistant && !message.added,
                false => message.is_typed(),
            };
            let mut blocks = self.session.blocks.range(message.blocks.clone());
            is_other && blocks.any(|block| matches!(block.kind, BlockKind::Text))
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FateCounts {
    pub n_all: u32,
    pub n_literal: u32,
    pub n_named: u32,
    pub n_needed: u32,
    pub n_needed_literal: u32,
    pub n_needed_named: u32,
}

impl FateCounts {
    pub fn add_detail(&mut self, fate: DetailFate, is_needed: bool) {
        let literal = u32::from(fate == DetailFate::Literal);
        let named = u32::from(fate == DetailFate::Named);
        self.n_all += 1;
        self.n_literal += literal;
        self.n_named += named;
        if is_needed {
            self.n_needed += 1;
            self.n_needed_literal += literal;
            self.n_needed_named += named;
        }
    }

    pub fn n_lost(&self) -> u32 {
        self.n_all - self.n_literal - self.n_named
    }

    pub fn n_needed_lost(&self) -> u32 {
        self.n_needed - self.n_needed_literal - self.n_needed_named
    }
}
