//! The plain form of `pi-cwl`: filters all messages anew at every step and recounts the total for
//! every budget check. The fast form is tested and measured against it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockKind, DeclaredKind, DelimiterMark, DelimiterRule, EpisodeName, MarkField,
    MessageClass, MessageForm, MessageIdx, Role, Session, TokenTable, ToolCallId, ToolClass, TurnIdx,
};

/// Name, action, total before and after, blocks in log order.
pub type PlainStep = (Option<EpisodeName>, Action, u64, u64, Vec<BlockIdx>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainPass {
    pub before: u64,
    pub after: u64,
    pub steps: Vec<PlainStep>,
    /// Names counted as evicted, in order.
    pub evicted: Vec<Option<EpisodeName>>,
    /// Remaining messages in model order.
    pub messages: Vec<MessageIdx>,
}

struct PlainSegment {
    name: Option<EpisodeName>,
    is_act: bool,
    lists: Vec<EpisodeName>,
    start: BlockIdx,
    end: Option<BlockIdx>,
}

type Row = (MessageIdx, Vec<BlockIdx>);

struct Plain<'a> {
    session: &'a Session,
    table: &'a TokenTable,
    pins: &'a [BlockIdx],
    rule: DelimiterRule,
}

pub fn plain_pi_cwl(
    session: &Session,
    table: &TokenTable,
    pins: &[BlockIdx],
    rule: DelimiterRule,
    budget: u64,
    turn: TurnIdx,
) -> PlainPass {
    Plain { session, table, pins, rule }.pass(budget, turn)
}

