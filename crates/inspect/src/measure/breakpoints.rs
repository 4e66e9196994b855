//! Prompt cache breakpoints recorded in a log.

use cwl_engine::{BlockIdx, BlockPlace, RawPayload, Session};
use cwl_formats::Format;

use crate::ApiError;
use crate::measure::opened::SessionSnapshot;

const FIELD: &str = "cache_control";

impl SessionSnapshot {
    /// Returns the blocks that carried a breakpoint in their first request, in log order. Only request bodies of
    /// Anthropic's API tell.
    pub(crate) fn find_breakpoints(&self, session: &Session) -> Result<Vec<BlockIdx>, ApiError> {
        if self.about.format != Format::Anthropic {
            return Ok(Vec::new());
        }
        let blocks = || (0..session.blocks.len()).map(BlockIdx::new);
        let places: Vec<BlockPlace> = blocks().map(|block| Self::place_of(session, block)).collect();
        let contents = self.texts.block_contents(&places)?;
        let marked = blocks().zip(&contents).filter(|(_, content)| is_breakpoint(&content.raw));
        Ok(marked.map(|(block, _)| block).collect())
    }
}

fn is_breakpoint(raw: &RawPayload) -> bool {
    let whole = match raw {
        RawPayload::Whole(json) if json.contains(FIELD) => json.clone(),
        RawPayload::Around { before, after } if before.contains(FIELD) || after.contains(FIELD) => {
            format!("{before}null{after}")
        }
        _ => return false,
    };
    let part: Option<serde_json::Value> = serde_json::from_str(&whole).ok();
    part.is_some_and(|part| part.get(FIELD).is_some_and(|mark| !mark.is_null()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_carries_a_breakpoint_where_it_says_so_itself() {
        let check = |raw: RawPayload, expected: bool| assert_eq!(is_breakpoint(&raw), expected, "{raw:?}");
        let whole = |json: &str| RawPayload::Whole(json.to_owned());
        check(whole(r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#), true);
        check(whole(r#"{"type":"text","text":"a","cache_control":null}"#), false);
        check(whole(r#"{"type":"text","text":"cache_control"}"#), false);
        check(whole(r#"{"type":"tool_use","input":{"cache_control":{"type":"ephemeral"}}}"#), false);
        check(whole("{\"cache_control\":"), false);
        let around = |before: &str, after: &str| RawPayload::Around {
            before: before.to_owned(),
            after: after.to_owned(),
        };
        check(around(r#"{"type":"text","text":"#, r#","cache_control":{"type":"ephemeral"}}"#), true);
        check(around(r#"{"type":"text","text":"#, "}"), false);
    }
}
