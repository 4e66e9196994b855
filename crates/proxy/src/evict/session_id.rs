//! The session that a request belongs to.

use cwl_engine::{Author, EventBody, ParsedEvent};
use cwl_formats::{AskNames, read_ask_names};
use cwl_host::session_of_prompt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestOwner {
    /// The harness's id of the session, or [`session_of_prompt`] for a body without one.
    pub(super) session: String,
    /// Number of tools. A subagent and a side question have fewer than the main conversation.
    pub(super) n_tools: usize,
}

pub(super) fn find_owner(path: &str, body: &[u8], events: &[ParsedEvent]) -> Option<RequestOwner> {
    let AskNames { session, n_tools, .. } = read_ask_names(path, body)?;
    let session = session.or_else(|| name_after_prompt(events))?;
    Some(RequestOwner { session, n_tools })
}

fn name_after_prompt(events: &[ParsedEvent]) -> Option<String> {
    let is_human = |event: &&ParsedEvent| match &event.event.body {
        EventBody::Message(message) => message.author == Author::Human,
        _ => false,
    };
    let mut contents = events.iter().filter(is_human).flat_map(|event| &event.contents);
    contents.find_map(|content| session_of_prompt(&content.text))
}

#[cfg(test)]
mod tests {
    use cwl_formats::{Format, parse_log};

    use super::*;

    #[track_caller]
    fn check(format: Format, body: &str, expected: Option<(&str, usize)>) {
        let found = find_owner("/", body.as_bytes(), &parse_log(format, body.as_bytes()).0);
        let found = found.as_ref().map(|owner| (owner.session.as_str(), owner.n_tools));
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn the_body_names_its_session() {
        check(
            Format::Anthropic,
            r#"{"metadata":{"user_id":"{\"session_id\":\"s-1\"}"},"tools":[{},{}],"messages":[]}"#,
            Some(("s-1", 2)),
        );
        check(Format::OpenaiResponses, r#"{"prompt_cache_key":"s-2","input":[]}"#, Some(("s-2", 0)));
        check(Format::Anthropic, r#"{"messages":[]}"#, None);
        check(Format::Anthropic, "[]", None);
    }

    #[test]
    fn a_body_without_an_id_goes_by_its_first_prompt() {
        let body = |prompt: &str| {
            let texts = ["<session_context>\nDay: 1", prompt].map(|text| format!("{{\"text\":{text:?}}}"));
            format!(r#"{{"contents":[{{"role":"user","parts":[{}]}}]}}"#, texts.join(","))
        };
        let expected = session_of_prompt("Mend it.");
        check(Format::Gemini, &body("Mend it."), expected.as_deref().map(|name| (name, 0)));
        check(Format::Gemini, &body(""), None);
    }
}
