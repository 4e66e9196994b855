//! The samples of Codex: rollouts of all ages, and a folder's text for each.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::SampleFile;
use super::codex_items::uuid;
use super::codex_quirks;
use super::codex_writer::{About, CodexWriter, Era};
use super::quirks::{self, Quirk};
use super::rng::Rng;
use super::teller;

const QUICKSTART: &str = include_str!("texts/scripts/quickstart.txt");
const BRANCHES: &str = include_str!("texts/scripts/branches.txt");
const VERSION_1: &str = include_str!("texts/scripts/version-1.txt");
const VERSION_2: &str = include_str!("texts/scripts/version-2.txt");
const SHORT: &str = include_str!("texts/scripts/codex-short.txt");
/// What comes behind the short story where that is compacted.
const COMPACTED: &str = "\
@mark here
@compact here
The user asked where the wait of a failing feed is worked out and whether it is logged: in `Backoff`, and at debug level.
@human
Thanks. Which test covers the jitter?
--
@bash rg -n \"delay\" src/ingest/backoff.rs
--
@say The test module of `src/ingest/backoff.rs`: it compares `delay` with half of the ceiling and with all of it.
";

/// Makes every sample of Codex, in the order of their paths.
pub(crate) fn codex_samples() -> Result<Vec<SampleFile>> {
    let damage = [
        Quirk::BlankLine { row: 7 },
        Quirk::Glued { row: 12 },
        Quirk::UnknownRecord { row: 20 },
        Quirk::TornTail,
    ];
    let logs = [
        ("archived", archived(&told(&[SHORT, COMPACTED].concat(), Era::Streamed, 21)?)?, ARCHIVED_README),
        ("branches", quirks::damaged(&told(BRANCHES, Era::Streamed, 3)?, &damage)?, BRANCHES_README),
        ("compacted", told(VERSION_1, Era::Paired, 4)?, COMPACTED_README),
        ("fork", fork()?, FORK_README),
        ("legacy", told(VERSION_2, Era::Bare, 5)?, LEGACY_README),
        ("quickstart", told(QUICKSTART, Era::Streamed, 1)?, QUICKSTART_README),
        ("records", codex_quirks::records(desktop()), RECORDS_README),
        ("shell-outputs", codex_quirks::shell_outputs(about(Era::Streamed, 27)), SHELL_OUTPUTS_README),
        ("subagent", subagent()?, SUBAGENT_README),
        ("tools", codex_quirks::tools(about(Era::Streamed, 29)), TOOLS_README),
    ];
    let files = logs.into_iter().flat_map(|(name, log, readme)| {
        let readme =
            SampleFile { path: format!("codex/{name}/README.md"), text: format!("# {name}\n\n{readme}") };
        [readme, SampleFile { path: format!("codex/{name}/input.jsonl"), text: log }]
    });
    Ok(files.collect())
}

fn about(era: Era, seed: u64) -> About {
    let cli_version = match era {
        Era::Bare => "0.29.0",
        Era::Paired => "0.46.0",
        Era::Streamed => "0.104.0",
    };
    let id = uuid(&mut Rng::new(seed));
    About { id, cli_version, originator: "codex_cli_rs", source: json!("cli"), forked_from: None }
}

fn desktop() -> About {
    About { originator: "Codex Desktop", source: json!("vscode"), ..about(Era::Streamed, 26) }
}

/// Tells a story with the seed that it has in pi's samples, so that both tell the same.
fn told(script: &str, era: Era, seed: u64) -> Result<String> {
    written(script, era, about(era, seed), seed)
}

fn written(script: &str, era: Era, about: About, seed: u64) -> Result<String> {
    let mut writer = CodexWriter::new(era, about, seed ^ 0xc0de);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    Ok(writer.into_text())
}

/// A log of which a subagent is the author: it asks nobody, and its parent stands in its first line.
fn subagent() -> Result<String> {
    let parent = about(Era::Streamed, 26).id;
    let source = json!({ "subagent": { "thread_spawn": { "parent_thread_id": parent, "depth": 1, "agent_path": null, "agent_nickname": "Ada", "agent_role": "explorer" } } });
    written(SHORT, Era::Streamed, About { source, ..about(Era::Streamed, 28) }, 28)
}

