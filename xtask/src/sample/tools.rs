//! The agent's tools: a directive becomes a call, and a call gets its result.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::bulk;
use super::rng::Rng;
use super::script::{Directive, with_line_numbers};
use super::shell;
use super::story::{Effect, Episode, Image, ToolResult};
use super::teller::{CWD, Output, Planned, Teller, opening};

pub(crate) const SCREENSHOT: &str = include_str!("texts/screenshot.png.b64");

/// Maximum number of hits shown, the tool's default.
const GREP_LIMIT: usize = 100;

pub(crate) fn call_of(directive: &Directive<'_>) -> Result<(&'static str, Value)> {
    let rest = directive.rest;
    Ok(match directive.name {
        "start" => ("delimiter", opening(&episode_of(rest)?)),
        "end" => {
            let description = directive.text();
            let arguments = if description.is_empty() {
                json!({ "action": "end" })
            } else {
                json!({ "action": "end", "description": description })
            };
            ("delimiter", arguments)
        }
        "read" => {
            let mut words = rest.split(' ');
            let mut arguments = json!({ "path": words.next() });
            for key in ["offset", "limit"] {
                if let Some(word) = words.next() {
                    arguments[key] = json!(word.parse::<usize>()?);
                }
            }
            ("read", arguments)
        }
        "image" => ("read", json!({ "path": rest })),
        "grep" | "find" => {
            let (pattern, path) = rest.rsplit_once(" in ").context("PATTERN in PATH")?;
            let name = if directive.name == "grep" { "grep" } else { "find" };
            (name, json!({ "pattern": pattern, "path": path }))
        }
        "ls" => ("ls", json!({ "path": rest })),
        "bash" => ("bash", json!({ "command": rest })),
        "fetch" => ("web_fetch", json!({ "url": rest })),
        "edit" => {
            let (old, new) = directive.replacement()?;
            ("edit", json!({ "path": rest, "oldText": old, "newText": new }))
        }
        "write" => ("write", json!({ "path": rest, "content": directive.file() })),
        other => bail!("@{other} is no tool"),
    })
}

/// Parses `KIND NAME DEPENDENCY…`.
fn episode_of(rest: &str) -> Result<Episode> {
    let mut words = rest.split(' ').map(str::to_owned);
    let kind = words
        .next()
        .filter(|kind| matches!(kind.as_str(), "expl" | "act"))
        .context("expl or act expected")?;
    let name = words.next().context("an episode needs a name")?;
    Ok(Episode { name, kind, dependencies: words.collect() })
}

