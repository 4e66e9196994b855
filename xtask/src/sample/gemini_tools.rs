//! The story's tools as Gemini CLI has them: names, arguments, and what a call's record holds.

use serde_json::{Value, json};

use super::story::{Effect, ToolCall, ToolResult};
use super::teller::CWD;

/// The two generations of the file, which name tools and arguments differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// One JSON document, written again as a whole on each change.
    Document,
    /// One record per line.
    Lines,
}

/// Translates a call's name and arguments.
pub(crate) fn call_of(call: &ToolCall, generation: Generation) -> (&'static str, Value) {
    let given = |key: &str| call.arguments.get(key).cloned().unwrap_or(Value::Null);
    let path = || {
        let path = given("path").as_str().unwrap_or_default().to_owned();
        match generation {
            Generation::Document => format!("{CWD}/{path}").trim_end_matches("/.").to_owned(),
            Generation::Lines => path,
        }
    };
    let folder = if generation == Generation::Document { "path" } else { "dir_path" };
    match call.tool.as_str() {
        "read" => {
            let key = if generation == Generation::Document { "absolute_path" } else { "file_path" };
            let mut arguments = json!({ key: path() });
            if let Some(offset) = given("offset").as_u64() {
                let limit = given("limit").as_u64();
                if generation == Generation::Document {
                    // counted from 0
                    arguments["offset"] = json!(offset.saturating_sub(1));
                    arguments["limit"] = json!(limit);
                } else {
                    arguments["start_line"] = json!(offset);
                    arguments["end_line"] = json!(limit.map(|limit| offset + limit - 1));
                }
            }
            ("read_file", arguments)
        }
        "bash" => {
            let command = given("command");
            let first = command.as_str().and_then(|line| line.split_whitespace().next()).unwrap_or_default();
            let description = format!("Runs {first} in the project.");
            ("run_shell_command", json!({ "command": command, "description": description }))
        }
        "grep" => {
            let name = if generation == Generation::Document { "search_file_content" } else { "grep_search" };
            (name, json!({ "pattern": given("pattern"), folder: path() }))
        }
        "find" => ("glob", json!({ "pattern": given("pattern"), folder: path() })),
        "glob" => ("glob", json!({ "pattern": given("pattern") })),
        "ls" => ("list_directory", json!({ folder: path() })),
        "edit" => {
            let mut arguments = json!({ "file_path": path() });
            if generation == Generation::Lines {
                arguments["instruction"] = json!("Replace the text as given.");
            }
            arguments["old_string"] = given("oldText");
            arguments["new_string"] = given("newText");
            ("replace", arguments)
        }
        "write" => ("write_file", json!({ "file_path": path(), "content": given("content") })),
        "web_fetch" => {
            let url = given("url").as_str().unwrap_or_default().to_owned();
            ("web_fetch", json!({ "prompt": format!("Read {url} and return its text.") }))
        }
        "delimiter" if generation == Generation::Lines => ("cwl__delimiter", call.arguments.clone()),
        _ => ("delimiter", call.arguments.clone()),
    }
}

/// The record of a finished call: the call, what went to the model, and the copies for the screen.
pub(crate) fn record_of(
    call: &ToolCall,
    id: &str,
    result: &ToolResult,
    timestamp: &str,
    generation: Generation,
) -> Value {
    let (name, arguments) = call_of(call, generation);
    let refused = result.failed && call.tool != "bash";
    let output = output_of(call, &result.text, generation);
    let response = if refused { json!({ "error": output }) } else { json!({ "output": output }) };
    let mut parts = vec![json!({ "functionResponse": { "id": id, "name": name, "response": response } })];
    if let Some(image) = &result.image {
        parts.push(json!({ "inlineData": { "mimeType": image.mime_type, "data": image.data } }));
    }
    let display = match &result.effect {
        Some(Effect::Edited { diff, .. }) => {
            let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
            json!({ "fileDiff": diff, "fileName": path.rsplit('/').next() })
        }
        _ if name == "read_file" => json!(""),
        _ => json!(first_lines(&result.text, 12)),
    };
    json!({
        "id": id,
        "name": name,
        "args": arguments,
        "result": parts,
        "status": if refused { "error" } else { "success" },
        "timestamp": timestamp,
        "resultDisplay": display,
        "displayName": display_name(name),
        "description": description(name, &arguments),
        "renderOutputAsMarkdown": matches!(name, "read_file" | "cwl__delimiter" | "delimiter"),
    })
}

/// The text that the tool gives the model.
fn output_of(call: &ToolCall, text: &str, generation: Generation) -> String {
    let given = |key: &str| call.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    match call.tool.as_str() {
        "bash" => {
            let (output, code) = match text.rsplit_once("\n\nCommand exited with code ") {
                Some((output, code)) => (output, Some(code)),
                None => (text, None),
            };
            let output = if output == "(no output)" { "(empty)" } else { output };
            match generation {
                Generation::Document => format!(
                    "Command: {}\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {}\nSignal: (none)\nBackground PIDs: (none)",
                    given("command"),
                    code.unwrap_or("0")
                ),
                Generation::Lines => match code {
                    Some(code) => format!("Output: {output}\nExit Code: {code}"),
                    None => format!("Output: {output}"),
                },
            }
        }
        "grep" if text != "No matches found" => grep_output(given("pattern"), given("path"), text),
        "ls" => format!("Directory listing for {CWD}/{}:\n{text}", given("path")),
        "edit" => format!("Successfully modified file: {CWD}/{} (1 replacements).", given("path")),
        "write" => format!("Successfully created and wrote to new file: {CWD}/{}.", given("path")),
        _ => text.to_owned(),
    }
}

/// Groups hits by file, as the tool does.
fn grep_output(pattern: &str, path: &str, text: &str) -> String {
    let hits: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| {
            let (file, rest) = line.split_once(':')?;
            Some((file, rest))
        })
        .collect();
    let mut out = format!("Found {} matches for pattern \"{pattern}\" in path \"{path}\":\n---", hits.len());
    let mut file = "";
    for (of, rest) in hits {
        if of != file {
            if !file.is_empty() {
                out.push_str("\n---");
            }
            out.push_str(&format!("\nFile: {of}"));
            file = of;
        }
        out.push_str(&format!("\nL{rest}"));
    }
    out.push_str("\n---");
    out
}

fn first_lines(text: &str, n_lines: usize) -> String {
    text.lines().take(n_lines).collect::<Vec<_>>().join("\n")
}

fn display_name(name: &str) -> &str {
    match name {
        "read_file" => "ReadFile",
        "run_shell_command" => "Shell",
        "search_file_content" | "grep_search" => "SearchText",
        "glob" => "FindFiles",
        "list_directory" => "ReadFolder",
        "replace" => "Edit",
        "write_file" => "WriteFile",
        "web_fetch" => "WebFetch",
        "cwl__delimiter" => "delimiter (cwl MCP Server)",
        other => other,
    }
}

fn description(name: &str, arguments: &Value) -> String {
    let given = |key: &str| arguments.get(key).and_then(Value::as_str);
    match name {
        "run_shell_command" => {
            format!("{} ({})", given("command").unwrap_or_default(), given("description").unwrap_or_default())
        }
        "search_file_content" | "grep_search" | "glob" => {
            format!("'{}'", given("pattern").unwrap_or_default())
        }
        "delimiter" | "cwl__delimiter" => arguments.to_string(),
        _ => ["absolute_path", "file_path", "path", "dir_path", "prompt"]
            .into_iter()
            .find_map(given)
            .unwrap_or_default()
            .to_owned(),
    }
}
