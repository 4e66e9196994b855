//! Writes a story as a trajectory of SWE-agent (`.traj`): one JSON document that holds each step twice.

use anyhow::Result;
use serde_json::{Value, json};

use super::SampleFile;
use super::api_history::SYSTEM;
use super::api_quirks::pretty;
use super::api_writer::sample;
use super::story::{Block, Event, Reply, Timed, ToolCall, ToolResult};
use super::teller::{self, CWD};

/// Makes the samples.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let quickstart = teller::tell(include_str!("texts/scripts/quickstart.txt"), 1)?;
    let short = teller::tell(include_str!("texts/scripts/exchange.txt"), 1)?;
    let mut files = Vec::new();
    files.extend(sample(
        "swe-agent",
        "quickstart",
        "json",
        pretty(&trajectory(&quickstart, Query::Absent))?,
        QUICKSTART,
    ));
    files.extend(sample("swe-agent", "elided", "json", pretty(&trajectory(&short, Query::Elided))?, ELIDED));
    files.extend(sample("swe-agent", "thoughts", "json", pretty(&thoughts(&short))?, THOUGHTS));
    Ok(files)
}

/// Whether the steps hold what was really sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Query {
    Absent,
    /// They do, and it holds only the newest observations.
    Elided,
}

/// So many of the newest observations are sent in full.
const N_SENT: usize = 2;

fn system() -> Value {
    json!({ "role": "system", "content": SYSTEM, "agent": "main", "message_type": "system_prompt" })
}

fn trajectory(events: &[Timed], query: Query) -> Value {
    let mut history = vec![system()];
    let mut steps: Vec<Value> = Vec::new();
    for timed in events {
        match &timed.event {
            Event::Human(text) => {
                let mut message =
                    json!({ "role": "user", "content": [{ "type": "text", "text": text }], "agent": "main" });
                // The task counts as the first observation; for a human who says more there is no type.
                if steps.is_empty() {
                    message["message_type"] = json!("observation");
                }
                history.push(message);
            }
            Event::Reply(reply) => {
                let mut step = step_of(reply);
                if query == Query::Elided {
                    step["query"] = json!(sent(&history));
                }
                history.push(action(reply, &step));
                steps.push(step);
            }
            Event::Result(result) => {
                if let Some(step) = steps.last_mut() {
                    let before = step["observation"].as_str().unwrap_or_default();
                    step["observation"] = json!(format!("{before}{}", result.text));
                }
                history.push(observation(result));
            }
            _ => {}
        }
    }
    document(steps, history)
}

fn document(steps: Vec<Value>, history: Vec<Value>) -> Value {
    let n_steps = steps.len();
    json!({
        "trajectory": steps,
        "history": history,
        "info": {
            "exit_status": "submitted",
            "submission": "",
            "model_stats": { "instance_cost": 0.42, "tokens_sent": 812_345, "tokens_received": 4_321, "api_calls": n_steps },
            "swe_agent_version": "1.1.0",
        },
        "replay_config": "{\"agent\":{\"name\":\"main\"}}",
        "environment": "main",
    })
}

/// What the history processor leaves of the history.
fn sent(history: &[Value]) -> Vec<Value> {
    let observations: Vec<usize> = (0..history.len()).filter(|at| history[*at]["role"] == "tool").collect();
    let first_sent = observations.len().saturating_sub(N_SENT);
    let elided = &observations[..first_sent];
    (0..)
        .zip(history)
        .map(|(at, message)| {
            let mut message = message.clone();
            if elided.contains(&at) {
                let n_lines = message["content"].as_str().unwrap_or_default().lines().count();
                message["content"] = json!(format!("Old environment output: ({n_lines} lines omitted)"));
            }
            message
        })
        .collect()
}

