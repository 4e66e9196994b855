//! Writes a story as a trajectory of Harbor (ATIF): one JSON document per run.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::SampleFile;
use super::api_history::{SYSTEM, logged};
use super::api_quirks::pretty;
use super::api_writer::{sample, tools};
use super::clock::iso;
use super::meter::{Meter, Usage};
use super::story::{Block, Event, Stop, Timed};
use super::teller::{self, CWD};
use super::tools::SCREENSHOT;

const MODEL: &str = "anthropic/claude-sonnet-4-5";

/// Makes the samples.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let quickstart = teller::tell(include_str!("texts/scripts/quickstart.txt"), 1)?;
    let short = teller::tell(include_str!("texts/scripts/exchange.txt"), 1)?;
    let mut files = Vec::new();
    files.extend(sample("atif", "quickstart", "json", pretty(&trajectory(&quickstart))?, QUICKSTART));
    files.extend(sample("atif", "keystrokes", "json", pretty(&keystrokes(&short)?)?, KEYSTROKES));
    files.extend(sample("atif", "continued", "json", pretty(&continued(&short)?)?, CONTINUED));
    Ok(files)
}

/// Writes a whole story; going back and compaction have no place in the format and are left out.
fn trajectory(events: &[Timed]) -> Value {
    let steps = steps(events);
    let total = |key: &str| -> u64 { steps.iter().filter_map(|step| step["metrics"][key].as_u64()).sum() };
    let definitions: Vec<Value> = tools()
        .into_iter()
        .map(|(name, description, schema)| {
            json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
        })
        .collect();
    json!({
        "schema_version": "ATIF-v1.6",
        "session_id": "0f6a2f52-6a0c-4b61-8a3e-5d3f6e2b9c11",
        "agent": {
            "name": "tidewater-agent",
            "version": "0.3.1",
            "model_name": MODEL,
            "tool_definitions": definitions,
            "extra": { "cwd": CWD },
        },
        "final_metrics": {
            "total_prompt_tokens": total("prompt_tokens"),
            "total_completion_tokens": total("completion_tokens"),
            "total_cached_tokens": total("cached_tokens"),
            "total_cost_usd": 1.25,
            "total_steps": steps.len(),
        },
        "steps": steps,
    })
}

fn steps(events: &[Timed]) -> Vec<Value> {
    let mut meter = Meter::new(21);
    let mut steps: Vec<Value> = Vec::new();
    for timed in events {
        let mut step = json!({ "step_id": steps.len() + 1, "timestamp": iso(timed.at_ms) });
        match &timed.event {
            Event::Begin { .. } => {
                step["source"] = json!("system");
                step["message"] = json!(SYSTEM);
            }
            Event::Human(text) => {
                meter.add(text.len());
                step["source"] = json!("user");
                step["message"] = json!(text);
            }
            Event::Reply(reply) if !matches!(reply.stop, Stop::Failed(_) | Stop::Aborted) => {
                reply_fields(&mut step, &reply.blocks, logged(meter.reply(reply.n_chars())));
            }
            Event::Result(result) => {
                meter.add(result.text.len());
                if let Some(last) = steps.last_mut() {
                    if last.get("observation").is_none() {
                        last["observation"] = json!({ "results": [] });
                    }
                    let row = json!({ "source_call_id": result.call_id, "content": result.text });
                    if let Some(results) = last["observation"]["results"].as_array_mut() {
                        results.push(row);
                    }
                }
                continue;
            }
            _ => continue,
        }
        steps.push(step);
    }
    steps
}

fn reply_fields(step: &mut Value, blocks: &[Block], usage: Usage) {
    let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for block in blocks {
        match block {
            Block::Text(text) => texts.push(text.as_str()),
            Block::Reasoning(text) => thoughts.push(text.as_str()),
            Block::Call(call) => calls.push(json!({
                "tool_call_id": call.id,
                "function_name": call.tool,
                "arguments": call.arguments,
            })),
        }
    }
    step["source"] = json!("agent");
    step["model_name"] = json!(MODEL);
    step["message"] = json!(texts.join("\n\n"));
    if !thoughts.is_empty() {
        step["reasoning_content"] = json!(thoughts.join("\n\n"));
    }
    if !calls.is_empty() {
        step["tool_calls"] = json!(calls);
    }
    step["metrics"] = json!({
        "prompt_tokens": usage.input + usage.cache_read + usage.cache_write,
        "completion_tokens": usage.output,
        "cached_tokens": usage.cache_read,
        "cost_usd": 0.02,
    });
}

/// Writes a run of an agent that types into a terminal: several keystrokes per step and one screen as their
/// observation, which names no call.
fn keystrokes(events: &[Timed]) -> Result<Value> {
    let mut steps = steps(events);
    // This agent has no system step: its rules stand in the task.
    steps.remove(0);
    for (step_id, step) in (1..).zip(&mut steps) {
        step["step_id"] = json!(step_id);
        let Some(calls) = step["tool_calls"].as_array() else { continue };
        let typed: Vec<Value> = (1..)
            .zip(calls)
            .map(|(nth, call)| {
                json!({
                    "tool_call_id": format!("call_{}_{nth}", step_id - 1),
                    "function_name": "bash_command",
                    "arguments": { "keystrokes": command_line(call), "duration": 0.1 },
                })
            })
            .collect();
        step["tool_calls"] = json!(typed);
        let screens: Vec<&str> = step["observation"]["results"]
            .as_array()
            .context("calls have results")?
            .iter()
            .filter_map(|row| row["content"].as_str())
            .collect();
        let screen = format!("New Terminal Output:\n{}\n", screens.join("\n"));
        step["observation"] = json!({ "results": [{ "content": screen }] });
    }
    if let Some(last) = steps.last_mut() {
        last["tool_calls"] =
            json!([{ "tool_call_id": "call_done", "function_name": "mark_task_complete", "arguments": {} }]);
        last["observation"] = json!({ "results": [{ "content": "Are you sure you want to mark the task as complete?" }, { "content": null }] });
    }
    Ok(json!({
        "schema_version": "ATIF-v1.2",
        "session_id": "b1d0c9a4-3b64-4b7b-9b0e-2f7f5f2f8a77",
        "agent": { "name": "terminus-2", "version": "2.0.0", "model_name": MODEL, "extra": { "parser": "json" } },
        "steps": steps,
        "notes": null,
        "final_metrics": { "total_prompt_tokens": 99_999_999, "total_completion_tokens": 4_000, "total_cached_tokens": 0 },
    }))
}

