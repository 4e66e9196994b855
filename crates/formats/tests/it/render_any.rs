//! For any session and any evicted blocks, every provider accepts the request, and every kept text is in it
//! once, or a repair explains why not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::render_log::{Log, PROVIDERS, rules};
use cwl_engine::{
    Author, BlockIdx, BlockKind, Change, Compaction, Content, ContentBlock, EntryId, EventBody, Keep,
    Message, MessageForm, Parent, ParsedEvent, Provider, RawPayload, ReplacementCause, ReplyOutcome, Rewrite,
    RewriteTarget, Role, Session, SessionEvent, ToolCall, ToolResult, find_violations,
};
use cwl_formats::render::{Rendering, RepairKind};
use cwl_formats::{Format, detect_format};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

/// A block before its place is known: kind, counted text and JSON, with `@` for its own mark.
#[derive(Debug, Clone)]
struct Draft {
    kind: Kind,
    text: String,
    raw: String,
}

#[derive(Debug, Clone)]
enum Kind {
    Text,
    Reasoning,
    Call(&'static str, String),
    Result(&'static str, bool, u32),
    Image,
    Opaque,
}

fn ids() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "c|1", "c_1", "", "é", "tool.call-with-an-id-that-is-longer-than-forty-characters"])
}

const IMAGES: [&str; 5] = [
    r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#,
    r#"{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}"#,
    r#"{"inlineData":{"mimeType":"image/png","data":"AAAA"}}"#,
    r#"{"type":"image","source":{"path":"a.png"}}"#,
    "",
];

const REASONINGS: [&str; 7] = [
    r#"{"type":"thinking","thinking":"@","signature":"s"}"#,
    r#"{"type":"thinking","thinking":"@","thinkingSignature":"s"}"#,
    r#"{"type":"thinking","thinking":"@"}"#,
    r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"@"}],"encrypted_content":"e"}"#,
    r#"{"type":"reasoning","text":"@","metadata":{"openai":{"reasoningEncryptedContent":"e"}}}"#,
    r#"{"text":"@","thought":true,"thoughtSignature":"g"}"#,
    "",
];

const OWN: [&str; 5] = [
    "{}",
    r#"{"type":"document","source":{"type":"url","url":"https://example.org/a.pdf"}}"#,
    r#"{"type":"compaction","encrypted_content":"e"}"#,
    r#"{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}"#,
    r#"{"executableCode":{"language":"PYTHON","code":"1"}}"#,
];

