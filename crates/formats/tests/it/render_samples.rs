//! Whole requests: pi's quickstart under a budget that evicts, for every provider; and recorded requests,
//! which their own provider gets unchanged.

use crate::render_log::{PROVIDERS, rules, sample};
use cwl_engine::{Fate, Provider, TurnIdx};
use serde_json::{Value, json};

/// Cuts the middle of long texts, so a snapshot shows their places.
fn cut(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > 100 => {
            let chars: Vec<char> = text.chars().collect();
            let (begin, end) = (&chars[..60], &chars[chars.len() - 20..]);
            let between = format!(" [… {} …] ", chars.len() - 80);
            *text = begin.iter().copied().chain(between.chars()).chain(end.iter().copied()).collect();
        }
        Value::Array(items) => items.iter_mut().for_each(cut),
        Value::Object(members) => members.values_mut().for_each(cut),
        _ => {}
    }
}

fn lines(body: &Value) -> String {
    let items = body.as_array().unwrap().iter();
    items.map(|item| format!("{item}\n")).collect()
}

#[test]
fn the_quickstart_for_every_provider() {
    let log = sample("pi/quickstart");
    for turn in [17, 34] {
        let context = log.played("cwl", 4000, TurnIdx::new(turn));
        let mut items = context.messages.iter().flat_map(|message| &message.items);
        assert!(items.any(|item| matches!(item.fate, Fate::Gone(_))), "the budget evicts at turn {turn}");
        for provider in PROVIDERS {
            let rendering = log.render_played(provider, &context);
            if provider != Provider::Pi {
                assert_eq!(
                    rules::faults(provider, &rendering.body),
                    [] as [&str; 0],
                    "{provider:?} at {turn}"
                );
            }
            let mut body: Value = serde_json::from_str(&rendering.body).unwrap();
            cut(&mut body);
            let repairs: Vec<String> =
                log.show_repairs(&rendering).iter().map(|repair| format!("repaired: {repair}\n")).collect();
            let shown = lines(&body) + &repairs.concat();
            insta::assert_snapshot!(format!("quickstart@{turn:04}.{provider:?}"), shown);
        }
    }
}

/// Keeps only what the model reads, and the ids that pair calls with results: clients add other members, and
/// may write a text as a string or as a list of one part.
fn normal(value: &Value) -> Value {
    const SAYS_NOTHING: [&str; 6] = ["annotations", "cache_control", "detail", "is_error", "status", "id"];
    match value {
        Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
        Value::Object(members) => {
            let is_call = members.get("type").is_some_and(|kind| kind == "tool_use" || kind == "function");
            let says = |key: &str| (is_call && key == "id") || !SAYS_NOTHING.contains(&key);
            let said = members.iter().filter(|(key, value)| says(key) && !value.is_null());
            let normal = said.map(|(key, value)| {
                let value = match (key.as_str(), value) {
                    ("content" | "system", Value::String(text)) => json!([{"type": "text", "text": text}]),
                    ("arguments", Value::String(json)) => serde_json::from_str(json).unwrap(),
                    ("role", Value::String(role)) if role == "developer" => json!("system"),
                    (_, value) => normal(value),
                };
                (key.clone(), value)
            });
            Value::Object(normal.collect())
        }
        value => value.clone(),
    }
}

/// Compares a recording's last request with its rendering for the same provider.
fn check(case: &str, provider: Provider, members: &[&str]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case);
    let recorded = std::fs::read_to_string(folder.join("input.jsonl")).unwrap();
    let records: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_request = |record: &&Value| members.iter().any(|member| record[member].is_array());
    let request = records.iter().rfind(is_request).unwrap();
    let log = sample(case);
    // The last request may be followed by its reply.
    let turns = &log.session.turns;
    let n_replied = usize::from(!is_request(&records.last().unwrap()));
    let turn = TurnIdx::new(u32::try_from(turns.len() - n_replied).unwrap());
    let rendering = log.render_played(provider, &log.played("none", 80_000, turn));
    assert_eq!(log.show_repairs(&rendering), [] as [&str; 0], "{case}");
    let body: Value = serde_json::from_str(&rendering.body).unwrap();
    for member in members {
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
        let of = |whole: &Value| normal(&json!({*member: whole[*member]}));
        let (found, expected) = (of(&body), of(request));
        assert_eq!(pretty(&found), pretty(&expected), "{case}: {member}");
    }
}

#[test]
fn recorded_requests_are_made_again() {
    check("anthropic/quickstart", Provider::Anthropic, &["system", "tools", "messages"]);
    check("openai-chat/quickstart", Provider::OpenAiChat, &["tools", "messages"]);
    check("openai-responses/quickstart", Provider::OpenAiResponses, &["instructions", "tools", "input"]);
    check("gemini/quickstart", Provider::Gemini, &["tools", "contents"]);
    // Between these requests, the client changed earlier messages.
    check("anthropic/requests", Provider::Anthropic, &["system", "tools", "messages"]);
    check("openai-chat/requests", Provider::OpenAiChat, &["tools", "messages"]);
    check("openai-responses/requests", Provider::OpenAiResponses, &["instructions", "tools", "input"]);
    check("gemini/requests", Provider::Gemini, &["tools", "contents"]);
}
