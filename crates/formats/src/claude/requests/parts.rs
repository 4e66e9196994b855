//! Splits a request's messages into records, one per source row.

use cwl_engine::{Author, EntryId, EventBody, Message, Problem, RawPayload, Role};

use crate::blocks::{ReadMessage, plain_message};
use crate::claude::held::HeldRow;
use crate::claude::message::read_parts;
use crate::claude::voice::voice_of_text;
use crate::content::parts_of;
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::payload_around;

pub(super) struct RecordDraft {
    pub(super) draft: EventDraft,
    pub(super) stamp: RecordStamp,
    pub(super) entry: EntryId,
}

/// Position of the held row that a part comes from; `None` for the request itself.
type PartSource = Option<usize>;

/// Adjacent parts from one row: the source, the message without blocks, and the parts with their indices.
type PartGroup<'a> = (PartSource, Message, Vec<(u32, Value<'a>)>);

pub(super) fn place_message(
    line: u64,
    json: &str,
    held: &mut [HeldRow],
    problems: &mut Vec<Problem>,
) -> Vec<RecordDraft> {
    if let Some(row) = held.iter_mut().find(|row| !row.events.is_empty() && row.message == json) {
        return as_it_stands(row);
    }
    let message = Value::trusted(json, 0);
    let [role, content] = message.fields(["role", "content"]);
    let role = role.and_then(Value::string).unwrap_or_default();
    let mut groups: Vec<PartGroup<'_>> = Vec::new();
    for part in parts_of(content) {
        let (source, frame) = match &*role {
            "assistant" => (None, plain_message(Role::Assistant, Author::Model)),
            "system" => (source_of_rendered(part.1, held), plain_message(Role::System, Author::Harness)),
            _ => source_of(part.1, held),
        };
        match groups.last_mut() {
            Some((last, same, parts)) if *last == source && *same == frame => parts.push(part),
            _ => groups.push((source, frame, vec![part])),
        }
    }
    let envelope = payload_around(message, content);
    let n_groups = groups.len();
    let mut placed = Vec::with_capacity(n_groups);
    for (nth, (source, frame, parts)) in groups.into_iter().enumerate() {
        let (stamp, entry) = match source.and_then(|at| held.get_mut(at)) {
            Some(row) => (row.stamp, row.next_entry()),
            None => (RecordStamp::line(line), EntryId::new(format!("L{line}/{nth}"))),
        };
        let mut notes = Notes::new(stamp.line, entry.clone(), problems);
        let read = read_parts(parts, frame, &mut notes);
        let envelope = if nth + 1 == n_groups { envelope.clone() } else { RawPayload::default() };
        placed.push(RecordDraft { draft: EventDraft::message(read, envelope), stamp, entry });
    }
    placed
}

fn as_it_stands(row: &mut HeldRow) -> Vec<RecordDraft> {
    let events = std::mem::take(&mut row.events);
    let stamp = row.stamp;
    events
        .into_iter()
        .map(|event| RecordDraft { draft: event.draft, stamp, entry: row.next_entry() })
        .collect()
}

fn source_of(part: Value<'_>, held: &mut [HeldRow]) -> (PartSource, Message) {
    let kind = part.text_of("type");
    if kind.ends_with("tool_result") {
        let call = part.text_of("tool_use_id");
        let row = held.iter().position(|row| row.frame_of_result(&call).is_some());
        return (row, plain_message(Role::Tool, Author::Tool));
    }
    if part.kind() != JsonType::Text && kind != "text" {
        // An image or a document belongs to the human's text.
        let row = held.iter().position(|row| row.message.contains(&format!(r#""type":"{kind}""#)));
        return (row, plain_message(Role::User, Author::Human));
    }
    if let Some(row) = source_of_rendered(part, held) {
        let frame = held[row].events.iter().flat_map(|event| event.draft.body.all_messages()).next();
        let frame = frame.map(|message| Message { blocks: Vec::new(), ..message.clone() });
        return (Some(row), frame.unwrap_or_else(|| plain_message(Role::User, Author::Harness)));
    }
    let text = text_of(part);
    let find = |how: fn(&str, &str) -> bool| {
        (0..).zip(held.iter()).find_map(|(at, row)| Some((Some(at), row.frame_of_text(&text, how)?)))
    };
    find(|text, own| text == own)
        .or_else(|| find(|text, own| text.contains(own)))
        .unwrap_or_else(|| (None, voice_of_text(&text).frame()))
}

fn source_of_rendered(part: Value<'_>, held: &mut [HeldRow]) -> PartSource {
    let text = text_of(part);
    let (row, rendered) = (0..).zip(held.iter_mut()).find_map(|(at, row)| {
        let found = row.rendered.iter().position(|own| own.trim() == text.trim())?;
        Some((at, (row, found)))
    })?;
    rendered.0.rendered.swap_remove(rendered.1);
    Some(row)
}

fn text_of(part: Value<'_>) -> String {
    let text = if part.kind() == JsonType::Text { Some(part) } else { part.get("text") };
    text.and_then(Value::string).unwrap_or_default().into_owned()
}

/// Reads tools and system prompt as two messages, with a block per definition and per part.
pub(super) fn place_shape(line: u64, json: &str, problems: &mut Vec<Problem>) -> Vec<RecordDraft> {
    let [system, tools] = Value::trusted(json, 0).fields(["system", "tools"]);
    let scribe = crate::bodies::item::Scribe { line, record: EntryId::of_line(line) };
    let tools = crate::bodies::parts::tools_item(&scribe, tools.into_iter().flat_map(Value::items));
    let system = crate::bodies::parts::system_item(&scribe, "system", system);
    let items = tools.into_iter().chain(system);
    items
        .map(|item| {
            problems.extend(item.problems);
            let ReadMessage { message, contents } = item.read;
            let draft =
                EventDraft { body: EventBody::Message(message), contents, envelope: RawPayload::default() };
            RecordDraft { draft, stamp: RecordStamp::line(line), entry: item.entry }
        })
        .collect()
}
