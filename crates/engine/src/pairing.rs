//! Pairing: joins results to calls and gives both their tool class.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{
    AnswerForm, BlockIdx, BlockKind, Holds, HumanWords, MessageIdx, Problem, ProblemKind, Session,
    ToolCallId, ToolClass, ToolTable,
};

pub(crate) fn pair_calls(session: &mut Session, tools: &ToolTable, problems: &mut Vec<Problem>) {
    let mut calls: BTreeMap<ToolCallId, BlockIdx> = BTreeMap::new();
    // Calls of one message that share an id are answered in their order.
    let mut earlier: BTreeMap<ToolCallId, VecDeque<BlockIdx>> = BTreeMap::new();
    // The message of each call's latest replacement.
    let mut stand_ins: BTreeMap<BlockIdx, MessageIdx> = BTreeMap::new();
    let mut classes: BTreeMap<Arc<str>, ToolClass> = BTreeMap::new();
    let mut strays: BTreeSet<ToolCallId> = BTreeSet::new();
    for at in 0..session.blocks.len() {
        let idx = BlockIdx::new(at);
        match &mut session.blocks[at].kind {
            BlockKind::Call(call) => {
                let class = match classes.get_key_value(&*call.name) {
                    Some((name, class)) => {
                        // All calls of a tool share one string, which keeps lookups in cache.
                        call.name = Arc::clone(name);
                        *class
                    }
                    None => {
                        let class = tools.class_of(&call.name);
                        classes.insert(Arc::clone(&call.name), class);
                        class
                    }
                };
                let shell_search =
                    class == ToolClass::Shell && tools.class_of_call(call, true) == ToolClass::Search;
                let id = call.id.clone();
                let block = &mut session.blocks[at];
                block.class = Some(class);
                block.shell_search = shell_search;
                let added = session.messages[session.blocks[at].message.at()].added;
                if added && let Some(&original) = calls.get(&id) {
                    let message = session.blocks[at].message;
                    let previous = stand_ins.insert(original, message);
                    session.odd_call_ids |=
                        previous == Some(message) || session.blocks[original.at()].message == message;
                    session.blocks[at].stands_for = Some(original);
                    session.blocks[at].pair = session.blocks[original.at()].pair;
                } else if let Some(before) = calls.insert(id.clone(), idx) {
                    session.odd_call_ids = true;
                    if session.blocks[before.at()].message == session.blocks[at].message {
                        earlier.entry(id.clone()).or_default().push_back(before);
                    } else {
                        earlier.remove(&id);
                    }
                    let kind = ProblemKind::CallRepeated { call: id };
                    problems.push(Problem { place: session.place_of(idx), kind });
                }
            }
            BlockKind::Result(result) => {
                let id = result.call.clone();
                let first = earlier.get_mut(&id).and_then(VecDeque::pop_front);
                let Some(call) = first.or_else(|| calls.get(&id).copied()) else {
                    strays.insert(id.clone());
                    let kind = ProblemKind::ResultWithoutCall { call: id };
                    problems.push(Problem { place: session.place_of(idx), kind });
                    continue;
                };
                let (class, shell_search) =
                    (session.blocks[call.at()].class, session.blocks[call.at()].shell_search);
                let block = &mut session.blocks[at];
                block.pair = Some(call);
                block.class = class;
                block.shell_search = shell_search;
                let added = session.messages[session.blocks[at].message.at()].added;
                if added && session.blocks[call.at()].pair.is_some() {
                    continue;
                }
                if session.blocks[call.at()].pair.is_some() {
                    let kind = ProblemKind::ResultRepeated { call: id };
                    problems.push(Problem { place: session.place_of(idx), kind });
                } else {
                    session.blocks[call.at()].pair = Some(idx);
                }
            }
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
        }
    }
    session.odd_call_ids |= strays.iter().any(|id| calls.contains_key(id));
    find_words(session, tools);
    let last_reply = session.turns.iter().rev().find_map(|turn| turn.message);
    for at in 0..session.blocks.len() {
        let block = &session.blocks[at];
        let BlockKind::Call(call) = &block.kind else { continue };
        // Calls of the last reply may still be running.
        if block.pair.is_none() && block.stands_for.is_none() && Some(block.message) != last_reply {
            let kind = ProblemKind::CallWithoutResult { call: call.id.clone() };
            problems.push(Problem { place: session.place_of(BlockIdx::new(at)), kind });
        }
    }
}

/// Finds results with human words, and the blocks that belong to them.
///
/// A failed result has the words of a refusal. A successful one has human words only if its tool
/// asks the human.
fn find_words(session: &mut Session, tools: &ToolTable) {
    let mut heads = BTreeSet::new();
    for at in 0..session.blocks.len() {
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
        if matches!(holds, Holds::Words(_)) {
            heads.insert(row.pair.unwrap_or(BlockIdx::new(at)));
        }
        session.blocks[at].holds = holds;
    }
    if heads.is_empty() {
        return;
    }
    for at in 0..session.blocks.len() {
        let head = pair_head(session, BlockIdx::new(at));
        session.blocks[at].is_with_words = heads.contains(&head);
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
