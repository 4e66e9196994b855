//! Messages of OpenCode: which of their parts are sent, and by whom they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, EntryId, Message, MessageForm, Problem, ProblemKind, RawPayload, ReplyOutcome, Role,
    Usage,
};

use super::part::{CallIds, Cleared, Outcome, push_call, push_result, push_sent};
use crate::blocks::{Blocks, Frame, MAX_PARTS, ReadMessage};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::{around, whole};
use crate::time::milliseconds;

/// What a message's events are named from the part on that the human went back to.
pub(super) const CUT: &str = "/reverted";

const ASKED: &str = "What did we do so far?";
pub(super) const RAN: &str = "The following tool was executed by the user";

/// A message as the document has it.
pub(super) struct Exported<'a> {
    pub(super) line: u64,
    /// True in the session of a subagent: nobody types there.
    pub(super) is_child: bool,
    pub(super) is_last: bool,
    /// The part that the human went back to.
    pub(super) cut: Option<&'a str>,
}

/// A message, read.
pub(super) struct Spoken {
    pub(super) id: String,
    pub(super) line: u64,
    pub(super) at_ms: Option<i64>,
    /// Its events, in order; the first bears its id.
    pub(super) messages: Vec<(EntryId, ReadMessage)>,
    pub(super) envelope: RawPayload,
    pub(super) usage: Option<Usage>,
    pub(super) cleared: Vec<Cleared>,
    /// What it is called where nothing of it is sent, though it is known.
    pub(super) quiet: Option<Box<str>>,
    pub(super) record: String,
    /// True for a message that asks for a summary; from where on the history then stays.
    pub(super) asks_for_summary: bool,
    tail: Option<String>,
    /// The message that asked for this summary, which came about without an error.
    pub(super) summary_of: Option<String>,
    /// The human's own command, if that is what an answer that no model gave tells.
    command: Option<(Author, MessageForm, ReadMessage)>,
    /// True where the harness says that the human ran something.
    says_ran: bool,
    parent: Option<String>,
}

/// Compactions that came about: for each message that asked, its question and the answer's id.
#[derive(Default)]
pub(super) struct Completed {
    by: BTreeMap<String, String>,
    questions: BTreeMap<String, Question>,
}

/// What asked for a summary.
pub(super) struct Question {
    pub(super) asked: Vec<ReadMessage>,
    pub(super) tail: Option<String>,
}

impl Completed {
    /// Returns the answer to a message.
    pub(super) fn by(&self, asked: &str) -> Option<&str> {
        self.by.get(asked).map(String::as_str)
    }

    /// Returns what a message asked.
    pub(super) fn question(&self, asked: &str) -> Option<&Question> {
        self.questions.get(asked)
    }
}

/// Finds the messages that asked for a summary and got one.
pub(super) fn completed_compactions(messages: &[Spoken]) -> Completed {
    let mut completed = Completed::default();
    for message in messages {
        if message.asks_for_summary {
            let asked = message.messages.iter().map(|(_, read)| read.copy()).collect();
            let question = Question { asked, tail: message.tail.clone() };
            completed.questions.insert(message.id.clone(), question);
        } else if let Some(parent) = &message.summary_of
            && completed.questions.contains_key(parent)
        {
            completed.by.entry(parent.clone()).or_insert_with(|| message.id.clone());
        }
    }
    completed
}

/// Gives the human what the harness says that they ran.
pub(super) fn join_commands(messages: &mut [Spoken]) {
    let asked: std::collections::BTreeSet<String> =
        messages.iter().filter(|it| it.says_ran).map(|it| it.id.clone()).collect();
    for message in messages {
        let is_ran = message.parent.as_ref().is_some_and(|parent| asked.contains(parent));
        if let Some((author, form, read)) = message.command.take().filter(|_| is_ran) {
            let message_of = Message { form, author, ..by_harness() };
            let read = ReadMessage {
                message: Message { blocks: read.message.blocks, ..message_of },
                contents: read.contents,
            };
            message.messages = vec![(EntryId::new(message.id.as_str()), read)];
            message.cleared.clear();
        }
    }
}

/// An empty message of the harness in the user's slot.
pub(super) fn by_harness() -> Message {
    Message {
        role: Role::User,
        author: Author::Harness,
        form: MessageForm::Plain,
        blocks: Vec::new(),
        model: None,
        usage: None,
        outcome: ReplyOutcome::Complete,
        reply: None,
    }
}

