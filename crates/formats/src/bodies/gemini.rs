use cwl_engine::{BlockKind, Problem, ToolCallId, ToolResult, Usage};

use super::item::{Item, Scribe};
use super::parts::{PartRun, close_reply, empty_reply, items_of, system_item, tools_item};
use super::{ApiRequest, Body, Response};
use crate::blocks::Blocks;
use crate::content::gemini::{is_image, push_part, response_of};
use crate::content::{ResultParts, parts_of};
use crate::document::DocumentLines;
use crate::json::{Fields, Value, owned};
use crate::notes::Notes;
use crate::payload::{around_text, payload_around};
use crate::usage::{count_paths, usage_with_cache};

pub(crate) fn is_body(body: Value<'_>) -> bool {
    let [contents, system, snake, candidates] =
        body.fields(["contents", "systemInstruction", "system_instruction", "candidates"]);
    let has_parts = |content: Value<'_>| content.get("parts").is_some();
    match contents.and_then(Value::list) {
        Some(contents) => contents.items().next().map_or(system.or(snake).is_some(), has_parts),
        None => {
            let candidate = candidates.and_then(|candidates| candidates.items().next());
            let is_answer = candidate.is_some_and(|candidate| candidate.get("content").is_some());
            is_answer || system.or(snake).is_some_and(has_parts)
        }
    }
}

pub(crate) fn read_body(body: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> Option<Body> {
    let mut lines = DocumentLines::new(body, scribe.line);
    let body = Fields::parse(body);
    if let Some(contents) = body.get("contents").and_then(Value::list) {
        let declared = body.get("tools").into_iter().flat_map(Value::items).flat_map(|tool| {
            let list = tool.first_of(["functionDeclarations", "function_declarations"]);
            // The provider's built-in tools have no declaration.
            let own = if list.is_none() { Some(tool) } else { None };
            list.into_iter().flat_map(Value::items).chain(own)
        });
        let tools = tools_item(scribe, declared);
        let system = body
            .first_of(&["systemInstruction", "system_instruction"])
            .map(|system| system.get("parts").unwrap_or(system));
        let head = tools.into_iter().chain(system_item(scribe, "systemInstruction", system)).collect();
        let items = (0..)
            .zip(contents.items())
            .flat_map(|(at, content)| {
                content_items(content, &format!("{at}"), &scribe.on_line(lines.line_of(content)), problems)
            })
            .collect();
        return Some(Body::Request(ApiRequest {
            head,
            items,
            model: owned(body.get("model")),
            ..ApiRequest::default()
        }));
    }
    let content = body.get("candidates")?.items().next()?.get("content")?;
    let mut items = content_items(content, "reply", scribe, problems);
    let usage = body
        .get("usageMetadata")
        .and_then(|usage| read_usage(usage, &mut scribe.begin_notes("reply", problems)));
    close_reply(&mut items, usage, owned(body.get("modelVersion")).as_deref(), None);
    Some(Body::Response(Response { items, id: owned(body.get("responseId")) }))
}

pub(crate) fn read_usage(usage: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
    let [prompt, cached, answer, thoughts, tools] = count_paths(
        usage.object()?,
        [
            "promptTokenCount",
            "cachedContentTokenCount",
            "candidatesTokenCount",
            "thoughtsTokenCount",
            "toolUsePromptTokenCount",
        ],
        notes,
    );
    let output = answer.saturating_add(thoughts);
    Some(usage_with_cache(prompt.saturating_add(tools), cached, output, thoughts))
}

fn content_items(content: Value<'_>, place: &str, scribe: &Scribe, problems: &mut Vec<Problem>) -> Vec<Item> {
    let [role, parts] = content.fields(["role", "parts"]);
    let is_model = place == "reply" || role.and_then(Value::string).is_some_and(|role| role == "model");
    scribe.check_content(place, parts, "parts", problems);
    let envelope = payload_around(content, parts);
    let mut is_behind_result = false;
    let runs = parts_of(parts).map(|(_, part)| (run_of(is_model, &mut is_behind_result, part), part));
    let items = items_of(scribe, place, &envelope, runs, |blocks, run, part| match run {
        PartRun::Result => push_response(blocks, part),
        PartRun::ResultImage => blocks.add_image(),
        _ => push_part(blocks, part, |id, _| id.to_owned()),
    });
    if items.is_empty() && is_model {
        return vec![empty_reply(scribe, place, envelope)];
    }
    items
}

fn run_of(is_model: bool, is_behind_result: &mut bool, part: Value<'_>) -> PartRun {
    if is_model {
        let is_thought = part.get("thought").is_some_and(Value::is_true);
        return if is_thought { PartRun::Reasoning } else { PartRun::Reply };
    }
    if response_of(part).is_some() {
        *is_behind_result = true;
        return PartRun::Result;
    }
    // Clients put a result's images behind the result.
    *is_behind_result &= is_image(part);
    if *is_behind_result { PartRun::ResultImage } else { PartRun::of_text(part.get("text")) }
}

fn push_response(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    let Some(response) = response_of(part) else { return };
    let [id, name, answer] = response.fields(["id", "name", "response"]);
    let call = ToolCallId::new(blocks.notes.text(id, "functionResponse.id").unwrap_or_default());
    let name = blocks.notes.text(name, "functionResponse.name").map(Into::into);
    let mut read = ResultParts::default();
    read.response(response, blocks.notes);
    let raw = answer.map(|answer| around_text(answer, read.only)).unwrap_or_default();
    let result = ToolResult { call, name, ok: !read.failed, mark: None };
    blocks.push_with_images(BlockKind::Result(result), read.images, read.text, raw);
}
