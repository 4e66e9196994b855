//! The story's tools as OpenCode has them: names, arguments, and the state of a finished call.

use serde_json::{Value, json};

use super::story::{Effect, ToolCall, ToolResult};
use super::teller::CWD;

/// Translates a call's name and arguments.
pub(crate) fn call_of(call: &ToolCall) -> (&'static str, Value) {
    let given = |key: &str| call.arguments.get(key).cloned().unwrap_or(Value::Null);
    let path = || json!(full_path(call));
    match call.tool.as_str() {
        "read" => {
            let mut input = json!({ "filePath": path() });
            for key in ["offset", "limit"] {
                if let Some(number) = given(key).as_u64() {
                    input[key] = json!(number);
                }
            }
            ("read", input)
        }
        "bash" => ("bash", json!({ "command": given("command"), "description": title_of(call) })),
        "grep" => ("grep", json!({ "pattern": given("pattern"), "path": path() })),
        "find" => ("glob", json!({ "pattern": given("pattern"), "path": path() })),
        "glob" => ("glob", json!({ "pattern": given("pattern") })),
        "ls" => ("list", json!({ "path": path() })),
        "edit" => (
            "edit",
            json!({ "filePath": path(), "oldString": given("oldText"), "newString": given("newText") }),
        ),
        "write" => ("write", json!({ "filePath": path(), "content": given("content") })),
        "web_fetch" => ("webfetch", json!({ "url": given("url"), "format": "markdown" })),
        _ => ("cwl_delimiter", call.arguments.clone()),
    }
}

/// The state of a call that runs.
pub(crate) fn running(call: &ToolCall, began_ms: i64) -> Value {
    json!({ "status": "running", "input": call_of(call).1, "time": { "start": began_ms } })
}

/// The state of a finished call, with the copies for the screen.
pub(crate) fn finished(call: &ToolCall, result: &ToolResult, began_ms: i64, at_ms: i64) -> Value {
    let (_, input) = call_of(call);
    let time = json!({ "start": began_ms, "end": at_ms });
    if result.failed && call.tool != "bash" {
        return json!({ "status": "error", "input": input, "error": format!("Error: {}", result.text), "time": time });
    }
    let (output, metadata) = output_of(call, result);
    let mut state = json!({
        "status": "completed",
        "input": input,
        "output": output,
        "title": title_of(call),
        "metadata": metadata,
        "time": time,
    });
    if let Some(image) = &result.image {
        let url = format!("data:{};base64,{}", image.mime_type, image.data);
        state["attachments"] = json!([{ "type": "file", "mime": image.mime_type, "url": url }]);
    }
    state
}

/// The text that goes to the model, and the metadata that does not.
fn output_of(call: &ToolCall, result: &ToolResult) -> (String, Value) {
    let text = result.text.as_str();
    match call.tool.as_str() {
        "bash" => {
            let (output, code) = match text.rsplit_once("\n\nCommand exited with code ") {
                Some((output, code)) => (output, code.parse().unwrap_or(1)),
                None => (text, 0),
            };
            let copy =
                json!({ "output": output, "exit": code, "description": title_of(call), "truncated": false });
            (output.to_owned(), copy)
        }
        "read" if result.image.is_some() => (
            "Image read successfully".to_owned(),
            json!({ "preview": "Image read successfully", "truncated": false }),
        ),
        "read" => {
            let first = call.arguments.get("offset").and_then(Value::as_u64).unwrap_or(1);
            let mut output = format!("<path>{}</path>\n<type>file</type>\n<content>\n", full_path(call));
            for (number, line) in (first..).zip(text.lines()) {
                output.push_str(&format!("{number}: {line}\n"));
            }
            output.push_str("</content>");
            let preview: Vec<&str> = text.lines().take(20).collect();
            (output, json!({ "preview": preview.join("\n"), "truncated": false, "loaded": [] }))
        }
        "grep" => {
            let n_hits = if text == "No matches found" { 0 } else { text.lines().count() };
            let output = if n_hits == 0 { "No files found".to_owned() } else { grep_output(text, n_hits) };
            (output, json!({ "matches": n_hits, "truncated": false }))
        }
        "find" | "glob" => {
            let found: Vec<String> = text.lines().map(|line| format!("{CWD}/{line}")).collect();
            (found.join("\n"), json!({ "count": found.len(), "truncated": false }))
        }
        "edit" => {
            let diff = match &result.effect {
                Some(Effect::Edited { diff, .. }) => diff.as_str(),
                _ => "",
            };
            let copy = json!({ "diff": diff, "filediff": { "file": full_path(call) }, "diagnostics": {} });
            ("Edit applied successfully.".to_owned(), copy)
        }
        "write" => {
            let copy = json!({ "diagnostics": {}, "filepath": full_path(call), "exists": false });
            ("Wrote file successfully.".to_owned(), copy)
        }
        _ => (text.to_owned(), json!({ "truncated": false })),
    }
}

/// Groups hits by file, as the tool does.
fn grep_output(text: &str, n_hits: usize) -> String {
    let mut out = format!("Found {n_hits} matches");
    let mut file = "";
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(of), Some(number), Some(hit)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        if of != file {
            out.push_str(&format!("\n{CWD}/{of}:"));
            file = of;
        }
        out.push_str(&format!("\n  Line {number}:{hit}"));
    }
    out
}

fn full_path(call: &ToolCall) -> String {
    let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    format!("{CWD}/{path}").trim_end_matches(['/', '.']).to_owned()
}

fn title_of(call: &ToolCall) -> String {
    let given = |key: &str| call.arguments.get(key).and_then(Value::as_str);
    match call.tool.as_str() {
        "bash" => {
            let words = given("command").unwrap_or_default().split_whitespace();
            format!("Runs {}", words.take(2).collect::<Vec<_>>().join(" "))
        }
        "delimiter" => String::new(),
        _ => ["path", "pattern", "url"].into_iter().find_map(given).unwrap_or_default().to_owned(),
    }
}
