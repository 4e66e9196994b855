//! The story's tools as Claude Code has them: names, arguments, results, and the copies kept for its screen.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::project::Project;
use super::source_text;
use super::story::{ToolCall, ToolResult};
use super::teller::CWD;
use super::text_diff;

/// The tools with the project that they change, as far as the screen's copies need it.
pub(crate) struct ClaudeTools {
    project: Project,
}

/// A result as it goes to the model, and its copy for the screen.
pub(crate) struct ClaudeResult {
    pub(crate) content: Value,
    pub(crate) copy: Value,
}

impl ClaudeTools {
    pub(crate) fn new() -> Self {
        Self { project: Project::new(source_text::initial_tree()) }
    }

    /// The human put the files back.
    pub(crate) fn restore(&mut self) {
        self.project.restore();
    }

    /// Makes the content of a result, and what a change does to the project.
    pub(crate) fn result(
        &mut self,
        call: &ToolCall,
        result: &ToolResult,
        took_ms: i64,
    ) -> Result<ClaudeResult> {
        let argument = |key: &str| call.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = || format!("{CWD}/{}", argument("path"));
        let text = result.text.as_str();
        if result.failed && call.tool != "bash" {
            return Ok(ClaudeResult {
                content: json!(format!("<tool_use_error>{text}</tool_use_error>")),
                copy: json!(format!("Error: {text}")),
            });
        }
        Ok(match call.tool.as_str() {
            "delimiter" => {
                let content = json!([{ "type": "text", "text": text }]);
                ClaudeResult { copy: content.clone(), content }
            }
            "read" if result.image.is_some() => {
                let image = result.image.as_ref().context("an image")?;
                let source = json!({ "type": "base64", "data": image.data, "media_type": image.mime_type });
                let file = json!({ "base64": image.data, "type": image.mime_type, "originalSize": 412 });
                ClaudeResult {
                    content: json!([{ "type": "image", "source": source }]),
                    copy: json!({ "type": "image", "file": file }),
                }
            }
            "read" => self.read(call)?,
            "bash" => bash(text, result.failed),
            "ls" => bash(text, false),
            "grep" => {
                let lines: Vec<String> = text.lines().map(|line| line.replacen(": ", ":", 1)).collect();
                let copy = json!({
                    "mode": "content",
                    "numFiles": 0,
                    "filenames": [],
                    "content": lines.join("\n"),
                    "numLines": lines.len(),
                });
                ClaudeResult { content: json!(lines.join("\n")), copy }
            }
            "find" | "glob" => {
                let found: Vec<String> = text.lines().map(|line| format!("{CWD}/{line}")).collect();
                let copy = json!({
                    "filenames": found,
                    "durationMs": took_ms,
                    "numFiles": found.len(),
                    "truncated": false,
                });
                ClaudeResult { content: json!(found.join("\n")), copy }
            }
            "edit" => self.edit(argument("path"), argument("oldText"), argument("newText"))?,
            "write" => {
                let (short, written) = (argument("path"), argument("content"));
                let before = self.project.text(short).ok().map(str::to_owned);
                self.project.write(short, written);
                let said = match before {
                    None => format!("File created successfully at: {}", path()),
                    Some(_) => format!("The file {} has been updated successfully.", path()),
                };
                let copy = json!({
                    "type": if before.is_none() { "create" } else { "update" },
                    "filePath": path(),
                    "content": written,
                    "structuredPatch": before.as_deref().map_or(json!([]), |old| hunks(old, written)),
                    "originalFile": before,
                });
                ClaudeResult { content: json!(said), copy }
            }
            "web_fetch" => ClaudeResult {
                content: json!(text),
                copy: json!({
                    "bytes": text.len(),
                    "code": 200,
                    "codeText": "OK",
                    "result": text,
                    "durationMs": took_ms,
                    "url": argument("url"),
                }),
            },
            _ => ClaudeResult { content: json!(text), copy: json!(text) },
        })
    }

