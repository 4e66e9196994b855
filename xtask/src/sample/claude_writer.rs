//! Writes a story as a session file of Claude Code, with all that such a file repeats.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::SampleFile;
use super::claude_quirks;
use super::claude_rows::{Answer, Rows, assistant, user};
use super::claude_tools::{ClaudeTools, call_of};
use super::clock::iso;
use super::meter::{Meter, Usage};
use super::quirks::{self, Quirk};
use super::rng::Rng;
use super::story::{Block, Event, Reply, Stop, Timed, ToolCall, ToolResult};
use super::teller::{self, CWD};

/// The model's name as Claude Code writes it.
const MODEL: &str = "claude-sonnet-4-5-20250929";

/// Makes every sample of Claude Code.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let quickstart = log(include_str!("texts/scripts/quickstart.txt"), 11)?;
    let branches = log(include_str!("texts/scripts/branches.txt"), 13)?;
    let damage = [Quirk::BlankLine { row: 7 }, Quirk::Glued { row: 12 }, Quirk::TornTail];
    let mut files = Vec::new();
    for (case, log, readme) in
        [("branches", quirks::damaged(&branches, &damage)?, BRANCHES), ("quickstart", quickstart, QUICKSTART)]
    {
        files.push(SampleFile { path: format!("claude-code/{case}/README.md"), text: readme.to_owned() });
        files.push(SampleFile { path: format!("claude-code/{case}/input.jsonl"), text: log });
    }
    files.extend(claude_quirks::samples());
    Ok(files)
}

const QUICKSTART: &str = "\
# quickstart

Invented. The story of `pi/quickstart` as Claude Code 2.1 would log it: the delimiter is a
tool of an MCP server, every block of an answer is a row of its own (some with usage that
still grows), results hang under their calls, and most of the file is not for the model:
copies for the screen (`toolUseResult`), progress, snapshots of files, timings.
";

const BRANCHES: &str = "\
# branches

Invented. The story of `pi/branches`: the human goes back and words the task anew (in Claude
Code a second child of the same row, without a summary), runs a command, and later the
session is compacted (`compact_boundary` and a summary; nothing before it stays). The file
is damaged: an empty line, two records glued on one line, a last line that is torn off.
";

fn log(script: &str, seed: u64) -> Result<String> {
    let mut writer = ClaudeWriter::new(seed);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    writer.finish()
}

/// Turns events into rows.
struct ClaudeWriter {
    rows: Rows,
    meter: Meter,
    rng: Rng,
    tools: ClaudeTools,
    last_human: String,
    began_ms: i64,
    at_ms: i64,
    marks: BTreeMap<String, (Option<String>, u64)>,
    /// Calls that are not answered yet, each with its row once it is written.
    waiting: Vec<(ToolCall, Option<String>)>,
    /// The rows of a reply that are still to be written, where results come in between.
    answer: Option<(Answer, Usage)>,
    n_bash: u64,
}

impl ClaudeWriter {
    fn new(seed: u64) -> Self {
        let mut rows = Rows::new("2.1.38", CWD, seed);
        rows.session.slug = Some("quiet-tidal-heron");
        Self {
            rows,
            meter: Meter::new(seed),
            rng: Rng::new(seed ^ 0xc1a0),
            tools: ClaudeTools::new(),
            last_human: String::new(),
            began_ms: 0,
            at_ms: 0,
            marks: BTreeMap::new(),
            waiting: Vec::new(),
            answer: None,
            n_bash: 0,
        }
    }

    /// Ends the file as the harness does when it is closed.
    fn finish(mut self) -> Result<String> {
        anyhow::ensure!(self.waiting.is_empty(), "calls without results");
        let (prompt, leaf) = (self.last_human.clone(), self.rows.leaf.clone());
        let session = self.rows.session.id.clone();
        self.rows.bare(
            &json!({ "type": "last-prompt", "lastPrompt": prompt, "leafUuid": leaf, "sessionId": session }),
        );
        Ok(self.rows.into_text())
    }

