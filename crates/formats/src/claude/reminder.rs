//! The text of a reminder, put together from the fields of its row.
//!
//! Claude Code sends a reminder between tags, and most with sentences of its own around the fields. Only the
//! tags are the same in every version, so the sentences are left out.

use cwl_engine::BlockKind;

use super::attachment::HOOK_SUCCESS;
use super::row::ClaudeRow;
use crate::blocks::Blocks;
use crate::json::{JsonType, Value, owned, quoted};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::whole_payload;

/// The first version seen to put a tab behind the number of a line; older versions put an arrow.
const TABS_SINCE: [u32; 3] = [2, 1, 156];

const OPENING: &str = "<system-reminder>\n";
const CLOSING: &str = "</system-reminder>";

pub(super) fn push_reminder(
    row: &ClaudeRow<'_>,
    kind: &str,
    attachment: Value<'_>,
    blocks: &mut Blocks<'_, '_>,
) {
    let inner = attachment.get("content").and_then(Value::object);
    if inner.is_some_and(|inner| inner.text_of("type") == "image") {
        return blocks.push_image(attachment);
    }
    let is_tagged = is_known("claude-code.attachments", kind) || kind == HOOK_SUCCESS;
    let mut raw = whole_payload(attachment);
    for told in told_texts(row, kind, attachment, blocks.notes) {
        let text = match (is_tagged, told.is_empty()) {
            (true, true) => [OPENING, CLOSING].concat(),
            (true, false) => [OPENING, &told, "\n", CLOSING].concat(),
            (false, true) => kind.to_owned(),
            (false, false) => told,
        };
        blocks.push(BlockKind::Text, text, std::mem::take(&mut raw));
    }
}

pub(super) fn inside_tags(text: &str) -> &str {
    let inside = text.strip_prefix(OPENING).and_then(|text| text.strip_suffix(CLOSING));
    inside.unwrap_or(text).trim()
}

fn told_texts(row: &ClaudeRow<'_>, kind: &str, attachment: Value<'_>, notes: &mut Notes<'_>) -> Vec<String> {
    let [content, filename] = attachment.fields(["content", "filename"]);
    let file = content.and_then(Value::object).and_then(|content| content.get("file"));
    let text = match (kind, file.and_then(|file| file.get("content")).and_then(Value::string)) {
        // Sent as a call of the tool that reads files, and its result.
        ("file", Some(text)) => {
            let call = format!("{{\"file_path\":{}}}", quoted(&owned(filename).unwrap_or_default()));
            let first =
                file.and_then(|file| file.get("startLine")).and_then(|first| first.raw().parse().ok());
            let is_numbered = row.is_since(TABS_SINCE);
            let result =
                if is_numbered { number_lines(&text, first.unwrap_or(1)) } else { text.into_owned() };
            return vec![call, result];
        }
        ("compact_file_reference", _) => notes.required_text(filename, "attachment.filename").into_owned(),
        ("task_reminder", _) => lines_of(content, |_, task| {
            let [id, status, subject] = ["id", "status", "subject"].map(|name| task.text_of(name));
            format!("#{id}. [{status}] {subject}")
        }),
        ("todo_reminder", _) => {
            let todos = lines_of(content, |number, todo| {
                let [status, content] = ["status", "content"].map(|name| todo.text_of(name));
                format!("{number}. [{status}] {content}")
            });
            if todos.is_empty() { todos } else { format!("[{todos}]") }
        }
        _ => field_text(attachment, notes),
    };
    vec![text]
}

fn lines_of(list: Option<Value<'_>>, line: impl Fn(usize, Value<'_>) -> String) -> String {
    let items = list.into_iter().flat_map(Value::items);
    (1..).zip(items).map(|(number, item)| line(number, item)).collect::<Vec<_>>().join("\n")
}

fn number_lines(text: &str, first: u32) -> String {
    let lines = (u64::from(first)..).zip(text.split('\n'));
    lines.map(|(number, line)| format!("{number}\t{line}")).collect::<Vec<_>>().join("\n")
}

fn field_text(attachment: Value<'_>, notes: &mut Notes<'_>) -> String {
    let [content, snippet, lines, added, skills] =
        attachment.fields(["content", "snippet", "addedLines", "addedBlocks", "skills"]);
    let inner = content.and_then(Value::object);
    let [own, file] = inner.map_or([None; 2], |inner| inner.fields(["content", "file"]));
    let of_file = file.and_then(|file| file.get("content"));
    let skills: Vec<_> =
        skills.into_iter().flat_map(Value::items).filter_map(|skill| owned(skill.get("content"))).collect();
    if !skills.is_empty() {
        return skills.join("\n");
    }
    let is_text = |value: &Value<'_>| value.kind() == JsonType::Text;
    if let Some(told) = [content, snippet, own, of_file].into_iter().flatten().find(is_text) {
        return notes.required_text(Some(told), "attachment").into_owned();
    }
    let (list, between) = match (filled_list(lines), filled_list(added)) {
        (None, Some(added)) => (Some(added), "\n\n"),
        (lines, _) => (lines.or(list_of_texts(content)), "\n"),
    };
    match list {
        Some(list) => {
            let lines: Vec<_> =
                list.items().map(|line| notes.required_text(Some(line), "attachment")).collect();
            lines.join(between)
        }
        None => all_texts(attachment),
    }
}

fn filled_list(list: Option<Value<'_>>) -> Option<Value<'_>> {
    list.and_then(Value::list).filter(|list| list.items().next().is_some())
}

fn list_of_texts(list: Option<Value<'_>>) -> Option<Value<'_>> {
    filled_list(list).filter(|list| list.items().all(|item| item.kind() == JsonType::Text))
}

fn all_texts(attachment: Value<'_>) -> String {
    let mut lines = Vec::new();
    // A stack of values still to visit.
    let mut left = vec![attachment];
    while let Some(value) = left.pop() {
        match value.kind() {
            JsonType::Text => lines.extend(owned(Some(value)).filter(|line| !line.is_empty())),
            JsonType::List => left.extend(value.items().collect::<Vec<_>>().into_iter().rev()),
            JsonType::Object => {
                let is_told = |key: Value<'_>| !matches!(key.string_body(), Some("type" | "id" | "uuid"));
                let members = value.members().filter(|(key, _)| is_told(*key)).map(|(_, member)| member);
                left.extend(members.collect::<Vec<_>>().into_iter().rev());
            }
            JsonType::Null | JsonType::Bool(_) | JsonType::Number => {}
        }
    }
    lines.join("\n")
}
