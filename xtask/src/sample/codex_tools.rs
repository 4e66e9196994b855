//! The story's tools as Codex has them: calls, and the shapes of their outputs.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::codex_writer::Era;
use super::rng::Rng;
use super::story::{Effect, ToolCall, ToolResult};

/// The item of a call; `None` where the provider runs the tool itself.
pub(crate) fn call_item(era: Era, call: &ToolCall) -> Result<Value> {
    let argument = |key: &str| {
        let found = call.arguments.get(key).and_then(Value::as_str);
        found.with_context(|| format!("{} has no {key}", call.tool))
    };
    let number = |key: &str| call.arguments.get(key).and_then(Value::as_u64);
    let id = call_id(&call.id);
    Ok(match call.tool.as_str() {
        "bash" => shell(era, &id, argument("command")?),
        "read" if argument("path")?.ends_with(".png") => {
            function(&id, "view_image", &json!({ "path": argument("path")? }))
        }
        "read" => {
            let (path, from) = (argument("path")?, number("offset").unwrap_or(1).max(1));
            let command = match number("limit") {
                Some(limit) => format!("sed -n '{from},{}p' {path}", from + limit - 1),
                None => format!("cat {path}"),
            };
            shell(era, &id, &command)
        }
        "grep" => {
            shell(era, &id, &format!("rg -n {} {}", quoted(argument("pattern")?), quoted(argument("path")?)))
        }
        "find" | "glob" => {
            let under = argument("path").unwrap_or(".");
            shell(era, &id, &format!("rg --files {under} -g {}", quoted(argument("pattern")?)))
        }
        "ls" => shell(era, &id, &format!("ls {}", argument("path")?)),
        "edit" | "write" => patch(era, &id, &patch_of(call)?),
        "web_fetch" => json!({
            "type": "web_search_call",
            "status": "completed",
            "action": { "type": "open_page", "url": argument("url")? },
        }),
        "delimiter" => delimiter(era, &id, &call.arguments),
        other => anyhow::bail!("{other} is no tool of Codex"),
    })
}

/// The item with a call's output; `None` where the provider keeps it.
pub(crate) fn output_item(
    era: Era,
    call: &ToolCall,
    result: &ToolResult,
    took_ms: i64,
    rng: &mut Rng,
) -> Result<Option<Value>> {
    let id = call_id(&call.id);
    let kind = match (call.tool.as_str(), era) {
        ("web_fetch", _) => return Ok(None),
        ("edit" | "write", Era::Streamed) => "custom_tool_call_output",
        _ => "function_call_output",
    };
    let output = match (call.tool.as_str(), &result.image) {
        (_, Some(image)) => {
            json!([{ "type": "input_image", "image_url": format!("data:{};base64,{}", image.mime_type, image.data) }])
        }
        ("delimiter", _) => match era {
            Era::Streamed => json!([{ "type": "input_text", "text": result.text }]),
            _ => json!(result.text),
        },
        ("edit" | "write", _) => {
            let (text, exit_code) = patched(call, result)?;
            json!(printed(
                if era == Era::Streamed { Shape::Lines } else { Shape::Json },
                &text,
                exit_code,
                took_ms,
                rng
            ))
        }
        _ => {
            let (text, exit_code) = as_shell_prints(call, result);
            let shape = if era == Era::Streamed { Shape::Chunk } else { Shape::Json };
            json!(printed(shape, &text, exit_code, took_ms, rng))
        }
    };
    Ok(Some(json!({ "type": kind, "call_id": id, "output": output })))
}

/// The ways in which Codex has written down what a command printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// JSON with the output and its metadata, as a string.
    Json,
    /// The exit code in the first line.
    Lines,
    /// What the unified tool says of one piece of output.
    Chunk,
}

/// Writes a command's output in one of the shapes.
pub(crate) fn printed(shape: Shape, text: &str, exit_code: i64, took_ms: i64, rng: &mut Rng) -> String {
    match shape {
        Shape::Json => {
            let seconds = (took_ms / 100) as f64 / 10.0;
            let metadata = json!({ "exit_code": exit_code, "duration_seconds": seconds });
            json!({ "output": text, "metadata": metadata }).to_string()
        }
        Shape::Lines => {
            format!("Exit code: {exit_code}\nWall time: {} seconds\nOutput:\n{text}", (took_ms + 500) / 1000)
        }
        Shape::Chunk => format!(
            "Chunk ID: {}\nWall time: {}.{:03}0 seconds\nProcess exited with code {exit_code}\n\
             Original token count: {}\nOutput:\n{text}",
            rng.hex(6),
            took_ms / 1000,
            took_ms % 1000,
            text.len().div_ceil(4),
        ),
    }
}