    /// Reads with line numbers, as the tool does.
    fn read(&self, call: &ToolCall) -> Result<ClaudeResult> {
        let path = call.arguments.get("path").and_then(Value::as_str).context("a path")?;
        let number = |key: &str| call.arguments.get(key).and_then(Value::as_u64).map(|n| n as usize);
        let lines: Vec<&str> = self.project.text(path)?.lines().collect();
        let start = number("offset").unwrap_or(1).max(1) - 1;
        let end = (start + number("limit").unwrap_or(2_000)).min(lines.len());
        let shown = lines.get(start..end).context("lines to read")?;
        let numbered: Vec<String> =
            shown.iter().enumerate().map(|(at, line)| format!("{:>6}→{line}", start + at + 1)).collect();
        let file = json!({
            "filePath": format!("{CWD}/{path}"),
            "content": shown.join("\n"),
            "numLines": shown.len(),
            "startLine": start + 1,
            "totalLines": lines.len(),
        });
        Ok(ClaudeResult {
            content: json!(numbered.join("\n")),
            copy: json!({ "type": "text", "file": file }),
        })
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) -> Result<ClaudeResult> {
        let before = self.project.text(path)?.to_owned();
        self.project.edit(path, old, new)?;
        let patch = hunks(&before, self.project.text(path)?);
        Ok(ClaudeResult {
            content: json!(format!("The file {CWD}/{path} has been updated successfully.")),
            copy: json!({
                "filePath": format!("{CWD}/{path}"),
                "oldString": old,
                "newString": new,
                "originalFile": before,
                "structuredPatch": patch,
                "userModified": false,
                "replaceAll": false,
            }),
        })
    }
}

/// Returns a call's name and arguments in Claude Code.
pub(crate) fn call_of(call: &ToolCall) -> (&'static str, Value) {
    let arguments = &call.arguments;
    let path = || match arguments.get("path").and_then(Value::as_str) {
        None | Some(".") => json!(CWD),
        Some(path) => json!(format!("{CWD}/{path}")),
    };
    match call.tool.as_str() {
        "delimiter" => ("mcp__cwl__delimiter", arguments.clone()),
        "read" => {
            let mut input = json!({ "file_path": path() });
            for key in ["offset", "limit"] {
                if let Some(number) = arguments.get(key) {
                    input[key] = number.clone();
                }
            }
            ("Read", input)
        }
        "grep" => {
            let input = json!({ "pattern": arguments["pattern"], "path": path(), "output_mode": "content", "-n": true });
            ("Grep", input)
        }
        "find" => ("Glob", json!({ "pattern": arguments["pattern"], "path": path() })),
        "glob" => ("Glob", json!({ "pattern": arguments["pattern"] })),
        "ls" => {
            let folder = arguments["path"].as_str().unwrap_or(".");
            ("Bash", json!({ "command": format!("ls {folder}"), "description": format!("List {folder}") }))
        }
        "bash" => ("Bash", json!({ "command": arguments["command"], "description": described(arguments) })),
        "web_fetch" => ("WebFetch", json!({ "url": arguments["url"], "prompt": "What does this page say?" })),
        "edit" => (
            "Edit",
            json!({
                "replace_all": false,
                "file_path": path(),
                "old_string": arguments["oldText"],
                "new_string": arguments["newText"],
            }),
        ),
        "write" => ("Write", json!({ "file_path": path(), "content": arguments["content"] })),
        _ => ("Skill", arguments.clone()),
    }
}

/// Says what a command does, as the model has to.
fn described(arguments: &Value) -> String {
    let command = arguments["command"].as_str().unwrap_or_default();
    let mut words = command.split(' ').filter(|word| !word.starts_with('-'));
    let what = match (words.next().unwrap_or_default(), words.next()) {
        ("ls", Some(folder)) => return format!("List {folder}"),
        ("cd", _) => command.rsplit("&& ").next().unwrap_or(command),
        (program, Some(command)) => return format!("Run {program} {command}"),
        (program, None) => program,
    };
    format!("Run {what}")
}

fn bash(text: &str, failed: bool) -> ClaudeResult {
    if failed {
        let (output, code) = text.rsplit_once("\n\nCommand exited with code ").unwrap_or((text, "1"));
        let said = format!("Exit code {code}\n{output}");
        return ClaudeResult { copy: json!(format!("Error: {said}")), content: json!(said) };
    }
    let nothing = text == "(no output)";
    let stdout = if nothing { "" } else { text };
    let copy = json!({
        "stdout": stdout,
        "stderr": "",
        "interrupted": false,
        "isImage": false,
        "noOutputExpected": nothing,
    });
    ClaudeResult { content: json!(if nothing { "(Bash completed with no output)" } else { stdout }), copy }
}

/// Writes a difference as the screen wants it: one object per hunk.
fn hunks(old: &str, new: &str) -> Value {
    let unified = text_diff::unified(old, new);
    let mut hunks: Vec<Value> = Vec::new();
    for line in unified.lines() {
        if let Some(head) = line.strip_prefix("@@ -") {
            let numbers: Vec<u64> =
                head.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
            let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
            hunks.push(json!({
                "oldStart": at(0),
                "oldLines": at(1),
                "newStart": at(2),
                "newLines": at(3),
                "lines": [],
            }));
        } else if let Some(lines) = hunks.last_mut().and_then(|hunk| hunk["lines"].as_array_mut()) {
            lines.push(json!(line));
        }
    }
    Value::Array(hunks)
}
