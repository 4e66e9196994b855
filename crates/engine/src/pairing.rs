//! Pairing: every result joined to its call, and both to the class of their tool.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{BlockIdx, BlockKind, Problem, ProblemKind, Session, ToolCallId, ToolClass, ToolTable};

/// Joins every result to its call and gives both the class of the tool.
pub(crate) fn pair_calls(session: &mut Session, tools: &ToolTable, problems: &mut Vec<Problem>) {
    let mut calls: BTreeMap<ToolCallId, BlockIdx> = BTreeMap::new();
    let mut classes: BTreeMap<Arc<str>, ToolClass> = BTreeMap::new();
    let mut strays: BTreeSet<ToolCallId> = BTreeSet::new();
    for at in 0..session.blocks.len() {
        let idx = BlockIdx::new(at);
        match &mut session.blocks[at].kind {
            BlockKind::Call(call) => {
                let class = match classes.get_key_value(&*call.name) {
                    Some((name, class)) => {
                        // All calls of a tool share one name, so that reading it touches little memory.
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
                    session.blocks[at].stands_for = Some(original);
                    session.blocks[at].pair = session.blocks[original.at()].pair;
                } else if calls.insert(id.clone(), idx).is_some() {
                    session.odd_call_ids = true;
                    let kind = ProblemKind::CallRepeated { call: id };
                    problems.push(Problem { place: session.place(idx), kind });
                }
            }
            BlockKind::Result(result) => {
                let id = result.call.clone();
                let Some(&call) = calls.get(&id) else {
                    strays.insert(id.clone());
                    let kind = ProblemKind::ResultWithoutCall { call: id };
                    problems.push(Problem { place: session.place(idx), kind });
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
                    problems.push(Problem { place: session.place(idx), kind });
                } else {
                    session.blocks[call.at()].pair = Some(idx);
                }
            }
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
        }
    }
    session.odd_call_ids |= strays.iter().any(|id| calls.contains_key(id));
    let last_reply = session.turns.iter().rev().find_map(|turn| turn.message);
    for at in 0..session.blocks.len() {
        let block = &session.blocks[at];
        let BlockKind::Call(call) = &block.kind else { continue };
        // The last reply's calls may still be running.
        if block.pair.is_none() && block.stands_for.is_none() && Some(block.message) != last_reply {
            let kind = ProblemKind::CallWithoutResult { call: call.id.clone() };
            problems.push(Problem { place: session.place(BlockIdx::new(at)), kind });
        }
    }
}
