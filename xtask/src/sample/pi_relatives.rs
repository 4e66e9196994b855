//! Logs of programs that embed pi: pi-cwl with its trace, and OpenClaw.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::SampleFile;
use super::api_quirks::pretty;
use super::api_writer::{lines, sample};
use super::pi_writer::{PiVersion, PiWriter};
use super::teller;

/// Makes the samples.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let looped = looped(rows(6)?)?;
    let mut files = Vec::new();
    files.extend(sample("pi-cwl", "loop", "jsonl", lines(&looped), LOOP));
    files.push(SampleFile { path: "pi-cwl/loop/trace.json".to_owned(), text: pretty(&trace(&looped)?)? });
    files.extend(sample("openclaw", "gateway", "jsonl", lines(&gateway(rows(7)?)?), GATEWAY));
    Ok(files)
}

fn rows(seed: u64) -> Result<Vec<Value>> {
    let mut writer = PiWriter::new(Vec::new(), PiVersion::Three, seed);
    for timed in teller::tell(include_str!("texts/scripts/exchange.txt"), seed)? {
        writer.write(&timed)?;
    }
    let log = String::from_utf8(writer.into_inner())?;
    Ok(log.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Puts a row into the chain, behind the row at that position.
fn insert(rows: &mut Vec<Value>, at: usize, id: &str, fields: Value) -> Result<()> {
    let before = rows.get(at).context("a row to stand behind")?.clone();
    let mut row = json!({ "type": fields["type"], "id": id, "parentId": before["id"], "timestamp": before["timestamp"] });
    if let (Some(row), Value::Object(fields)) = (row.as_object_mut(), fields) {
        row.extend(fields);
    }
    if let Some(next) = rows.get_mut(at + 1) {
        next["parentId"] = json!(id);
    }
    rows.insert(at + 1, row);
    Ok(())
}

/// A session of pi-cwl in which the human started a loop: the command is in the log and not in the context.
fn looped(mut rows: Vec<Value>) -> Result<Vec<Value>> {
    let command = json!({ "type": "custom_message", "customType": "loop_command", "content": "/loop 10m check the tests", "display": true });
    insert(&mut rows, 2, "0c000001", command)?;
    let tick = json!({ "type": "custom_message", "customType": "loop_tick", "content": "The loop runs again: check the tests", "display": false });
    let last = rows.len() - 1;
    insert(&mut rows, last, "0c000002", tick)?;
    Ok(rows)
}

/// The trace that pi-cwl writes beside a session: for people to look at, not to read the messages from.
fn trace(rows: &[Value]) -> Result<Value> {
    let messages: Vec<Value> = rows
        .iter()
        .filter(|row| row["message"]["role"] == "user" || row["message"]["role"] == "assistant")
        .map(|row| {
            let time = json!({ "created": row["message"]["timestamp"], "completed": row["message"]["timestamp"] });
            let parts: Vec<Value> = row["message"]["content"].as_array().into_iter().flatten().map(trace_part).collect();
            json!({ "info": { "id": row["id"], "role": row["message"]["role"], "time": time }, "parts": parts })
        })
        .collect();
    let last = rows.iter().rfind(|row| row["message"]["role"] == "assistant").context("a reply")?;
    let replies: Vec<&Value> =
        rows.iter().filter(|row| row["message"]["role"] == "assistant").map(|row| &row["id"]).collect();
    let at_ms = last["message"]["timestamp"].as_i64().context("a time")?;
    let cleanup = |sequence: u64, before: u64, after: u64, chunks: Value, ids: Value| {
        json!({
            "sequence": sequence,
            "timestamp": at_ms,
            "time": last["timestamp"],
            "evictedChunks": 1,
            "notedFilePaths": 0,
            "tokensBefore": before,
            "tokensAfter": after,
            "tokensRemoved": before - after,
            "threshold": 900,
            "evictedMessageIds": ids,
            "utilization": { "before": 0.5, "after": null },
            "stats": {
                "chunks": chunks,
                "steps": 1,
                "removed": { "assistantMessages": 1, "toolCalls": 1, "toolResults": 1, "thinkingBlocks": 0 },
                "toolCallCounts": { "edit": 1 },
                "filePaths": [],
                "stepBreakdown": { "thinking": 0, "search_tools": 0, "bash_tools": 0, "read_tools": 0, "entire_chunk": 1 },
            },
        })
    };
    let step = |name: &str, before: u64, after: u64| json!({ "step": name, "removedAssistantMessages": 1, "removedToolCalls": 1, "removedToolResults": 1, "removedThinkingBlocks": 0, "removedFilePaths": [], "toolCallCounts": {}, "tokensBefore": before, "tokensAfter": after });
    let act = json!([{ "chunkName": "silence-future-times", "chunkKind": "act", "dependencies": ["find-ago-callers"], "fullyRemoved": true, "steps": [step("bash_tools", 1_040, 1_010), step("entire_chunk", 1_010, 940)] }]);
    let expl = json!([{ "chunkName": "find-ago-callers", "chunkKind": "expl", "dependencies": [], "fullyRemoved": false, "steps": [step("thinking", 940, 890)] }]);
    let history =
        [cleanup(1, 1_040, 940, act, json!([replies.get(4)])), cleanup(2, 940, 890, expl, json!([]))];
    Ok(json!({
        "sessionID": rows.first().context("a header")?["id"],
        "messages": { "full": messages, "active": messages },
        "model": { "id": "claude-sonnet-4-5", "providerID": "anthropic", "name": "claude-sonnet-4-5", "limit": { "context": 200_000, "input": 200_000, "usable": 183_616 } },
        "usage": { "exact": last["message"]["usage"]["totalTokens"], "source": "last-finished-assistant", "pct": { "context": 2 } },
        "compaction": { "auto": true, "max": 183_616, "reserved": 16_384 },
        "last": {},
        "trace": {
            "threshold": { "default": 80_000, "max": 183_616, "source": "config" },
            "transcript": [],
            "todos": { "current": [], "history": [], "recent": [], "evicted": [] },
            "chunks": { "current": [], "history": [], "recent": [], "evicted": [] },
            "cleanups": { "current": history[1], "recent": history[1], "history": history, "totals": { "runs": 2 } },
            "evictions": { "msgs": [], "recent": [] },
        },
    }))
}

fn trace_part(part: &Value) -> Value {
    match part["type"].as_str() {
        Some("text") => part.clone(),
        Some("thinking") => json!({ "type": "reasoning", "text": part["thinking"] }),
        _ => json!({
            "type": "tool",
            "tool": part["name"],
            "callID": part["id"],
            "state": { "status": "completed", "input": part["arguments"], "output": "" },
        }),
    }
}

/// A session of OpenClaw: its own state between the messages, and its own names for the shell.
fn gateway(mut rows: Vec<Value>) -> Result<Vec<Value>> {
    for row in &mut rows {
        if row["message"]["toolName"] == "bash" {
            row["message"]["toolName"] = json!("exec");
        }
        for part in row["message"]["content"].as_array_mut().into_iter().flatten() {
            if part["name"] == "bash" {
                part["name"] = json!("exec");
                part["partialJson"] = json!("{\"command\":");
            }
        }
    }
    let data = json!({ "timestamp": 1_773_220_360_000_i64, "provider": "anthropic", "modelApi": "anthropic-messages", "modelId": "claude-sonnet-4-5" });
    insert(&mut rows, 1, "0d000001", json!({ "type": "thinking_level_change", "thinkingLevel": "low" }))?;
    insert(
        &mut rows,
        2,
        "0d000002",
        json!({ "type": "custom", "customType": "model-snapshot", "data": data }),
    )?;
    let last = rows.len() - 1;
    let data = json!({ "timestamp": 1_773_220_480_000_i64, "provider": "anthropic", "modelId": "claude-sonnet-4-5" });
    insert(
        &mut rows,
        last,
        "0d000003",
        json!({ "type": "custom", "customType": "openclaw.cache-ttl", "data": data }),
    )?;
    Ok(rows)
}

const LOOP: &str = "\
A session of pi-cwl with a loop: the command that started it is a `custom_message` of type
`loop_command`, which the model never sees; the tick at the end it does see. `trace.json`
is what pi-cwl writes beside the session: the budget, the window and what it evicted.
";

const GATEWAY: &str = "\
A session as OpenClaw writes it: pi's format with state of its own between the messages
(`model-snapshot`, `openclaw.cache-ttl`), and a shell that is called `exec`.
";
