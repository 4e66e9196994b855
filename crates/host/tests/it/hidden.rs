//! Reasoning hidden in a log gets its size from the reply's reported output.

use std::path::Path;

use cwl_host::api::{
    ContextItem, EvictedOrder, HistoryAnswer, ReasoningRetention, UnloggedContent, ViewCut, ViewRequest,
    ViewSettings,
};
use cwl_host::commands;
use cwl_host::{LogInput, PageExtent, Tools, load_file};
use serde_json::{Value, json};

/// Tokens of the unlogged system prompt.
const PROMPT: u64 = 15_000;
/// Characters of a reply and of a tool's output, and characters per token (`chars4`).
const SAID: u64 = 400;
const OUTPUT: u64 = 4_000;

/// A Claude Code log in which the empty reasoning of every reply cost `hidden` tokens.
fn log(hidden: u64, compacted: bool) -> String {
    let mut rows: Vec<Value> = Vec::new();
    let mut parent = Value::Null;
    let mut prompt = PROMPT;
    let mut push = |mut row: Value, parent: &mut Value| {
        let id = json!(format!("row-{}", rows.len()));
        row["uuid"] = id.clone();
        row["parentUuid"] = parent.clone();
        row["sessionId"] = json!("hidden");
        *parent = id;
        rows.push(row);
    };
    push(json!({"type": "user", "message": {"role": "user", "content": "x".repeat(40)}}), &mut parent);
    prompt += 10;
    for n in 0..24 {
        if compacted && n == 12 {
            push(
                json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": {"trigger": "auto", "preTokens": prompt}}),
                &mut parent,
            );
            push(
                json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "s".repeat(800)}}),
                &mut parent,
            );
            // The harness attaches unlogged files.
            prompt = PROMPT + 200 + 6_000;
        }
        let call = format!("call-{n}");
        let content = json!([
            {"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl"},
            {"type": "text", "text": "y".repeat(SAID as usize)},
            {"type": "tool_use", "id": call, "name": "Read", "input": {}},
        ]);
        let usage = json!({"input_tokens": prompt, "output_tokens": SAID / 4 + 2 + hidden, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0});
        push(
            json!({"type": "assistant", "message": {"id": format!("msg-{n}"), "role": "assistant", "model": "claude-opus-4-8", "content": content, "usage": usage}}),
            &mut parent,
        );
        let result =
            json!([{"type": "tool_result", "tool_use_id": call, "content": "z".repeat(OUTPUT as usize)}]);
        push(json!({"type": "user", "message": {"role": "user", "content": result}}), &mut parent);
        prompt += SAID / 4 + 2 + hidden + OUTPUT / 4;
    }
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// A Codex log with four human turns; reasoning is sent back until the human speaks again.
fn codex_log(hidden: u64) -> String {
    let mut rows: Vec<Value> =
        vec![json!({"type": "session_meta", "payload": {"id": "hidden", "cli_version": "0.140.0"}})];
    let (mut prompt, mut total) = (PROMPT, 0);
    for n in 0..24 {
        if n % 6 == 0 {
            prompt = prompt + 10 - if n > 0 { 6 * hidden } else { 0 };
            let said = json!([{"type": "input_text", "text": "x".repeat(40)}]);
            rows.push(json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": said}}));
        }
        let call = format!("call-{n}");
        rows.push(json!({"type": "response_item", "payload": {"type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"}}));
        rows.push(json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call}}));
        rows.push(json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": call, "output": "z".repeat(OUTPUT as usize)}}));
        total += prompt;
        let last = json!({"input_tokens": prompt, "cached_input_tokens": 0, "output_tokens": 2 + hidden});
        let info = json!({"total_token_usage": {"input_tokens": total}, "last_token_usage": last});
        rows.push(json!({"type": "event_msg", "payload": {"type": "token_count", "info": info}}));
        prompt += 2 + hidden + OUTPUT / 4;
    }
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The history of such a log under a policy.
fn history(hidden: u64, compacted: bool, policy: &str) -> HistoryAnswer {
    history_of("claude-code", &log(hidden, compacted), policy)
}

fn history_of(format: &str, log: &str, policy: &str) -> HistoryAnswer {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hidden.jsonl");
    std::fs::write(&path, log).unwrap();
    let opened = load_file(&LogInput::File(path), Some(format), &Tools::builtin_tables()).unwrap();
    let view =
        ViewSettings { policy: policy.into(), tokenizer: "chars4".into(), ..ViewSettings::counted("o200k") };
    commands::history(&opened, &ViewRequest { view }).unwrap()
}

