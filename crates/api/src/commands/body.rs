//! The request body: what a client would post, with what was repaired; and one block in full.

use std::collections::BTreeMap;

use cwl_engine::{Content, EventIdx, RawPayload, Session, validity};
use cwl_formats::block_json;
use cwl_formats::render::{Contents, Repair, render};

use crate::ApiError;
use crate::dto::{BlockDto, BlockRequest, BodyDto, BodyRequest};
use crate::measure::opened::Opened;
use crate::present::item::{ContextRow, rows};
use crate::present::sentence;

/// Returns the request body at a cut.
pub fn body(opened: &Opened, request: &BodyRequest) -> Result<BodyDto, ApiError> {
    let (json, mut dto) = compact_body(opened, request)?;
    dto.json = indented(&json);
    Ok(dto)
}

/// Returns the request body at a cut as it would be posted, and what was repaired.
pub fn compact_body(opened: &Opened, request: &BodyRequest) -> Result<(String, BodyDto), ApiError> {
    let provider = request.provider.into();
    let (run, moment) = opened.at(&request.view, request.cut)?;
    let session = &run.branch.session;
    let sources = Sources::fetch(opened, session, &moment.context)?;
    let rendering = render(provider, opened.about.format, session, &moment.context, &sources);
    let place = |repair: &Repair| match (repair.block, repair.message) {
        (Some(block), _) => format!("{}: ", session.blocks[block.at()].id),
        (None, Some(message)) => format!("{}: ", session.messages[message.at()].entry),
        (None, None) => String::new(),
    };
    let violations = validity(session, &moment.context, provider);
    let dto = BodyDto {
        json: String::new(),
        repairs: rendering.repairs.iter().map(|repair| format!("{}{repair}", place(repair))).collect(),
        violations: violations.iter().map(|violation| sentence::violation(session, violation)).collect(),
    };
    Ok((rendering.body, dto))
}

/// The texts of one context, fetched at once.
struct Sources {
    contents: BTreeMap<(EventIdx, u32), Content>,
    envelopes: BTreeMap<EventIdx, RawPayload>,
}

impl Sources {
    fn fetch(
        opened: &Opened,
        session: &Session,
        context: &cwl_engine::RenderedContext,
    ) -> Result<Self, ApiError> {
        let mut keys = Vec::new();
        let mut places = Vec::new();
        let mut events = Vec::new();
        for row in rows(context) {
            let ContextRow::Block { message, block, .. } = row else { continue };
            let of_block = &session.blocks[block.at()];
            events.push(of_block.event);
            events.push(session.messages[message.at()].event);
            // The block behind a placeholder still tells of what kind the result was.
            if row.is_sent() {
                keys.push((of_block.event, of_block.part));
                places.push(Opened::place_of(session, block));
            }
        }
        events.extend(context.messages.iter().filter_map(|message| match message.origin {
            cwl_engine::MessageOrigin::Log(idx) => Some(session.messages[idx.at()].event),
            cwl_engine::MessageOrigin::Residue { .. } | cwl_engine::MessageOrigin::Summary { .. } => None,
        }));
        events.sort_unstable();
        events.dedup();
        let contents = keys.into_iter().zip(opened.texts.contents(&places)?).collect();
        Ok(Self { contents, envelopes: opened.texts.envelopes(&events)? })
    }
}

impl Contents for Sources {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        self.contents.get(&(event, part)).cloned().unwrap_or_default()
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        self.envelopes.get(&event).cloned().unwrap_or_default()
    }
}

/// Beyond this depth JSON is not indented further.
const DEPTH_INDENTED: usize = 32;

/// Indents JSON by two spaces a level without touching its values.
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    let mut depth = 0usize;
    let (mut in_string, mut escaped) = (false, false);
    let break_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(DEPTH_INDENTED)));
    };
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(close) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns the whole text of a block and its JSON in the log.
pub fn block(opened: &Opened, request: &BlockRequest) -> Result<BlockDto, ApiError> {
    let (branch, block, content) = opened.block_named(request.branch.as_deref(), &request.block)?;
    Ok(BlockDto {
        block: request.block.clone(),
        raw: block_json(&content),
        text: content.text,
        line: opened.line_of(&branch.session, block),
    })
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn indents_without_touching_values() {
        let check = |json: &str, expected: &str| assert_eq!(indented(json), expected);
        check("[]", "[]");
        check("[ ]", "[]");
        check(
            r#"{"a":[1.0,{}],"b":"x, {\"y\": [1]}\\"}"#,
            concat!("{\n  \"a\": [\n    1.0,\n    {}\n  ],\n", "  \"b\": \"x, {\\\"y\\\": [1]}\\\\\"\n}"),
        );
        check("[1e400, -0]", "[\n  1e400,\n  -0\n]");
        let deep = "[".repeat(100_000);
        assert!(indented(&deep).len() < 100 * deep.len(), "hostile depth does not blow up");
    }
}