impl Plain<'_> {
    fn pass(&self, budget: u64, turn: TurnIdx) -> PlainPass {
        let mut list = self.history(turn);
        let before = self.count(&list);
        let mut steps = Vec::new();
        let mut evicted: Vec<Option<EpisodeName>> = Vec::new();
        let segments = self.segments(&list);
        while self.count(&list) > budget {
            let may_go = |segment: &&PlainSegment| {
                segment.end.is_some()
                    && !evicted.contains(&segment.name)
                    && segments
                        .iter()
                        .filter(|other| segment.name.as_ref().is_some_and(|name| other.lists.contains(name)))
                        .all(|other| evicted.contains(&other.name))
            };
            let Some(target) = segments.iter().filter(may_go).min_by_key(|segment| segment.start) else {
                break;
            };
            let actions: &[Action] = if target.is_act {
                &[Action::BulkOutput, Action::Shell, Action::Read, Action::Remove]
            } else {
                &[Action::Reasoning, Action::BulkOutput, Action::Shell, Action::Read, Action::Remove]
            };
            for &action in actions {
                let Some((from, to)) = self.range(&list, target) else { break };
                let before = self.count(&list);
                let next = self.filter(&list, from, to, action);
                let taken = difference(&list, &next);
                if next != list || action == Action::Remove {
                    list = next;
                    steps.push((target.name.clone(), action, before, self.count(&list), taken));
                }
                if self.count(&list) <= budget {
                    break;
                }
            }
            evicted.push(target.name.clone());
        }
        let messages = list.iter().map(|(message, _)| *message).collect();
        PlainPass { before, after: self.count(&list), steps, evicted, messages }
    }

    /// Lists what the harness itself would send, in model order.
    fn history(&self, turn: TurnIdx) -> Vec<Row> {
        let end = self.session.turn_at(turn).end;
        let mut dropped = BTreeSet::new();
        for replacement in self.session.replacements.iter().filter(|replacement| replacement.at <= end) {
            dropped.extend(replacement.drops.iter().copied());
            for block in &replacement.restores {
                dropped.remove(block);
            }
        }
        let stands = self.session.stands_bare(turn);
        let row = |message: MessageIdx| {
            if !stands[message.at()] {
                return None;
            }
            let blocks: Vec<BlockIdx> = self.session.blocks_of(message).map(|(block, _)| block).collect();
            let left: Vec<BlockIdx> =
                blocks.iter().copied().filter(|block| !dropped.contains(block)).collect();
            (blocks.is_empty() || !left.is_empty()).then_some((message, left))
        };
        self.session.model_order(end).into_iter().filter_map(row).collect()
    }

    fn count(&self, list: &[Row]) -> u64 {
        let units = |blocks: &[BlockIdx]| blocks.iter().map(|block| self.table.units(*block)).sum();
        list.iter().map(|(_, blocks)| self.table.tokens_from_units(units(blocks))).sum()
    }

    fn segments(&self, list: &[Row]) -> Vec<PlainSegment> {
        let is_recorded = |at: usize| {
            let block = BlockIdx::new(at);
            let own_place = self.session.message_of(block).before.is_none();
            own_place && self.recorded_mark(block).is_some()
        };
        let recorded = self.rule == DelimiterRule::Exact || (0..self.session.blocks.len()).any(is_recorded);
        let mut segments: Vec<PlainSegment> = Vec::new();
        // The newest segment of each name.
        let mut newest: BTreeMap<Option<EpisodeName>, usize> = BTreeMap::new();
        let stands_in = |message: &MessageIdx| self.session.messages[message.at()].before.is_some();
        for block in list.iter().filter(|(message, _)| !stands_in(message)).flat_map(|(_, blocks)| blocks) {
            let Some(mark) = self.mark(*block, recorded) else { continue };
            if let Some((name, is_act, dependencies)) = begins(mark, recorded) {
                newest.insert(name.cloned(), segments.len());
                segments.push(PlainSegment {
                    name: name.cloned(),
                    is_act,
                    lists: dependencies.cloned().unwrap_or_default(),
                    start: *block,
                    end: None,
                });
            } else if let Some(name) = ends(mark, recorded) {
                let open = match recorded {
                    true => newest.get(&name.cloned()).copied(),
                    false => newest.values().copied().filter(|at| segments[*at].end.is_none()).max(),
                };
                if let Some(open) = open.filter(|open| segments[*open].end.is_none()) {
                    segments[open].end = Some(*block);
                }
            }
        }
        segments
    }

    fn mark(&self, block: BlockIdx, recorded: bool) -> Option<&DelimiterMark> {
        if recorded {
            return self.recorded_mark(block);
        }
        let row = &self.session.blocks[block.at()];
        let BlockKind::Result(result) = &row.kind else { return None };
        if !result.ok || row.class != Some(ToolClass::Delimiter) {
            return None;
        }
        let call = &self.session.blocks[row.pair?.at()];
        match &call.kind {
            BlockKind::Call(asked) if call.pair == Some(block) => asked.mark.as_ref(),
            _ => None,
        }
    }

    fn recorded_mark(&self, block: BlockIdx) -> Option<&DelimiterMark> {
        let row = &self.session.blocks[block.at()];
        let BlockKind::Result(result) = &row.kind else { return None };
        let by_table = self.rule != DelimiterRule::Exact && row.class.is_some();
        let is_meant = match by_table {
            true => row.class == Some(ToolClass::Delimiter),
            false => result.name.as_deref() == Some("delimiter"),
        };
        if is_meant { result.mark.as_ref() } else { None }
    }

    fn range(&self, list: &[Row], segment: &PlainSegment) -> Option<(usize, usize)> {
        let holder = |wanted: BlockIdx| list.iter().position(|(_, blocks)| blocks.contains(&wanted));
        let start = holder(segment.start)?;
        Some((start, segment.end.and_then(holder).unwrap_or(start)))
    }

    fn filter(&self, list: &[Row], from: usize, to: usize, action: Action) -> Vec<Row> {
        let in_range = |at: usize| (from..=to).contains(&at);
        let is_pinned = |block: &BlockIdx| self.pins.contains(block);
        let tools: &[&str] = match action {
            Action::Reasoning => {
                return list
                    .iter()
                    .enumerate()
                    .filter_map(|(at, row)| self.reasonless(row, in_range(at)))
                    .collect();
            }
            Action::BulkOutput => &["grep", "glob", "find", "ls"],
            Action::Shell => &["bash"],
            Action::Read => &["read"],
            _ => {
                let stay = |(at, (message, blocks)): (usize, &Row)| {
                    let kept: Vec<BlockIdx> = if in_range(at) && !self.is_users(*message) {
                        blocks.iter().copied().filter(is_pinned).collect()
                    } else {
                        return Some((*message, blocks.clone()));
                    };
                    (!kept.is_empty()).then_some((*message, kept))
                };
                return list.iter().enumerate().filter_map(stay).collect();
            }
        };
        let mut gone: BTreeSet<ToolCallId> = BTreeSet::new();
        let mut next = Vec::new();
        for (at, (message, blocks)) in list.iter().enumerate() {
            let mut blocks = blocks.clone();
            if in_range(at) && self.is_reply(*message) {
                blocks.retain(|block| match &self.session.blocks[block.at()].kind {
                    BlockKind::Call(call) if tools.contains(&&*call.name) && !is_pinned(block) => {
                        gone.insert(call.id.clone());
                        false
                    }
                    _ => true,
                });
                if blocks.is_empty() {
                    continue;
                }
            }
            next.push((*message, blocks));
        }
        let stays = |block: &BlockIdx| match &self.session.blocks[block.at()].kind {
            BlockKind::Result(result) => !gone.contains(&result.call) || is_pinned(block),
            _ => true,
        };
        let without = |(message, blocks): Row| {
            let had_none = blocks.is_empty();
            let blocks: Vec<BlockIdx> = blocks.into_iter().filter(stays).collect();
            (had_none || !blocks.is_empty()).then_some((message, blocks))
        };
        next.into_iter().filter_map(without).collect()
    }

    fn reasonless(&self, (message, blocks): &Row, in_range: bool) -> Option<Row> {
        let goes = |block: &BlockIdx| {
            in_range
                && self.is_reply(*message)
                && self.session.blocks[block.at()].kind == BlockKind::Reasoning
                && !self.pins.contains(block)
        };
        let left: Vec<BlockIdx> = blocks.iter().copied().filter(|block| !goes(block)).collect();
        (left.len() == blocks.len() || !left.is_empty()).then_some((*message, left))
    }

    fn is_reply(&self, message: MessageIdx) -> bool {
        self.session.messages[message.at()].role == Role::Assistant
    }

    /// Returns `true` for pi's role `user`, and for system messages, which pi stores elsewhere.
    fn is_users(&self, message: MessageIdx) -> bool {
        let row = &self.session.messages[message.at()];
        match row.class {
            MessageClass::System => true,
            MessageClass::User => !matches!(row.form, MessageForm::HumanShell { .. }),
            _ => false,
        }
    }
}

