//! Hermes Agent: a session in its database, as a document with the session's columns and its messages.
//!
//! `hermes sessions export` prints the same document, and old versions wrote a similar one for each session. The
//! messages are those of OpenAI's Chat Completions API. The rows are the final state; [`timeline`] finds out what
//! happened in between.

mod message;
mod rows;
mod timeline;

use cwl_engine::{
    Author, BlockKind, Change, Compaction, EntryId, EventBody, Header, Keep, Parent, ReplacementCause,
    Rewrite, RewriteTarget, Role, SessionId, Usage, UsageReport, UsageScope,
};

pub use self::rows::{
    HERMES_MESSAGE_COLUMNS, HERMES_SESSION_COLUMNS, HermesRow, HermesRows, HermesValue, hermes_export,
};

use self::message::{MessageRules, quiet, read_message, read_summary, shorter_result};
use self::timeline::{CompactionRun, RowOrigin, Timeline};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::{Blocks, ReadMessage, plain_message};
use crate::content::parts_of;
use crate::document::DocumentLines;
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, is_json, owned};
use crate::known::names_of;
use crate::notes::Notes;
use crate::payload::around_text;
use crate::time::iso_time;
use crate::usage::{count_paths, read_dollars};

pub(crate) fn recognises(document: Value<'_>) -> bool {
    let [id, source, started, messages, session, begun, platform] = document.fields([
        "id",
        "source",
        "started_at",
        "messages",
        "session_id",
        "session_start",
        "platform",
    ]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    let is_number = started.is_some_and(|started| started.kind() == JsonType::Number);
    let has_list = messages.is_none_or(|messages| messages.kind() == JsonType::List);
    let is_export = is_text(id) && is_text(source) && is_number;
    let is_old = is_text(session) && is_text(begun) && is_text(platform);
    has_list && (is_export || is_old)
}

#[derive(Clone, Default)]
pub(crate) struct Hermes {
    has_begun: bool,
}

impl Adapter for Hermes {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let messages = value.get("messages").and_then(Value::list);
        let is_second = std::mem::replace(&mut self.has_begun, true);
        let Some(messages) = messages.filter(|_| !is_second) else {
            let name = if is_second { "another session" } else { "no session" };
            let body = Notes::new(at.line, at.entry(), &mut out.problems).unknown(name);
            let stamp = RecordStamp::line(at.line);
            return out.events.push(EventDraft::whole(body, value).event(stamp, at.entry()));
        };
        SessionDocument { value, at, out, standing: Vec::new() }.read(messages);
    }
}

struct SessionDocument<'v, 'b> {
    value: Value<'v>,
    at: RecordPlace,
    out: &'b mut Batch,
    /// The prompt and the tools, which every compaction keeps.
    standing: Vec<EntryId>,
}

impl SessionDocument<'_, '_> {
    fn read(mut self, messages: Value<'_>) {
        let is_continued = self.header();
        self.usage();
        self.system();
        let sends_reasoning = sends_reasoning(self.value);
        let timeline = Timeline::of_messages(messages, is_continued);
        let mut lines = DocumentLines::new(self.value, self.at.line);
        let rewound = timeline.rewound();
        let entries: Vec<EntryId> =
            (1..).zip(&timeline.rows).map(|(number, row)| entry_of(row.value, number)).collect();
        // A message that the human took back goes once something else is written behind it.
        let mut taken_back: Vec<EntryId> = Vec::new();
        // The events of each row: a message may have texts of the harness around it.
        let mut told: Vec<Vec<EntryId>> = vec![Vec::new(); timeline.rows.len()];
        let mut compactions = timeline.compactions.iter().peekable();
        let mut last_line = self.at.line;
        for (at, row) in timeline.rows.iter().enumerate() {
            let stamp = self.stamp(lines.line_of(row.value), row.value, &entries[at]);
            last_line = stamp.line;
            if let Some(run) = compactions.next_if(|run| run.at == at) {
                taken_back.clear();
                self.compact(run, &timeline, &entries, &told, stamp);
            }
            if timeline.is_compacting(at) {
                continue;
            }
            let mut notes = Notes::new(stamp.line, entries[at].clone(), &mut self.out.problems);
            let drafts = match row.origin {
                RowOrigin::CopyOf(_) => vec![("", quiet(row.value, "copy of a message"))],
                RowOrigin::ShorterThan(longer) => {
                    vec![("", shorter_result(row.value, &told[longer], &mut notes))]
                }
                RowOrigin::New | RowOrigin::Injected if timeline.is_brought_along(at) => {
                    vec![("", EventDraft::message(read_summary(row.value, &mut notes), Default::default()))]
                }
                origin => {
                    let rules = MessageRules { sends_reasoning, is_injected: origin == RowOrigin::Injected };
                    read_message(row.value, rules, &mut notes)
                }
            };
            if !row.is_kept() && !rewound[at] {
                self.take_back(&mut taken_back, stamp);
            }
            for (name, draft) in drafts {
                let entry = match name {
                    "" => entries[at].clone(),
                    name => EntryId::new(format!("{}/{name}", entries[at])),
                };
                if rewound[at] && matches!(draft.body, EventBody::Message(_)) {
                    taken_back.push(entry.clone());
                }
                told[at].push(entry.clone());
                self.out.events.push(draft.event(stamp, entry));
            }
        }
        self.take_back(&mut taken_back, RecordStamp::line(last_line));
    }