    fn write(&mut self, timed: &Timed) -> Result<()> {
        self.at_ms = timed.at_ms;
        match &timed.event {
            // The first row of a file is whatever happens first; labels do not exist.
            Event::Begin { .. } | Event::Model { .. } | Event::Labelled(_) => {}
            Event::Named(name) => {
                let session = self.rows.session.id.clone();
                self.rows.bare(&json!({ "type": "custom-title", "customTitle": name, "sessionId": session }));
            }
            Event::Human(text) => self.human(timed, text),
            Event::HumanShell { command, output, .. } => self.human_shell(command, output),
            Event::Injected { text, .. } => {
                self.meter.add(text.len());
                let text = format!("<system-reminder>\n{text}\n</system-reminder>");
                self.rows.user(timed.at_ms, json!(text), json!({ "isMeta": true }));
            }
            Event::Reply(reply) => self.reply(timed, reply)?,
            Event::Result(result) => self.result(timed, result)?,
            Event::Mark(name) => {
                self.marks.insert(name.clone(), (self.rows.leaf.clone(), self.meter.chars()));
            }
            Event::Compaction { summary, .. } => self.compaction(timed, summary),
            // Going back leaves no record of its own: the next row hangs elsewhere.
            Event::Rewind { to, .. } => {
                let (leaf, chars) = self.marks.get(to).cloned().with_context(|| format!("no mark {to}"))?;
                self.rows.leaf = leaf;
                self.meter.replace(chars);
            }
        }
        Ok(())
    }

    fn human(&mut self, timed: &Timed, text: &str) {
        self.meter.add(text.len());
        self.began_ms = timed.at_ms;
        self.last_human = text.chars().take(200).collect();
        let id = self.rows.uuid();
        let at = iso(timed.at_ms);
        self.rows.bare(&json!({
            "type": "file-history-snapshot",
            "messageId": id,
            "snapshot": { "messageId": id, "trackedFileBackups": {}, "timestamp": at },
            "isSnapshotUpdate": false,
        }));
        let more = json!({
            "thinkingMetadata": { "maxThinkingTokens": 31_999 },
            "todos": [],
            "permissionMode": "acceptEdits",
        });
        let parent = self.rows.leaf.clone();
        let fields = user(json!(text), more);
        self.rows.row_as(&id, parent.as_deref(), timed.at_ms, "user", fields);
    }

    fn human_shell(&mut self, command: &str, output: &str) {
        if command == "git checkout ." {
            self.tools.restore();
        }
        self.meter.add(command.len() + output.len());
        let caveat = "<local-command-caveat>What follows was made by commands that the user ran; do not answer it unless asked to.</local-command-caveat>";
        self.rows.user(self.at_ms, json!(caveat), json!({ "isMeta": true }));
        self.rows.user(self.at_ms, json!(format!("<bash-input>{command}</bash-input>")), json!({}));
        let said = format!("<bash-stdout>{output}</bash-stdout><bash-stderr></bash-stderr>");
        self.rows.user(self.at_ms + 40, json!(said), json!({}));
    }

    fn reply(&mut self, timed: &Timed, reply: &Reply) -> Result<()> {
        if let Stop::Failed(message) = &reply.stop {
            self.failed(timed, message);
            return Ok(());
        }
        let usage = self.meter.reply(reply.n_chars());
        let answer = self.rows.answer(MODEL);
        let grows = self.rng.chance(250);
        let n_blocks = reply.blocks.len();
        let early =
            |at: usize| Usage { output: if grows { 1 + at as u64 * 3 } else { usage.output }, ..usage };
        // Results of earlier calls may come before the later calls of the same answer.
        let n_calls = reply.blocks.iter().filter(|block| matches!(block, Block::Call(_))).count();
        let interleaved = n_calls > 1 && self.rng.chance(300);
        let mut wrote_call = false;
        for (at, block) in reply.blocks.iter().enumerate() {
            let written = if at + 1 == n_blocks { usage } else { early(at) };
            let at_ms = timed.began_ms + (timed.at_ms - timed.began_ms) * (at as i64 + 1) / n_blocks as i64;
            let part = match block {
                Block::Reasoning(text) => {
                    json!({ "type": "thinking", "thinking": text, "signature": self.rows.signature(text.len()) })
                }
                Block::Text(text) => json!({ "type": "text", "text": text }),
                Block::Call(call) => {
                    if interleaved && wrote_call {
                        self.waiting.push((call.clone(), None));
                        continue;
                    }
                    wrote_call = true;
                    let row = self.rows.block(at_ms, &answer, call_block(call), written);
                    self.waiting.push((call.clone(), Some(row)));
                    continue;
                }
            };
            self.rows.block(at_ms, &answer, part, written);
        }
        self.answer = Some((answer, usage));
        match reply.stop {
            Stop::Aborted => {
                self.waiting.clear();
                let text = "[Request interrupted by user]";
                self.rows.user(timed.at_ms, json!([{ "type": "text", "text": text }]), json!({}));
            }
            Stop::Finished => self.turn_ends(timed),
            Stop::ToolUse | Stop::Failed(_) => {}
        }
        Ok(())
    }