/// Opens a log and returns the kept and the evicted items at its end.
fn lists_of(format: &str, log: &str, policy: &str) -> (Vec<ContextItem>, Vec<ContextItem>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hidden.jsonl");
    std::fs::write(&path, log).unwrap();
    let opened = load_file(&LogInput::File(path), Some(format), &Tools::builtin_tables()).unwrap();
    let view =
        ViewSettings { policy: policy.into(), tokenizer: "chars4".into(), ..ViewSettings::counted("o200k") };
    let cut = ViewCut::default();
    let kept = commands::context(&opened, &view, cut, false, PageExtent::ALL).unwrap().items;
    let gone =
        commands::evicted(&opened, &view, cut, None, EvictedOrder::Log, PageExtent::ALL).unwrap().items;
    (kept, gone)
}

/// Accepts a difference of one per cent.
#[track_caller]
fn near(found: u64, expected: u64) {
    assert!(found.abs_diff(expected) * 100 <= expected, "{found}, expected about {expected}");
}

#[test]
fn the_size_follows_from_the_reported_output() {
    let history = history(700, false, "none");
    near(history.hidden_reasoning, 24 * 700);
    near(history.overhead[0], PROMPT);
    let [stretch] = &history.stretches[..] else { panic!("{:?}", history.stretches) };
    assert_eq!(stretch.unlogged, UnloggedContent::Prompt);
    assert!((stretch.factor - 1.0).abs() < 0.01, "{stretch:?}");
    // Every counted request is as large as the reported one.
    for (full, reported) in history.full.iter().zip(&history.reported) {
        reported.iter().for_each(|reported| near(*full, *reported));
    }
}

#[test]
fn nothing_is_made_up_where_nothing_was_hidden() {
    let found = history(0, false, "none").hidden_reasoning;
    assert!(found <= 24, "{found}: no more than what is rounded of 24 replies");
}

#[test]
fn a_compaction_changes_the_overhead() {
    let history = history(700, true, "none");
    near(history.overhead[0], PROMPT);
    near(*history.overhead.last().unwrap(), PROMPT + 6_000);
    let unlogged: Vec<UnloggedContent> = history.stretches.iter().map(|stretch| stretch.unlogged).collect();
    assert_eq!(unlogged, [UnloggedContent::Prompt, UnloggedContent::Attachments]);
}

#[test]
fn codex_sends_reasoning_back_until_the_human_speaks_again() {
    let history = history_of("codex", &codex_log(700), "none");
    near(history.hidden_reasoning, 24 * 700);
    let [of_model] = &history.carried[..] else { panic!("{:?}", history.carried) };
    assert_eq!((of_model.carried, of_model.n_replies), (ReasoningRetention::UntilHuman, 24));
    // Every counted request is as large as the reported one: reasoning counts until the human speaks.
    for (full, reported) in history.full.iter().zip(&history.reported) {
        reported.iter().for_each(|reported| near(*full, *reported));
    }
    let [stretch] = &history.stretches[..] else { panic!("{:#?}", history.stretches) };
    assert!((stretch.factor - 1.0).abs() < 0.01 && stretch.residual < 0.01, "{stretch:?}");
    assert_eq!(
        history.reported[..2],
        [Some(PROMPT + 10), Some(PROMPT + 712 + OUTPUT / 4)],
        "each is of its own reply"
    );
    near(history.overhead[0], PROMPT);
}

#[test]
fn reasoning_whose_size_is_derived_is_marked_and_what_lapsed_says_so() {
    let derived = |items: &[ContextItem]| items.iter().filter(|item| item.derived).count();
    let (kept, gone) = lists_of("codex", &codex_log(700), "none");
    // The last of the four human turns is unfinished.
    assert_eq!((derived(&kept), derived(&gone)), (6, 18));
    for item in gone.iter().filter(|item| item.derived) {
        near(item.tokens, 700);
        assert!(
            item.reason.starts_with("gone: it is reasoning, sent back only until the human spoke"),
            "{item:?}"
        );
    }
    let (kept, gone) = lists_of("claude-code", &log(700, false), "none");
    assert_eq!((derived(&kept), derived(&gone)), (24, 0));
    let (kept, _) = lists_of("claude-code", &log(700, false), "pi-cwl");
    assert_eq!(derived(&kept), 0, "pi-cwl counts what can be read");
}

