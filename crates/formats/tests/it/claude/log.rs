//! A Claude Code log in memory: its events in short form, and its context at a turn.

use std::fmt::Write;

use cwl_engine::{
    BlockKind, ContentBlock, DelimiterMark, EventBody, EventLog, History, Keep, Message, MessageForm, Parent,
    ParsedEvent, Problem, ReplyOutcome, RewriteTarget, Session, SessionMessage, TurnIdx,
};
use cwl_formats::{Format, default_tools, parse_log};
use serde_json::{Value, json};

pub(crate) struct Log {
    pub(crate) events: Vec<ParsedEvent>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) log: EventLog,
    pub(crate) session: Session,
    pub(crate) session_problems: Vec<Problem>,
}

impl Log {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        Self::with_history(bytes, History::AsRecorded)
    }

    pub(crate) fn with_history(bytes: &[u8], history: History) -> Self {
        let (events, problems) = parse_log(Format::ClaudeCode, bytes);
        let mut log = EventLog::default();
        for parsed in &events {
            assert_eq!(
                parsed.event.body.all_blocks().count(),
                parsed.contents.len(),
                "one content per block"
            );
            log.push(parsed.event.clone());
        }
        let (session, session_problems) = Session::build(&log, None, history, &default_tools());
        Self { events, problems, log, session, session_problems }
    }

    pub(crate) fn from_rows(rows: &[Value]) -> Self {
        Self::read(lines(rows).as_bytes())
    }

    pub(crate) fn turn(&self, number: u32) -> TurnIdx {
        TurnIdx::new(number)
    }

    /// Returns the block texts in a request, in model order, with each message's class.
    pub(crate) fn context(&self, turn: TurnIdx) -> Vec<String> {
        let end = self.session.turn_at(turn).end;
        let mut is_in = vec![true; self.session.blocks.len()];
        for replacement in self.session.replacements.iter().filter(|it| it.at <= end) {
            replacement.drops.iter().for_each(|block| is_in[block.at()] = false);
            replacement.restores.iter().for_each(|block| is_in[block.at()] = true);
        }
        let order = self.session.model_order(end);
        let blocks = order.into_iter().flat_map(|idx| self.session.blocks_of(idx));
        blocks
            .filter(|(idx, _)| is_in[idx.at()])
            .map(|(_, block)| {
                let text = &self.events[block.event.at()].contents[block.part as usize].text;
                format!("{:?}: {text}", self.session.messages[block.message.at()].class)
            })
            .collect()
    }

    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.problems.iter().chain(&self.session_problems).map(|problem| problem.kind.code()).collect()
    }

    pub(crate) fn replies(&self) -> Vec<&SessionMessage> {
        let turns = self.session.turns.iter().filter_map(|turn| turn.message);
        turns.map(|message| &self.session.messages[message.at()]).collect()
    }
}

pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

pub(crate) fn row(kind: &str, id: &str, parent: Option<&str>, more: Value) -> Value {
    let mut row = json!({
        "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/w", "sessionId": "s",
        "version": "2.1.38", "type": kind, "uuid": id, "timestamp": "2026-01-02T03:04:05.678Z",
    });
    row.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    row
}

pub(crate) fn user(id: &str, parent: Option<&str>, content: Value) -> Value {
    row("user", id, parent, json!({ "message": { "role": "user", "content": content } }))
}

/// Makes one row of a reply; the usage has a prompt of 100 tokens and `output` tokens.
pub(crate) fn part(id: &str, parent: Option<&str>, message: &str, block: Value, output: u64) -> Value {
    let usage = json!({
        "input_tokens": 4, "cache_creation_input_tokens": 6, "cache_read_input_tokens": 90, "output_tokens": output,
    });
    let message = json!({
        "id": message, "type": "message", "role": "assistant", "model": "claude-x", "content": [block],
        "stop_reason": null, "usage": usage,
    });
    row("assistant", id, parent, json!({ "message": message, "requestId": "req" }))
}

pub(crate) fn says(id: &str, parent: Option<&str>, message: &str, text: &str) -> Value {
    part(id, parent, message, json!({ "type": "text", "text": text }), 9)
}

pub(crate) fn calls(id: &str, parent: Option<&str>, message: &str, call: &str) -> Value {
    let block = json!({ "type": "tool_use", "id": call, "name": "Read", "input": { "file_path": "a" } });
    part(id, parent, message, block, 9)
}

pub(crate) fn result(id: &str, parent: Option<&str>, call: &str, text: &str) -> Value {
    user(id, parent, json!([{ "type": "tool_result", "tool_use_id": call, "content": text }]))
}