fn texts(reply: &Reply) -> String {
    let texts = reply.blocks.iter().filter_map(|block| match block {
        Block::Text(text) | Block::Reasoning(text) => Some(text.as_str()),
        Block::Call(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn calls(reply: &Reply) -> impl Iterator<Item = &ToolCall> {
    reply.blocks.iter().filter_map(|block| if let Block::Call(call) = block { Some(call) } else { None })
}

fn step_of(reply: &Reply) -> Value {
    let action: Vec<String> = calls(reply).map(command).collect();
    json!({
        "action": action.join(" && "),
        "observation": "",
        "response": texts(reply),
        "thought": texts(reply),
        "execution_time": 0.2,
        "state": { "working_dir": CWD, "open_file": "n/a" },
    })
}

fn action(reply: &Reply, step: &Value) -> Value {
    let calls: Vec<Value> = calls(reply)
        .map(|call| {
            let (name, arguments) = tool(call);
            json!({ "id": call.id, "type": "function", "function": { "name": name, "arguments": arguments.to_string() } })
        })
        .collect();
    json!({
        "role": "assistant",
        "content": step["response"],
        "thought": step["thought"],
        "action": step["action"],
        "agent": "main",
        "tool_calls": if calls.is_empty() { Value::Null } else { json!(calls) },
        "message_type": "action",
        "thinking_blocks": null,
    })
}

fn observation(result: &ToolResult) -> Value {
    json!({
        "role": "tool",
        "content": format!("OBSERVATION:\n{}", result.text),
        "agent": "main",
        "message_type": "observation",
        "tool_call_ids": [result.call_id],
    })
}

/// Translates a call to the tools of that harness.
fn tool(call: &ToolCall) -> (&'static str, Value) {
    let arguments = &call.arguments;
    match call.tool.as_str() {
        "read" => {
            let mut view = json!({ "command": "view", "path": arguments["path"] });
            if let (Some(first), Some(n_lines)) = (arguments["offset"].as_u64(), arguments["limit"].as_u64())
            {
                view["view_range"] = json!([first, first + n_lines - 1]);
            }
            ("open", view)
        }
        "grep" => ("search_dir", json!({ "search_term": arguments["pattern"], "dir": arguments["path"] })),
        "find" | "glob" => {
            ("find_file", json!({ "file_name": arguments["pattern"], "dir": arguments["path"] }))
        }
        "edit" => (
            "str_replace_editor",
            json!({ "command": "str_replace", "path": arguments["path"], "old_str": arguments["oldText"], "new_str": arguments["newText"] }),
        ),
        "write" => (
            "str_replace_editor",
            json!({ "command": "create", "path": arguments["path"], "file_text": arguments["content"] }),
        ),
        "delimiter" => ("delimiter", arguments.clone()),
        _ => ("bash", arguments.clone()),
    }
}

/// Writes a call as the shell command that the harness makes of it.
fn command(call: &ToolCall) -> String {
    let (name, arguments) = tool(call);
    if name == "bash" {
        return arguments["command"].as_str().unwrap_or_default().to_owned();
    }
    let words = arguments.as_object().into_iter().flatten().map(|(_, value)| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    [name.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// The older form: no calls of the provider's API; the action stands in a fenced block of the reply and the
/// observation in the user's slot. A demonstration stands before the task.
fn thoughts(events: &[Timed]) -> Value {
    let mut history = vec![
        system(),
        json!({
            "role": "user",
            "content": "Here is a demonstration of how to solve an issue:\n\nls\n\nREADME.md src",
            "agent": "main",
            "is_demo": true,
            "message_type": "demonstration",
        }),
    ];
    let mut steps: Vec<Value> = Vec::new();
    let mut screen = String::new();
    let tail = "\n(Open file: n/a)\n(Current directory: /tidewater)\nbash-$";
    for timed in events {
        match &timed.event {
            // The older form knows the task only, no human who says more.
            Event::Human(_) if !steps.is_empty() => break,
            Event::Human(text) => history.push(json!({
                "role": "user",
                "content": format!("We're currently solving the following issue. ISSUE:\n{text}\n{tail}"),
                "agent": "main",
                "message_type": "observation",
            })),
            Event::Reply(reply) => {
                if !screen.is_empty() {
                    history.push(json!({ "role": "user", "content": format!("{screen}{tail}"), "agent": "main", "message_type": "observation" }));
                    screen.clear();
                }
                let mut step = step_of(reply);
                let commands: Vec<String> =
                    calls(reply).filter(|call| call.tool != "delimiter").map(command).collect();
                let action = if commands.is_empty() { "submit".to_owned() } else { commands.join("\n") };
                let content = format!("DISCUSSION\n{}\n\n```\n{action}\n```", texts(reply));
                step["action"] = json!(format!("{action}\n"));
                step["response"] = json!(content);
                step["messages"] = json!(
                    history
                        .iter()
                        .map(|it| json!({ "role": it["role"], "content": it["content"] }))
                        .collect::<Vec<_>>()
                );
                history.push(json!({
                    "role": "assistant",
                    "content": content,
                    "thought": step["thought"],
                    "action": step["action"],
                    "agent": "main",
                    "message_type": "action",
                }));
                steps.push(step);
            }
            Event::Result(result) => {
                if let Some(step) = steps.last_mut() {
                    let before = step["observation"].as_str().unwrap_or_default();
                    step["observation"] = json!(format!("{before}{}", result.text));
                }
                screen.push_str(&result.text);
                screen.push('\n');
            }
            _ => {}
        }
    }
    document(steps, history)
}

const QUICKSTART: &str = "\
The same story as `pi/quickstart` as a trajectory of SWE-agent with function calling: one
document, in which `trajectory` and `history` say the same things twice. The usage is
only there as a sum over the run.
";

const ELIDED: &str = "\
A short run whose steps hold what was really sent (`query`): of older observations only
a line is left, so that the context is shorter than the history.
";

const THOUGHTS: &str = "\
The older form: a demonstration before the task, actions in fenced blocks of the replies,
observations in the user's slot, and what was sent as `messages`.
";
