//! Codex's rollout trace: the requests of a session as they were sent.
//!
//! `CODEX_ROLLOUT_TRACE_ROOT` makes Codex write a folder per root session: `trace.jsonl` with one event per
//! line, and `payloads/` with the JSON the events refer to (openai/codex, `codex-rs/rollout-trace`). A
//! request may hold only the items after an earlier response; [`traced_request`] restores the whole.

use cwl_engine::Problem;

use crate::index::each_row;
use crate::json::{Fields, Object, Value, is_json, list};
use crate::notes::Notes;

/// One answered call of the model, collected from the trace's events. A missing field is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TracedCall {
    /// Id of the session, or of a subagent's session.
    pub thread: String,
    /// A path in the trace's folder, as is `output`.
    pub request: String,
    /// The part of the input missing in the request's payload.
    pub input: TracedInput,
    pub response: String,
    pub output: String,
}

/// The part missing in a request's payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TracedInput {
    /// Older traces do not state it: nothing, unless the payload has a `previous_response_id`.
    #[default]
    Unsaid,
    Whole,
    /// Input and output of the call whose response has this id.
    After(String),
    /// Input of the payload at this path.
    AfterPayload(String),
}

/// Reads a `trace.jsonl`: the answered calls, in starting order. A line without an object, such as an
/// unfinished last line, becomes a [`Problem`].
pub fn read_trace(bytes: &[u8]) -> (Vec<TracedCall>, Vec<Problem>) {
    let mut begun: Vec<(String, TracedCall)> = Vec::new();
    let problems = each_row(bytes, |row, notes| {
        let Some(event) = row.get("payload").and_then(Value::object) else { return };
        let event = Fields::parse(event);
        match &*event.text_of("type") {
            "inference_started" => {
                let call = TracedCall {
                    thread: notes.required_text(event.get("thread_id"), "thread_id").into_owned(),
                    request: path_of(event.get("request_payload"), notes),
                    input: input_of(event.get("request_input_mode"), notes),
                    ..TracedCall::default()
                };
                begun.push((event.text_of("inference_call_id").into_owned(), call));
            }
            "inference_completed" => {
                let id = event.text_of("inference_call_id");
                let of_call =
                    begun.iter_mut().rev().find(|(begun, call)| *begun == id && call.output.is_empty());
                if let Some((_, call)) = of_call {
                    call.response = event.text_of("response_id").into_owned();
                    call.output = path_of(event.get("response_payload"), notes);
                }
            }
            _ => {}
        }
    });
    (begun.into_iter().map(|(_, call)| call).filter(|call| !call.output.is_empty()).collect(), problems)
}

fn path_of(reference: Option<Value<'_>>, notes: &mut Notes<'_>) -> String {
    notes.required_text(reference.and_then(|one| one.get("path")), "path").into_owned()
}