/// Makes the id of a call as the provider writes it.
pub(crate) fn call_id(story_id: &str) -> String {
    format!("call_{}", story_id.trim_start_matches("toolu_01"))
}

/// Makes a function call: its arguments are JSON in a string.
pub(crate) fn function(id: &str, name: &str, arguments: &Value) -> Value {
    json!({ "type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id })
}

fn shell(era: Era, id: &str, command: &str) -> Value {
    match era {
        Era::Bare | Era::Paired => function(
            id,
            "shell",
            &json!({ "command": ["bash", "-lc", command], "workdir": super::teller::CWD, "timeout_ms": 120_000 }),
        ),
        Era::Streamed => {
            let arguments =
                json!({ "cmd": command, "workdir": super::teller::CWD, "max_output_tokens": 10_000 });
            function(id, "exec_command", &arguments)
        }
    }
}

/// A patch was a shell command first, then a function, and is a tool with free text now.
fn patch(era: Era, id: &str, patch: &str) -> Value {
    match era {
        Era::Bare => function(id, "shell", &json!({ "command": ["apply_patch", patch] })),
        Era::Paired => function(id, "apply_patch", &json!({ "input": patch })),
        Era::Streamed => json!({
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": id,
            "name": "apply_patch",
            "input": patch,
        }),
    }
}

fn delimiter(era: Era, id: &str, arguments: &Value) -> Value {
    match era {
        Era::Bare => function(id, "cwl__delimiter", arguments),
        Era::Paired => function(id, "mcp__cwl__delimiter", arguments),
        Era::Streamed => json!({
            "type": "function_call",
            "name": "delimiter",
            "namespace": "mcp__cwl",
            "arguments": arguments.to_string(),
            "call_id": id,
        }),
    }
}

fn patch_of(call: &ToolCall) -> Result<String> {
    let text = |key: &str| call.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    let marked =
        |sign: char, text: &str| -> String { text.lines().map(|line| format!("{sign}{line}\n")).collect() };
    let body = match call.tool.as_str() {
        "write" => format!("*** Add File: {}\n{}", text("path"), marked('+', text("content"))),
        _ => format!(
            "*** Update File: {}\n@@\n{}{}",
            text("path"),
            marked('-', text("oldText")),
            marked('+', text("newText"))
        ),
    };
    Ok(format!("*** Begin Patch\n{body}*** End Patch"))
}

fn patched(call: &ToolCall, result: &ToolResult) -> Result<(String, i64)> {
    let path = call.arguments.get("path").and_then(Value::as_str).context("a patch has a path")?;
    if result.failed {
        return Ok((format!("apply_patch verification failed: {}\n", result.text), 1));
    }
    let sign = if matches!(result.effect, Some(Effect::Edited { .. })) { 'M' } else { 'A' };
    Ok((format!("Success. Updated the following files:\n{sign} {path}\n"), 0))
}

/// Takes off what the story's own tools say around an output.
fn as_shell_prints(call: &ToolCall, result: &ToolResult) -> (String, i64) {
    let mut text = result.text.clone();
    let mut exit_code = i64::from(result.failed);
    if let Some((before, code)) = text.rsplit_once("\n\nCommand exited with code ") {
        exit_code = code.parse().unwrap_or(1);
        text = before.to_owned();
    }
    match call.tool.as_str() {
        "bash" if text == "(no output)" => text.clear(),
        "grep" if text == "No matches found" => return (String::new(), 1),
        "grep" => text = text.lines().map(|line| hit(line) + "\n").collect(),
        "read" => {
            if let Some((before, _)) = text.rsplit_once("\n\n[") {
                text = before.to_owned();
            }
        }
        _ => {}
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    (text, exit_code)
}

/// `rg` puts no blank between the line number and the line.
fn hit(line: &str) -> String {
    let mut parts = line.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(path), Some(number), Some(text)) if number.parse::<u32>().is_ok() => {
            format!("{path}:{number}:{}", text.strip_prefix(' ').unwrap_or(text))
        }
        _ => line.to_owned(),
    }
}

/// Quotes a word for the shell where it needs it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
