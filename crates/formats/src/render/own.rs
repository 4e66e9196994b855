//! Parts that only one provider knows and that are sent back to it unchanged.

use cwl_engine::{Content, Provider};

use super::request::ProviderRequest;
use crate::content::openai_items::{COMPACTIONS, SERVED_CALLS};
use crate::json::{JsonType, Object, Value, is_json, quoted};
use crate::payload::block_json;

const OF_USER: [(Provider, &[&str]); 3] = [
    (Provider::Anthropic, &["document", "search_result", "container_upload"]),
    (Provider::OpenAiChat, &["input_audio", "file"]),
    (Provider::OpenAiResponses, &["input_file"]),
];
/// Part types in model messages, apart from results of Anthropic's own tools.
const OF_MODEL: [(Provider, &[&str]); 3] = [
    (Provider::Anthropic, &["server_tool_use", MCP_CALL]),
    (Provider::OpenAiChat, &["refusal"]),
    (Provider::OpenAiResponses, &["refusal"]),
];
/// Anthropic's only tool call with a free-form result.
const MCP_CALL: &str = "mcp_tool_use";
/// Members that identify Gemini's parts: in any message, and in model messages.
const OF_GEMINI: [&str; 3] = ["inlineData", "fileData", "functionResponse"];
const OF_GEMINIS_MODEL: [&str; 2] = ["executableCode", "codeExecutionResult"];

pub(super) fn home_provider(request: &ProviderRequest<'_>) -> Option<Provider> {
    match request.format.name() {
        "claude-code" | "droid" | "anthropic" => Some(Provider::Anthropic),
        "codex" | "openai-responses" => Some(Provider::OpenAiResponses),
        "openai-chat" | "kimi-code" => Some(Provider::OpenAiChat),
        "gemini-cli" | "qwen-code" | "antigravity" | "gemini" => Some(Provider::Gemini),
        _ => None,
    }
}

/// Only for formats no other provider knows.
pub(super) fn own_json(provider: Provider, content: &Content, is_model: bool) -> Option<String> {
    let json = block_json(content);
    let part = Value::trusted(&json, 0);
    let kind = part.text_of("type");
    let is_listed = |table: &[(Provider, &[&str])]| {
        table.iter().any(|(of, kinds)| *of == provider && kinds.contains(&&*kind))
    };
    let has_any = |members: &[&str]| members.iter().any(|member| part.get(member).is_some());
    let is_own = match provider {
        Provider::Anthropic if is_model && is_served_result(&kind) => true,
        Provider::OpenAiResponses if COMPACTIONS.contains(&&*kind) => {
            // An archived log may have lost the encrypted content.
            !matches!(&*part.text_of("encrypted_content"), "" | "REDACTED")
        }
        Provider::OpenAiResponses if is_model && SERVED_CALLS.contains(&&*kind) => true,
        Provider::Gemini => has_any(&OF_GEMINI) || (is_model && has_any(&OF_GEMINIS_MODEL)),
        _ => is_listed(if is_model { &OF_MODEL } else { &OF_USER }),
    };
    (is_own && part.kind() == JsonType::Object && is_json(&json)).then_some(json)
}

fn is_served_result(kind: &str) -> bool {
    kind.ends_with("_tool_result")
}

/// Anthropic's own tools each have a result type.
pub(super) fn served_result(call: &str, content: &Content, ok: bool) -> String {
    if let Some(own) = own_json(Provider::Anthropic, content, true) {
        return own;
    }
    let is_mcp = is_mcp_call(call);
    let kind = if is_mcp { "mcp_tool_result".to_owned() } else { result_kind(call) };
    let object = Object::with_type(&kind).text("tool_use_id", &Value::trusted(call, 0).text_of("id"));
    let object = if is_mcp { object.flag("is_error", !ok) } else { object };
    let json = block_json(content);
    object.json("content", &if is_json(&json) { json } else { quoted(&content.text) }).done()
}

