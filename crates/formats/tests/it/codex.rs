//! Codex rollouts: every sample as a short listing, and cases that other readers get wrong.

use std::collections::BTreeSet;
use std::path::Path;

use cwl_engine::{
    Author, BlockIdx, BlockKind, EventBody, EventLog, GraphTimeline, History, MessageClass, MessageForm,
    ParsedEvent, Problem, ProblemKind, ReplacementCause, Role, Session,
};
use cwl_formats::{Format, default_tools, parse_log};

use crate::show::{show_event, show_problem};

fn sample_of(format: &str, case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(format);
    std::fs::read(folder.join(case).join("input.jsonl")).unwrap()
}

fn sample(case: &str) -> Vec<u8> {
    sample_of("codex", case)
}

/// Shows every line of a listing up to `width` characters, and records of one reply under the reply.
fn listing((events, problems): &(Vec<ParsedEvent>, Vec<Problem>), width: usize) -> String {
    let mut lines = Vec::new();
    for event in events {
        let mut shown = show_event(event);
        if let EventBody::Message(message) = &event.event.body
            && let Some(reply) = &message.reply
        {
            shown[0] += &format!(" of reply {reply}");
        }
        lines.extend(shown);
    }
    lines.extend(problems.iter().map(show_problem));
    let cut = |line: String| match line.char_indices().nth(width) {
        Some((at, _)) => format!("{}…\n", &line[..at]),
        None => line + "\n",
    };
    lines.into_iter().map(cut).collect()
}

fn session_of(format: Format, log: &[u8]) -> (Session, Vec<Problem>) {
    let (events, mut problems) = parse_log(format, log);
    let mut all = EventLog::default();
    for parsed in events {
        all.push(parsed.event);
    }
    let (session, found) = Session::build(&all, None, History::AsRecorded, &default_tools());
    problems.extend(found);
    (session, problems)
}

fn session(log: &[u8]) -> Session {
    session_of(Format::Codex, log).0
}

/// Wraps rows in envelopes: `r` is an item, `e` an event, any other type is used unchanged.
fn rollout(rows: &[(&str, &str)]) -> Vec<u8> {
    let mut log =
        r#"{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/p"}}"#
            .to_owned();
    for (kind, payload) in rows {
        let kind = match *kind {
            "r" => "response_item",
            "e" => "event_msg",
            other => other,
        };
        log += &format!(
            "\n{{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"type\":\"{kind}\",\"payload\":{payload}}}"
        );
    }
    (log + "\n").into_bytes()
}

fn says(role: &str, text: &str) -> String {
    format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
}

fn humans(format: Format, log: &[u8]) -> Vec<String> {
    let (events, _) = parse_log(format, log);
    let is_human = |event: &&ParsedEvent| match &event.event.body {
        EventBody::Message(message) => message.author == Author::Human && message.form == MessageForm::Plain,
        _ => false,
    };
    events.iter().filter(is_human).map(|event| event.contents[0].text.clone()).collect()
}

fn episodes(format: Format, log: &[u8]) -> Vec<String> {
    let (session, _) = session_of(format, log);
    let (growth, _) = GraphTimeline::build(&session);
    let show = |episode: &cwl_engine::Episode| {
        let on: Vec<&str> =
            episode.dependencies.iter().map(|dependency| dependency.declared.as_str()).collect();
        format!("{:?} {} {on:?} {:?}", episode.kind, episode.name, episode.description)
    };
    growth.graph.episodes().map(|(_, episode)| show(episode)).collect()
}

#[test]
fn the_reply_to_a_request_for_a_summary_is_no_turn() {
    let (session, problems) = session_of(Format::Codex, &sample("summary-reply"));
    assert_eq!(session.turns.len() - 1, 2);
    let used: Vec<u64> =
        session.messages.iter().filter_map(|message| Some(message.usage?.prompt_tokens())).collect();
    assert_eq!(used, [6000, 3000, 6100], "a call, the summary, a reply");
    assert_eq!(problems, []);
}

#[test]
fn the_same_story_as_in_pi() {
    let (codex, pi) = (sample("quickstart"), sample_of("pi", "quickstart"));
    assert_eq!(humans(Format::Codex, &codex), humans(Format::Pi, &pi));
    assert_eq!(episodes(Format::Codex, &codex), episodes(Format::Pi, &pi));
    let (codex, pi) = (session(&codex), session_of(Format::Pi, &pi).0);
    assert_eq!(codex.turns.len(), pi.turns.len());
    let n_calls = |session: &Session| -> Vec<usize> {
        let calls = |turn: &cwl_engine::Turn| {
            let message = turn.message?;
            Some(
                session
                    .blocks_of(message)
                    .filter(|(_, block)| matches!(block.kind, BlockKind::Call(_)))
                    .count(),
            )
        };
        session.turns.iter().filter_map(calls).collect()
    };
    assert_eq!(n_calls(&codex), n_calls(&pi), "calls of each reply");
}

