//! Marks of an answer, whole or streamed: its id, calls, token usage and stop reason.

use serde_json::{Map, Value};

use crate::format::Format;

/// Marks by which the log of a session is found to hold an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnswerMarks {
    pub id: Option<String>,
    pub calls: Vec<String>,
    /// As the provider wrote it.
    pub usage: Map<String, Value>,
    /// As the provider wrote it; `None` if the answer broke off.
    pub stop: Option<String>,
}

/// Reads the marks of an answer to a request in `format`: one JSON value, or a stream of events. A missing
/// end and anything odd are left out.
pub fn read_answer_marks(format: Format, bytes: &[u8]) -> AnswerMarks {
    let mut marks = AnswerMarks::default();
    let mut take = |value: &Value| match format {
        Format::Anthropic => take_anthropic(value, &mut marks),
        Format::OpenaiResponses => take_responses(value, &mut marks),
        Format::OpenaiChat => take_chat(value, &mut marks),
        Format::Gemini => take_gemini(value, &mut marks),
        // No provider answers in the form of a log.
        _ => {}
    };
    match serde_json::from_slice(bytes) {
        // A stream of Gemini's without events is one list.
        Ok(Value::Array(values)) => values.iter().for_each(take),
        Ok(value) => take(&value),
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.filter_map(|data| serde_json::from_str(data.trim()).ok()).for_each(|value| take(&value));
        }
    }
    marks
}

impl AnswerMarks {
    fn keep_id(&mut self, id: &Value) {
        self.id = id.as_str().filter(|id| !id.is_empty()).map(str::to_owned).or(self.id.take());
    }

    fn keep_call(&mut self, id: &Value) {
        let id = id.as_str().filter(|id| !id.is_empty() && !self.calls.iter().any(|known| known == id));
        self.calls.extend(id.map(str::to_owned));
    }

    fn keep_usage(&mut self, usage: &Value) {
        let counts = usage.as_object().into_iter().flatten();
        self.usage.extend(counts.map(|(name, count)| (name.clone(), count.clone())));
    }

    fn keep_stop(&mut self, stop: &Value) {
        self.stop = stop.as_str().map(str::to_owned).or(self.stop.take());
    }
}

fn take_anthropic(value: &Value, marks: &mut AnswerMarks) {
    match value["type"].as_str() {
        Some("message_start") => take_anthropic(&value["message"], marks),
        Some("content_block_start") => marks.keep_call(call_of_block(&value["content_block"])),
        Some("message_delta") => {
            marks.keep_usage(&value["usage"]);
            marks.keep_stop(&value["delta"]["stop_reason"]);
        }
        Some("message") => {
            marks.keep_id(&value["id"]);
            marks.keep_usage(&value["usage"]);
            marks.keep_stop(&value["stop_reason"]);
            value["content"]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|block| marks.keep_call(call_of_block(block)));
        }
        _ => {}
    }
}

fn call_of_block(block: &Value) -> &Value {
    if block["type"] == "tool_use" { &block["id"] } else { &Value::Null }
}

fn take_responses(value: &Value, marks: &mut AnswerMarks) {
    match value["type"].as_str() {
        Some("response.created" | "response.in_progress") => marks.keep_id(&value["response"]["id"]),
        Some("response.output_item.done") => marks.keep_call(&value["item"]["call_id"]),
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            take_responses(&value["response"], marks);
        }
        _ if value["object"] == "response" || value.get("output").is_some() => {
            marks.keep_id(&value["id"]);
            marks.keep_usage(&value["usage"]);
            marks.keep_stop(&value["status"]);
            value["output"]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|item| marks.keep_call(&item["call_id"]));
        }
        _ => {}
    }
}

fn take_chat(value: &Value, marks: &mut AnswerMarks) {
    marks.keep_id(&value["id"]);
    marks.keep_usage(&value["usage"]);
    let choice = &value["choices"][0];
    marks.keep_stop(&choice["finish_reason"]);
    for part in ["message", "delta"] {
        let calls = choice[part]["tool_calls"].as_array().into_iter().flatten();
        calls.for_each(|call| marks.keep_call(&call["id"]));
    }
}