/// Writes what a call does as a person would type it.
pub(crate) fn command_line(call: &Value) -> String {
    let argument = |key: &str| call["arguments"][key].as_str().unwrap_or_default();
    match call["function_name"].as_str().unwrap_or_default() {
        "grep" => format!("grep -rn '{}' {}\n", argument("pattern"), argument("path")),
        "read" => {
            let (first, n_lines) = (&call["arguments"]["offset"], &call["arguments"]["limit"]);
            match (first.as_u64(), n_lines.as_u64()) {
                (Some(first), Some(n_lines)) => {
                    format!("sed -n {first},{}p {}\n", first + n_lines - 1, argument("path"))
                }
                _ => format!("cat {}\n", argument("path")),
            }
        }
        "bash" => format!("{}\n", argument("command")),
        "edit" => format!("python3 edit.py {}\n", argument("path")),
        "delimiter" => format!("# {} {}\n", argument("action"), argument("name")),
        other => format!("{other}\n"),
    }
}

/// Writes the second half of a run that was summarised: copied steps first, an image by its path, a subagent,
/// and the name of the file that goes on.
fn continued(events: &[Timed]) -> Result<Value> {
    let mut steps = steps(events);
    let summary = json!({
        "step_id": 0,
        "source": "user",
        "message": "Summary of the work so far: `ago()` in ui/src/lib/time.ts answers \"just now\" for a time in the future; the guard is still missing.",
    });
    for step in steps.iter_mut().take(3) {
        step["is_copied_context"] = json!(true);
        if let Some(step) = step.as_object_mut() {
            step.remove("metrics");
        }
    }
    // In the middle the history is summarised once more and the steps that stay are fed again.
    let mut again: Vec<Value> = steps.iter().skip(4).take(2).cloned().collect();
    for step in &mut again {
        step["is_copied_context"] = json!(true);
        step["extra"] = json!({ "copied_from": step["step_id"] });
        if let Some(step) = step.as_object_mut() {
            step.remove("metrics");
        }
    }
    let mut summary = summary;
    summary["is_copied_context"] = json!(true);
    again.insert(0, summary);
    let tail = steps.split_off(6.min(steps.len()));
    steps.extend(again);
    steps.extend(tail);
    let picture = json!({ "source": "user", "message": [
        { "type": "text", "text": "This is how it looks now." },
        { "type": "image", "source": { "media_type": "image/png", "path": "images/step_7.png" } },
    ] });
    let delegated = json!({
        "source": "agent",
        "model_name": MODEL,
        "message": "I let another agent check the wording.",
        "reasoning_effort": "high",
        "tool_calls": [{ "tool_call_id": "call_sub", "function_name": "subagent", "arguments": { "task": "check the wording" } }],
        "observation": { "results": [{
            "source_call_id": "call_sub",
            "content": [{ "type": "text", "text": "The wording is fine." }, { "type": "image", "source": { "media_type": "image/png", "data": SCREENSHOT.trim_end() } }],
            "subagent_trajectory_ref": [{ "trajectory_id": "wording" }],
        }] },
        "metrics": { "prompt_tokens": 5_200, "completion_tokens": 64, "cached_tokens": 4_900, "prompt_token_ids": [1, 2, 3], "logprobs": [-0.1], "extra": {} },
    });
    let strange = json!({ "source": "referee", "message": "A source that nobody knows." });
    steps.extend([picture, delegated, strange]);
    for (step_id, step) in (1..).zip(&mut steps) {
        step["step_id"] = json!(step_id);
    }
    let inner = json!({
        "schema_version": "ATIF-v1.7",
        "trajectory_id": "wording",
        "agent": { "name": "wording-agent", "version": "1" },
        "steps": [
            { "step_id": 1, "source": "user", "message": "check the wording" },
            { "step_id": 2, "source": "agent", "message": "The wording is fine." },
        ],
    });
    Ok(json!({
        "schema_version": "ATIF-v1.7",
        "trajectory_id": "main-2",
        "agent": { "name": "tidewater-agent", "version": "0.4.0", "model_name": MODEL },
        "steps": steps,
        "continued_trajectory_ref": "trajectory.cont-2.json",
        "subagent_trajectories": [inner],
        "extra": { "exported_by": "harbor" },
    }))
}

const QUICKSTART: &str = "\
The same story as `pi/quickstart` as a trajectory of Harbor (ATIF 1.6): one document,
written over many lines, with a step per message and the real prompt size of every
request. Labels and names have no place in the format.
";

const KEYSTROKES: &str = "\
A run as an agent writes it that types into a terminal (ATIF 1.2): several keystroke
calls in one step, one screen as their observation, and no `source_call_id`. The totals
at the end are sums over all requests and say nothing about the size of the context.
";

const CONTINUED: &str = "\
A run that goes on after a summary (ATIF 1.7): steps that were copied from before, a
summary in the middle after which two steps are fed again, an image by its path, a
subagent's own trajectory inside of the document, a step of an unknown source, no
session id, and the name of the file that goes on.
";