#[test]
fn a_reply_in_many_rows_is_one_turn_and_costs_once() {
    for case in ["quickstart", "compacted", "fork", "archived", "branches"] {
        let session = session(&sample(case));
        let (now, replies) = session.turns.split_last().unwrap();
        assert!(now.message.is_none() && !replies.is_empty());
        for turn in replies {
            let reply = &session.messages[turn.message.unwrap().at()];
            assert!(reply.usage.is_some(), "{case}: the reply of {} has no usage", reply.entry);
        }
        let (events, _) = parse_log(Format::Codex, &sample(case));
        let counts = |event: &&ParsedEvent| match &event.event.body {
            EventBody::Usage(report) => report.usage.is_some(),
            EventBody::Message(message) => message.usage.is_some(),
            _ => false,
        };
        assert_eq!(events.iter().filter(counts).count(), replies.len(), "{case}: one count for each reply");
    }
}

/// The provider's totals grow with the log; a turn's prompt is the last request's, never a sum.
#[test]
fn the_size_of_the_context_is_that_of_the_last_request() {
    let log = String::from_utf8(sample("quickstart")).unwrap();
    let last = log.rfind("last_token_usage").unwrap();
    let counted = &log[last..][log[last..].find("\"input_tokens\":").unwrap() + 15..];
    let counted: u64 = counted[..counted.find(',').unwrap()].parse().unwrap();
    let session = session(log.as_bytes());
    let prompts: Vec<u64> = session
        .messages
        .iter()
        .filter_map(|message| message.usage)
        .map(|usage| usage.prompt_tokens())
        .collect();
    assert_eq!(prompts.last(), Some(&counted));
    assert!(prompts.is_sorted(), "{prompts:?}");
    assert!(prompts.iter().all(|prompt| *prompt < 258_400));
}

#[test]
fn counts_from_before_a_compaction_are_not_read_behind_it() {
    let session = session(&sample("branches"));
    let compaction = session.replacements.iter().find(|it| it.cause == ReplacementCause::Compaction).unwrap();
    let prompt = |message: &cwl_engine::SessionMessage| Some(message.usage?.prompt_tokens());
    let behind = compaction.at..session.messages.len();
    let before = session.messages.range(0..compaction.at).rev().find_map(prompt);
    let after = session.messages.range(behind).find_map(prompt);
    assert!(before > Some(6_000) && after < Some(4_500), "{before:?} {after:?}");
}

#[test]
fn counts_that_repeat_or_are_empty_count_nothing() {
    let info = |total: u64, last: u64| {
        format!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total}}},"last_token_usage":{{"input_tokens":{last},"cached_input_tokens":{last},"output_tokens":3}},"model_context_window":1000}}}}"#
        )
    };
    let log = rollout(&[
        ("r", &says("user", "hi")),
        ("r", &says("assistant", "ho")),
        ("e", &info(10, 10)),
        ("e", &info(10, 10)),
        ("e", r#"{"type":"token_count","info":null,"rate_limits":{}}"#),
        ("e", &info(10, 10)),
        ("compacted", r#"{"message":"","replacement_history":[]}"#),
        ("e", &info(10, 0)),
    ]);
    let (events, _) = parse_log(Format::Codex, &log);
    let counted: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.event.body {
            EventBody::Usage(report) => {
                Some((report.usage.map(|usage| usage.prompt_tokens()), report.window))
            }
            _ => None,
        })
        .collect();
    assert_eq!(counted, [(Some(10), Some(1000))]);
}

/// A harness text in the `user` role is not a question, and a compaction repeats questions.
#[test]
fn two_questions_are_two_questions() {
    for (case, expected) in
        [("quickstart", 3), ("compacted", 3), ("archived", 3), ("records", 3), ("legacy", 2)]
    {
        assert_eq!(humans(Format::Codex, &sample(case)).len(), expected, "{case}");
    }
    let session = session(&sample("archived"));
    let asked =
        session.messages.iter().filter(|message| message.class == MessageClass::User && !message.added);
    assert_eq!(asked.count(), 3);
}