/// Writes an evicted result of Anthropic's own tool as the error `unavailable`: such results cannot hold a
/// placeholder.
///
/// `result` is the log's own JSON, which has the result's type.
pub(super) fn served_result_gone(call: &str, result: &Content) -> String {
    let of_result = Value::trusted(&block_json(result), 0).text_of("type").into_owned();
    let kind = if is_served_result(&of_result) { of_result } else { result_kind(call) };
    let error = Object::with_type(&format!("{kind}_error")).text("error_code", "unavailable").done();
    let id = Value::trusted(call, 0).text_of("id");
    Object::with_type(&kind).text("tool_use_id", &id).json("content", &error).done()
}

fn result_kind(call: &str) -> String {
    format!("{}_tool_result", Value::trusted(call, 0).text_of("name"))
}

pub(super) fn is_mcp_call(call: &str) -> bool {
    Value::trusted(call, 0).text_of("type") == MCP_CALL
}

pub(super) fn is_compaction(part: &str) -> bool {
    COMPACTIONS.contains(&&*Value::trusted(part, 0).text_of("type"))
}

pub(super) fn is_item(part: Value<'_>) -> bool {
    let kind = part.text_of("type");
    SERVED_CALLS.contains(&&*kind) || COMPACTIONS.contains(&&*kind)
}

#[cfg(test)]
mod tests {
    use cwl_engine::RawPayload;

    use super::*;

    fn content(text: &str, raw: &str) -> Content {
        Content { text: text.to_owned(), raw: RawPayload::Whole(raw.to_owned()) }
    }

    fn check(provider: Provider, raw: &str, of_user: bool, of_model: bool) {
        let is_own = |is_model| own_json(provider, &content("", raw), is_model).is_some();
        assert_eq!((is_own(false), is_own(true)), (of_user, of_model), "{provider:?} {raw}");
    }

    #[test]
    fn each_provider_has_its_own() {
        let document = r#"{"type":"document","source":{}}"#;
        check(Provider::Anthropic, document, true, false);
        check(Provider::OpenAiChat, document, false, false);
        check(Provider::Anthropic, r#"{"type":"web_search_tool_result"}"#, false, true);
        check(Provider::Anthropic, r#"{"type":"tool_result"}"#, false, false);
        check(Provider::OpenAiChat, r#"{"type":"input_audio","input_audio":{}}"#, true, false);
        check(Provider::OpenAiResponses, r#"{"type":"web_search_call","action":{}}"#, false, true);
        check(Provider::OpenAiResponses, r#"{"type":"compaction","encrypted_content":"e"}"#, true, true);
        check(
            Provider::OpenAiResponses,
            r#"{"type":"compaction","encrypted_content":"REDACTED"}"#,
            false,
            false,
        );
        check(Provider::Gemini, r#"{"inlineData":{"mimeType":"audio/wav","data":"AA"}}"#, true, true);
        check(Provider::Gemini, r#"{"executableCode":{}}"#, false, true);
        check(Provider::Gemini, r#"{"text":"t"}"#, false, false);
        check(Provider::Pi, document, false, false);
        check(Provider::Anthropic, r#"{"type":"document""#, false, false);
        check(Provider::Anthropic, "", false, false);
    }

    #[test]
    fn results_of_served_tools_are_named_by_their_call() {
        let check = |call: &str, raw: &str, expected: &str| {
            assert_eq!(served_result(call, &content("t", raw), true), expected);
        };
        let search = r#"{"type":"server_tool_use","id":"c","name":"web_search"}"#;
        let own = r#"{"type":"web_search_tool_result","tool_use_id":"c","content":[]}"#;
        check(search, own, own);
        check(search, "[]", own);
        check(search, "", r#"{"type":"web_search_tool_result","tool_use_id":"c","content":"t"}"#);
        let mcp = r#"{"type":"mcp_tool_use","id":"c","name":"list"}"#;
        assert!(is_mcp_call(mcp) && !is_mcp_call(search));
        let gone = |raw: &str| served_result_gone(search, &content("t", raw));
        let error = r#"{"type":"web_search_tool_result","tool_use_id":"c","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}"#;
        assert_eq!(gone(own), error);
        assert_eq!(gone(""), error);
        let renamed = error.replace("web_search", "tool_search");
        assert_eq!(gone(r#"{"type":"tool_search_tool_result","content":{}}"#), renamed);
        check(mcp, "[]", r#"{"type":"mcp_tool_result","tool_use_id":"c","is_error":false,"content":[]}"#);
    }
}
