//! Pairing: joins results to calls and gives both their tool class.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{
    AnswerForm, BlockIdx, BlockKind, Holds, HumanWords, MessageIdx, Problem, ProblemKind, Session,
    ToolCallId, ToolClass, ToolTable,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct CallPairer {
    calls: BTreeMap<ToolCallId, BlockIdx>,
    /// Calls of one message that share an id are answered in their order.
    earlier: BTreeMap<ToolCallId, VecDeque<BlockIdx>>,
    stand_ins: BTreeMap<BlockIdx, MessageIdx>,
    classes: BTreeMap<Arc<str>, ToolClass>,
    /// Ids of results before which no call had the id.
    strays: BTreeSet<ToolCallId>,
    unanswered: BTreeSet<BlockIdx>,
    /// Calls, and results without one, that hold human words.
    with_words: BTreeSet<BlockIdx>,
}

impl CallPairer {
    /// Pairs the blocks from `first` on, and returns the first block that this changes.
    pub(crate) fn add_blocks(
        &mut self,
        session: &mut Session,
        first: usize,
        tools: &ToolTable,
        problems: &mut Vec<Problem>,
    ) -> usize {
        let mut changed = first;
        for at in first..session.blocks.len() {
            match session.blocks[at].kind {
                BlockKind::Call(_) => self.add_call(session, BlockIdx::new(at), tools, problems),
                BlockKind::Result(_) => {
                    let call = self.add_result(session, BlockIdx::new(at), problems);
                    changed = changed.min(call.map_or(first, BlockIdx::at));
                }
                BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
            }
        }
        changed.min(self.find_words(session, first, tools))
    }

    fn add_call(
        &mut self,
        session: &mut Session,
        idx: BlockIdx,
        tools: &ToolTable,
        problems: &mut Vec<Problem>,
    ) {
        let block = &mut session.blocks[idx.at()];
        let BlockKind::Call(call) = &mut block.kind else { return };
        let class = match self.classes.get_key_value(&*call.name) {
            Some((name, class)) => {
                // All calls of a tool share one string, which keeps lookups in cache.
                call.name = Arc::clone(name);
                *class
            }
            None => {
                let class = tools.class_of(&call.name);
                self.classes.insert(Arc::clone(&call.name), class);
                class
            }
        };
        block.shell_search =
            class == ToolClass::Shell && tools.class_of_call(call, true) == ToolClass::Search;
        let id = call.id.clone();
        block.class = Some(class);
        let added = session.messages[session.blocks[idx.at()].message.at()].added;
        if added && let Some(&original) = self.calls.get(&id) {
            let message = session.blocks[idx.at()].message;
            let previous = self.stand_ins.insert(original, message);
            session.odd_call_ids |=
                previous == Some(message) || session.blocks[original.at()].message == message;
            session.blocks[idx.at()].stands_for = Some(original);
            session.blocks[idx.at()].pair = session.blocks[original.at()].pair;
        } else if let Some(before) = self.calls.insert(id.clone(), idx) {
            session.odd_call_ids = true;
            if session.blocks[before.at()].message == session.blocks[idx.at()].message {
                self.earlier.entry(id.clone()).or_default().push_back(before);
            } else {
                self.earlier.remove(&id);
            }
            let kind = ProblemKind::CallRepeated { call: id };
            problems.push(Problem { place: session.place_of(idx), kind });
        } else {
            session.odd_call_ids |= self.strays.contains(&id);
        }
        let block = &session.blocks[idx.at()];
        if block.pair.is_none() && block.stands_for.is_none() {
            self.unanswered.insert(idx);
        }
    }