#[test]
fn a_message_that_the_ui_never_showed_may_not_be_the_humans() {
    let (_, problems) = parse_log(Format::Codex, &sample("records"));
    let unsure: Vec<_> =
        problems.iter().filter(|problem| problem.kind == ProblemKind::UnsureAuthor).collect();
    assert_eq!(unsure.len(), 1);
    for case in ["quickstart", "branches", "compacted", "fork", "legacy", "tools", "subagent"] {
        let (_, problems) = parse_log(Format::Codex, &sample(case));
        assert!(problems.iter().all(|problem| problem.kind != ProblemKind::UnsureAuthor), "{case}");
    }
}

#[test]
fn an_event_before_its_message_confirms_it() {
    let twin = r#"{"type":"user_message","message":"hi"}"#;
    let log = rollout(&[
        ("e", twin),
        ("r", &says("user", "hi")),
        ("r", &says("assistant", "ho")),
        ("r", &says("user", "again")),
        ("r", &says("assistant", "ho")),
    ]);
    let (_, problems) = parse_log(Format::Codex, &log);
    let lines: Vec<_> = problems.iter().map(|problem| (problem.kind.code(), problem.place.line)).collect();
    assert_eq!(lines, [("L022", Some(5))]);
}

fn context(log: &[u8]) -> Vec<String> {
    context_at(log, usize::MAX)
}

/// Texts in the context of a turn, counted from 0.
fn context_at(log: &[u8], turn: usize) -> Vec<String> {
    let (events, _) = parse_log(Format::Codex, log);
    let session = session(log);
    let end = session.turns[turn.min(session.turns.len() - 1)].end;
    let mut gone: BTreeSet<BlockIdx> = BTreeSet::new();
    for replacement in session.replacements.iter().filter(|it| it.at <= end) {
        gone.extend(&replacement.drops);
        gone.retain(|block| !replacement.restores.contains(block));
    }
    let order = session.model_order(end);
    let blocks = order.iter().flat_map(|message| session.blocks_of(*message));
    let text = |block: &cwl_engine::SessionBlock| {
        let content = &events[block.event.at()].contents[block.part as usize];
        content.text.clone()
    };
    blocks.filter(|(idx, _)| !gone.contains(idx)).map(|(_, block)| text(block)).collect()
}

