//! The context window in the harness's view: stated by a refusal, or the size at which it compacts automatically.

use cwl_engine::{BlockIdx, EventBody, EventIdx, ReplyOutcome};
use cwl_formats::{automatic_compaction, fill_hole, refusing_window};

use crate::ApiError;
use crate::measure::opened::SessionSnapshot;

/// Claude Code's record of a compaction.
const BOUNDARY: &str = "system/compact_boundary";

/// Returns the window stated by the branch's last refusal, else the size before the last automatic compaction, tokens.
pub(crate) fn harness_window(opened: &SessionSnapshot) -> Result<Option<u64>, ApiError> {
    match refused_at(opened)? {
        Some(window) => Ok(Some(window)),
        None => compacted_at(opened),
    }
}

fn refused_at(opened: &SessionSnapshot) -> Result<Option<u64>, ApiError> {
    let session = &opened.current_branch().session;
    let refused = session.messages.iter().rev().filter(|message| message.outcome == ReplyOutcome::Overflow);
    for block in refused.flat_map(|message| message.blocks.clone()) {
        let stated = refusing_window(&opened.block_content(session, BlockIdx::new(block))?.text);
        if stated.is_some() {
            return Ok(stated);
        }
    }
    Ok(None)
}

fn compacted_at(opened: &SessionSnapshot) -> Result<Option<u64>, ApiError> {
    let is_boundary = |body: &EventBody| matches!(body, EventBody::Quiet { record } if **record == *BOUNDARY);
    let events = (0..).map(EventIdx::new).zip(opened.log.events());
    let boundaries: Vec<EventIdx> =
        events.filter(|(_, event)| is_boundary(&event.body)).map(|(idx, _)| idx).collect();
    let rows = opened.texts.record_envelopes(&boundaries)?;
    Ok(boundaries.iter().rev().find_map(|idx| automatic_compaction(&fill_hole(rows.get(idx)?, "[]"))))
}