    /// Pairs a result and returns its call if it is the first result.
    fn add_result(
        &mut self,
        session: &mut Session,
        idx: BlockIdx,
        problems: &mut Vec<Problem>,
    ) -> Option<BlockIdx> {
        let BlockKind::Result(result) = &session.blocks[idx.at()].kind else { return None };
        let id = result.call.clone();
        let first = self.earlier.get_mut(&id).and_then(VecDeque::pop_front);
        let Some(call) = first.or_else(|| self.calls.get(&id).copied()) else {
            self.strays.insert(id.clone());
            let kind = ProblemKind::ResultWithoutCall { call: id };
            problems.push(Problem { place: session.place_of(idx), kind });
            return None;
        };
        let (class, shell_search, is_answered) = {
            let row = &session.blocks[call.at()];
            (row.class, row.shell_search, row.pair.is_some())
        };
        let block = &mut session.blocks[idx.at()];
        block.pair = Some(call);
        block.class = class;
        block.shell_search = shell_search;
        if !is_answered {
            session.blocks[call.at()].pair = Some(idx);
            self.unanswered.remove(&call);
            return Some(call);
        }
        if !session.messages[session.blocks[idx.at()].message.at()].added {
            let kind = ProblemKind::ResultRepeated { call: id };
            problems.push(Problem { place: session.place_of(idx), kind });
        }
        None
    }

    /// Finds results with human words from `first` on, and the blocks that belong to them. Returns the first block that
    /// this changes.
    ///
    /// A failed result has the words of a refusal. A successful one has human words only if its tool
    /// asks the human.
    fn find_words(&mut self, session: &mut Session, first: usize, tools: &ToolTable) -> usize {
        let mut changed = first;
        for at in first..session.blocks.len() {
            let row = &session.blocks[at];
            let BlockKind::Result(result) = &row.kind else { continue };
            let name = match row.pair.map(|call| &session.blocks[call.at()].kind) {
                Some(BlockKind::Call(call)) => Some(&*call.name),
                _ => result.name.as_deref(),
            };
            let asks = || name.and_then(|name| tools.answer_of(name));
            // Harness text in place of an answer holds no human words.
            let is_added = session.messages[row.message.at()].added;
            let holds = match (&row.holds, result.ok) {
                (Holds::Words(words), ok) if !ok || asks().is_some() => Holds::Words(words.clone()),
                (_, true) if !is_added && asks() == Some(AnswerForm::Whole) => {
                    Holds::Words(HumanWords::whole_text().into())
                }
                _ => Holds::Nothing,
            };
            let head = row.pair.unwrap_or(BlockIdx::new(at));
            if matches!(holds, Holds::Words(_)) && self.with_words.insert(head) {
                changed = changed.min(head.at());
            }
            if session.blocks[at].holds != holds {
                session.blocks[at].holds = holds;
            }
        }
        if self.with_words.is_empty() {
            return changed;
        }
        // A block stands behind its head.
        for at in changed..session.blocks.len() {
            let is_with_words = self.with_words.contains(&pair_head(session, BlockIdx::new(at)));
            if session.blocks[at].is_with_words != is_with_words {
                session.blocks[at].is_with_words = is_with_words;
            }
        }
        changed
    }

    /// Reports the calls without a result, but not those of the last reply: they may still be running.
    pub(crate) fn report_unanswered(&self, session: &Session, problems: &mut Vec<Problem>) {
        let last_reply = session.turns.iter().rev().find_map(|turn| turn.message);
        for idx in &self.unanswered {
            let block = &session.blocks[idx.at()];
            let BlockKind::Call(call) = &block.kind else { continue };
            if Some(block.message) != last_reply {
                let kind = ProblemKind::CallWithoutResult { call: call.id.clone() };
                problems.push(Problem { place: session.place_of(*idx), kind });
            }
        }
    }
}

pub(crate) fn pair_head(session: &Session, block: BlockIdx) -> BlockIdx {
    let row = &session.blocks[block.at()];
    let is_call = |other: &BlockIdx| matches!(session.blocks[other.at()].kind, BlockKind::Call(_));
    match row.kind {
        BlockKind::Result(_) => row.pair.unwrap_or(block),
        BlockKind::Call(_) => row.stands_for.filter(is_call).unwrap_or(block),
        BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => block,
    }
}