#[test]
fn reasoning_of_which_no_source_tells_is_in_no_total() {
    let told = log(700, false).replace("claude-opus-4-8", "claude-sonnet-4-5");
    let history = history_of("claude-code", &told, "none");
    assert_eq!(history.hidden_reasoning, 0);
    let [of_model] = &history.carried[..] else { panic!("{:?}", history.carried) };
    assert_eq!((of_model.carried, of_model.n_replies), (ReasoningRetention::Unknown, 24));
    assert!(
        of_model.says.ends_with("whether it is sent back is not known, so it is in no total"),
        "{of_model:?}"
    );
    assert!(of_model.source.contains("2.1.150"), "the two sources that contradict each other: {of_model:?}");
}

#[test]
fn what_openclaw_may_have_pruned_is_said_where_it_keeps_account_of_the_cache() {
    let said = |case: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
        let opened = load_file(&LogInput::File(path), None, &Tools::builtin_tables()).unwrap();
        commands::history(&opened, &ViewRequest { view: ViewSettings::counted("o200k") })
            .unwrap()
            .may_be_pruned
    };
    let says = said("openclaw/gateway").unwrap();
    assert!(
        says.contains("OpenClaw may have pruned") && says.contains("every output counts in full"),
        "{says}"
    );
    assert_eq!(said("pi/quickstart"), None);
}

/// The log of [`codex_log`] with separate reports of reasoning, and with another text in its blocks.
fn reporting(hidden: u64, summary: Option<&str>) -> String {
    let of_row = |row: &str| {
        let mut row: Value = serde_json::from_str(row).unwrap();
        let payload = &mut row["payload"];
        if payload["type"] == "token_count" {
            payload["info"]["last_token_usage"]["reasoning_output_tokens"] = json!(hidden);
        }
        match (payload["type"] == "reasoning", summary) {
            (true, None) => return String::new(),
            (true, Some(text)) => payload["summary"] = json!([{"type": "summary_text", "text": text}]),
            _ => {}
        }
        format!("{row}\n")
    };
    codex_log(hidden).lines().map(of_row).collect()
}

#[test]
fn reasoning_of_which_the_log_has_a_summary_has_the_reported_size() {
    let log = reporting(700, Some(&"s".repeat(200)));
    let history = history_of("codex", &log, "none");
    near(history.hidden_reasoning, 24 * 650);
    let [of_model] = &history.carried[..] else { panic!("{:?}", history.carried) };
    assert_eq!((of_model.carried, of_model.n_replies), (ReasoningRetention::UntilHuman, 24));
    for (full, reported) in history.full.iter().zip(&history.reported) {
        reported.iter().for_each(|reported| near(*full, *reported));
    }
    let (kept, gone) = lists_of("codex", &log, "none");
    let derived = |items: &[ContextItem]| items.iter().filter(|item| item.derived).count();
    assert_eq!((derived(&kept), derived(&gone)), (6, 18), "a summary lapses with its reasoning");
    // A text that can be all of the reasoning counts as all of it.
    for n in [1_600, 2_800] {
        let whole = history_of("codex", &reporting(700, Some(&"s".repeat(n))), "none");
        assert_eq!((whole.hidden_reasoning, whole.carried.len()), (0, 0), "{n}");
    }
}

#[test]
fn reasoning_that_was_reported_and_has_no_block_is_told_and_in_no_total() {
    let history = history_of("codex", &reporting(700, None), "none");
    assert_eq!(history.hidden_reasoning, 0);
    let [of_model] = &history.carried[..] else { panic!("{:?}", history.carried) };
    assert_eq!((of_model.carried, of_model.n_replies), (ReasoningRetention::Unknown, 24));
    assert!(of_model.says.contains("24 replies were reported and have no block in the log"), "{of_model:?}");
    let chat = json!([
        {"model": "gpt-5.4", "messages": [{"role": "user", "content": "q"}]},
        {"choices": [{"message": {"role": "assistant", "content": "a"}}], "model": "gpt-5.4", "usage": {
            "prompt_tokens": 9, "completion_tokens": 301, "completion_tokens_details": {"reasoning_tokens": 300}}},
    ]);
    let chat: String = chat.as_array().unwrap().iter().map(|body| format!("{body}\n")).collect();
    let history = history_of("openai-chat", &chat, "none");
    let [of_model] = &history.carried[..] else { panic!("{:?}", history.carried) };
    assert_eq!((of_model.carried, of_model.tokens), (ReasoningRetention::Never, 300));
}