pub(crate) fn brief(log: &Log) -> String {
    let mut out = String::new();
    for parsed in &log.events {
        let event = &parsed.event;
        let parent = match &event.parent {
            Parent::Root => "root".to_owned(),
            Parent::Entry(entry) | Parent::Woven(entry) => format!("<{}", short(entry.as_str())),
            Parent::Previous => "<previous".to_owned(),
            Parent::Outside => "outside".to_owned(),
        };
        let side = if event.side { " side" } else { "" };
        let entry = short(event.entry.as_str());
        writeln!(out, "{} {entry} {parent}{side} {}", event.line, body(&event.body)).unwrap();
        for (block, content) in event.body.all_blocks().zip(&parsed.contents) {
            let text: String = content.text.chars().take(60).collect();
            writeln!(out, "  {}. {}{} {text:?}", block.index, kind(block), images(block)).unwrap();
        }
    }
    for problem in log.problems.iter().chain(&log.session_problems) {
        let line = problem.place.line.map_or("-".to_owned(), |line| line.to_string());
        writeln!(out, "! {} line {line}: {}", problem.kind.code(), problem.kind).unwrap();
    }
    out
}

/// Shortens an id to its first group, but keeps the text behind a slash.
fn short(id: &str) -> String {
    match id.split_once('/') {
        Some((id, rest)) => format!("{}/{rest}", short(id)),
        None => id.split('-').next().unwrap_or_default().to_owned(),
    }
}

fn body(body: &EventBody) -> String {
    match body {
        EventBody::Header(header) => format!(
            "header session={:?} cwd={:?} parent={:?} subagent={:?}",
            header.session, header.cwd, header.parent_session, header.subagent
        ),
        EventBody::Message(message) => show(message),
        EventBody::Compaction(compaction) => {
            let keep = match &compaction.keep {
                Keep::From(entry) => format!("from {entry}"),
                Keep::Entries(entries) => {
                    entries.iter().map(|entry| entry.as_str()).collect::<Vec<_>>().join(" ")
                }
                Keep::Retained(messages) => format!("{} messages", messages.len()),
                Keep::Nothing => "nothing".to_owned(),
            };
            let summary = compaction.summary.as_ref().map_or("none".to_owned(), show);
            format!("compaction keeps {keep}, {:?} before, summary: {summary}", compaction.tokens_before)
        }
        EventBody::Rewrite(rewrite) => {
            let targets: Vec<String> = rewrite
                .changes
                .iter()
                .map(|change| match &change.target {
                    RewriteTarget::Entry(entry) => format!("record {}", short(entry.as_str())),
                    RewriteTarget::Results(call) => format!("results of {call}"),
                    other => format!("{other:?}"),
                })
                .collect();
            format!("{} of {}", rewrite.cause.name(), targets.join(", "))
        }
        EventBody::Title(title) => format!("title {title:?}"),
        EventBody::Quiet { record } => format!("quiet {record}"),
        EventBody::Opaque { record } => format!("opaque {record}"),
        other => format!("{other:?}"),
    }
}

fn show(message: &Message) -> String {
    let mut shown = format!("{:?} by {:?}", message.role, message.author);
    if message.form != MessageForm::Plain {
        write!(shown, " {:?}", message.form).unwrap();
    }
    if let Some(reply) = &message.reply {
        write!(shown, " reply {}", &reply[..reply.len().min(10)]).unwrap();
    }
    if let Some(usage) = &message.usage {
        write!(shown, " usage {}+{}", usage.prompt_tokens(), usage.output).unwrap();
    }
    if message.outcome != ReplyOutcome::Complete {
        write!(shown, " {:?}", message.outcome).unwrap();
    }
    shown
}

fn kind(block: &ContentBlock) -> String {
    match &block.kind {
        BlockKind::Call(call) => {
            let program = call.program.as_ref().map_or(String::new(), |program| format!(" runs {program}"));
            let mark = match &call.mark {
                None => String::new(),
                Some(DelimiterMark::Open { name, .. }) => format!(" opens {name}"),
                Some(DelimiterMark::Close { .. }) => " closes".to_owned(),
                Some(DelimiterMark::Malformed { field, .. }) => format!(" malformed {}", field.key()),
            };
            format!("call {}{program}{mark}", call.name)
        }
        BlockKind::Result(result) => format!("result{}", if result.ok { "" } else { " failed" }),
        other => other.name().to_owned(),
    }
}

fn images(block: &ContentBlock) -> String {
    if block.images > 0 { format!(" +{} images", block.images) } else { String::new() }
}
