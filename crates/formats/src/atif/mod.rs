//! ATIF, Harbor's trajectory format: one document per run, with its steps in order.
//!
//! Every step is in the context of the steps after it. Copied steps (`is_copied_context`) behind a run's own
//! steps are a summary: they replace the whole history before them.

mod step;

use cwl_engine::{Compaction, EventBody, Header, Keep, Parent, ProblemKind, RawPayload, SessionId};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::bodies::item::{Item, Scribe};
use crate::bodies::parts::tools_item;
use crate::document::DocumentLines;
use crate::event::{EventDraft, InOneRecord, RecordStamp};
use crate::json::{JsonType, Value};
use crate::payload::whole_payload;
use step::{AtifStep, read_step};

/// The newest major version this adapter understands.
const KNOWN: u32 = 1;
/// Deeper trajectories of subagents are not read.
const MAX_DEPTH: u32 = 8;

pub(crate) fn is_document(document: Value<'_>) -> bool {
    let [version, agent, steps] = document.fields(["schema_version", "agent", "steps"]);
    if let Some(version) = version.and_then(Value::string) {
        return version.starts_with("ATIF-");
    }
    let first = steps.and_then(|steps| steps.items().next());
    let is_step = first.is_some_and(|step| step.fields(["step_id", "source"]).iter().all(Option::is_some));
    agent.is_some_and(|agent| agent.kind() == JsonType::Object) && is_step
}

#[derive(Clone, Default)]
pub(crate) struct Atif;

impl Adapter for Atif {
    fn record(&mut self, document: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let scribe = Scribe::new(at);
        if document.kind() == JsonType::List {
            let body = scribe.begin_notes("header", &mut out.problems).unknown("array");
            return out.events.push(scribe.make_event("header", body, whole_payload(document)));
        }
        let header = session_header(document, &scribe, out);
        out.events.push(scribe.make_event("header", header, RawPayload::default()));
        let definitions = document.get("agent").and_then(|agent| agent.get("tool_definitions"));
        if let Some(tools) = tools_item(&scribe, definitions.into_iter().flat_map(Value::items)) {
            tools.push_record(Parent::Previous, false, out);
        }
        let mut lines = DocumentLines::new(document, at.line);
        AtifEvents { scribe: &scribe, side: false, is_first: true, out }.add_steps(document, &mut lines);
        read_subagents(document, &mut lines, &scribe, 0, out);
    }
}

fn session_header(document: Value<'_>, scribe: &Scribe, out: &mut Batch) -> EventBody {
    let [session, trajectory, agent, steps] =
        document.fields(["session_id", "trajectory_id", "agent", "steps"]);
    let mut notes = scribe.begin_notes("header", &mut out.problems);
    let version = document.text_of("schema_version");
    let major = version.strip_prefix("ATIF-v").and_then(|rest| rest.split('.').next()?.parse().ok());
    match major {
        Some(version) if version > KNOWN => notes.note(ProblemKind::UnknownVersion { version }),
        Some(_) => {}
        None => notes.odd("schema_version"),
    }
    if steps.is_none_or(|steps| steps.kind() != JsonType::List) {
        notes.odd("steps");
    }
    let session = notes.text(session, "session_id").or_else(|| notes.text(trajectory, "trajectory_id"));
    let model = agent.map(|agent| agent.text_of("model_name")).filter(|model| !model.is_empty());
    EventBody::Header(Header {
        session: session.map(SessionId::new),
        version: major,
        model: model.map(Into::into),
        ..Header::default()
    })
}

fn read_subagents(
    document: Value<'_>,
    lines: &mut DocumentLines<'_>,
    scribe: &Scribe,
    depth: u32,
    out: &mut Batch,
) {
    let Some(list) = document.get("subagent_trajectories").and_then(Value::list) else { return };
    if depth == MAX_DEPTH {
        return scribe.begin_notes("header", &mut out.problems).odd("subagent_trajectories");
    }
    for (nth, inner) in list.items().enumerate() {
        let scribe =
            Scribe { line: lines.line_of(inner), record: scribe.entry_at(format!("subagent-{nth}")) };
        AtifEvents { scribe: &scribe, side: true, is_first: true, out }.add_steps(inner, lines);
        read_subagents(inner, lines, &scribe, depth + 1, out);
    }
}

struct AtifEvents<'t> {
    scribe: &'t Scribe,
    side: bool,
    is_first: bool,
    out: &'t mut Batch,
}

impl AtifEvents<'_> {
    fn add_steps(&mut self, document: Value<'_>, lines: &mut DocumentLines<'_>) {
        let steps = document.get("steps");
        let mut has_own = false;
        let mut copied: Vec<Item> = Vec::new();
        for (nth, step) in (1u64..).zip(steps.into_iter().flat_map(Value::items)) {
            let scribe = self.scribe.on_line(lines.line_of(step));
            match read_step(step, nth, &scribe, &mut self.out.problems) {
                AtifStep::Unknown(event) => self.out.events.push(*event),
                // Copied steps at the very beginning come from another file: they are ordinary messages.
                AtifStep::Items { items, is_copied: true } if has_own => copied.extend(items),
                AtifStep::Items { items, is_copied } => {
                    has_own |= !is_copied;
                    self.replace_with_summary(std::mem::take(&mut copied));
                    for item in items {
                        let parent = self.next_parent();
                        item.push_record(parent, self.side, self.out);
                    }
                }
            }
        }
        self.replace_with_summary(copied);
    }

    fn next_parent(&mut self) -> Parent {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first && self.side { Parent::Root } else { Parent::Previous }
    }

    fn replace_with_summary(&mut self, copied: Vec<Item>) {
        let Some((line, entry)) = copied.first().map(|item| (item.line, item.entry.clone())) else { return };
        let mut left = InOneRecord::default();
        for Item { read, problems, .. } in copied {
            self.out.problems.extend(problems);
            left.push(read);
        }
        let InOneRecord { messages, contents, .. } = left;
        let keep = Keep::Retained(messages);
        let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before: None });
        let draft = EventDraft { contents, ..EventDraft::bare(body) };
        let stamp = RecordStamp { side: self.side, ..RecordStamp::line(line) };
        let parent = self.next_parent();
        self.out.events.push(draft.below(stamp, entry, parent));
    }
}