trait Copied {
    fn copy(&self) -> Self;
}

impl Copied for ReadMessage {
    fn copy(&self) -> Self {
        Self { message: self.message.clone(), contents: self.contents.clone() }
    }
}

impl Exported<'_> {
    /// Reads a message: `{info, parts}`.
    pub(super) fn read(&self, value: Value<'_>, ids: &mut CallIds, problems: &mut Vec<Problem>) -> Spoken {
        let [info, parts] = value.fields(["info", "parts"]);
        let info = info.unwrap_or(Value::trusted("null", 0));
        let [id, role, time, parent] = info.fields(["id", "role", "time", "parentID"]);
        let own = id.and_then(Value::text).map(|id| id.value.into_owned()).filter(|id| !id.is_empty());
        let is_odd = own.is_none();
        let id = own.unwrap_or_else(|| ids.unnamed(self.line));
        let mut notes = Notes::new(self.line, EntryId::new(id.as_str()), problems);
        if is_odd {
            notes.odd("info.id");
        }
        let at_ms = time.and_then(|time| time.fields(["created"])[0]).and_then(milliseconds);
        if at_ms.is_none() {
            notes.odd("info.time.created");
        }
        let role = notes.required_text(role, "info.role").into_owned();
        let mut spoken = Spoken {
            line: self.line,
            at_ms,
            messages: Vec::new(),
            envelope: around(value, parts),
            usage: None,
            cleared: Vec::new(),
            quiet: None,
            record: format!("message/{role}"),
            asks_for_summary: false,
            tail: None,
            summary_of: None,
            command: None,
            says_ran: false,
            parent: notes.text(parent, "info.parentID").map(|parent| parent.into_owned()),
            id,
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

    /// Reads the user's slot: runs of parts of one author.
    fn user(&self, parts: &[Value<'_>], spoken: &mut Spoken, notes: &mut Notes<'_>) {
        spoken.quiet = Some("user".into());
        let typed = if self.is_child { Author::Harness } else { Author::Human };
        let mut last: Option<(Author, bool)> = None;
        let mut is_cut = false;
        for (index, part) in (0..MAX_PARTS).zip(parts) {
            let [id, kind, synthetic, tail] = part.fields(["id", "type", "synthetic", "tail_start_id"]);
            let kind = notes.required_text(kind, "parts.type");
            is_cut |=
                self.cut.is_some() && id.and_then(Value::text).map(|id| id.value).as_deref() == self.cut;
            let is_synthetic = synthetic.is_some_and(|flag| flag.kind() == Kind::Bool(true));
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
                Some(said) => blocks.push(BlockKind::Text, said.to_owned(), whole(*part)),
                None => push_sent(&mut blocks, *part, &kind),
            }
            let author = if is_synthetic || said.is_some() { Author::Harness } else { typed };
            let read = blocks.into_message(Frame::plain(Role::User, author));
            let says_ran = read.contents.iter().any(|content| content.text == RAN);
            spoken.says_ran |= author == Author::Harness && says_ran;
            if read.message.blocks.is_empty() {
                continue;
            }
            match spoken.messages.last_mut().filter(|_| last == Some((author, is_cut))) {
                Some((_, run)) => {
                    run.message.blocks.extend(read.message.blocks);
                    run.contents.extend(read.contents);
                }
                None => {
                    let entry = self.name(&spoken.id, spoken.messages.len(), is_cut, "");
                    spoken.messages.push((entry, read));
                }
            }
            last = Some((author, is_cut));
        }
    }

    /// Reads an answer: its calls hold their results.
    fn assistant(
        &self,
        info: Value<'_>,
        parts: &[Value<'_>],
        spoken: &mut Spoken,
        ids: &mut CallIds,
        notes: &mut Notes<'_>,
    ) {
        let [provider, model, error, tokens, summary, finish, time] =
            info.fields(["providerID", "modelID", "error", "tokens", "summary", "finish", "time"]);
        let is_summary = summary.is_some_and(|flag| flag.kind() == Kind::Bool(true));
        let error = error.filter(|error| error.kind() == Kind::Object);
        if is_summary {
            spoken.quiet = Some("summary".into());
            let is_finished = finish.is_some_and(|finish| finish.kind() == Kind::Text);
            spoken.summary_of = spoken.parent.clone().filter(|_| is_finished && error.is_none());
        }
        spoken.usage = read_usage(tokens, notes);
        let has_ended = time.is_some_and(|time| time.fields(["completed"])[0].is_some());
        let is_running = self.is_last && !has_ended;
        let model = model_name(notes.text(provider, "info.providerID"), notes.text(model, "info.modelID"));
        let frame = |outcome| Frame {
            model: model.as_deref().map(Arc::from),
            usage: spoken.usage,
            outcome,
            reply: Some(spoken.id.as_str().into()),
            ..Frame::plain(Role::Assistant, Author::Model)
        };
        let kinds: Vec<String> = parts.iter().map(|part| kind_of(*part)).collect();
        let cut = self.cut.and_then(|cut| parts.iter().position(|part| id_of(*part).as_deref() == Some(cut)));
        let outcome = outcome_of(error, &kinds);
        let cut = cut.unwrap_or(parts.len());
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
                    kind => push_sent(&mut blocks, *part, kind),
                }
            }
            let read = blocks.into_message(frame(outcome));
            let entry = self.name(&spoken.id, 0, is_cut, "");
            let mut results = Blocks::new(first, notes);
            let mut command = None;
            for outcome in outcomes {
                if let [only] = &*kinds
                    && only == "tool"
                {
                    command = outcome.as_command();
                }
                spoken.cleared.extend(push_result(&mut results, outcome));
            }
            let answered = results.into_message(Frame::plain(Role::Tool, Author::Tool));
            if is_summary && spoken.summary_of.is_none() {
                // A summary that failed is never sent.
                continue;
            }
            spoken.command = command.filter(|_| spoken.usage.is_none());
            spoken.messages.push((entry, read));
            if !answered.message.blocks.is_empty() {
                spoken.messages.push((self.name(&spoken.id, 0, is_cut, "/results"), answered));
            }
        }
    }

    /// Names an event of a message.
    fn name(&self, id: &str, nth: usize, is_cut: bool, what: &str) -> EntryId {
        let cut = if is_cut { CUT } else { "" };
        match nth {
            0 => EntryId::new(format!("{id}{cut}{what}")),
            nth => EntryId::new(format!("{id}{cut}{what}/{}", nth + 1)),
        }
    }
}

