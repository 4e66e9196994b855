//! Table `block`: message parts without their texts.

use cwl_engine::{BlockKind, BlockPlace, ContentBlock, Holds, HumanWords, ToolCall, ToolCallId, ToolResult};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use super::mark;
use super::source::SourceId;
use crate::error::Fault;
use crate::shared::SharedTexts;
use crate::sql;

pub(crate) struct BlockRow {
    pub(crate) seq: u32,
    pub(crate) part: u32,
    pub(crate) message: u32,
    pub(crate) block: ContentBlock,
}

pub(crate) fn save_block(
    db: &Connection,
    source: SourceId,
    place: BlockPlace,
    message: u32,
    block: &ContentBlock,
    text_id: i64,
) -> Result<(), Fault> {
    let (call, tool, program, ok, mark) = match &block.kind {
        BlockKind::Call(call) => {
            (Some(&call.id), Some(&*call.name), call.program.as_deref(), None, call.mark.as_ref())
        }
        BlockKind::Result(result) => {
            (Some(&result.call), result.name.as_deref(), None, Some(result.ok), result.mark.as_ref())
        }
        BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
            (None, None, None, None, None)
        }
    };
    sql::run_statement(
        db,
        "INSERT INTO block (source_id, seq, part, message, idx, kind, images, call, tool, program, ok, text_id, holds)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            source.0,
            place.seq,
            place.part,
            message,
            block.index,
            block.kind.name(),
            block.images,
            call.map(ToolCallId::as_str),
            tool,
            program,
            ok,
            text_id,
            write_holds(&block.holds)
        ],
    )?;
    match mark {
        Some(mark) => mark::save_mark(db, source, place, mark),
        None => Ok(()),
    }
}

pub(crate) fn load_blocks(
    db: &Connection,
    source: SourceId,
    shared: &mut SharedTexts,
) -> Result<Vec<BlockRow>, Fault> {
    let mut marks = mark::load_marks(db, source)?;
    let sql = "SELECT seq, part, message, idx, kind, images, call, tool, program, ok, holds FROM block
               WHERE source_id = ?1 ORDER BY seq, part";
    sql::collect_rows(db, sql, [source.0], |row| {
        let place = BlockPlace { seq: row.get(0)?, part: row.get(1)? };
        let mark = if marks.is_empty() { None } else { marks.remove(&place) };
        let kind = match row.get_ref(4)?.as_str()? {
            "text" => BlockKind::Text,
            "reasoning" => BlockKind::Reasoning,
            "call" => BlockKind::Call(ToolCall {
                id: call_id(row)?,
                name: shared.share_text(row.get_ref(7)?.as_str()?),
                program: shared.read_column(row, 8)?,
                mark,
            }),
            "result" => BlockKind::Result(ToolResult {
                call: call_id(row)?,
                name: shared.read_column(row, 7)?,
                ok: row.get(9)?,
                mark,
            }),
            "image" => BlockKind::Image,
            "opaque" => BlockKind::Opaque,
            _ => {
                let BlockPlace { seq, part } = place;
                return Err(Fault::Damaged(format!("block {seq}.{part} of log {}: unknown kind", source.0)));
            }
        };
        let holds = match row.get_ref(10)? {
            ValueRef::Null => Holds::Nothing,
            text => read_holds(text.as_str()?).ok_or_else(|| {
                let BlockPlace { seq, part } = place;
                Fault::Damaged(format!("block {seq}.{part} of log {}: it holds something unknown", source.0))
            })?,
        };
        let block = ContentBlock { index: row.get(3)?, kind, images: row.get(5)?, holds };
        Ok(BlockRow { seq: place.seq, part: place.part, message: row.get(2)?, block })
    })
}

const SIGNATURE: &str = "signature";
const UNSENT_REASONING: &str = "unsent reasoning";
const TOOL_DEFINITION: &str = "tool ";

/// Formats what a block holds beside its text: `signature`, `unsent reasoning`, `tool NAME` for a definition, or the
/// text's length and the byte ranges of the human's words, as in `120 14..60`.
fn write_holds(holds: &Holds) -> Option<String> {
    match holds {
        Holds::Nothing => None,
        Holds::Signature => Some(SIGNATURE.to_owned()),
        Holds::UnsentReasoning => Some(UNSENT_REASONING.to_owned()),
        Holds::ToolDefinition(name) => Some(format!("{TOOL_DEFINITION}{name}")),
        Holds::Words(words) => {
            let ranges = words.ranges.iter().map(|range| format!(" {}..{}", range.start, range.end));
            Some(std::iter::once(words.text_len.to_string()).chain(ranges).collect())
        }
    }
}

fn read_holds(text: &str) -> Option<Holds> {
    match text {
        SIGNATURE => return Some(Holds::Signature),
        UNSENT_REASONING => return Some(Holds::UnsentReasoning),
        _ => {}
    }
    if let Some(name) = text.strip_prefix(TOOL_DEFINITION) {
        return Some(Holds::ToolDefinition(name.into()));
    }
    let mut parts = text.split(' ');
    let text_len = parts.next()?.parse().ok()?;
    let range = |part: &str| {
        let (start, end) = part.split_once("..")?;
        Some(start.parse().ok()?..end.parse().ok()?)
    };
    Some(Holds::Words(HumanWords { ranges: parts.map(range).collect::<Option<_>>()?, text_len }.into()))
}

fn call_id(row: &Row<'_>) -> Result<ToolCallId, Fault> {
    Ok(ToolCallId::new(row.get_ref(6)?.as_str()?))
}
