//! Recorded decisions: with them the inspector shows the sent request, without them the whole list.

use cwl_engine::{
    Content, Cut, EventIdx, EventLog, GraphTimeline, History, Material, ParsedEvent, Policy, PolicyOptions,
    Provider, RawPayload, Replay, ReplayInput, Session, StateAt, render,
};
use cwl_formats::render::{ContentSource, render_context};
use cwl_formats::{Format, parse_log, read_logged_decision};
use cwl_inspect::SessionHistory;
use serde_json::{Value, json};

use crate::story::{Story, n_bytes, tools};
use crate::{Client, edited};

struct Texts(Vec<ParsedEvent>);

impl ContentSource for Texts {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        self.0[event.at()].contents[part as usize].clone()
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        self.0[event.at()].envelope.clone()
    }
}

/// Renders a log's last turn under `none` in pi's form, with its history as recorded.
pub(crate) fn render_log(format: Format, log: &str) -> (Vec<Value>, Vec<String>) {
    let (events, mut problems) = parse_log(format, log.as_bytes());
    let mut event_log = EventLog::default();
    events.iter().for_each(|event| _ = event_log.push(event.event.clone()));
    let (session, of_session) = Session::build(&event_log, None, History::AsRecorded, &tools());
    problems.extend(of_session);
    let (growth, _) = GraphTimeline::build(&session);
    let mut sizes = SessionHistory::new(tools(), 1, n_bytes);
    events.iter().for_each(|event| _ = sizes.push_event(event.clone(), |_, content| n_bytes(&content.text)));
    let policy = Policy::find("none").unwrap();
    let input = ReplayInput {
        session: &session,
        growth: &growth,
        table: &sizes.build_table(&session, &growth, n_bytes),
        material: &Material::default(),
        pins: &[],
        overhead: &0.into(),
        budget: 1,
        policy,
        options: &PolicyOptions::defaults(policy).unwrap(),
    };
    let replay = Replay::run(&input);
    let state = StateAt::fold_to(&input, &replay, Cut::end_of(session.last_turn()));
    let context = render(&input, &replay, &state);
    let body = render_context(Provider::Pi, format, &session, &context, &Texts(events)).body;
    let problems =
        problems.iter().map(|problem| problem.kind.to_string()).filter(|it| !it.contains("never closed"));
    (serde_json::from_str(&body).unwrap(), problems.collect())
}

/// Builds the log record for an answer, as the extension does.
fn record_of(answer: &Value, at: usize) -> Value {
    let id = |message: &Value| message.as_u64().map_or(Value::Null, |at| format!("m{at}").into());
    let record = &answer["record"];
    let parts = |name: &str| -> Vec<Value> {
        record[name].as_array().unwrap().iter().map(|part| json!([id(&part[0]), part[1]])).collect()
    };
    let inserted: Vec<Value> = record["inserted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!({"before": id(&one["before"]), "text": one["text"]}))
        .collect();
    json!({"type": "custom", "customType": "cwl.decision", "id": format!("d{at}"), "parentId": format!("m{at}"),
    "timestamp": "2026-01-01T00:00:00.000Z", "data": {
        "version": 1, "turn": answer["turn"], "policy": "cwl", "options": {"keep_last_turn": "true"}, "budget": 300,
        "overhead": record["overhead"], "tokenizer": "chars4", "marks": "declared", "verdict": answer["verdict"],
        "tokens": {"whole": answer["tokens"]["whole"], "sent": answer["tokens"]["sent"]}, "whole": record["whole"],
        "evicted": parts("evicted"), "restored": parts("restored"), "replaced": [], "inserted": inserted,
        "removed": record["removed"],
    }})
}

/// Removes times: inserted texts have none in a client's list.
pub(crate) fn without_times(mut list: Vec<Value>) -> Vec<Value> {
    for message in &mut list {
        message.as_object_mut().unwrap().remove("timestamp");
    }
    list
}

/// Plays a story request by request; `change` may return new settings for one request.
fn play(story: &Story, change: impl Fn(usize) -> Option<Value>) {
    let mut client = Client::greeted(&json!({"policy": "cwl", "budget": "300"}));
    let (mut n_known, mut n_evicting) = (0, 0);
    let mut rows: Vec<String> = story.log().lines().map(str::to_owned).collect();
    let header = rows.remove(0);
    let mut log = header + "\n";
    for (at, row) in rows.iter().enumerate() {
        let mut row: Value = serde_json::from_str(row).unwrap();
        if at > 0 && log.lines().last().unwrap().contains("cwl.decision") {
            row["parentId"] = format!("d{}", at - 1).into();
        }
        log.push_str(&format!("{row}\n"));
        // A request follows every message except a reply.
        let is_request = story.0[at]["role"] != "assistant";
        if !is_request {
            continue;
        }
        if let Some(line) = change(at) {
            assert_eq!(client.ask(&line)["type"], "ready");
        }
        let list = &story.0[..=at];
        let answer = client.decide(list, n_known);
        n_known = at + 1;
        n_evicting += usize::from(answer["verdict"] == "evict");
        log.push_str(&format!("{}\n", record_of(&answer, at)));
        let (shown, problems) = render_log(Format::Pi, &log);
        assert_eq!(
            without_times(shown),
            without_times(edited(list, &answer)),
            "before request {at}: {answer}"
        );
        assert_eq!(problems, Vec::<String>::new(), "before request {at}");
    }
    assert!(n_evicting > 3, "{n_evicting} requests evict");
}

pub(crate) fn story() -> Story {
    let mut story = Story::default();
    story.human("the task").expl("look").step(&["!where", "a grep"], 400).step(&["\"then", "b read"], 300);
    story.end("it is there").act("fix", &["look"]).step(&["c edit"], 500).end("").human("go on");
    story.expl("more").step(&["d grep", "e read"], 500).end("and there").step(&["f read"], 30);
    story.act("fix-more", &["more"]).step(&["g edit"], 900).end("").step(&["h read"], 30);
    story
}

#[test]
fn the_log_shows_what_was_sent() {
    play(&story(), |_| None);
}

#[test]
fn what_comes_back_is_shown_again() {
    let set = |budget: &str| Some(json!({"type": "set", "budget": budget}));
    play(&story(), |at| match at {
        20 => set("10k"),
        24 => set("200"),
        _ => None,
    });
}

#[test]
fn a_decision_is_read_back() {
    let mut client = Client::greeted(&json!({"policy": "cwl", "budget": "300"}));
    let story = story();
    let answer = client.decide(&story.0, 0);
    let read = read_logged_decision(&record_of(&answer, story.0.len() - 1).to_string()).unwrap();
    assert_eq!((read.policy.as_str(), read.budget, read.verdict.as_str()), ("cwl", 300, "evict"));
    assert_eq!(json!([read.whole, read.sent]), json!([answer["tokens"]["whole"], answer["tokens"]["sent"]]));
    assert_eq!(read.options.get("keep_last_turn").map(String::as_str), Some("true"));
    for other in ["{}", "", r#"{"customType":"cwl.decision"}"#, r#"{"customType":"other","data":{}}"#] {
        assert_eq!(read_logged_decision(other), None, "{other}");
    }
}