type Begins<'a> = (Option<&'a EpisodeName>, bool, Option<&'a Vec<EpisodeName>>);

fn begins(mark: &DelimiterMark, recorded: bool) -> Option<Begins<'_>> {
    match mark {
        DelimiterMark::Open { name, kind, dependencies, .. } => {
            Some((Some(name), *kind == DeclaredKind::Action, dependencies.as_ref()))
        }
        DelimiterMark::Malformed { field: MarkField::Action, .. } | DelimiterMark::Close { .. } => None,
        DelimiterMark::Malformed { field, name, is_act, dependencies } => {
            let counts = recorded || *field == MarkField::Type;
            counts.then_some((name.as_ref(), *is_act, dependencies.as_ref()))
        }
    }
}

fn ends(mark: &DelimiterMark, recorded: bool) -> Option<Option<&EpisodeName>> {
    match mark {
        DelimiterMark::Close { name, .. } => Some(name.as_ref()),
        DelimiterMark::Malformed { field: MarkField::Action, name, .. } if recorded => Some(name.as_ref()),
        DelimiterMark::Open { .. } | DelimiterMark::Malformed { .. } => None,
    }
}

fn difference(list: &[Row], next: &[Row]) -> Vec<BlockIdx> {
    let left: BTreeSet<BlockIdx> = next.iter().flat_map(|(_, blocks)| blocks.iter().copied()).collect();
    let mut gone: Vec<BlockIdx> = list
        .iter()
        .flat_map(|(_, blocks)| blocks.iter().copied())
        .filter(|block| !left.contains(block))
        .collect();
    gone.sort_unstable();
    gone
}