    fn stamp(&mut self, line: u64, message: Value<'_>, entry: &EntryId) -> RecordStamp {
        let mut notes = Notes::new(line, entry.clone(), &mut self.out.problems);
        let time = message.get("timestamp").filter(|time| !time.is_null());
        RecordStamp { line, at_ms: notes.time(time, "timestamp", seconds_or_iso), side: false }
    }

    fn notes(&mut self, entry: &str) -> Notes<'_> {
        Notes::new(self.at.line, EntryId::new(entry), &mut self.out.problems)
    }

    fn push(&mut self, entry: &str, draft: EventDraft) {
        self.out.events.push(draft.event(RecordStamp::line(self.at.line), EntryId::new(entry)));
    }

    /// Returns true if the session may begin with another's summary.
    fn header(&mut self) -> bool {
        let [id, old_id, title, cwd, model, config, parent, source] = self.value.fields([
            "id",
            "session_id",
            "title",
            "cwd",
            "model",
            "model_config",
            "parent_session_id",
            "source",
        ]);
        let config = Config::parse(config);
        let mut notes = self.notes("session");
        let session = notes.text(id.or(old_id), "id").filter(|id| !id.is_empty());
        let parent = notes.text(parent, "parent_session_id").filter(|id| !id.is_empty());
        let cwd = notes.text(cwd, "cwd").map(|cwd| cwd.into_owned()).or_else(|| config.text_of("cwd"));
        let model = notes.text(model, "model").filter(|model| !model.is_empty());
        let title = notes.text(title, "title").filter(|title| !title.is_empty()).map(|title| title.into());
        let is_called = config.text_of("_delegate_from").is_some()
            || source.and_then(Value::string).as_deref() == Some("subagent");
        let subagent = is_called.then(|| session.clone().unwrap_or_default().into());
        let header = Header {
            session: session.map(SessionId::new),
            cwd: cwd.map(String::into_boxed_str),
            model: model.map(|model| model.into()),
            parent_session: parent.as_deref().map(Into::into),
            subagent,
            ..Header::default()
        };
        let is_continued = parent.is_some() && !is_called;
        self.push("session", EventDraft::bare(EventBody::Header(header)));
        if title.is_some() {
            self.push("title", EventDraft::bare(EventBody::Title(title)));
        }
        is_continued
    }

    fn system(&mut self) {
        let [prompt, tools] = self.value.fields(["system_prompt", "tools"]);
        let mut notes = self.notes("prompt");
        let text = notes.text(prompt, "system_prompt").filter(|text| !text.is_empty());
        let read = text.map(|text| {
            let mut blocks = Blocks::new(0, &mut notes);
            let raw = prompt.map(|prompt| around_text(prompt, Some(prompt))).unwrap_or_default();
            blocks.push(BlockKind::Text, text.into_owned(), raw);
            blocks.into_message(plain_message(Role::System, Author::Harness))
        });
        let mut notes = self.notes("tools");
        let mut blocks = Blocks::new(0, &mut notes);
        for (_, tool) in parts_of(tools.filter(|tools| tools.kind() == JsonType::List)) {
            blocks.push_tool_definition(tool);
        }
        let tools = Some(blocks.into_message(plain_message(Role::System, Author::Harness)));
        for (entry, read) in [("prompt", read), ("tools", tools)] {
            if let Some(read) = read.filter(|read| !read.contents.is_empty()) {
                self.standing.push(EntryId::new(entry));
                self.push(entry, EventDraft::message(read, Default::default()));
            }
        }
    }

    fn compact(
        &mut self,
        run: &CompactionRun,
        timeline: &Timeline<'_>,
        entries: &[EntryId],
        told: &[Vec<EntryId>],
        stamp: RecordStamp,
    ) {
        let entry = match run.summary {
            Some(at) => entries[at].clone(),
            None => EntryId::new(format!("{}/compaction", entries[run.at])),
        };
        let mut notes = Notes::new(stamp.line, entry.clone(), &mut self.out.problems);
        let read = run.summary.map(|at| read_summary(timeline.rows[at].value, &mut notes));
        let kept = run.kept.iter().flat_map(|at| told[*at].iter().cloned());
        let keep = Keep::Entries(self.standing.iter().cloned().chain(kept).collect());
        let (summary, contents) = read.map(|ReadMessage { message, contents }| (message, contents)).unzip();
        let body = EventBody::Compaction(Compaction { summary, keep, tokens_before: None });
        let draft = EventDraft { contents: contents.unwrap_or_default(), ..EventDraft::bare(body) };
        self.out.events.push(draft.event(stamp, entry));
    }

    fn take_back(&mut self, entries: &mut Vec<EntryId>, stamp: RecordStamp) {
        let Some(last) = entries.last() else { return };
        let entry = EntryId::new(format!("{last}/rewind"));
        let changes = std::mem::take(entries)
            .into_iter()
            .map(|entry| Change::removal(RewriteTarget::Entry(entry)))
            .collect();
        let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Rewind, changes });
        self.out.events.push(EventDraft::bare(body).event(stamp, entry));
    }

    /// The log has the totals of the session only.
    fn usage(&mut self) {
        let value = self.value;
        let mut notes = self.notes("usage");
        let paths =
            ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"];
        let [input, output, cache_read, cache_write, reasoning] = count_paths(value, paths, &mut notes);
        let [actual, estimated] = value.fields(["actual_cost_usd", "estimated_cost_usd"]);
        let cost = actual.filter(|cost| !cost.is_null()).or(estimated);
        let stated_cost = read_dollars(cost, "cost", &mut notes).filter(|cost| *cost > 0);
        let reasoning = reasoning.min(output);
        let usage =
            Usage { input, output, reasoning, cache_read, cache_write, stated_cost, ..Usage::default() };
        if usage.is_empty() {
            return;
        }
        let report = UsageReport { of: UsageScope::Session, usage: Some(usage), ..UsageReport::default() };
        self.push("usage", EventDraft::bare(EventBody::Usage(report)));
        if let Some(event) = self.out.events.last_mut() {
            event.event.parent = Parent::Outside;
        }
    }
}

