//! Writes a story as a trajectory of mini-SWE-agent: one JSON document, a list of messages.

use anyhow::Result;
use serde_json::{Value, json};

use super::SampleFile;
use super::api_chat::Chat;
use super::api_history::{Entry, Exchange, SYSTEM, exchanges};
use super::api_quirks::{chat_message, pretty};
use super::api_writer::{Wire, sample};
use super::atif_writer::command_line;
use super::story::{Block, Event, Timed, ToolResult};
use super::teller;

/// Makes the samples.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let quickstart = teller::tell(include_str!("texts/scripts/quickstart.txt"), 1)?;
    let short = teller::tell(include_str!("texts/scripts/exchange.txt"), 1)?;
    let mut files = Vec::new();
    files.extend(sample(
        "mini-swe-agent",
        "quickstart",
        "json",
        pretty(&with_tools(&quickstart)?)?,
        QUICKSTART,
    ));
    files.extend(sample("mini-swe-agent", "fenced", "json", pretty(&fenced(&short)?)?, FENCED));
    let bare = fenced(&short)?;
    let bare: Vec<Value> = bare["messages"]
        .as_array()
        .map(|messages| {
            messages.iter().map(|it| json!({ "role": it["role"], "content": it["content"] })).collect()
        })
        .unwrap_or_default();
    files.extend(sample("mini-swe-agent", "bare", "json", pretty(&json!(bare))?, BARE));
    Ok(files)
}

fn info(version: &str, n_calls: usize) -> Value {
    json!({
        "model_stats": { "instance_cost": 0.31, "api_calls": n_calls },
        "config": {
            "agent": { "step_limit": 0, "cost_limit": 3.0 },
            "model": { "model_name": "kestrel-2-chat", "model_kwargs": { "temperature": 0.0 } },
            "environment": { "cwd": teller::CWD, "timeout": 30 },
        },
        "mini_version": version,
        "exit_status": "Submitted",
        "submission": "",
    })
}

/// The newer form: calls of the provider's API, each reply with the whole response beside it.
fn with_tools(events: &[Timed]) -> Result<Value> {
    let exchanges = exchanges(events, 1)?;
    let mut chat = Chat::new(31);
    let mut messages = vec![json!({ "role": "system", "content": SYSTEM })];
    let mut n_known = 0;
    for exchange in &exchanges {
        messages.extend(exchange.history.iter().skip(n_known).filter_map(plain));
        n_known = exchange.history.len() + 1;
        let mut message = chat_message(exchange);
        message["extra"] = json!({
            "actions": actions(exchange),
            "response": chat.response(exchange),
            "cost": 0.009,
            "timestamp": exchange.at_ms as f64 / 1000.0,
        });
        messages.push(message);
    }
    messages.push(
        json!({ "role": "exit", "content": "", "extra": { "exit_status": "Submitted", "submission": "" } }),
    );
    Ok(
        json!({ "info": info("2.2.6", exchanges.len()), "messages": messages, "trajectory_format": "mini-swe-agent-1.1" }),
    )
}

fn actions(exchange: &Exchange) -> Vec<Value> {
    let calls = exchange.reply.blocks.iter().filter_map(|block| match block {
        Block::Call(call) => Some(call),
        _ => None,
    });
    calls
        .map(|call| {
            let line = command_line(&json!({ "function_name": call.tool, "arguments": call.arguments }));
            json!({ "command": line.trim_end(), "tool_call_id": call.id })
        })
        .collect()
}

fn plain(entry: &Entry) -> Option<Value> {
    Some(match entry {
        Entry::Human(text) | Entry::Injected(text) => json!({ "role": "user", "content": text }),
        Entry::Result(result) => json!({
            "role": "tool",
            "tool_call_id": result.call_id,
            "content": output(std::slice::from_ref(&result)),
            "extra": { "raw_output": result.text, "returncode": i32::from(result.failed) },
        }),
        Entry::Reply(_) => return None,
    })
}

fn output(results: &[&ToolResult]) -> String {
    let failed = results.iter().any(|result| result.failed);
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    format!("<returncode>{}</returncode>\n<output>\n{}\n</output>", i32::from(failed), texts.join("\n"))
}

/// The older form: one command in a fenced block per reply, its output in the user's slot. It has no other
/// tool, so marks of episodes are left out.
fn fenced(events: &[Timed]) -> Result<Value> {
    let mut messages = vec![json!({
        "role": "system",
        "content": "You can run commands in bash. Your answer holds one command in a bash block, with a THOUGHT before it.",
    })];
    let mut results: Vec<&ToolResult> = Vec::new();
    let mut n_calls = 0;
    for timed in events {
        match &timed.event {
            Event::Result(result) if result.tool != "delimiter" => {
                results.push(result);
                continue;
            }
            Event::Human(_) | Event::Reply(_) => {}
            _ => continue,
        }
        if !results.is_empty() {
            messages.push(json!({ "role": "user", "content": output(&results) }));
            results.clear();
        }
        match &timed.event {
            Event::Human(text) if n_calls == 0 => messages
                .push(json!({ "role": "user", "content": format!("Please solve this issue: {text}") })),
            Event::Human(text) => messages.push(json!({ "role": "user", "content": text })),
            Event::Reply(reply) => {
                let mut thoughts = Vec::new();
                let mut commands = Vec::new();
                for block in &reply.blocks {
                    match block {
                        Block::Text(text) | Block::Reasoning(text) => thoughts.push(text.as_str()),
                        Block::Call(call) if call.tool != "delimiter" => {
                            let call = json!({ "function_name": call.tool, "arguments": call.arguments });
                            commands.push(command_line(&call).trim_end().to_owned());
                        }
                        Block::Call(_) => {}
                    }
                }
                if commands.is_empty() && thoughts.is_empty() {
                    continue;
                }
                n_calls += 1;
                let mut content = format!("THOUGHT: {}", thoughts.join("\n"));
                if !commands.is_empty() {
                    content.push_str(&format!("\n\n```bash\n{}\n```", commands.join(" && ")));
                }
                let usage = json!({ "prompt_tokens": 1_200 + 450 * n_calls, "completion_tokens": 90, "total_tokens": 1_290 + 450 * n_calls });
                let response = json!({
                    "id": format!("chatcmpl-{n_calls:04}"),
                    "object": "chat.completion",
                    "model": "kestrel-2-chat",
                    "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }],
                    "usage": usage,
                });
                messages.push(
                    json!({ "role": "assistant", "content": content, "extra": { "response": response } }),
                );
            }
            _ => {}
        }
    }
    messages.push(json!({ "role": "user", "content": "" }));
    Ok(
        json!({ "info": info("1.14.2", n_calls), "messages": messages, "trajectory_format": "mini-swe-agent-1" }),
    )
}

const QUICKSTART: &str = "\
The same story as `pi/quickstart` as a trajectory of mini-SWE-agent 2 with a tool for
each kind of work: one document, every reply with the provider's whole response beside
it (`extra.response`), from which the usage comes.
";

const FENCED: &str = "\
mini-SWE-agent as it is: no tools but bash, one command in a fenced block of each reply,
and the output in the user's slot. It has no delimiter, so all of it is prologue.
";

const BARE: &str = "\
The oldest form: nothing but the list of messages.
";
