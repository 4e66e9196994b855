//! Authorship: the human's texts are distinguished from the harness's.

use cwl_engine::{Author, EventBody, MessageForm, ParsedEvent};
use serde_json::{Value, json};

use super::log::{Log, row, user};
use super::samples::sample;

fn voices(row: &Value) -> Vec<String> {
    let log = Log::from_rows(std::slice::from_ref(row));
    log.events.iter().filter_map(voice).collect()
}

fn voice(parsed: &ParsedEvent) -> Option<String> {
    let EventBody::Message(message) = &parsed.event.body else { return None };
    let form = match &message.form {
        MessageForm::Plain => String::new(),
        MessageForm::Custom { name } => format!(" {name}"),
        form => format!(" {form:?}"),
    };
    let texts: Vec<&str> = parsed.contents.iter().map(|content| content.text.as_str()).collect();
    Some(format!("{:?}{form}: {}", message.author, texts.join(" | ")))
}

fn check(content: Value, more: Value, expected: &[&str]) {
    let mut row = user("u", None, content);
    row.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    assert_eq!(voices(&row), expected, "{row}");
}

#[test]
fn prompts_and_shell_commands_are_the_humans() {
    check(json!("Fix it."), json!({}), &["Human: Fix it."]);
    check(json!([{ "type": "text", "text": "Fix it." }]), json!({}), &["Human: Fix it."]);
    check(
        json!("<bash-input>ls</bash-input>"),
        json!({}),
        &["Human HumanShell { excluded: false }: <bash-input>ls</bash-input>"],
    );
    check(json!("Fix it."), json!({ "origin": { "kind": "human" } }), &["Human: Fix it."]);
}

#[test]
fn what_the_harness_puts_in_is_not() {
    check(json!("caveat"), json!({ "isMeta": true }), &["Harness meta: caveat"]);
    check(json!("body"), json!({ "sourceToolUseID": "toolu_1" }), &["Harness tool: body"]);
    check(json!("the plan"), json!({ "planContent": "the plan" }), &["Harness plan: the plan"]);
    check(
        json!("done"),
        json!({ "origin": { "kind": "task-notification" } }),
        &["Harness task-notification: done"],
    );
    check(
        json!("<local-command-stdout>ok</local-command-stdout>"),
        json!({}),
        &["Harness local-command-stdout: <local-command-stdout>ok</local-command-stdout>"],
    );
    check(
        json!("<command-name>/compact</command-name>\n<command-args></command-args>"),
        json!({}),
        &["Harness command-name: <command-name>/compact</command-name>\n<command-args></command-args>"],
    );
    check(
        json!("[Request interrupted by user]"),
        json!({}),
        &["Harness interruption: [Request interrupted by user]"],
    );
}

#[test]
fn a_row_of_several_is_taken_apart() {
    check(
        json!([
            { "type": "text", "text": "<ide_opened_file>src/a.rs</ide_opened_file>" },
            { "type": "text", "text": "Fix it." },
            { "type": "image", "source": {} },
        ]),
        json!({}),
        &["Harness ide_opened_file: <ide_opened_file>src/a.rs</ide_opened_file>", "Human: Fix it. | "],
    );
    check(
        json!([
            { "type": "tool_result", "tool_use_id": "c", "content": "out" },
            { "type": "text", "text": "<system-reminder>x</system-reminder>" },
        ]),
        json!({}),
        &["Tool: out", "Harness system-reminder: <system-reminder>x</system-reminder>"],
    );
}

#[test]
fn the_last_event_of_a_row_has_its_id() {
    let content = json!([
        { "type": "text", "text": "words" },
        { "type": "tool_result", "tool_use_id": "c", "content": "out" },
        { "type": "text", "text": "<system-reminder>x</system-reminder>" },
    ]);
    let log = Log::from_rows(&[user("u", None, content)]);
    let ids: Vec<&str> = log.events.iter().map(|parsed| parsed.event.entry.as_str()).collect();
    assert_eq!(ids, ["u/session", "u/results", "u/injected", "u"]);
    let indices: Vec<u32> = log
        .events
        .iter()
        .flat_map(|parsed| parsed.event.body.all_blocks())
        .map(|block| block.index)
        .collect();
    assert_eq!(indices, [1, 2, 0], "positions in the row's own content");
    assert_eq!(log.session.messages.len(), 3);
}

