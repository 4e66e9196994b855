//! Faults in other log viewers, reported by their users, each as a test.

use cwl_engine::{BlockKind, Usage};
use serde_json::json;

use super::log::{Log, lines, part, result, row, says, user};
use super::samples::sample;

#[test]
fn one_reply_in_many_rows_is_counted_once() {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let call = json!({ "type": "tool_use", "id": "c", "name": "Read", "input": {} });
    let log = Log::from_rows(&[
        user("u", None, json!("look")),
        part("a1", Some("u"), "m", thinking, 2),
        part("a2", Some("a1"), "m", json!({ "type": "text", "text": "I look" }), 2),
        part("a3", Some("a2"), "m", call, 180),
    ]);
    let replies = log.replies();
    assert_eq!(replies.len(), 1);
    let usage = Usage { input: 4, output: 180, cache_read: 90, cache_write: 6, ..Usage::default() };
    assert_eq!(replies[0].usage, Some(usage), "the last row's");
    assert_eq!(replies[0].blocks.len(), 3);
}

#[test]
fn the_prompt_is_the_last_requests_with_its_cache_and_no_sum() {
    let log = Log::read(&sample("quickstart/input.jsonl"));
    let prompts: Vec<u64> =
        log.replies().iter().filter_map(|reply| Some(reply.usage?.prompt_tokens())).collect();
    assert_eq!(prompts.len(), log.replies().len());
    assert!(prompts.is_sorted(), "it grows with the history");
    assert!(prompts.iter().all(|prompt| (4_000..60_000).contains(prompt)), "{prompts:?}");
}

#[test]
fn usage_from_before_a_compaction_is_not_current() {
    let log = Log::read(&sample("branches/input.jsonl"));
    let at = log.session.replacements.last().unwrap().at;
    let replies = log.replies();
    let (before, after) = replies
        .iter()
        .partition::<Vec<_>, _>(|reply| reply.blocks.start < log.session.messages[at].blocks.start);
    let prompt = |reply: Option<&&&cwl_engine::SessionMessage>| reply.unwrap().usage.unwrap().prompt_tokens();
    assert!(prompt(after.first()) < prompt(before.last()));
}

#[test]
fn a_compaction_makes_no_turn() {
    let log = Log::read(&sample("compaction/input.jsonl"));
    let n_messages: std::collections::BTreeSet<_> = log
        .events
        .iter()
        .flat_map(|parsed| parsed.event.body.all_messages())
        .filter_map(|message| message.reply.as_deref())
        .collect();
    assert_eq!(log.session.turns.len() - 1, n_messages.len());
}

#[test]
fn a_subagents_rows_are_not_the_sessions() {
    let log = Log::read(&sample("sidechain/input.jsonl"));
    let now = log.context(log.session.last_turn());
    assert!(!now.iter().any(|text| text.contains("search-entries")), "its episodes are its own");
    assert!(now.iter().any(|text| text.starts_with("Tool: Entries are deduplicated")), "its report is here");
    assert_eq!(log.log.tips().side.len(), 1, "and it can be opened");
    assert_eq!(log.log.tips().session.len(), 1);
}

#[test]
fn heartbeats_of_subagents_are_no_context_and_are_not_kept() {
    let bytes = sample("subagents/input.jsonl");
    let log = Log::read(&bytes);
    let copies = log.events.iter().filter(|parsed| {
        matches!(&parsed.event.body, cwl_engine::EventBody::Quiet { record } if &**record == "progress/agent_progress")
    });
    let mut n_copies = 0;
    for copy in copies {
        n_copies += 1;
        assert_eq!(copy.envelope, cwl_engine::RawPayload::default());
    }
    assert!(n_copies > 5);
}

#[test]
fn a_huge_row_of_progress_costs_only_itself() {
    let huge = row(
        "progress",
        "p",
        Some("u"),
        json!({ "data": { "type": "agent_progress", "message": "x".repeat(4_000_000) } }),
    );
    let log = Log::from_rows(&[user("u", None, json!("look")), huge, says("a", Some("p"), "m", "done")]);
    assert_eq!(log.session.messages.len(), 2);
}

#[test]
fn half_of_a_surrogate_pair_is_replaced_and_told() {
    let text = lines(&[user("u", None, json!("HALF"))]).replace("HALF", "a \\ud83d b");
    let log = Log::read(text.as_bytes());
    assert_eq!(log.context(log.session.last_turn()), ["User: a \u{fffd} b"]);
    assert_eq!(log.codes(), ["L006"]);
}

#[test]
fn a_torn_line_waits_and_a_bad_one_in_the_middle_is_skipped() {
    let good = lines(&[user("u", None, json!("look"))]);
    let end = lines(&[says("a", Some("u"), "m", "done")]);
    let log = Log::read(
        [good.as_bytes(), b"{\"type\":\"user\",\"uu\n", end.as_bytes(), b"{\"type\":\"us"]
            .concat()
            .as_slice(),
    );
    assert_eq!(log.session.messages.len(), 2);
    assert_eq!(log.codes(), ["L001", "L004"]);
}

#[test]
fn images_are_counted_as_images_not_as_text() {
    let image =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let of_result = json!([{ "type": "tool_result", "tool_use_id": "c", "content": [image] }]);
    let log = Log::from_rows(&[user("u", None, json!([image])), user("v", Some("u"), of_result)]);
    let blocks: Vec<(bool, u32)> = log
        .session
        .blocks
        .iter()
        .map(|block| (matches!(block.kind, BlockKind::Image), block.images))
        .collect();
    assert_eq!(blocks, [(true, 1), (false, 1)]);
    assert!(log.events.iter().flat_map(|parsed| &parsed.contents).all(|content| content.text.is_empty()));
}

#[test]
fn an_output_in_a_file_counts_as_what_the_model_saw() {
    let shown = "<persisted-output>\nOutput too large (287.7KB). Full output saved to: x.txt\n\nPreview (first 2KB):\nab\n</persisted-output>";
    let mut row = result("r", None, "c", shown);
    row["toolUseResult"] = json!({ "stdout": "a".repeat(287_700) });
    let log = Log::from_rows(&[row]);
    let texts: Vec<usize> =
        log.events.iter().flat_map(|it| &it.contents).map(|content| content.text.len()).collect();
    assert_eq!(texts, [shown.len()]);
}
