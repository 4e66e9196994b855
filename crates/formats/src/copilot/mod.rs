//! Copilot CLI: `events.jsonl`, one session event per line.
//!
//! Each row names the row before it as its parent, so the file is a list, not a tree. Much is repeated: hooks
//! report each call and result, a tool's start repeats the call, and the system prompt comes with every user
//! message. A row with `agentId` belongs to a subagent.

mod row;
mod message;
mod conversation;

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Author, EntryId, EventBody, Header, Parent, ProblemKind, RawPayload, SessionId, Usage, UsageReport,
    UsageScope,
};

use self::conversation::Conversation;
use self::message::{Reply, read_reply, read_result, read_user};
use self::row::CopilotRow;
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::EventDraft;
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::time_of;
use crate::usage::count_paths;

const NEWEST: u64 = 1;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, data, id, timestamp, parent] = record.fields(["type", "data", "id", "timestamp", "parentId"]);
    let Some(data) = data.and_then(Value::object) else { return false };
    let Some(kind) = kind.and_then(Value::string) else { return false };
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    if kind == "session.start" {
        let [session, version] = data.fields(["sessionId", "copilotVersion"]);
        return is_text(session) || is_text(version);
    }
    let is_one = is_known("copilot.read", &kind) || is_known("copilot.rows", &kind);
    is_one && is_text(id) && is_text(timestamp) && parent.is_some()
}

/// The adapter, which never resumes: its state includes the system prompts read so far.
#[derive(Clone, Default)]
pub(crate) struct Copilot {
    has_begun: bool,
    main: Conversation,
    agents: BTreeMap<String, AgentTalk>,
}

#[derive(Clone, Default)]
struct AgentTalk {
    conversation: Conversation,
    last: Option<EntryId>,
}

