use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EntryId, Message, Problem, ProblemKind, RawPayload, ReplyOutcome, Role, Usage,
};

use super::part::{
    CallIds, ClearedResult, Outcome, is_signed, push_blank, push_call, push_result, push_sent,
};
use crate::blocks::{Blocks, MAX_PARTS, ReadMessage, plain_message};
use crate::content::overflow::failed_with;
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::{payload_around, whole_payload};
use crate::time::milliseconds_of;
use crate::usage::{count_paths, model_name, read_dollars};

/// Suffix for a message's events from the part on to which the human reverted.
pub(super) const CUT: &str = "/reverted";

const ASKED: &str = "What did we do so far?";
pub(super) const RAN: &str = "The following tool was executed by the user";

pub(super) struct ExportedMessage<'a> {
    pub(super) line: u64,
    pub(super) is_child: bool,
    pub(super) is_last: bool,
    /// Id of the part to which the human reverted.
    pub(super) cut: Option<&'a str>,
}

#[derive(Default)]
pub(super) struct OpencodeTurn {
    pub(super) id: String,
    pub(super) line: u64,
    pub(super) at_ms: Option<i64>,
    /// In order; the first has the message's id.
    pub(super) messages: Vec<(EntryId, ReadMessage)>,
    pub(super) envelope: RawPayload,
    pub(super) usage: Option<Usage>,
    pub(super) cleared: Vec<ClearedResult>,
    /// Name for a quiet event if nothing is sent.
    pub(super) quiet: Option<Box<str>>,
    pub(super) record: String,
    pub(super) asks_for_summary: bool,
    tail: Option<String>,
    /// The message whose summary request this one answers without an error.
    pub(super) summary_of: Option<String>,
    command: Option<ReadMessage>,
    says_ran: bool,
    parent: Option<String>,
}

pub(super) struct Question {
    pub(super) asked: Vec<ReadMessage>,
    pub(super) tail: Option<String>,
    pub(super) answer: Option<String>,
}

pub(super) fn questions(messages: &[OpencodeTurn]) -> BTreeMap<String, Question> {
    let mut questions: BTreeMap<String, Question> = BTreeMap::new();
    for message in messages {
        if message.asks_for_summary {
            let asked = message.messages.iter().map(|(_, read)| read.clone()).collect();
            let question = Question { asked, tail: message.tail.clone(), answer: None };
            questions.insert(message.id.clone(), question);
        } else if let Some(question) = message.summary_of.as_ref().and_then(|it| questions.get_mut(it)) {
            question.answer.get_or_insert_with(|| message.id.clone());
        }
    }
    questions
}

pub(super) fn join_commands(messages: &mut [OpencodeTurn]) {
    let asked: std::collections::BTreeSet<String> =
        messages.iter().filter(|it| it.says_ran).map(|it| it.id.clone()).collect();
    for message in messages {
        let is_ran = message.parent.as_ref().is_some_and(|parent| asked.contains(parent));
        if let Some(read) = message.command.take().filter(|_| is_ran) {
            message.messages = vec![(EntryId::new(message.id.as_str()), read)];
            message.cleared.clear();
        }
    }
}