fn take_gemini(value: &Value, marks: &mut AnswerMarks) {
    marks.keep_id(&value["responseId"]);
    marks.keep_usage(&value["usageMetadata"]);
    let candidate = &value["candidates"][0];
    marks.keep_stop(&candidate["finishReason"]);
    let parts = candidate["content"]["parts"].as_array().into_iter().flatten();
    parts.for_each(|part| marks.keep_call(&part["functionCall"]["id"]));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the marks of an answer: its id, calls and stop, and its usage as JSON.
    fn check(format: Format, answer: &str, expected: [&str; 3], usage: &str) {
        let AnswerMarks { id, calls, usage: found, stop } = read_answer_marks(format, answer.as_bytes());
        let marks = [id.unwrap_or_default(), calls.join(" "), stop.unwrap_or_default()];
        assert_eq!(marks, expected.map(str::to_owned), "{answer}");
        assert_eq!(Value::Object(found).to_string(), usage, "{answer}");
    }

    #[test]
    fn anthropic() {
        let whole = r#"{"type":"message","id":"msg_1","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"toolu_1"},
            {"type":"server_tool_use","id":"srv_1"}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":9}}"#;
        check(
            Format::Anthropic,
            whole,
            ["msg_1", "toolu_1", "tool_use"],
            r#"{"input_tokens":3,"output_tokens":9}"#,
        );
        let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"id\":\"msg_2\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\"}}\n\n";
        check(Format::Anthropic, stream, ["msg_2", "toolu_2", ""], r#"{"input_tokens":3,"output_tokens":1}"#);
        let end = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":20}}\r\n\r\ndata: {\"type\":\"message_stop\"}\n\n";
        let usage = r#"{"input_tokens":3,"output_tokens":20}"#;
        check(Format::Anthropic, &format!("{stream}{end}"), ["msg_2", "toolu_2", "end_turn"], usage);
        check(Format::Anthropic, r#"{"type":"error","error":{"message":"too long"}}"#, ["", "", ""], "{}");
    }

    #[test]
    fn responses() {
        let whole = r#"{"id":"resp_1","object":"response","status":"completed","output":[{"type":"reasoning","id":"rs"},
            {"type":"function_call","id":"fc","call_id":"call_1"}],"usage":{"input_tokens":5}}"#;
        check(Format::OpenaiResponses, whole, ["resp_1", "call_1", "completed"], r#"{"input_tokens":5}"#);
        let stream = "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_2\",\"status\":\"in_progress\"}}\n\ndata: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"custom_tool_call\",\"call_id\":\"call_2\"}}\n\n";
        check(Format::OpenaiResponses, stream, ["resp_2", "call_2", ""], "{}");
        let end = "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_2\",\"status\":\"completed\",\"output\":[{\"type\":\"custom_tool_call\",\"call_id\":\"call_2\"}],\"usage\":{\"output_tokens\":7}}}\n\n";
        check(
            Format::OpenaiResponses,
            &format!("{stream}{end}"),
            ["resp_2", "call_2", "completed"],
            r#"{"output_tokens":7}"#,
        );
    }

    #[test]
    fn chat() {
        let whole = r#"{"id":"c1","choices":[{"message":{"tool_calls":[{"id":"call_1"},{"id":"call_2"}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":2}}"#;
        check(Format::OpenaiChat, whole, ["c1", "call_1 call_2", "tool_calls"], r#"{"prompt_tokens":2}"#);
        let stream = "data: {\"id\":\"c2\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_3\"}]},\"finish_reason\":null}]}\n\ndata: {\"id\":\"c2\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]},\"finish_reason\":\"stop\"}],\"usage\":null}\n\ndata: {\"id\":\"c2\",\"choices\":[],\"usage\":{\"prompt_tokens\":4}}\n\ndata: [DONE]\n\n";
        check(Format::OpenaiChat, stream, ["c2", "call_3", "stop"], r#"{"prompt_tokens":4}"#);
    }

    #[test]
    fn gemini() {
        let one = r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"id":"f1","name":"x"}}]}}],"usageMetadata":{"promptTokenCount":1},"responseId":"g1"}"#;
        let two = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"y"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":8}}"#;
        let expected = ["g1", "f1", "STOP"];
        check(Format::Gemini, one, ["g1", "f1", ""], r#"{"promptTokenCount":1}"#);
        check(Format::Gemini, &format!("[{one},{two}]"), expected, r#"{"promptTokenCount":8}"#);
        check(
            Format::Gemini,
            &format!("data: {one}\n\ndata: {two}\n\n"),
            expected,
            r#"{"promptTokenCount":8}"#,
        );
    }

    #[test]
    fn an_answer_that_is_none_has_no_marks() {
        for answer in ["", "data: ", "data: {\"type\"", "<html>", "null", "[1,{}]", "data: 7\ndata: [DONE]"] {
            for format in
                [Format::Anthropic, Format::OpenaiResponses, Format::OpenaiChat, Format::Gemini, Format::Pi]
            {
                check(format, answer, ["", "", ""], "{}");
            }
        }
    }
}