impl Adapter for Copilot {
    fn record(&mut self, record: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [kind, data, id, timestamp, agent] =
            record.fields(["type", "data", "id", "timestamp", "agentId"]);
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let id = notes.text(id, "id").filter(|id| !id.is_empty());
        let entry = id.map_or_else(|| at.entry(), EntryId::new);
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = notes.time(timestamp, "timestamp", time_of);
        let kind = notes.required_text(kind, "type").into_owned();
        if !std::mem::replace(&mut self.has_begun, true) && kind != "session.start" {
            notes.note(ProblemKind::NoHeader);
        }
        let data = data.and_then(Value::object);
        // Older versions name the call that started the subagent.
        let agent = agent.or_else(|| data?.get("parentToolCallId"));
        let agent = notes.text(agent, "agentId").filter(|agent| !agent.is_empty());
        let row = CopilotRow { value: record, data: data.unwrap_or_default(), kind, at, entry, at_ms };
        if row.kind.is_empty() {
            let draft = EventDraft::opaque("no type", record);
            out.events.push(row.event(draft));
        } else if data.is_none() && is_known("copilot.read", &row.kind) {
            row.notes(&mut out.problems).odd("data");
            let draft = EventDraft::opaque(row.kind.as_str(), record);
            out.events.push(row.event(draft));
        } else if let Some(agent) = agent {
            self.agents.entry(agent.into_owned()).or_default().read(&row, out);
        } else {
            read(&row, &mut self.main, out);
        }
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl AgentTalk {
    fn read(&mut self, row: &CopilotRow<'_>, out: &mut Batch) {
        let n_before = out.events.len();
        read(row, &mut self.conversation, out);
        for parsed in &mut out.events[n_before..] {
            let event = &mut parsed.event;
            // No human writes to a subagent.
            if let EventBody::Message(message) = &mut event.body
                && message.author == Author::Human
            {
                message.author = Author::Harness;
            }
            if event.parent == Parent::Previous {
                event.side = true;
                event.parent = self.last.replace(event.entry.clone()).map_or(Parent::Root, Parent::Entry);
            }
        }
    }
}

fn read(row: &CopilotRow<'_>, conversation: &mut Conversation, out: &mut Batch) {
    match row.kind.as_str() {
        "session.start" => session_start(row, out),
        "session.model_change" => model_change(row, out),
        "system.message" => conversation.instruct(row, out),
        "session.compaction_complete" => conversation.compact(row, out),
        "session.context_cleared" => conversation.clear(row, out),
        "session.resume" => conversation.resume(row, out),
        "session.truncation" => truncation(row, out),
        "session.usage_record" => {
            let window = conversation.usages.note(row, &mut row.notes(&mut out.problems));
            let is_new = window.is_some() && std::mem::replace(&mut conversation.window, window) != window;
            let report = EventBody::Usage(UsageReport { usage: None, window, ..UsageReport::default() });
            let draft = if is_new { EventDraft::whole(report, row.value) } else { row.quiet() };
            out.events.push(row.event(draft));
        }
        "user.message" | "system.notification" => {
            let runs = read_user(row, &mut row.notes(&mut out.problems));
            for (name, read) in runs {
                conversation.ask(&read);
                let envelope = payload_around(row.value, row.data.get("content").filter(|_| name.is_empty()));
                out.events.push(row.named(name, EventDraft::message(read, envelope)));
            }
        }
        "assistant.message" => {
            let usages = &mut conversation.usages;
            let Reply { reasoning, rest, envelope } =
                read_reply(row, usages, &mut row.notes(&mut out.problems));
            if let Some(reasoning) = reasoning {
                let event = row.named("reasoning", EventDraft::message(reasoning, RawPayload::default()));
                conversation.think(event.event.entry.clone());
                out.events.push(event);
            }
            out.events.push(row.event(EventDraft::message(rest, envelope)));
        }
        "tool.execution_complete" => {
            let draft = match read_result(row, &mut row.notes(&mut out.problems)) {
                Some((read, envelope)) => EventDraft::message(read, envelope),
                None => row.quiet(),
            };
            out.events.push(row.event(draft));
        }
        "session.shutdown" => shutdown(row, out),
        kind if is_known("copilot.rows", kind) => out.events.push(row.event(row.quiet())),
        unknown => {
            let body = row.notes(&mut out.problems).unknown(unknown);
            out.events.push(row.event(EventDraft::whole(body, row.value)));
        }
    }
}

fn session_start(row: &CopilotRow<'_>, out: &mut Batch) {
    let [session, version, context, model] =
        row.data.fields(["sessionId", "version", "context", "selectedModel"]);
    let mut notes = row.notes(&mut out.problems);
    let version = notes.count(version, "version").and_then(|version| u32::try_from(version).ok());
    if let Some(version) = version.filter(|version| u64::from(*version) > NEWEST) {
        notes.note(ProblemKind::UnknownVersion { version });
    }
    let cwd = context.and_then(|context| context.get("cwd"));
    let header = Header {
        session: notes.text(session, "sessionId").map(SessionId::new),
        version,
        cwd: notes.text(cwd, "context.cwd").map(|cwd| cwd.into()),
        model: notes.text(model, "selectedModel").map(|model| model.into()),
        ..Header::default()
    };
    out.events.push(row.event(EventDraft::whole(EventBody::Header(header), row.value)));
}

fn model_change(row: &CopilotRow<'_>, out: &mut Batch) {
    let model = row.notes(&mut out.problems).text(row.data.get("newModel"), "newModel");
    let draft = match model.filter(|model| !model.is_empty()) {
        Some(model) => EventDraft::whole(EventBody::ModelChange { model: model.into() }, row.value),
        None => row.quiet(),
    };
    out.events.push(row.event(draft));
}

/// Reads the totals per model since the program started, and the unlogged tokens (system prompt and tools).
fn shutdown(row: &CopilotRow<'_>, out: &mut Batch) {
    let [metrics, system, tools] = row.data.fields(["modelMetrics", "systemTokens", "toolDefinitionsTokens"]);
    let mut notes = row.notes(&mut out.problems);
    let system = notes.tokens(system, "systemTokens");
    let tools = notes.tokens(tools, "toolDefinitionsTokens");
    let mut unlogged =
        (system.is_some() || tools.is_some()).then(|| system.unwrap_or(0).saturating_add(tools.unwrap_or(0)));
    let mut reports = Vec::new();
    for (model, metrics) in metrics.into_iter().flat_map(Value::members) {
        let Some(usage) = metrics.get("usage").and_then(Value::object) else { continue };
        let model = owned(Some(model)).unwrap_or_default();
        let paths = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
        let [input, output, cache_read, cache_write] = count_paths(usage, paths, &mut notes);
        // `inputTokens` includes cache reads and writes.
        let input = input.saturating_sub(cache_read).saturating_sub(cache_write);
        reports.push(UsageReport {
            of: UsageScope::Run,
            usage: Some(Usage { input, output, cache_read, cache_write, ..Usage::default() }),
            model: Some(Arc::from(&*model)),
            unlogged: unlogged.take(),
            window: None,
        });
    }
    if unlogged.is_some() {
        reports.push(UsageReport { of: UsageScope::Run, unlogged, ..UsageReport::default() });
    }
    for (nth, report) in (1..).zip(reports) {
        let draft = EventDraft::bare(EventBody::Usage(report));
        let mut event = row.named(&format!("usage/{nth}"), draft);
        event.event.parent = Parent::Outside;
        out.events.push(event);
    }
    out.events.push(row.event(row.quiet()));
}

fn truncation(row: &CopilotRow<'_>, out: &mut Batch) {
    const REMOVED: &str = "messagesRemovedDuringTruncation";
    let mut notes = row.notes(&mut out.problems);
    let n_messages = notes.count(row.data.get(REMOVED), REMOVED).unwrap_or(0);
    if n_messages > 0 {
        notes.note(ProblemKind::UnnamedLoss { n_messages });
    }
    out.events.push(row.event(row.quiet()));
}

fn model_of(row: &CopilotRow<'_>, notes: &mut Notes<'_>) -> Option<Arc<str>> {
    let model = notes.text(row.data.get("model"), "model")?;
    (!model.is_empty()).then(|| Arc::from(&*model))
}