fn any_block() -> impl Strategy<Value = Draft> {
    let draft =
        |kind: Kind, text: &str, raw: &str| Draft { kind, text: text.to_owned(), raw: raw.to_owned() };
    let names = select(vec!["read", "mcp server/tool!", "1st", ""]);
    let inputs = select(vec![r#"{"path":"@"}"#, "@ is no JSON", "[\"@\"]", "", r#"{"a":"\ud800 @"}"#]);
    let customs = select(vec!["", r#"{"type":"custom_tool_call"}"#]);
    prop_oneof![
        3 => select(vec!["@", "@ and more", " \n", ""]).prop_map(move |text| draft(Kind::Text, text, "")),
        2 => select(REASONINGS.to_vec()).prop_map(move |raw| draft(Kind::Reasoning, "@", raw)),
        1 => Just(draft(Kind::Reasoning, "", r#"{"type":"redacted_thinking","data":"d"}"#)),
        5 => (ids(), names, inputs, customs).prop_map(move |(id, name, input, raw)| {
            draft(Kind::Call(id, name.to_owned()), &format!("{name}{input}"), raw)
        }),
        5 => (ids(), any::<bool>(), select(vec!["@", ""])).prop_map(move |(id, ok, text)| {
            draft(Kind::Result(id, ok, 0), text, "")
        }),
        2 => (ids(), select(IMAGES.to_vec())).prop_map(move |(id, image)| {
            let image = if image.is_empty() { "7" } else { image };
            let raw = format!(r#"{{"content":[{{"type":"text","text":"@"}},{image}]}}"#);
            draft(Kind::Result(id, true, 1), "@", &raw)
        }),
        1 => select(IMAGES.to_vec()).prop_map(move |raw| draft(Kind::Image, "", raw)),
        1 => select(OWN.to_vec()).prop_map(move |raw| draft(Kind::Opaque, "", raw)),
        1 => ids().prop_map(move |id| draft(Kind::Call(id, "web".into()), "web{}", r#"{"type":"web_search_call"}"#)),
        1 => ids().prop_map(move |id| {
            let raw = format!(r#"{{"type":"server_tool_use","id":"{id}","input":{{"query":"@"}}}}"#);
            draft(Kind::Call(id, "web".into()), "web{\"query\":\"@\"}", &raw)
        }),
        1 => ids().prop_map(move |id| {
            let raw = format!(r#"{{"type":"web_search_tool_result","tool_use_id":"{id}","content":["@"]}}"#);
            draft(Kind::Result(id, true, 0), "@", &raw)
        }),
    ]
}

#[derive(Debug, Clone)]
enum Record {
    Message(Role, ReplyOutcome, Vec<Draft>),
    Retained(Role, Vec<Draft>),
    Cleared(&'static str),
    /// Replaces the entry at this index, modulo the number of entries.
    Written(usize, Role, Vec<Draft>),
}

fn any_record() -> impl Strategy<Value = Record> {
    let role =
        || select(vec![Role::User, Role::Assistant, Role::Assistant, Role::Tool, Role::Tool, Role::System]);
    let outcome = select(vec![ReplyOutcome::Complete; 5]);
    let failed = select(vec![ReplyOutcome::Complete, ReplyOutcome::Error]);
    let blocks = || proptest::collection::vec(any_block(), 0..4);
    prop_oneof![
        12 => (role(), prop_oneof![4 => outcome, 1 => failed], blocks())
            .prop_map(|(role, outcome, blocks)| {
                let outcome = if role == Role::Assistant { outcome } else { ReplyOutcome::Complete };
                Record::Message(role, outcome, blocks)
            }),
        1 => (role(), blocks()).prop_map(|(role, blocks)| Record::Retained(role, blocks)),
        1 => ids().prop_map(Record::Cleared),
        1 => (any::<usize>(), role(), blocks()).prop_map(|(at, role, blocks)| Record::Written(at, role, blocks)),
    ]
}

/// Makes events from drafts; every block gets its own mark.
#[derive(Default)]
struct Scribe {
    events: Vec<ParsedEvent>,
    n_marks: usize,
}

impl Scribe {
    fn message(
        &mut self,
        role: Role,
        outcome: ReplyOutcome,
        drafts: &[Draft],
        contents: &mut Vec<Content>,
    ) -> Message {
        let first = u32::try_from(contents.len()).unwrap();
        let blocks = (first..)
            .zip(drafts)
            .map(|(index, draft)| {
                self.n_marks += 1;
                let mark = format!("<{}>", self.n_marks);
                let text = draft.text.replace('@', &mark);
                let raw = RawPayload::Whole(draft.raw.replace('@', &mark));
                contents.push(Content { text, raw });
                let (kind, images) = match &draft.kind {
                    Kind::Text => (BlockKind::Text, 0),
                    Kind::Reasoning => (BlockKind::Reasoning, 0),
                    Kind::Call(id, name) => {
                        let call =
                            ToolCall { id: (*id).into(), name: (&**name).into(), program: None, mark: None };
                        (BlockKind::Call(call), 0)
                    }
                    Kind::Result(id, ok, images) => {
                        let result = ToolResult { call: (*id).into(), name: None, ok: *ok, mark: None };
                        (BlockKind::Result(result), *images)
                    }
                    Kind::Image => (BlockKind::Image, 1),
                    Kind::Opaque => (BlockKind::Opaque, 0),
                };
                ContentBlock { index, kind, images, holds: cwl_engine::Holds::Nothing }
            })
            .collect();
        let author = match role {
            Role::System => Author::Harness,
            Role::User => Author::Human,
            Role::Assistant => Author::Model,
            Role::Tool => Author::Tool,
        };
        let form = MessageForm::Plain;
        Message { role, author, form, blocks, model: None, usage: None, outcome, reply: None }
    }

    fn record(&mut self, record: &Record) {
        let mut contents = Vec::new();
        let body = match record {
            Record::Message(role, outcome, drafts) => {
                EventBody::Message(self.message(*role, *outcome, drafts, &mut contents))
            }
            Record::Retained(role, drafts) => {
                let kept = self.message(*role, ReplyOutcome::Complete, drafts, &mut contents);
                let keep = Keep::Retained(vec![kept]);
                EventBody::Compaction(Compaction { summary: None, keep, tokens_before: None })
            }
            Record::Cleared(call) => {
                let placeholder = Draft {
                    kind: Kind::Result(call, true, 0),
                    text: "cleared @".to_owned(),
                    raw: String::new(),
                };
                let replacement =
                    self.message(Role::Tool, ReplyOutcome::Complete, &[placeholder], &mut contents);
                let change =
                    Change { target: RewriteTarget::Results((*call).into()), replaced_by: vec![replacement] };
                EventBody::Rewrite(Rewrite { cause: ReplacementCause::Clearing, changes: vec![change] })
            }
            Record::Written(at, role, drafts) => {
                let n_before = self.events.len().max(1);
                let replacement = self.message(*role, ReplyOutcome::Complete, drafts, &mut contents);
                let target = RewriteTarget::Entry(EntryId::of_line((at % n_before) as u64 + 1));
                let change = Change { target, replaced_by: vec![replacement] };
                EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes: vec![change] })
            }
        };
        let line = self.events.len() as u64 + 1;
        let (entry, parent) = (EntryId::of_line(line), Parent::Previous);
        let event = SessionEvent { line, entry, parent, at_ms: None, side: false, body };
        self.events.push(ParsedEvent { event, contents, envelope: RawPayload::default() });
    }
}

/// Counts each mark in all strings of a JSON document, including strings inside strings.
fn count_marks(body: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let Some(end) = rest.find('>') else { break };
        if rest[1..end].bytes().all(|byte| byte.is_ascii_digit()) {
            *counts.entry(rest[..=end].to_owned()).or_default() += 1;
        }
        rest = &rest[1..];
    }
    counts
}

fn left_out(log: &Log, rendering: &Rendering) -> BTreeSet<usize> {
    let mut blocks = BTreeSet::new();
    for repair in &rendering.repairs {
        match (repair.kind, repair.block, repair.message) {
            (RepairKind::ReplyLeftOut, _, Some(message)) => {
                blocks.extend(log.session.blocks_of(message).map(|(block, _)| block.at()));
            }
            (
                RepairKind::ResultLeftOut | RepairKind::CallLeftOut | RepairKind::ReasoningLeftOut,
                Some(block),
                _,
            ) => {
                blocks.insert(block.at());
            }
            // A result in the `user` role loses only its images.
            (RepairKind::PartLeftOut, Some(block), _) => {
                let is_result = matches!(log.session.blocks[block.at()].kind, BlockKind::Result(_));
                if !is_result || matches!(log.session.message_of(block).role, Role::Assistant | Role::System)
                {
                    blocks.insert(block.at());
                }
            }
            _ => {}
        }
    }
    blocks
}

fn texts_are_sent_once(
    provider: Provider,
    log: &Log,
    gone: &BTreeSet<usize>,
    rendering: &Rendering,
) -> Result<(), TestCaseError> {
    let counts = count_marks(&rendering.body);
    let left_out = left_out(log, rendering);
    // The test's context also holds blocks removed by the harness, because rendering does not decide about
    // them.
    for (at, block) in log.session.blocks.iter().enumerate() {
        let text = &log.events[block.event.at()].contents[block.part as usize].text;
        let marks = count_marks(text);
        let Some(mark) = marks.keys().next() else { continue };
        let n_expected = usize::from(!gone.contains(&at) && !left_out.contains(&at));
        let mut n_found = counts.get(mark).copied().unwrap_or_default();
        // pi keeps OpenAI's whole item beside the text read from it.
        if provider == Provider::Pi && block.kind == BlockKind::Reasoning {
            n_found = n_found.min(1);
        }
        prop_assert_eq!(
            n_found,
            n_expected,
            "{} {} in {}\nrepairs {:?}",
            block.id.to_string(),
            mark,
            rendering.body.as_str(),
            log.show_repairs(rendering)
        );
    }
    Ok(())
}

fn takes(provider: Provider, log: &Log, rendering: &Rendering) -> Result<(), TestCaseError> {
    // pi's messages from its own log follow pi's own rules.
    if provider == Provider::Pi && log.format == Format::Pi {
        return Ok(());
    }
    let faults = rules::faults(provider, &rendering.body);
    let repairs = log.show_repairs(rendering);
    prop_assert!(faults.is_empty(), "{:?}: {:#?}\nrepairs {:?}", provider, faults, repairs);
    Ok(())
}

fn pick(from: &[Index], n_blocks: usize) -> BTreeSet<usize> {
    from.iter().filter(|_| n_blocks > 0).map(|at| at.index(n_blocks)).collect()
}

/// Checks that every provider accepts the remaining blocks, and that each of their texts is sent once.
fn every_provider_takes(
    log: &Log,
    gone: &[Index],
    residues: &[Index],
    masked: &[Index],
    answers_calls: bool,
) -> Result<(), TestCaseError> {
    let n_blocks = log.session.blocks.len();
    let gone = pick(gone, n_blocks);
    let residues: Vec<usize> = pick(residues, n_blocks).into_iter().collect();
    let mut context = log.context(&gone, &residues);
    let masked = log.mask(&mut context, &pick(masked, n_blocks));
    context.answers_calls = answers_calls;
    let not_sent = &gone | &masked;
    let by_ids = Session { odd_call_ids: true, ..log.session.clone() };
    for provider in PROVIDERS {
        // If no id is odd, the session's pairs and the ids agree.
        prop_assert_eq!(
            find_violations(&log.session, &context, provider),
            find_violations(&by_ids, &context, provider)
        );
        let rendering = log.render_played(provider, &context);
        takes(provider, log, &rendering)?;
        texts_are_sent_once(provider, log, &not_sent, &rendering)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sessions_of_any_agent(
        format in select(Format::ALL.iter().copied().filter(|format| *format != Format::Pi).collect::<Vec<_>>()),
        records in proptest::collection::vec(any_record(), 0..16),
        gone in proptest::collection::vec(any::<Index>(), 0..10),
        residues in proptest::collection::vec(any::<Index>(), 0..3),
        masked in proptest::collection::vec(any::<Index>(), 0..4),
        answers_calls in any::<bool>(),
    ) {
        let mut scribe = Scribe::default();
        records.iter().for_each(|record| scribe.record(record));
        let log = Log::from_events(format, scribe.events);
        every_provider_takes(&log, &gone, &residues, &masked, answers_calls)?;
    }

    #[test]
    fn sessions_of_pi(
        records in proptest::collection::vec(any_pi_record(), 0..14),
        gone in proptest::collection::vec(any::<Index>(), 0..10),
        residues in proptest::collection::vec(any::<Index>(), 0..3),
        masked in proptest::collection::vec(any::<Index>(), 0..4),
        answers_calls in any::<bool>(),
    ) {
        let log = Log::read(&numbered(&crate::render_log::log_of(&records)));
        every_provider_takes(&log, &gone, &residues, &masked, answers_calls)?;
    }
}

#[test]
fn sessions_that_are_seldom_made() {
    let check = |format, records: &[Record]| {
        let mut scribe = Scribe::default();
        records.iter().for_each(|record| scribe.record(record));
        every_provider_takes(&Log::from_events(format, scribe.events), &[], &[], &[], false).unwrap();
    };
    let draft = |kind, raw: &str| Draft { kind, text: "@".to_owned(), raw: raw.to_owned() };
    let text = || draft(Kind::Text, "");
    let served = || {
        draft(
            Kind::Call("b", "web".to_owned()),
            r#"{"type":"server_tool_use","id":"b","input":{"query":"@"}}"#,
        )
    };
    let result = || draft(Kind::Result("b", true, 0), "");
    let said = |role, drafts| Record::Message(role, ReplyOutcome::Complete, drafts);
    // A replacement call behind the original's result.
    check(
        Format::Anthropic,
        &[
            Record::Retained(Role::User, vec![served(), text()]),
            said(Role::User, vec![text()]),
            Record::Written(1, Role::Assistant, vec![result(), served()]),
        ],
    );
    // A second result, in a separate message.
    check(
        Format::Anthropic,
        &[said(Role::Assistant, vec![served(), result()]), Record::Retained(Role::Tool, vec![result()])],
    );
    // Two replacement calls of one message share an id.
    let read = || {
        let raw = r#"{"type":"tool_use","id":"a","name":"read","input":{"path":"@"}}"#;
        draft(Kind::Call("a", "read".to_owned()), raw)
    };
    let replacement = Record::Written(0, Role::User, vec![read(), read()]);
    check(Format::ClaudeCode, &[said(Role::User, vec![text()]), replacement]);
    // A compaction between reasoning and the following text, and at the end of a reply.
    let reasoning = || {
        let raw =
            r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"@"}],"encrypted_content":"e"}"#;
        draft(Kind::Reasoning, raw)
    };
    let compaction = || Draft {
        text: String::new(),
        ..draft(Kind::Opaque, r#"{"type":"compaction","encrypted_content":"e"}"#)
    };
    for drafts in [vec![reasoning(), compaction(), text()], vec![text(), reasoning(), compaction()]] {
        check(Format::OpenaiResponses, &[said(Role::User, vec![text()]), said(Role::Assistant, drafts)]);
    }
}

/// Replaces every `@` by a new mark, and every `§` by the previous mark.
fn numbered(log: &str) -> String {
    let mut n_marks = 0;
    let mut out = String::new();
    for character in log.chars() {
        n_marks += usize::from(character == '@');
        match character {
            '@' | '§' => out += &format!("<{n_marks}>"),
            other => out.push(other),
        }
    }
    out
}

fn any_pi_record() -> impl Strategy<Value = Value> {
    let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "@"}, "thoughtSignature": "g"});
    let item =
        r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"§"}],"encrypted_content":"e"}"#;
    let part = prop_oneof![
        3 => ids().prop_map(call),
        1 => Just(json!({"type": "text", "text": "@"})),
        1 => Just(json!({"type": "text", "text": " "})),
        1 => Just(json!({"type": "thinking", "thinking": "@", "thinkingSignature": "s"})),
        1 => Just(json!({"type": "thinking", "thinking": "@", "thinkingSignature": item})),
        1 => Just(json!({"type": "thinking", "thinking": "@"})),
        1 => Just(json!(7)),
    ];
    let api = select(vec![
        "anthropic-messages",
        "openai-responses",
        "openai-completions",
        "google-vertex",
        "other",
    ]);
    let stop = select(vec!["stop", "stop", "stop", "error"]);
    let kept = json!([{"role": "user", "content": "@"}, {"role": "assistant", "content": [call("a")]}]);
    prop_oneof![
        4 => (proptest::collection::vec(part, 0..4), api, stop).prop_map(|(parts, api, stop)| {
            json!({"role": "assistant", "api": api, "content": parts, "stopReason": stop})
        }),
        5 => ids().prop_map(|id| {
            let content = json!([{"type": "text", "text": "@"}, {"type": "image", "data": "AA", "mimeType": "image/png"}]);
            json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content})
        }),
        1 => Just(json!({"role": "user", "content": "@"})),
        1 => Just(json!({"role": "user", "content": []})),
        1 => Just(json!({"role": "bashExecution", "command": "@", "output": "o"})),
        1 => Just(json!({"type": "custom_message", "customType": "x", "content": "@"})),
        1 => Just(json!({"type": "compaction", "summary": "@", "retainedTail": kept})),
        1 => Just(json!({"type": "branch_summary", "summary": "@"})),
    ]
}

