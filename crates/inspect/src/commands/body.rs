//! The request body that a client would post, with its repairs; and single blocks in full.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};

use cwl_engine::{BlockPlace, Content, EventIdx, RawPayload, RenderedContext, Session, find_violations};
use cwl_formats::block_json;
use cwl_formats::render::{ContentSource, Repair, write_context};

use crate::ApiError;
use crate::api::{BlockAnswer, BlockRequest, BodyAnswer, BodyRequest};
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;
use crate::present::hidden::RevealingWriter;
use crate::present::item::{ContextRow, context_rows};
use crate::present::sentence;

/// Returns the request body at a cut.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn body(opened: &SessionSnapshot, request: &BodyRequest) -> Result<BodyAnswer, ApiError> {
    let mut json = Vec::new();
    // Writing into a vector cannot fail.
    let answer = write_to(opened, request, &mut json)?.unwrap_or_default();
    Ok(BodyAnswer { json: indent_json(&String::from_utf8(json).unwrap_or_default()), ..answer })
}

/// Streams the request body at a cut, message by message, with invisible characters escaped. Returns the
/// answer of [`body`] without its JSON: what was repaired.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read; the inner error comes from `out`. After an
/// error of the texts, the written request is incomplete.
pub fn write_body(
    opened: &SessionSnapshot,
    request: &BodyRequest,
    out: &mut impl Write,
) -> Result<io::Result<BodyAnswer>, ApiError> {
    write_to(opened, request, &mut RevealingWriter(out))
}

fn write_to(
    opened: &SessionSnapshot,
    request: &BodyRequest,
    out: &mut dyn Write,
) -> Result<io::Result<BodyAnswer>, ApiError> {
    let provider = request.provider;
    let (run, moment) = opened.replay_to_cut(&request.view, request.cut)?;
    let session = &run.branch.session;
    let sources = Sources::new(opened, session, &moment.context);
    let form = (provider, opened.about.format);
    let written = write_context(form, session, &moment.context, &sources, out);
    if let Some(error) = sources.error.into_inner() {
        return Err(error);
    }
    let repairs = match written {
        Ok(repairs) => repairs,
        Err(error) => return Ok(Err(error)),
    };
    let place = |repair: &Repair| match (repair.block, repair.message) {
        (Some(block), _) => format!("{}: ", session.blocks[block.at()].id),
        (None, Some(message)) => format!("{}: ", session.messages[message.at()].entry),
        (None, None) => String::new(),
    };
    let violations = find_violations(session, &moment.context, provider);
    Ok(Ok(BodyAnswer {
        json: String::new(),
        repairs: repairs.iter().map(|repair| format!("{}{repair}", place(repair))).collect(),
        violations: violations
            .iter()
            .map(|violation| sentence::describe_violation(session, violation))
            .collect(),
    }))
}

const AT_ONCE: usize = 256;

struct Sources<'a> {
    opened: &'a SessionSnapshot,
    places: Vec<BlockPlace>,
    /// Texts fetched last. A renderer moves forward through a context and looks back at calls only.
    fetched: RefCell<BTreeMap<BlockPlace, Content>>,
    error: RefCell<Option<ApiError>>,
}

impl<'a> Sources<'a> {
    fn new(opened: &'a SessionSnapshot, session: &Session, context: &RenderedContext) -> Self {
        let blocks = context_rows(context).filter(ContextRow::is_sent).filter_map(|row| row.block_idx());
        let mut places: Vec<BlockPlace> =
            blocks.map(|block| SessionSnapshot::place_of(session, block)).collect();
        places.sort_unstable();
        Self { opened, places, fetched: RefCell::default(), error: RefCell::default() }
    }

    fn or_nothing<T: Default>(&self, found: Result<T, ApiError>) -> T {
        found.unwrap_or_else(|error| {
            self.error.borrow_mut().get_or_insert(error);
            T::default()
        })
    }
}

impl ContentSource for Sources<'_> {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        let place = BlockPlace { seq: saturate_u32(event.at()), part };
        if let Some(content) = self.fetched.borrow().get(&place) {
            return content.clone();
        }
        let from = self.places.partition_point(|known| *known < place);
        let is_known = self.places.get(from) == Some(&place);
        let wanted = match is_known {
            true => &self.places[from..self.places.len().min(from + AT_ONCE)],
            false => std::slice::from_ref(&place),
        };
        let contents = self.or_nothing(self.opened.texts.block_contents(wanted));
        let fetched: BTreeMap<BlockPlace, Content> = wanted.iter().copied().zip(contents).collect();
        let content = fetched.get(&place).cloned().unwrap_or_default();
        // A single block looked back at must not displace the blocks ahead.
        let is_ahead = self.fetched.borrow().last_key_value().is_none_or(|(last, _)| *last < place);
        if is_known && is_ahead {
            self.fetched.replace(fetched);
        }
        content
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        let found = self.or_nothing(self.opened.texts.record_envelopes(&[event]));
        found.into_values().next().unwrap_or_default()
    }
}

const DEPTH_INDENTED: usize = 32;

pub(crate) fn indent_json(json: &str) -> String {
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

/// Returns the whole text of a block, and its JSON in the log.
///
/// # Errors
/// If there is no such block, or the log's texts cannot be read.
pub fn block(opened: &SessionSnapshot, request: &BlockRequest) -> Result<BlockAnswer, ApiError> {
    let (branch, block, content) = opened.block_named(request.branch.as_deref(), &request.block)?;
    Ok(BlockAnswer {
        block: request.block.clone(),
        raw: block_json(&content),
        text: content.text,
        line: opened.line_of(&branch.session, block),
    })
}

#[cfg(test)]
mod tests {
    use super::indent_json;

    #[test]
    fn indents_without_touching_values() {
        let check = |json: &str, expected: &str| assert_eq!(indent_json(json), expected);
        check("[]", "[]");
        check("[ ]", "[]");
        check(
            r#"{"a":[1.0,{}],"b":"x, {\"y\": [1]}\\"}"#,
            concat!("{\n  \"a\": [\n    1.0,\n    {}\n  ],\n", "  \"b\": \"x, {\\\"y\\\": [1]}\\\\\"\n}"),
        );
        check("[1e400, -0]", "[\n  1e400,\n  -0\n]");
        let deep = "[".repeat(100_000);
        assert!(indent_json(&deep).len() < 100 * deep.len(), "hostile depth does not blow up");
    }
}