    /// Writes the rows with which the harness notes that the model is done.
    fn turn_ends(&mut self, timed: &Timed) {
        let hook = json!({ "command": "~/.claude/hooks/done.sh", "durationMs": 14 });
        let summary = json!({
            "subtype": "stop_hook_summary",
            "hookCount": 1,
            "hookInfos": [hook],
            "hookErrors": [],
            "preventedContinuation": false,
            "stopReason": "",
            "hasOutput": false,
            "level": "suggestion",
        });
        self.rows.row(timed.at_ms + 30, "system", summary);
        let duration = timed.at_ms - self.began_ms;
        let fields = json!({ "subtype": "turn_duration", "durationMs": duration, "isMeta": false });
        self.rows.row(timed.at_ms + 31, "system", fields);
    }

    /// A request that failed: retries, then a message that no model wrote.
    fn failed(&mut self, timed: &Timed, message: &str) {
        for attempt in 1..=2 {
            let fields = json!({
                "subtype": "api_error",
                "level": "error",
                "error": { "status": 529 },
                "retryInMs": 580.0 * f64::from(attempt),
                "retryAttempt": attempt,
                "maxRetries": 10,
            });
            self.rows.row(timed.began_ms + i64::from(attempt) * 600, "system", fields);
        }
        let mut answer = self.rows.answer("<synthetic>");
        answer.id = self.rows.uuid();
        answer.request = None;
        let block = json!({ "type": "text", "text": format!("API Error: {message}") });
        let mut fields = assistant(&answer, &[block], Usage::default());
        fields["message"]["stop_reason"] = json!("stop_sequence");
        fields["isApiErrorMessage"] = json!(true);
        self.rows.row(timed.at_ms, "assistant", fields);
    }

    fn result(&mut self, timed: &Timed, result: &ToolResult) -> Result<()> {
        let at = self.waiting.iter().position(|(call, _)| call.id == result.call_id);
        let (call, row) = self.waiting.remove(at.context("a result without its call")?);
        let row = row.context("a result before its call was written")?;
        self.progress(timed, &call, &row, result);
        self.meter.add(result.text.len());
        let made = self.tools.result(&call, result, timed.at_ms - timed.began_ms)?;
        self.rows.result(timed.at_ms, (&row, &call.id), made.content, result.failed, made.copy);
        // The next call of the same answer goes on from the call before, not from the result.
        if let (Some((next, unwritten @ None)), Some((answer, usage))) =
            (self.waiting.first_mut(), &self.answer)
        {
            self.rows.leaf = Some(row);
            let id = self.rows.block(timed.at_ms + 5, answer, call_block(next), *usage);
            *unwritten = Some(id);
        }
        Ok(())
    }

    /// Writes what the screen shows while a tool runs.
    fn progress(&mut self, timed: &Timed, call: &ToolCall, row: &str, result: &ToolResult) {
        let took_ms = timed.at_ms - timed.began_ms;
        if call.tool == "bash" && took_ms > 3_000 {
            self.n_bash += 1;
            for second in [2, 3] {
                let shown: String = result.text.lines().take(second).collect::<Vec<_>>().join("\n");
                let data = json!({
                    "type": "bash_progress",
                    "output": shown,
                    "fullOutput": shown,
                    "elapsedTimeSeconds": second,
                    "totalLines": 0,
                });
                let id = format!("bash-progress-{}", self.n_bash);
                let fields = json!({ "data": data, "toolUseID": id, "parentToolUseID": call.id });
                self.rows.row_below(row, timed.began_ms + second as i64 * 1_000, "progress", fields);
            }
        } else if matches!(call.tool.as_str(), "edit" | "write") {
            let data = json!({
                "type": "hook_progress",
                "hookEvent": "PostToolUse",
                "hookName": "PostToolUse:Edit",
                "command": "callback",
            });
            let fields = json!({ "data": data, "toolUseID": call.id, "parentToolUseID": call.id });
            self.rows.row_below(row, timed.at_ms, "progress", fields);
        }
    }

    /// Nothing before the boundary is sent again; the summary is.
    fn compaction(&mut self, timed: &Timed, summary: &str) {
        let before = self.rows.leaf.take();
        let fields = json!({
            "logicalParentUuid": before,
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": false,
            "level": "info",
            "compactMetadata": { "trigger": "auto", "preTokens": self.meter.prompt() },
        });
        self.rows.row(timed.at_ms, "system", fields);
        let text = format!(
            "This session is being continued from a previous conversation that ran out of context. This is what happened:\n\n{summary}"
        );
        self.meter.replace(text.len() as u64);
        let more = json!({ "isVisibleInTranscriptOnly": true, "isCompactSummary": true });
        self.rows.user(timed.at_ms, json!(text), more);
    }
}

fn call_block(call: &ToolCall) -> Value {
    let (name, input) = call_of(call);
    json!({ "type": "tool_use", "id": call.id, "name": name, "input": input })
}