/// A fork: its own first line, then the lines of its parent's first task, then its own.
fn fork() -> Result<String> {
    let parent = about(Era::Streamed, 30);
    let own = About { forked_from: Some(parent.id.clone()), ..about(Era::Streamed, 31) };
    let copied = written(SHORT, Era::Streamed, parent, 30)?;
    let at = copied.lines().nth(1).context("a log has lines")?;
    let at: Value = serde_json::from_str(at)?;
    let now = at["timestamp"].as_str().context("a line has a time")?.replace("2026-03-09", "2026-03-10");
    let mut lines = Vec::new();
    let told = written(SHORT, Era::Streamed, own, 31)?;
    let mut told = told.lines();
    lines.push(told.next().context("a log has a first line")?.replace("2026-03-09", "2026-03-10"));
    for line in copied.lines() {
        let is_last = line.contains("\"task_complete\"");
        // What is copied gets the time of the copy, but for what stands in the payload.
        let mut line: Value = serde_json::from_str(line)?;
        line["timestamp"] = json!(now);
        lines.push(line.to_string());
        if is_last {
            break;
        }
    }
    let second_task = told.skip_while(|line| !line.contains("task_complete")).skip(1);
    lines.extend(second_task.map(|line| line.replace("2026-03-09", "2026-03-10")));
    Ok(lines.join("\n") + "\n")
}

/// A copy as archives keep it: keys sorted, what is encrypted taken out.
fn archived(log: &str) -> Result<String> {
    let mut text = String::new();
    for line in log.lines() {
        text.push_str(&redacted(serde_json::from_str(line)?).to_string());
        text.push('\n');
    }
    Ok(text)
}

fn redacted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            let kept = fields.into_iter().map(|(key, value)| {
                let value = if key == "encrypted_content" { json!("REDACTED") } else { redacted(value) };
                (key, value)
            });
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(
            items.into_iter().filter(|item| item["type"] != "compaction").map(redacted).collect(),
        ),
        other => other,
    }
}

const ARCHIVED_README: &str = "\
A rollout as archives of sessions keep it: the keys of every object sorted, what was
encrypted replaced by `REDACTED`, and the item that stood for the compaction's summary
gone. What is left of the history is the human's messages. Invented.
";

const BRANCHES_README: &str = "\
The story of `pi/branches`. Codex goes back by whole tasks only (`thread_rolled_back`),
so the human's second message is taken back and said again, the first attempt stays in
the context, and there is no summary of what was left. The compaction is a list of items
that replaces the history; its summary is encrypted. Damaged as real logs are: two
records on one line, an unknown record, an empty line, a last line torn off. Invented.
";

const COMPACTED_README: &str = "\
A rollout of about version 0.46: call and output are written together when their reply is
done, behind what the reply cost; there is a `turn_context` for every request; the output
of a command is JSON in a string; a patch is a function call. The compaction names a
summary only (no `replacement_history`): what remains is the first context, the human's
messages and the summary. No delimiter tool, so all of it is prologue. Invented.
";

const FORK_README: &str = "\
A session forked off another: the first line is its own (`forked_from_id`), the second is
the first line of the parent, and the parent's lines up to where it was forked follow with
the time of the copy, the counted tokens included. Then the fork goes on. Invented.
";

const LEGACY_README: &str = "\
A rollout from before version 0.32: no envelope, items as the provider gave them, a line
`record_type: state` after each, no events and so no usage. Invented.
";

const QUICKSTART_README: &str = "\
The story of `pi/quickstart` as Codex writes it: searching and reading go through
`exec_command`, edits are patches, the delimiter is a tool of the server `cwl`, the system
prompt stands in the first line, the instructions of the project and the environment
stand before the first message. Everything said also stands there as an event for the ui;
some counts of tokens stand there twice, and each task starts with an empty one. Codex
has no labels, so there is none. Invented.
";

const RECORDS_README: &str = "\
Rows about the session: its first line three times (Codex Desktop writes it again when
something in it changes), counts of tokens that repeat or are empty, a name, a warning in
the user's slot that no event repeats, a task that the human stopped, review mode,
`ordinal`s, and rows of types that are new or that nobody knows. Invented.
";

const SHELL_OUTPUTS_README: &str = "\
The output of a command in each of its shapes: JSON in a string, `Exit code:` in the first
line, the unified tool's head; truncated, still running, refused, the object of the
oldest versions, and a text that only looks like one of them. A patch as a shell command,
as a function, as a tool with free text, and one that does not apply. Invented.
";

const SUBAGENT_README: &str = "\
The log of a subagent: `source` names the thread that spawned it, its nickname and its
role. Invented.
";

const TOOLS_README: &str = "\
A picture in the human's message; readable reasoning; the delimiter under each of its
names, one call of it refused; searches of the web and of tools, an image that the model
drew, the provider's own shell, a plan, a subagent and what it reported; a ghost snapshot,
and an item of a later version. Invented.
";