pub(crate) fn run(teller: &mut Teller, planned: &Planned<'_>) -> Result<ToolResult> {
    let mut result = ToolResult {
        call_id: planned.call.id.clone(),
        tool: planned.call.tool.clone(),
        text: String::new(),
        image: None,
        failed: false,
        effect: None,
    };
    if let Some(refusal) = &planned.refused {
        result.text.clone_from(refusal);
        result.failed = true;
        return Ok(result);
    }
    let arguments = &planned.call.arguments;
    let argument =
        |key: &str| arguments.get(key).and_then(Value::as_str).with_context(|| format!("no {key}"));
    let number = |key: &str| arguments.get(key).and_then(Value::as_u64).map(|value| value as usize);
    match planned.directive.name {
        "start" => {
            let episode = episode_of(planned.directive.rest)?;
            result.text = format!("start {}", label(&episode));
            teller.open = Some(episode.clone());
            result.effect = Some(Effect::Opened(episode));
        }
        "end" => {
            let episode = teller.open.take().context("no episode is open")?;
            let description = arguments.get("description").and_then(Value::as_str).map(str::to_owned);
            // The tool names dependencies only when an episode starts.
            result.text = format!("end [{}] {}", episode.kind, episode.name);
            if let Some(description) = &description {
                result.text.push_str(" — ");
                result.text.push_str(description);
            }
            result.effect = Some(Effect::Closed { episode, description });
        }
        "image" => {
            result.text = "Read image file [image/png]".to_owned();
            result.image = Some(Image { mime_type: "image/png", data: SCREENSHOT.trim_end() });
        }
        "read" => result.text = teller.project.read(argument("path")?, number("offset"), number("limit"))?,
        "grep" => {
            let found = teller.project.matches(argument("pattern")?, argument("path")?)?;
            let lines: Vec<String> = found
                .iter()
                .take(GREP_LIMIT)
                .map(|(path, line, text)| format!("{path}:{line}: {text}"))
                .collect();
            result.text = if lines.is_empty() { "No matches found".to_owned() } else { lines.join("\n") };
            if found.len() > GREP_LIMIT {
                result
                    .text
                    .push_str("\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]");
            }
        }
        "find" => {
            let found = teller.project.glob(argument("pattern")?, argument("path")?)?;
            result.text = if found.is_empty() {
                "No files found matching pattern".to_owned()
            } else {
                found.join("\n")
            };
        }
        "ls" => result.text = teller.project.list(argument("path")?).join("\n"),
        "edit" => {
            let path = argument("path")?;
            let (diff, first_changed_line) =
                teller.project.edit(path, argument("oldText")?, argument("newText")?)?;
            result.text = format!("Successfully replaced text in {path}.");
            result.effect = Some(Effect::Edited { diff, first_changed_line });
        }
        "write" => {
            let (path, text) = (argument("path")?, argument("content")?);
            teller.project.write(path, text);
            result.text = format!("Successfully wrote {} bytes to {path}", text.len());
        }
        _ => outside_output(teller, planned, &mut result)?,
    }
    Ok(result)
}

/// Fills in the result of a shell command or a web request, either from the script or by [`shell::run`].
fn outside_output(teller: &mut Teller, planned: &Planned<'_>, result: &mut ToolResult) -> Result<()> {
    let mut exit_code = planned.exit_code;
    result.text = match &planned.output {
        Some(Output::Literal(text)) => with_line_numbers(text, &teller.project)?,
        Some(Output::Generated { kind, count }) => {
            let mut rng = Rng::new(planned.directive.line as u64);
            bulk::generated(kind, *count, teller.now_ms(), &mut rng)?
        }
        None => {
            let mut failures = planned.failures.clone();
            for failure in &mut failures {
                failure.message = with_line_numbers(&failure.message, &teller.project)?;
            }
            let printed =
                shell::run(&mut teller.project, planned.directive.rest, &failures, &mut teller.rng)?;
            exit_code = printed.exit_code;
            printed.text
        }
    };
    if result.text.is_empty() {
        result.text = "(no output)".to_owned();
    }
    if exit_code != 0 {
        result.text.push_str(&format!("\n\nCommand exited with code {exit_code}"));
        result.failed = true;
    }
    result.text = result.text.replace("{cwd}", CWD);
    Ok(())
}

fn label(episode: &Episode) -> String {
    let mut label = format!("[{}] {}", episode.kind, episode.name);
    if !episode.dependencies.is_empty() {
        label.push_str(&format!(" dep={}", episode.dependencies.join(",")));
    }
    label
}

pub(crate) fn duration_ms(planned: &Planned<'_>, rng: &mut Rng) -> u64 {
    let command = planned.directive.rest;
    let (low, high) = match planned.directive.name {
        "start" | "end" => (1, 4),
        "bash" if command.contains("gh run watch") => (70_000, 205_000),
        "bash" if command.contains("cargo clean") => (107_500, 108_500),
        "bash" if command.contains("cargo") => (3_000, 24_000),
        "bash" if command.contains("np") => (2_000, 9_000),
        "bash" => (60, 1_900),
        "fetch" => (300, 2_400),
        "grep" | "find" => (25, 190),
        _ => (4, 40),
    };
    rng.between(low, high)
}
