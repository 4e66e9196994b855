//! Shows events and problems as text, for tests.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use cwl_engine::{
    BlockKind, Change, Content, ContentBlock, DelimiterMark, EventBody, Keep, Message, MessageForm, Parent,
    ParsedEvent, Problem, RawPayload, ReplyOutcome, UsageReport, UsageScope,
};
use cwl_formats::{Format, parse_log};

pub fn show_log(log: &[u8]) -> String {
    let (events, problems) = parse_log(Format::Pi, log);
    show(&events, &problems)
}

pub fn show(events: &[ParsedEvent], problems: &[Problem]) -> String {
    let lines: Vec<String> =
        events.iter().flat_map(show_event).chain(problems.iter().map(show_problem)).collect();
    lines.join("\n")
}

pub fn show_problem(problem: &Problem) -> String {
    let place = &problem.place;
    let mut shown = format!("! {}", problem.kind.code());
    if let Some(line) = place.line {
        shown += &format!(" line {line}");
    }
    if let Some(block) = &place.block {
        shown += &format!(" block {block}");
    } else if let Some(entry) = &place.entry {
        shown += &format!(" entry {entry}");
    }
    format!("{shown}: {}", problem.kind)
}

pub fn show_event(parsed: &ParsedEvent) -> Vec<String> {
    let event = &parsed.event;
    let parent = match &event.parent {
        Parent::Root => "root".to_owned(),
        Parent::Entry(entry) => format!("<{entry}"),
        Parent::Woven(entry) => format!("<~{entry}"),
        Parent::Previous => "<previous".to_owned(),
        Parent::Outside => "outside".to_owned(),
    };
    let at = event.at_ms.map_or(String::new(), |ms| format!(" @{ms}"));
    let mut contents = parsed.contents.iter();
    let side = if event.side { " aside" } else { "" };
    let mut lines =
        vec![format!("{} {} {parent}{at}{side} {}", event.line, event.entry, show_body(&event.body))];
    for message in event.body.all_messages() {
        if matches!(event.body, EventBody::Compaction(_) | EventBody::Rewrite(_)) {
            lines.push(format!("  - {}", show_message(message)));
        }
        for block in &message.blocks {
            let content = contents.next().expect("one content per block");
            lines.push(format!("  {}", show_block(block, content)));
        }
    }
    assert!(contents.next().is_none(), "one block per content");
    lines
}

fn show_body(body: &EventBody) -> String {
    match body {
        EventBody::Header(header) => {
            let mut shown = format!(
                "header {:?} v{:?} cwd={:?} parent={:?} model={:?}",
                header.session, header.version, header.cwd, header.parent_session, header.model
            );
            if let Some(window) = header.window {
                shown += &format!(" window={window}");
            }
            if let Some(subagent) = &header.subagent {
                shown += &format!(" subagent={subagent}");
            }
            shown
        }
        EventBody::Message(message) => show_message(message),
        EventBody::Compaction(compaction) => {
            let keep = match &compaction.keep {
                Keep::From(entry) => format!("from {entry}"),
                Keep::Entries(entries) => format!("{} records", entries.len()),
                Keep::Retained(messages) => format!("{} retained", messages.len()),
                Keep::Nothing => "nothing".to_owned(),
            };
            format!("compaction keeps {keep}, before {:?}", compaction.tokens_before)
        }
        EventBody::Rewrite(rewrite) => {
            let show = |change: &Change| format!("{:?} by {}", change.target, change.replaced_by.len());
            let changes: Vec<String> = rewrite.changes.iter().map(show).collect();
            format!("{} {}", rewrite.cause.name(), changes.join(", "))
        }
        EventBody::Usage(UsageReport { of: UsageScope::Reply, usage, window, .. }) => {
            format!("usage {usage:?} window {window:?}")
        }
        EventBody::Usage(report) => format!("{report:?}"),
        EventBody::ModelChange { model } => format!("model {model}"),
        EventBody::Title(title) => format!("title {title:?}"),
        EventBody::Label { target, label } => format!("label {label:?} on {target}"),
        EventBody::Quiet { record } => format!("quiet {record}"),
        EventBody::Opaque { record } => format!("opaque {record}"),
    }
}

pub fn show_message(message: &Message) -> String {
    let mut shown = format!("{:?} by {:?}", message.role, message.author);
    match &message.form {
        MessageForm::Plain => {}
        form => shown += &format!(" {form:?}"),
    }
    if let Some(model) = &message.model {
        shown += &format!(" {model}");
    }
    if let Some(usage) = &message.usage {
        shown +=
            &format!(" usage {}/{}/{}/{}", usage.input, usage.output, usage.cache_read, usage.cache_write);
        if usage.cache_write_hour > 0 {
            shown += &format!(" of it {} written for an hour", usage.cache_write_hour);
        }
        if usage.beside_input + usage.beside_cache_read + usage.beside_cache_write > 0 {
            let [input, read, write] =
                [usage.beside_input, usage.beside_cache_read, usage.beside_cache_write];
            shown += &format!(" beside it {input}/{read}/{write}");
        }
        if let Some(cost) = usage.stated_cost {
            shown += &format!(" stated to cost {cost} millionths");
        }
        if usage.copied {
            shown += " copied";
        }
        if usage.reasoning > 0 {
            shown += &format!(" of it {} reasoning", usage.reasoning);
        }
    }
    if message.outcome != ReplyOutcome::Complete {
        shown += &format!(" {:?}", message.outcome);
    }
    shown
}

pub fn show_block(block: &ContentBlock, content: &Content) -> String {
    let images = if block.images > 0 { format!(" +{} images", block.images) } else { String::new() };
    let kind = match &block.kind {
        BlockKind::Text => "text".to_owned(),
        BlockKind::Reasoning => "reasoning".to_owned(),
        BlockKind::Image => "image".to_owned(),
        BlockKind::Opaque => "opaque".to_owned(),
        BlockKind::Call(call) => {
            let program = call.program.as_ref().map_or(String::new(), |program| format!(" runs {program}"));
            format!("call {} {}{program}{}", call.id, call.name, show_mark(call.mark.as_ref()))
        }
        BlockKind::Result(result) => format!(
            "result {} {:?}{}{}",
            result.call,
            result.name,
            if result.ok { "" } else { " failed" },
            show_mark(result.mark.as_ref())
        ),
    };
    let raw = match &content.raw {
        RawPayload::Whole(raw) => format!("whole {raw}"),
        RawPayload::Around { before, after } => format!("{before}…{after}"),
    };
    format!("{}. {kind}{images} {:?} {raw}", block.index, content.text)
}

fn show_mark(mark: Option<&DelimiterMark>) -> String {
    match mark {
        None => String::new(),
        Some(DelimiterMark::Open { name, .. }) => format!(" opens {name}"),
        Some(DelimiterMark::Close { .. }) => " closes".to_owned(),
        Some(DelimiterMark::Malformed { field, .. }) => format!(" malformed {}", field.key()),
    }
}

/// Checks a listing without its header lines.
pub(crate) fn check_listing(format: Format, log: &str, expected: &str) {
    let (events, problems) = parse_log(format, log.as_bytes());
    let shown = show(&events, &problems);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("/header outside")).collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(shown.iter().map(|line| line.trim()).collect::<Vec<_>>(), expected, "{log}");
}
