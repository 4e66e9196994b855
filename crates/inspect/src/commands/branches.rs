//! A log's branches, each with words to recognise it.

use cwl_engine::{Author, BlockKind, BlockPlace, EventBody, EventIdx};
use cwl_formats::title::first_words;

use crate::ApiError;
use crate::api::{BranchRow, BranchesAnswer};
use crate::commands::session::list_branches as listed;
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;
use crate::measure::record_order::previous_records;

/// Returns a log's branches, the current one first.
///
/// # Errors
/// If the log's texts cannot be read.
pub fn branches(opened: &SessionSnapshot) -> Result<BranchesAnswer, ApiError> {
    let log = &opened.log;
    let parents = previous_records(log);
    let mut branches = Vec::new();
    for branch in listed(opened) {
        let leaf = log.find_record(&cwl_engine::EntryId::new(&*branch.leaf));
        let asked = leaf.and_then(|leaf| last_asked(opened, &parents, leaf));
        let text = opened.texts.block_contents(asked.as_slice())?.pop().unwrap_or_default().text;
        branches.push(BranchRow {
            line: leaf.map_or(0, |leaf| log.record(leaf).line),
            leaf: branch.leaf,
            n_messages: branch.n_messages,
            current: branch.current,
            subagent: branch.subagent,
            text: first_words(&text),
        });
    }
    Ok(BranchesAnswer { branches })
}

fn last_asked(opened: &SessionSnapshot, parents: &[Option<usize>], leaf: EventIdx) -> Option<BlockPlace> {
    let mut next = Some(leaf.at());
    while let Some(at) = next {
        let event = opened.log.record(EventIdx::new(at));
        if let EventBody::Message(message) = &event.body
            && message.author == Author::Human
            && let Some(part) = message.blocks.iter().position(|block| block.kind == BlockKind::Text)
        {
            return Some(BlockPlace { seq: saturate_u32(at), part: saturate_u32(part) });
        }
        next = parents.get(at).copied().flatten();
    }
    None
}