fn input_of(mode: Option<Value<'_>>, notes: &mut Notes<'_>) -> TracedInput {
    let Some(mode) = mode.filter(|mode| !mode.is_null()) else { return TracedInput::Unsaid };
    match &*mode.text_of("type") {
        "full_snapshot" => TracedInput::Whole,
        "incremental" => TracedInput::After(mode.text_of("previous_response_id").into_owned()),
        "incremental_with_untraced_prefix" => {
            TracedInput::AfterPayload(path_of(mode.get("prefix_payload"), notes))
        }
        _ => TracedInput::Unsaid,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TracedItems {
    /// JSON from `input` or `output_items`.
    pub items: Vec<String>,
    pub calls: Vec<String>,
    pub previous: Option<String>,
}

pub fn traced_items(payload: &[u8]) -> Option<TracedItems> {
    let text = std::str::from_utf8(payload).ok()?;
    let body = Some(Value::trusted(text.trim(), 0)).filter(|_| is_json(text)).and_then(Value::object)?;
    let [input, output, previous] = body.fields(["input", "output_items", "previous_response_id"]);
    let items: Vec<Value<'_>> = input.or(output)?.list()?.items().collect();
    let calls = items.iter().filter(|item| item.text_of("type").ends_with("_call"));
    Some(TracedItems {
        calls: calls.filter_map(|item| item.get("call_id")?.string().map(Into::into)).collect(),
        items: items.iter().map(|item| item.raw().to_owned()).collect(),
        previous: previous.and_then(Value::string).map(Into::into),
    })
}

/// Replaces the request's input by `items`, without `previous_response_id`; `None` if `payload` is no
/// object.
pub fn traced_request(payload: &[u8], items: &[String]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(payload).ok()?;
    let body = Some(Value::trusted(text.trim(), 0)).filter(|_| is_json(text)).and_then(Value::object)?;
    let mut whole = Object::new();
    for (key, member) in body.members() {
        let Some(key) = key.string().filter(|key| !matches!(&**key, "input" | "previous_response_id")) else {
            continue;
        };
        whole = whole.json(&key, member.raw());
    }
    Some(whole.json("input", &list(items)).done().into_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn event(payload: &str) -> String {
        format!(
            r#"{{"schema_version":1,"seq":1,"wall_time_unix_ms":1,"rollout_id":"r","payload":{payload}}}"#
        )
    }

    fn begun(id: &str, mode: &str) -> String {
        event(&format!(
            r#"{{"type":"inference_started","inference_call_id":"{id}","thread_id":"t","codex_turn_id":"c","model":"m",
                "provider_name":"p"{mode},"request_payload":{{"raw_payload_id":"x","kind":"k","path":"payloads/{id}.json"}}}}"#
        ).replace('\n', ""))
    }

    fn done(id: &str) -> String {
        event(
            &format!(
                r#"{{"type":"inference_completed","inference_call_id":"{id}","response_id":"resp_{id}",
                "response_payload":{{"path":"payloads/{id}o.json"}}}}"#
            )
            .replace('\n', ""),
        )
    }

    fn check(rows: &[String], expected: &[(&str, TracedInput)], problems: &[&str]) {
        let (calls, found) = read_trace(rows.join("\n").as_bytes());
        let expected: Vec<TracedCall> = expected
            .iter()
            .map(|(id, input)| TracedCall {
                thread: "t".into(),
                request: format!("payloads/{id}.json"),
                input: input.clone(),
                response: format!("resp_{id}"),
                output: format!("payloads/{id}o.json"),
            })
            .collect();
        assert_eq!(calls, expected, "{rows:?}");
        let found: Vec<String> =
            found.iter().map(|problem| format!("{:?} {}", problem.place.line, problem.kind.code())).collect();
        assert_eq!(found, problems, "{rows:?}");
    }

    #[test]
    fn calls_are_those_that_were_answered() {
        let full = r#","request_input_mode":{"type":"full_snapshot"}"#;
        let after = r#","request_input_mode":{"type":"incremental","previous_response_id":"resp_1"}"#;
        let untraced = r#","request_input_mode":{"type":"incremental_with_untraced_prefix",
            "previous_response_id":"q","prefix_payload":{"path":"payloads/9.json"}}"#;
        check(&[], &[], &[]);
        check(&[begun("1", ""), done("1")], &[("1", TracedInput::Unsaid)], &[]);
        // Retried and interrupted calls have no response; responses may come in another order.
        check(
            &[
                begun("0", full),
                begun("1", full),
                begun("2", after),
                begun("3", untraced),
                done("3"),
                done("2"),
                done("1"),
            ],
            &[
                ("1", TracedInput::Whole),
                ("2", TracedInput::After("resp_1".into())),
                ("3", TracedInput::AfterPayload("payloads/9.json".into())),
            ],
            &[],
        );
        check(
            &[
                "7".into(),
                event(r#"{"type":"rollout_started"}"#),
                begun("1", ""),
                done("1"),
                done("1")[..30].into(),
            ],
            &[("1", TracedInput::Unsaid)],
            &["Some(1) L004", "Some(5) L004"],
        );
    }

    #[test]
    fn a_request_is_put_together_from_its_items() {
        let payload = br#"{"model":"m","input":[{"b":2}],"previous_response_id":"r1","tools":[]}"#;
        let read = traced_items(payload).unwrap();
        assert_eq!((read.items, read.previous), (vec![r#"{"b":2}"#.to_owned()], Some("r1".to_owned())));
        let items = [r#"{"a":1}"#.to_owned(), r#"{"b":2}"#.to_owned()];
        let whole = traced_request(payload, &items).unwrap();
        assert_eq!(str::from_utf8(&whole).unwrap(), r#"{"model":"m","tools":[],"input":[{"a":1},{"b":2}]}"#);
        let output = br#"{"output_items":[{"type":"function_call","call_id":"c1"},{"type":"message"},
            {"type":"function_call_output","call_id":"c0"}]}"#;
        assert_eq!(traced_items(output).unwrap().calls, ["c1"]);
        for odd in ["", "[]", "{", r#"{"input":"text"}"#, "{}"] {
            assert_eq!(traced_items(odd.as_bytes()), None, "{odd}");
        }
        assert_eq!((traced_request(b"[]", &[]), traced_request(b"{", &[])), (None, None));
    }
}
