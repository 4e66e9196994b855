use cwl_engine::{BlockKind, Problem, Role};

use super::chat::{read_usage, seconds_to_ms};
use super::item::{Item, Scribe};
use super::parts::{PartRun, close_reply, empty_reply, items_of, system_item, tools_item};
use super::{ApiRequest, Body, Response};
use crate::blocks::{MAX_PARTS, plain_message};
use crate::content::openai_items::{ItemKind, push_item, push_message_part, push_output, push_served_call};
use crate::content::parts_of;
use crate::document::DocumentLines;
use crate::json::{Fields, JsonType, Value, owned};
use crate::payload::{payload_around, whole_payload};

pub(crate) fn is_body(body: Value<'_>) -> bool {
    let body = Fields::parse(body);
    if body.get("messages").is_some() {
        return false;
    }
    if body.text_of("object") == "response" {
        return body.get("output").is_some();
    }
    let is_input =
        body.get("input").is_some_and(|input| matches!(input.kind(), JsonType::Text | JsonType::List));
    let is_own = body.first_of(&["instructions", "previous_response_id", "model"]).is_some();
    let begins =
        body.get("instructions").is_some_and(|text| matches!(text.kind(), JsonType::Text | JsonType::Null));
    is_own && (is_input || (begins && body.get("model").is_some()))
}

pub(crate) fn read_body(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let mut lines = DocumentLines::new(body, scribe.line);
    let body = Fields::parse(body);
    let (input, model) = (body.get("input"), owned(body.get("model")));
    if body.text_of("object") == "response" || input.is_none() {
        let output = body.get("output").and_then(Value::list)?;
        let mut items = reply_items(output, scribe, problems);
        if items.is_empty() {
            items.push(empty_reply(scribe, "reply", whole_payload(output)));
        }
        let usage = read_usage(body.get("usage"), &mut scribe.begin_notes("reply", problems));
        close_reply(&mut items, usage, model.as_deref(), seconds_to_ms(body.get("created_at")));
        return Some(Body::Response(Response { items, id: owned(body.get("id")) }));
    }
    let tools = tools_item(scribe, body.get("tools").into_iter().flat_map(Value::items));
    let head =
        tools.into_iter().chain(system_item(scribe, "instructions", body.get("instructions"))).collect();
    scribe.check_content("input", input, "input", problems);
    let mut reply: Option<u32> = None;
    let mut items: Vec<Item> = Vec::new();
    for (at, part) in parts_of(input) {
        // Adjacent items of the model form one reply.
        reply = is_models(part).then(|| reply.unwrap_or(at));
        let found = item_of(part, &format!("{at}"), &scribe.on_line(lines.line_of(part)), problems);
        items.extend(found.into_iter().map(|item| item.of_reply(reply.map(|first| scribe.reply_at(first)))));
    }
    Some(Body::Request(ApiRequest {
        head,
        items,
        model,
        previous: owned(body.get("previous_response_id")),
        reply: None,
    }))
}

fn reply_items(output: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (at, part) in (0..MAX_PARTS).zip(output.items()) {
        let reply = is_models(part).then(|| scribe.reply_at("reply"));
        let found = item_of(part, &format!("reply/{at}"), scribe, problems);
        items.extend(found.into_iter().map(|item| item.of_reply(reply.clone())));
    }
    items
}

fn is_models(item: Value<'_>) -> bool {
    match &*item.text_of("type") {
        "" | "message" => item.text_of("role") == "assistant",
        kind => {
            !matches!(ItemKind::parse(kind), ItemKind::Output | ItemKind::Compaction)
                && kind != "item_reference"
        }
    }
}

/// Reads one item. Returns more than one message if its parts have several authors, or if the provider ran
/// the call itself.
fn item_of(item: Value<'_>, place: &str, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let [kind, role, content] = item.fields(["type", "role", "content"]);
    if item.kind() == JsonType::Text {
        let parts = std::iter::once((PartRun::of_part(item), item));
        return items_of(scribe, place, &whole_payload(item), parts, |blocks, _, part| {
            push_message_part(blocks, part)
        });
    }
    let kind = match kind.and_then(Value::string).unwrap_or_default() {
        none if none.is_empty() && role.is_some() => "message".into(),
        kind => kind,
    };
    let run = match ItemKind::parse(&kind) {
        ItemKind::Message => {
            let role = role.and_then(Value::string).unwrap_or_default();
            scribe.check_content(place, content, "content", problems);
            let parts = parts_of(content).map(|(_, part)| (run_of(&role, part), part));
            let envelope = payload_around(item, content);
            let mut items =
                items_of(scribe, place, &envelope, parts, |blocks, _, part| push_message_part(blocks, part));
            if items.is_empty() && role == "assistant" {
                items.push(empty_reply(scribe, place, envelope));
            }
            return items;
        }
        ItemKind::ServedCall => return served_items(item, &kind, place, scribe),
        ItemKind::Reasoning => PartRun::Reasoning,
        ItemKind::Output => PartRun::Result,
        ItemKind::Other if kind == "item_reference" => PartRun::Injected,
        ItemKind::Compaction => PartRun::Summary,
        ItemKind::Call | ItemKind::Other => PartRun::Reply,
    };
    items_of(scribe, place, &whole_payload(item), std::iter::once((run, item)), |blocks, run, item| match run
    {
        PartRun::Result => push_output(blocks, &kind, item, |_, _| true),
        _ => push_item(blocks, &kind, item),
    })
}

fn run_of(role: &str, part: Value<'_>) -> PartRun {
    match role {
        "system" | "developer" => PartRun::System,
        "assistant" => PartRun::Reply,
        _ => PartRun::of_part(part),
    }
}

fn served_items(item: Value<'_>, kind: &str, place: &str, scribe: &Scribe) -> Vec<Item> {
    let mut answer = None;
    let parts = std::iter::once((PartRun::Reply, item));
    let mut items = items_of(scribe, place, &whole_payload(item), parts, |blocks, _, item| {
        answer = Some(push_served_call(blocks, kind, item, ""));
    });
    if let Some((mut result, images)) = answer {
        // A result without an id answers the first open call with its name.
        result.name = result.call.as_str().is_empty().then(|| kind.into());
        items.push(scribe.make_item(format!("{place}/1"), 1, |blocks| {
            blocks.push_with_images(BlockKind::Result(result), images, String::new(), Default::default());
            plain_message(Role::Tool, cwl_engine::Author::Tool)
        }));
    }
    items
}