#[test]
fn samples_of_every_agent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let folders = |path: &Path| -> Vec<_> {
        let found = std::fs::read_dir(path).into_iter().flatten().map(|found| found.unwrap().path());
        found.filter(|path| path.is_dir()).collect()
    };
    let mut n_read = BTreeMap::new();
    for case in folders(&root).iter().flat_map(|format| folders(format)) {
        let inputs = ["input.jsonl", "input.json"].map(|name| std::fs::read(case.join(name)));
        let Some(bytes) = inputs.into_iter().find_map(Result::ok) else { continue };
        let Ok(format) = detect_format(&bytes) else { continue };
        let log = Log::parse(format, &bytes);
        *n_read.entry(format).or_insert(0) += 1;
        // Once with all blocks, once without the first half of the evictable ones.
        let is_evictable = |at: &usize| log.session.message_of(BlockIdx::new(*at)).class.is_evictable();
        let half = (0..log.session.blocks.len() / 2).filter(is_evictable).collect();
        for gone in [BTreeSet::new(), half] {
            for provider in PROVIDERS {
                let rendering = log.render(provider, &gone, &[]);
                takes(provider, &log, &rendering)
                    .unwrap_or_else(|fault| panic!("{}: {fault}", case.display()));
            }
        }
    }
    assert!(n_read.get(&Format::Pi).is_some_and(|n| *n >= 5), "the samples are there");
    assert!(n_read.len() >= 2, "of several agents");
}
