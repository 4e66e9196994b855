//! The index of a capture folder of `cwl proxy`: `captured.jsonl`, with a line per request to a model.

use cwl_engine::{Problem, Usage};

use crate::bodies;
use crate::content::anthropic;
use crate::format::Format;
use crate::index::each_row;
use crate::json::{Value, owned};
use crate::time::iso_time;

/// One request, as a line of the index names it. A field missing in the line is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxiedRequest {
    pub format: Format,
    /// The harness's own session id; empty if the body names none.
    pub session: String,
    /// File with the body as sent.
    pub request: String,
    pub reply: String,
    pub calls: Vec<String>,
    pub usage: Option<Usage>,
    /// End of the answer, in milliseconds since 1970.
    pub at_ms: Option<i64>,
}

/// Reads an index. A line without an object, such as an unfinished last line, becomes a problem. A request
/// that was not answered, or whose body was not kept, is skipped.
pub fn read_proxied_requests(bytes: &[u8]) -> (Vec<ProxiedRequest>, Vec<Problem>) {
    let mut requests = Vec::new();
    let problems = each_row(bytes, |row, notes| {
        let [api, session, request, status, reply, calls, usage, at] =
            row.fields(["api", "session", "request_file", "status", "reply_id", "calls", "usage", "at"]);
        let Ok(format) = notes.required_text(api, "api").parse() else {
            notes.odd("api");
            return;
        };
        let is_answered = status.and_then(Value::number) == Some(200.0);
        let Some(request) = owned(request).filter(|_| is_answered) else { return };
        let usage = match format {
            Format::Anthropic => anthropic::read_usage(usage, notes),
            Format::Gemini => usage.and_then(|usage| bodies::gemini::read_usage(usage, notes)),
            _ => bodies::chat::read_usage(usage, notes),
        };
        requests.push(ProxiedRequest {
            format,
            session: owned(session).unwrap_or_default(),
            request,
            reply: owned(reply).unwrap_or_default(),
            calls: calls.into_iter().flat_map(Value::items).filter_map(|call| owned(Some(call))).collect(),
            usage,
            at_ms: at.and_then(iso_time),
        });
    });
    (requests, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(index: &str, expected: &[&str], problems: &[&str]) {
        let (requests, found) = read_proxied_requests(index.as_bytes());
        let read: Vec<String> = requests
            .iter()
            .map(|one| {
                let usage = one.usage.map(|usage| [usage.input, usage.cache_read, usage.output]);
                let calls = one.calls.join("+");
                format!("{} {} {} {} {calls} {usage:?}", one.format, one.session, one.request, one.reply)
            })
            .collect();
        assert_eq!(read, expected, "{index}");
        let found: Vec<String> =
            found.iter().map(|problem| format!("{:?} {}", problem.place.line, problem.kind.code())).collect();
        assert_eq!(found, problems, "{index}");
    }

    #[test]
    fn an_index_names_answered_requests() {
        let line = r#"{"version":1,"at":"2026-11-28T10:00:00Z","api":"anthropic","session":"s1","model":"m","request_file":"a.json","status":200,"reply_id":"msg_1","calls":["t1","t2"],"usage":{"input_tokens":3,"cache_read_input_tokens":5,"output_tokens":7},"stop":"tool_use"}"#;
        let read = "anthropic s1 a.json msg_1 t1+t2 Some([3, 5, 7])";
        check("", &[], &[]);
        check(&format!("{line}\n{line}\n"), &[read, read], &[]);
        check(&format!("{line}\n[]\n{}", &line[..60]), &[read], &["Some(2) L004", "Some(3) L004"]);
        check(
            r#"{"api":"gemini","request_file":"b.json","status":200,"usage":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":2}}"#,
            &["gemini  b.json   Some([5, 4, 2])"],
            &[],
        );
        check(
            r#"{"api":"openai-responses","session":null,"request_file":"c.json","status":200,"reply_id":"resp_1","calls":[],"usage":{"input_tokens":9}}"#,
            &["openai-responses  c.json resp_1  Some([9, 0, 0])"],
            &[],
        );
        // Refused, not answered, not kept.
        check(r#"{"api":"anthropic","request_file":"a.json","status":429}"#, &[], &[]);
        check(r#"{"api":"anthropic","request_file":"a.json"}"#, &[], &[]);
        check(r#"{"api":"anthropic","status":200,"note":"too long"}"#, &[], &[]);
        check(r#"{"api":"carrier-pigeon","request_file":"a.json","status":200}"#, &[], &["Some(1) L009"]);
    }
}
