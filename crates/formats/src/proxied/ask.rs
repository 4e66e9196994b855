//! A passing request: the API in its path, and the model and session in its body.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::format::Format;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskNames {
    pub model: Option<String>,
    /// The harness's own session id, if the body has one.
    pub session: Option<String>,
    pub n_tools: usize,
}

/// Returns the format of the body if a request to `path` asks a model; `None` for other paths.
pub fn asked_format(path: &str) -> Option<Format> {
    if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
        return Some(Format::Gemini);
    }
    match path.trim_end_matches('/') {
        path if path.ends_with("/chat/completions") => Some(Format::OpenaiChat),
        path if path.ends_with("/messages") => Some(Format::Anthropic),
        path if path.ends_with("/responses") => Some(Format::OpenaiResponses),
        _ => None,
    }
}

#[derive(Deserialize)]
struct AskBody {
    model: Option<String>,
    prompt_cache_key: Option<String>,
    metadata: Option<AskMetadata>,
    #[serde(default)]
    tools: Vec<AskTool>,
}

/// A tool; Gemini groups several as `functionDeclarations`.
#[derive(Deserialize)]
struct AskTool {
    #[serde(rename = "functionDeclarations")]
    declared: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct AskMetadata {
    user_id: Option<String>,
}

/// Reads the names in a request to `path`; `None` if the body is no JSON object.
pub fn read_ask_names(path: &str, body: &[u8]) -> Option<AskNames> {
    let AskBody { model, prompt_cache_key, metadata, tools } = serde_json::from_slice(body).ok()?;
    let user = metadata.and_then(|metadata| metadata.user_id);
    let session = user.as_deref().and_then(session_of_user).or(prompt_cache_key);
    let n_tools = tools.into_iter().map(|tool| tool.declared.map_or(1, |declared| declared.len())).sum();
    Some(AskNames { model: model.or_else(|| model_in_path(path)), session, n_tools })
}

/// Reads the session from Claude Code's `user` text: a JSON object, in older versions three names in a row.
fn session_of_user(user: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct ClaudeUser {
        session_id: String,
    }
    match serde_json::from_str::<ClaudeUser>(user) {
        Ok(user) => Some(user.session_id),
        Err(_) => user.split_once("_session_").map(|(_, session)| session.to_owned()),
    }
}

/// Reads the model from a path of Gemini: `…/models/NAME:generateContent`.
fn model_in_path(path: &str) -> Option<String> {
    let (_, rest) = path.rsplit_once("/models/")?;
    Some(rest.split_once(':')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_ask_a_model_have_a_form() {
        let check = |path: &str, expected: Option<Format>| assert_eq!(asked_format(path), expected, "{path}");
        check("/v1/messages", Some(Format::Anthropic));
        check("/api/v1/messages/", Some(Format::Anthropic));
        check("/v1/responses", Some(Format::OpenaiResponses));
        check("/backend-api/codex/responses", Some(Format::OpenaiResponses));
        check("/v1/chat/completions", Some(Format::OpenaiChat));
        check("/chat/completions", Some(Format::OpenaiChat));
        check("/v1beta/models/gemini-2.5-pro:generateContent", Some(Format::Gemini));
        check("/v1beta/models/gemini-2.5-pro:streamGenerateContent", Some(Format::Gemini));
        for path in [
            "/",
            "/v1/models",
            "/v1/messages/count_tokens",
            "/v1/messages/batches",
            "/v1/responses/compact",
            "/v1/completions",
            "/v1beta/models/gemini-2.5-pro:countTokens",
        ] {
            check(path, None);
        }
    }

    #[test]
    fn tools_are_counted_one_by_one() {
        let check = |tools: &str, n_tools: usize| {
            let body = format!(r#"{{"model":"m","tools":{tools}}}"#);
            assert_eq!(
                read_ask_names("/v1/messages", body.as_bytes()).map(|names| names.n_tools),
                Some(n_tools),
                "{tools}"
            );
        };
        check("[]", 0);
        check(r#"[{"name":"read"},{"type":"web_search"}]"#, 2);
        check(r#"[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}]"#, 3);
    }

    #[test]
    fn a_request_names_its_model_and_session() {
        let check = |path: &str, body: &str, expected: Option<[&str; 2]>| {
            let read = read_ask_names(path, body.as_bytes())
                .map(|names| [names.model.unwrap_or_default(), names.session.unwrap_or_default()]);
            assert_eq!(read, expected.map(|names| names.map(str::to_owned)), "{body}");
        };
        let claude = r#"{"messages":[],"model":"m","metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\"s1\"}"}}"#;
        check("/v1/messages", claude, Some(["m", "s1"]));
        let older = r#"{"model":"m","metadata":{"user_id":"user_ab_account__session_s2"}}"#;
        check("/v1/messages", older, Some(["m", "s2"]));
        check("/v1/messages", r#"{"model":"m","metadata":{"user_id":"someone"}}"#, Some(["m", ""]));
        check("/v1/responses", r#"{"model":"m","input":[],"prompt_cache_key":"s3"}"#, Some(["m", "s3"]));
        check("/v1beta/models/g-3:generateContent", r#"{"contents":[]}"#, Some(["g-3", ""]));
        check("/v1/messages", "[]", None);
        check("/v1/messages", "", None);
        check("/v1/messages", "{\"model\":", None);
    }
}