fn kind_of(part: Value<'_>) -> String {
    part.fields(["type"])[0].and_then(Value::text).map(|kind| kind.value.into_owned()).unwrap_or_default()
}

fn id_of(part: Value<'_>) -> Option<String> {
    Some(part.fields(["id"])[0]?.text()?.value.into_owned())
}

/// Tells how an answer ended: one that was stopped is sent all the same, if it holds anything.
fn outcome_of(error: Option<Value<'_>>, kinds: &[String]) -> ReplyOutcome {
    let Some(error) = error else { return ReplyOutcome::Complete };
    let [name] = error.fields(["name"]);
    let is_stopped = name.and_then(Value::text).is_some_and(|name| name.value == "MessageAbortedError");
    let holds_any = kinds.iter().any(|kind| kind != "step-start" && kind != "reasoning");
    match (is_stopped, holds_any) {
        (true, true) => ReplyOutcome::Complete,
        (true, false) => ReplyOutcome::Aborted,
        (false, _) => ReplyOutcome::Error,
    }
}

/// Reads what the provider reported of the step; nothing where no model was asked.
fn read_usage(tokens: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let tokens = tokens.filter(|tokens| !tokens.is_null())?;
    let [input, output, reasoning, cache] = tokens.fields(["input", "output", "reasoning", "cache"]);
    let [read, write] = cache.map_or([None; 2], |cache| cache.fields(["read", "write"]));
    let mut count = |value, field| notes.count(value, field).unwrap_or(0);
    let usage = Usage {
        input: count(input, "tokens.input"),
        output: count(output, "tokens.output").saturating_add(count(reasoning, "tokens.reasoning")),
        cache_read: count(read, "tokens.cache.read"),
        cache_write: count(write, "tokens.cache.write"),
    };
    (usage != Usage::default()).then_some(usage)
}

fn model_name(
    provider: Option<std::borrow::Cow<'_, str>>,
    model: Option<std::borrow::Cow<'_, str>>,
) -> Option<String> {
    let names = [provider, model].into_iter().flatten().filter(|name| !name.is_empty());
    let name = names.map(|name| name.into_owned()).collect::<Vec<_>>().join("/");
    (!name.is_empty()).then_some(name)
}