#[test]
fn where_it_cannot_be_told_a_problem_says_so_and_the_words_stay() {
    for content in [
        json!("<system-reminder>x</system-reminder> and my own words"),
        json!([{ "type": "tool_result", "tool_use_id": "c", "content": "out" }, { "type": "text", "text": "no" }]),
    ] {
        let log = Log::from_rows(&[user("u", None, content)]);
        assert!(log.codes().contains(&"L022"), "{:?}", log.codes());
        assert!(log.session.messages.iter().any(|message| message.author == Author::Human));
    }
}

#[test]
fn nobody_types_to_a_subagent() {
    let log = Log::read(&sample("subagent-beside/agent-1f3a9c2.jsonl"));
    assert!(log.session.messages.iter().all(|message| message.author != Author::Human));
    let header = log.log.header();
    assert_eq!(header.session.unwrap().as_str(), "agent-1f3a9c2");
    assert_eq!(header.subagent.as_deref(), Some("1f3a9c2"));
    let parent = Log::read(&sample("subagent-beside/input.jsonl")).log.header();
    assert_eq!(header.parent_session.as_deref(), parent.session.as_ref().map(|session| session.as_str()));
    assert_eq!(parent.subagent, None);
}

#[test]
fn queued_prompts_are_the_humans_and_reminders_are_not() {
    let attachment = |fields: Value| row("attachment", "t", None, json!({ "attachment": fields }));
    let check = |fields: Value, expected: &str| assert_eq!(voices(&attachment(fields)), [expected]);
    check(json!({ "type": "queued_command", "prompt": "faster", "commandMode": "prompt" }), "Human: faster");
    check(
        json!({ "type": "queued_command", "prompt": [{ "type": "text", "text": "faster" }] }),
        "Human: faster",
    );
    check(
        json!({ "type": "queued_command", "prompt": "<task-notification>", "commandMode": "task-notification" }),
        "Harness task-notification: <task-notification>",
    );
    let check_reminder = |fields: Value, texts: &[&str]| {
        let tagged: Vec<String> =
            texts.iter().map(|text| format!("<system-reminder>\n{text}</system-reminder>")).collect();
        let kind = fields["type"].as_str().unwrap_or_default().to_owned();
        check(fields, &format!("Harness {kind}: {}", tagged.join(" | ")));
    };
    check_reminder(json!({ "type": "skill_listing", "content": "- release" }), &["- release\n"]);
    check_reminder(json!({ "type": "edited_text_file", "snippet": "1→a" }), &["1→a\n"]);
    check_reminder(
        json!({ "type": "nested_memory", "content": { "content": "views are pure" } }),
        &["views are pure\n"],
    );
    check_reminder(json!({ "type": "deferred_tools_delta", "addedLines": ["a", "b"] }), &["a\nb\n"]);
    check_reminder(
        json!({ "type": "deferred_tools_delta", "addedLines": [], "removedNames": ["c"] }),
        &["c\n"],
    );
    check_reminder(json!({ "type": "mcp_instructions_delta", "addedBlocks": ["a", "b"] }), &["a\n\nb\n"]);
    check_reminder(
        json!({ "type": "compact_file_reference", "filename": "/a/b", "displayPath": "b" }),
        &["/a/b\n"],
    );
    check_reminder(
        json!({ "type": "task_reminder", "content": [{ "id": "4", "subject": "Sail", "status": "pending", "blocks": [] }] }),
        &["#4. [pending] Sail\n"],
    );
    check_reminder(
        json!({ "type": "todo_reminder", "content": [{ "content": "Sail", "status": "pending", "activeForm": "Sailing" }, { "content": "Row", "status": "completed" }] }),
        &["[1. [pending] Sail\n2. [completed] Row]\n"],
    );
    check_reminder(json!({ "type": "task_reminder", "content": [] }), &[""]);
    check_reminder(json!({ "type": "plan_mode" }), &[""]);
    let file = json!({ "type": "file", "filename": "/a \"b\"", "content": { "type": "text", "file": { "content": "x\ny\n", "startLine": 9 } } });
    check_reminder(file.clone(), &["{\"file_path\":\"/a \\\"b\\\"\"}\n", "x\ny\n\n"]);
    let numbered = row("attachment", "t", None, json!({ "version": "2.1.197", "attachment": file }));
    let numbered = voices(&numbered).concat();
    assert!(numbered.ends_with("\n9\tx\n10\ty\n11\t\n</system-reminder>"), "{numbered}");
    assert_eq!(Log::from_rows(&[attachment(json!({ "type": "weather_report" }))]).codes(), ["L007"]);
    assert_eq!(Log::from_rows(&[row("attachment", "t", None, json!({}))]).codes(), ["L009"]);
}
