//! The index of the folder in which Claude Code stores the bodies of its requests and responses.
//!
//! `OTEL_LOG_RAW_API_BODIES=file:FOLDER` makes Claude Code write the bodies. From version 2.1.274 on, the
//! folder has an `index.jsonl` with one line per answered request. All sessions share the folder.

use cwl_engine::Problem;

use crate::index::each_row;

/// One answered request in `index.jsonl`. A field missing in the line is empty here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    pub session: String,
    /// The part of Claude Code that sent the request (`query_source`): the main loop, a title, a compaction.
    pub source: String,
    /// Id of the response's message; the session's log has the same id.
    pub message: String,
    pub request: String,
}

/// Reads an `index.jsonl`. A line without an object, such as an unfinished last line, becomes a
/// [`Problem`].
pub fn read_exchanges(bytes: &[u8]) -> (Vec<Exchange>, Vec<Problem>) {
    let mut exchanges = Vec::new();
    let problems = each_row(bytes, |row, notes| {
        let [session, source, message, request] =
            row.fields(["session_id", "query_source", "message_id", "request_file"]);
        exchanges.push(Exchange {
            session: notes.text(session, "session_id").unwrap_or_default().into_owned(),
            source: notes.text(source, "query_source").unwrap_or_default().into_owned(),
            message: notes.required_text(message, "message_id").into_owned(),
            request: notes.required_text(request, "request_file").into_owned(),
        });
    });
    (exchanges, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(index: &str, expected: &[[&str; 4]], problems: &[&str]) {
        let (exchanges, found) = read_exchanges(index.as_bytes());
        let read: Vec<[&str; 4]> =
            exchanges.iter().map(|one| [&*one.session, &*one.source, &*one.message, &*one.request]).collect();
        assert_eq!(read, expected, "{index}");
        let found: Vec<String> =
            found.iter().map(|problem| format!("{:?} {}", problem.place.line, problem.kind.code())).collect();
        assert_eq!(found, problems, "{index}");
    }

    #[test]
    fn an_index_names_requests_and_their_replies() {
        let line = r#"{"timestamp":"2026-11-02T10:00:00Z","session_id":"s1","query_source":"repl_main_thread","model":"m","request_id":"req_1","message_id":"msg_1","message_uuid":"u1","request_file":"a.request.json","response_file":"req_1.response.json"}"#;
        let read = ["s1", "repl_main_thread", "msg_1", "a.request.json"];
        check("", &[], &[]);
        check(line, &[read], &[]);
        check(&format!("\u{feff}{line}\n\n{line}\n"), &[read, read], &[]);
        let torn = format!("{line}\n[1]\n{}", &line[..40]);
        check(&torn, &[read], &["Some(2) L004", "Some(3) L004"]);
        let odd = ["Some(1) L009"; 3];
        check(r#"{"session_id":7,"message_id":null}"#, &[["", "", "", ""]], &odd);
    }
}