impl ExportedMessage<'_> {
    pub(super) fn read(
        &self,
        value: Value<'_>,
        ids: &mut CallIds,
        problems: &mut Vec<Problem>,
    ) -> OpencodeTurn {
        let [info, parts] = value.fields(["info", "parts"]);
        let info = info.unwrap_or_default();
        let [id, role, time, parent] = info.fields(["id", "role", "time", "parentID"]);
        let own = owned(id).filter(|id| !id.is_empty());
        let is_odd = own.is_none();
        let id = match own {
            Some(own) => ids.message(own),
            None => ids.unnamed(self.line),
        };
        let mut notes = Notes::new(self.line, EntryId::new(id.as_str()), problems);
        if is_odd {
            notes.odd("info.id");
        }
        let at_ms = time.and_then(|time| time.get("created")).and_then(milliseconds_of);
        if at_ms.is_none() {
            notes.odd("info.time.created");
        }
        let role = notes.required_text(role, "info.role").into_owned();
        let mut spoken = OpencodeTurn {
            line: self.line,
            at_ms,
            envelope: payload_around(value, parts),
            record: format!("message/{role}"),
            parent: notes.text(parent, "info.parentID").map(|parent| parent.into_owned()),
            id,
            ..OpencodeTurn::default()
        };
        let parts: Vec<Value<'_>> =
            parts.map(|parts| parts.items().take(MAX_PARTS as usize).collect()).unwrap_or_default();
        match &*role {
            "user" => self.user(&parts, &mut spoken, &mut notes),
            "assistant" => self.assistant(info, &parts, &mut spoken, ids, &mut notes),
            _ => {
                notes.note(ProblemKind::UnknownRecord { record: spoken.record.clone().into() });
            }
        }
        spoken
    }

    fn user(&self, parts: &[Value<'_>], spoken: &mut OpencodeTurn, notes: &mut Notes<'_>) {
        spoken.quiet = Some("user".into());
        let typed = if self.is_child { Author::Harness } else { Author::Human };
        let mut last: Option<(Author, bool)> = None;
        let mut is_cut = false;
        for (index, part) in (0..MAX_PARTS).zip(parts) {
            let [id, kind, synthetic, tail] = part.fields(["id", "type", "synthetic", "tail_start_id"]);
            let kind = notes.required_text(kind, "parts.type");
            is_cut |= self.cut.is_some() && id.and_then(Value::string).as_deref() == self.cut;
            let is_synthetic = synthetic.is_some_and(Value::is_true);
            let mut blocks = Blocks::new(index, notes);
            let said = match &*kind {
                "compaction" => {
                    spoken.asks_for_summary = true;
                    spoken.tail = blocks.notes.text(tail, "parts.tail_start_id").map(|it| it.into_owned());
                    Some(ASKED)
                }
                "subtask" => Some(RAN),
                _ => None,
            };
            match said {
                Some(said) => blocks.push(BlockKind::Text, said.to_owned(), whole_payload(*part)),
                None => push_sent(&mut blocks, *part, &kind),
            }
            let author = if is_synthetic || said.is_some() { Author::Harness } else { typed };
            let read = blocks.into_message(plain_message(Role::User, author));
            let says_ran = read.contents.iter().any(|content| content.text == RAN);
            spoken.says_ran |= author == Author::Harness && says_ran;
            if read.message.blocks.is_empty() {
                continue;
            }
            match spoken.messages.last_mut().filter(|_| last == Some((author, is_cut))) {
                Some((_, run)) => run.append_message(read),
                None => {
                    let entry = name(&spoken.id, spoken.messages.len(), is_cut, "");
                    spoken.messages.push((entry, read));
                }
            }
            last = Some((author, is_cut));
        }
    }

    /// Calls include their results.
    fn assistant(
        &self,
        info: Value<'_>,
        parts: &[Value<'_>],
        spoken: &mut OpencodeTurn,
        ids: &mut CallIds,
        notes: &mut Notes<'_>,
    ) {
        let [provider, model, error, tokens, summary, finish, time] =
            info.fields(["providerID", "modelID", "error", "tokens", "summary", "finish", "time"]);
        let is_summary = summary.is_some_and(Value::is_true);
        let error = error.and_then(Value::object);
        if is_summary {
            spoken.quiet = Some("summary".into());
            let is_finished = finish.is_some_and(|finish| finish.kind() == JsonType::Text);
            spoken.summary_of = spoken.parent.clone().filter(|_| is_finished && error.is_none());
        }
        let stated_cost = read_dollars(info.get("cost"), "info.cost", notes).filter(|cost| *cost > 0);
        spoken.usage = read_usage(tokens, notes).map(|usage| Usage { stated_cost, ..usage });
        let has_ended = time.is_some_and(|time| time.get("completed").is_some());
        let is_running = self.is_last && !has_ended;
        let model = model_name(notes.text(provider, "info.providerID"), notes.text(model, "info.modelID"));
        let frame = Message {
            model: model.as_deref().map(Arc::from),
            usage: spoken.usage,
            reply: Some(spoken.id.as_str().into()),
            ..plain_message(Role::Assistant, Author::Model)
        };
        let kinds: Vec<_> = parts.iter().map(|part| part.text_of("type")).collect();
        let cut = self.cut.and_then(|cut| parts.iter().position(|part| part.text_of("id") == cut));
        let frame = Message { outcome: outcome_of(error, &kinds), ..frame };
        let cut = cut.unwrap_or(parts.len());
        let is_signed = parts.iter().any(|part| is_signed(*part));
        let is_blank =
            |part: Value<'_>| is_signed && part.get("text").and_then(Value::string_body) == Some("");
        for (range, is_cut) in [(0..cut, false), (cut..parts.len(), true)] {
            if is_cut && range.is_empty() {
                continue;
            }
            let first = u32::try_from(range.start).unwrap_or(u32::MAX);
            let mut blocks = Blocks::new(first, notes);
            let mut outcomes: Vec<Outcome> = Vec::new();
            for (part, kind) in parts[range.clone()].iter().zip(&kinds[range]) {
                match &**kind {
                    "tool" => outcomes.push(push_call(&mut blocks, *part, ids, is_running)),
                    "text" if is_blank(*part) => push_blank(&mut blocks, *part),
                    kind => push_sent(&mut blocks, *part, kind),
                }
            }
            let read = blocks.into_message(frame.clone());
            let entry = name(&spoken.id, 0, is_cut, "");
            let mut results = Blocks::new(first, notes);
            let mut command = None;
            for outcome in outcomes {
                if let [only] = &*kinds
                    && only == "tool"
                {
                    command = Some(outcome.as_command());
                }
                spoken.cleared.extend(push_result(&mut results, outcome));
            }
            let answered = results.into_message(plain_message(Role::Tool, Author::Tool));
            if is_summary && spoken.summary_of.is_none() {
                // A failed summary is never sent.
                continue;
            }
            spoken.command = command.filter(|_| spoken.usage.is_none());
            spoken.messages.push((entry, read));
            if !answered.message.blocks.is_empty() {
                spoken.messages.push((name(&spoken.id, 0, is_cut, "/results"), answered));
            }
        }
    }
}

fn name(id: &str, nth: usize, is_cut: bool, suffix: &str) -> EntryId {
    let cut = if is_cut { CUT } else { "" };
    match nth {
        0 => EntryId::new(format!("{id}{cut}{suffix}")),
        nth => EntryId::new(format!("{id}{cut}{suffix}/{}", nth + 1)),
    }
}

fn outcome_of(error: Option<Value<'_>>, kinds: &[Cow<'_, str>]) -> ReplyOutcome {
    let Some(error) = error else { return ReplyOutcome::Complete };
    let is_stopped = error.text_of("name") == "MessageAbortedError";
    let holds_any = kinds.iter().any(|kind| kind != "step-start" && kind != "reasoning");
    match (is_stopped, holds_any) {
        (true, true) => ReplyOutcome::Complete,
        (true, false) => ReplyOutcome::Aborted,
        (false, _) => failed_with(error.raw()),
    }
}

/// `None` if all counts are 0, because no model was called.
fn read_usage(tokens: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let tokens = tokens.filter(|tokens| !tokens.is_null())?;
    let paths = ["tokens.input", "tokens.output", "tokens.reasoning"];
    let [input, output, reasoning] = count_paths(tokens, paths, notes);
    let cache = tokens.get("cache").unwrap_or(tokens);
    let [cache_read, cache_write] = count_paths(cache, ["tokens.cache.read", "tokens.cache.write"], notes);
    let output = output.saturating_add(reasoning);
    let usage = Usage { input, output, reasoning, cache_read, cache_write, ..Usage::default() };
    (usage != Usage::default()).then_some(usage)
}