/// Tells whether the provider gets the readable text of earlier reasoning. Hermes keeps it from all but those that
/// refuse a request without it.
fn sends_reasoning(session: Value<'_>) -> bool {
    let has_any = |name: &str, parts: &[String]| {
        let value = owned(session.get(name)).unwrap_or_default().to_lowercase();
        parts.iter().any(|part| value.contains(part.as_str()))
    };
    has_any("model", names_of("hermes.echoing_models"))
        || has_any("billing_provider", names_of("hermes.echoing_providers"))
        || has_any("billing_base_url", names_of("hermes.echoing_hosts"))
}

/// The model's settings: an object, or the text of one.
struct Config(String);

impl Config {
    fn parse(config: Option<Value<'_>>) -> Self {
        let text = match config.map(|config| (config, config.kind())) {
            Some((config, JsonType::Object)) => config.raw().to_owned(),
            Some((config, JsonType::Text)) => owned(Some(config)).unwrap_or_default(),
            _ => String::new(),
        };
        Self(if is_json(&text) { text } else { "{}".to_owned() })
    }

    fn text_of(&self, name: &str) -> Option<String> {
        owned(Value::trusted(&self.0, 0).get(name)).filter(|text| !text.is_empty())
    }
}

/// Seconds since 1970, or ISO 8601 in old documents.
fn seconds_or_iso(value: Value<'_>) -> Option<i64> {
    let seconds = value.number().filter(|seconds| seconds.is_finite());
    // The cast saturates.
    iso_time(value).or_else(|| seconds.map(|seconds| (seconds * 1000.0).round() as i64))
}

fn entry_of(message: Value<'_>, number: usize) -> EntryId {
    let id = message.get("id").map(Value::raw).filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    match id {
        Some(id) => EntryId::new(format!("m{id}")),
        None => EntryId::new(format!("n{number}")),
    }
}