#[test]
fn rolled_back_turns_are_gone_from_then_on() {
    let back = |n: u32| format!(r#"{{"type":"thread_rolled_back","num_turns":{n}}}"#);
    let turn = |n: &str| [("r", says("user", n)), ("r", says("assistant", &format!("re {n}")))];
    let log = |rows: Vec<(&str, String)>| {
        rollout(&rows.iter().map(|(kind, row)| (*kind, row.as_str())).collect::<Vec<_>>())
    };
    let mut rows: Vec<(&str, String)> = ["1", "2", "3"].iter().flat_map(|n| turn(n)).collect();
    rows.push(("e", back(2)));
    rows.extend(turn("4"));
    assert_eq!(context(&log(rows.clone())), ["1", "re 1", "4", "re 4"]);
    // Messages rolled back later are in the turns before.
    let session = session(&log(rows.clone()));
    assert_eq!(session.turns.len(), 5);
    assert_eq!(session.replacements[0].at, 6);
    rows.push(("e", back(9)));
    assert_eq!(context(&log(rows)), Vec::<String>::new());
    let none =
        vec![("r", says("user", "1")), ("e", back(0)), ("e", r#"{"type":"thread_rolled_back"}"#.into())];
    assert_eq!(context(&log(none)), ["1"]);
}

#[test]
fn a_compaction_with_its_history_is_that_history() {
    let log = rollout(&[
        ("r", &says("developer", "rules")),
        ("r", &says("user", "1")),
        ("r", &says("assistant", "re 1")),
        (
            "compacted",
            &format!(
                r#"{{"message":"","replacement_history":[{},{},{{"type":"compaction","encrypted_content":"x"}}]}}"#,
                says("user", "1"),
                says(
                    "user",
                    "Another language model started to solve this problem and produced a summary: s"
                ),
            ),
        ),
        ("r", &says("user", "2")),
    ]);
    let summary = "Another language model started to solve this problem and produced a summary: s";
    assert_eq!(context(&log), ["1", summary, "", "2"]);
    let session = session(&log);
    let classes: Vec<_> = session.messages.iter().map(|message| message.class).collect();
    assert_eq!(
        classes,
        [
            MessageClass::System,
            MessageClass::User,
            MessageClass::Assistant,
            MessageClass::User,
            MessageClass::Summary,
            MessageClass::Summary,
            MessageClass::User,
        ]
    );
    let (_, problems) = parse_log(Format::Codex, &log);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].kind, ProblemKind::UnreadableSummary);
}

#[test]
fn a_compaction_without_its_history_is_built_as_codex_builds_it() {
    let compacted = r#"{"message":"the summary"}"#;
    let log = rollout(&[
        ("r", &says("user", "<environment_context>e</environment_context>")),
        ("r", &says("user", "1")),
        ("r", &says("assistant", "re 1")),
        ("r", &says("user", "<turn_aborted>x</turn_aborted>")),
        ("r", &says("user", "2")),
        ("e", r#"{"type":"thread_rolled_back","num_turns":1}"#),
        ("r", &says("user", "3")),
        ("compacted", compacted),
        ("r", &says("user", "4")),
        ("compacted", compacted),
        ("r", &says("assistant", "re 4")),
    ]);
    let first = "<environment_context>e</environment_context>";
    assert_eq!(context(&log), [first, "1", "3", "4", "the summary", "re 4"]);
}

#[test]
fn many_small_compactions_do_not_repeat_without_end() {
    let long = "x".repeat(100_000);
    let mut rows = vec![("r", says("user", &long))];
    rows.extend((0..1_500).map(|_| ("compacted", r#"{"message":"s"}"#.to_owned())));
    let log = rollout(&rows.iter().map(|(kind, row)| (*kind, row.as_str())).collect::<Vec<_>>());
    let (events, problems) = parse_log(Format::Codex, &log);
    let n_bytes: usize =
        events.iter().flat_map(|event| &event.contents).map(|content| content.text.len()).sum();
    assert!(n_bytes < 70 << 20, "{n_bytes}");
    assert!(problems.iter().any(|problem| matches!(problem.kind, ProblemKind::MissingHistory { .. })));
}

#[test]
fn a_session_is_called_by_its_first_line() {
    let header = |case: &str| {
        let (events, _) = parse_log(Format::Codex, &sample(case));
        let headers: Vec<_> = events
            .into_iter()
            .filter_map(|event| match event.event.body {
                EventBody::Header(header) => Some(header),
                _ => None,
            })
            .collect();
        assert_eq!(headers.len(), 1, "{case}");
        headers.into_iter().next().unwrap()
    };
    let (fork, parent) = (header("fork"), header("subagent"));
    assert_ne!(fork.session.unwrap().as_str(), &*fork.parent_session.unwrap());
    assert_eq!(fork.subagent, None);
    assert_eq!(parent.subagent.as_deref(), Some("Ada"));
    assert!(parent.parent_session.is_some());
    assert_eq!(header("records").parent_session, None);
}

#[test]
fn a_delimiter_call_that_was_refused_opens_nothing() {
    assert_eq!(
        episodes(Format::Codex, &sample("tools"))[0],
        "Exploratory look-at-picture [] Some(\"The tree hides what is wider than its box.\")"
    );
    assert!(episodes(Format::Codex, &sample("tools")).iter().all(|episode| !episode.contains("look-twice")));
}

#[test]
fn a_tool_of_the_provider_leaves_no_open_end() {
    let (_, problems) = session_of(Format::Codex, &sample("tools"));
    let codes: Vec<_> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(codes, ["L007"]);
}

#[test]
fn the_system_prompt_is_the_one_in_the_first_line_and_outlives_compactions() {
    let session = session(&sample("quickstart"));
    let first = &session.messages[0];
    assert_eq!((first.role, first.entry.as_str()), (Role::System, "L1/instructions"));
    assert!(!first.class.is_evictable());
    for case in ["archived", "branches"] {
        assert!(context(&sample(case))[0].starts_with("You are a coding agent"), "{case}");
    }
}

/// Rows of any type may be inserted anywhere; an unknown row affects only itself.
#[test]
fn odd_rows_cost_nothing_but_themselves() {
    let odd = [
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user"}}"#,
        r#"{"timestamp":7,"type":"response_item","payload":{}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":[1]}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"function_call"}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"function_call_output"}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"robot","content":[]}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"reasoning","summary":"x","content":7}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"compacted","payload":{"message":7,"replacement_history":"x"}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"compacted","payload":{"replacement_history":[1,null,{"type":"x"}]}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":7}}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"turn_context","payload":{"model":[]}}"#,
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":1,"source":{"subagent":{"thread_spawn":7}}}}"#,
        r#"{"type":"event_msg"}"#,
        r#"{"type":8}"#,
        "{}",
    ];
    let (events, problems) = parse_log(Format::Codex, odd.join("\n").as_bytes());
    assert_eq!(events.len(), odd.len());
    insta::assert_snapshot!(listing(&(events, problems), 160));
}
