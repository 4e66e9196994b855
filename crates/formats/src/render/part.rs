use cwl_engine::{Content, Provider, ToolCall};

use super::image::Image;
use super::reasoning::{SendableReasoning, call_signature};
use super::source::text_or_empty;
use crate::json::{JsonType, Object, Value, is_json, js_json, owned, quoted};
use crate::payload::block_json;

const MAX_DEPTH: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SentPart {
    Text(String),
    Image(Image),
    Reasoning(SendableReasoning),
    Call(RenderedCall),
    Answer(RenderedAnswer),
    Own(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RenderedCall {
    /// Empty if none is sent.
    pub(super) id: String,
    /// False if the log has no id and this one is invented.
    pub(super) has_id: bool,
    pub(super) name: String,
    pub(super) input: Input,
    pub(super) signature: Option<String>,
    /// The call in the form of OpenAI Responses, if the log has this format.
    pub(super) own: Option<OwnCall>,
}

/// A call of OpenAI Responses, with separate namespace and the original spelling of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnCall {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) arguments: String,
}

impl OwnCall {
    /// Reads a call from the log's JSON; `None` for anything else, or if its arguments differ from the
    /// counted ones.
    fn parse(part: Value<'_>, input: &Input) -> Option<Self> {
        let [kind, name, namespace, arguments] = part.fields(["type", "name", "namespace", "arguments"]);
        let (name, arguments) = (owned(name)?, owned(arguments)?);
        let is_counted =
            matches!(input, Input::Object(json) if is_json(&arguments) && js_json(&arguments) == *json);
        let namespace = owned(namespace).filter(|namespace| !namespace.is_empty());
        (text_or_empty(kind) == "function_call" && is_counted).then_some(Self { name, namespace, arguments })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    Object(String),
    Broken(String),
    /// For OpenAI's custom tools.
    Free(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RenderedAnswer {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) ok: bool,
    pub(super) free: bool,
    pub(super) parts: Vec<SentPart>,
}

impl SentPart {
    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

impl RenderedAnswer {
    pub(super) fn non_empty_texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(SentPart::as_text)
    }

    pub(super) fn joined_text(&self) -> String {
        self.non_empty_texts().collect()
    }
}

impl RenderedCall {
    /// Takes name and input from the counted text, the rest from the log's JSON.
    pub(super) fn parse(call: &ToolCall, content: &Content, maker: Option<Provider>, is_pi: bool) -> Self {
        let json = block_json(content);
        let part = Value::trusted(&json, 0);
        let own_name = part.text_of("name");
        // A call may have been renamed.
        let own = Some(&*own_name).filter(|name| !name.is_empty());
        let mut names = std::iter::once(&*call.name).chain(own);
        let found = names.find_map(|name| Some((name, content.text.strip_prefix(name)?)));
        let (name, input) = found.unwrap_or((&*call.name, &content.text));
        let is_free = matches!(&*part.text_of("type"), "custom_tool_call" | "custom");
        let input = if is_free { Input::Free(input.to_owned()) } else { Input::parse(input) };
        let signature = call_signature(part, maker, is_pi);
        let has_id = json.is_empty() || json.contains(&quoted(call.id.as_str()));
        let own = OwnCall::parse(part, &input);
        Self { id: call.id.as_str().to_owned(), has_id, name: name.to_owned(), input, signature, own }
    }
}

impl Input {
    pub(super) fn as_object(&self) -> String {
        match self {
            Self::Object(json) => json.clone(),
            Self::Broken(text) | Self::Free(text) => Object::new().text("input", text).done(),
        }
    }

    fn parse(input: &str) -> Self {
        match input.trim() {
            "" | "null" => Self::Object("{}".to_owned()),
            object if object.starts_with('{') && is_json(object) => {
                Self::Object(without_lone_surrogates(js_json(object)))
            }
            _ => Self::Broken(input.to_owned()),
        }
    }
}

/// Replaces lone surrogates by U+FFFD, because no provider accepts JSON with them.
///
/// [`js_json`] writes surrogate pairs as characters, so every remaining escape is a lone surrogate.
fn without_lone_surrogates(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let is_lone = rest.get(at..at + 3) == Some("\\ud");
        // An escape has two or six characters.
        let end = (at + if is_lone { 6 } else { 2 }).min(rest.len());
        let end = rest.floor_char_boundary(end);
        out.push_str(&rest[..at]);
        out.push_str(if is_lone { "\\ufffd" } else { &rest[at..end] });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Reads a result's texts and up to `n_images` images in log order.
///
/// If the texts in the log's JSON differ from the counted text, the counted text is returned as one part.
pub(super) fn parts_of_result(content: &Content, n_images: u32) -> Vec<SentPart> {
    let json = block_json(content);
    let mut parts = Vec::new();
    gather_parts(Value::trusted(&json, 0), MAX_DEPTH, &mut parts);
    let mut n_left = n_images;
    parts.retain(|part| match part {
        SentPart::Text(text) => !text.is_empty(),
        _ => {
            let is_counted = n_left > 0;
            n_left = n_left.saturating_sub(1);
            is_counted
        }
    });
    if parts.iter().filter_map(SentPart::as_text).collect::<String>() != content.text {
        parts.retain(|part| matches!(part, SentPart::Image(_)));
        if !content.text.is_empty() {
            parts.insert(0, SentPart::Text(content.text.clone()));
        }
    }
    parts
}

fn gather_parts(value: Value<'_>, depth: usize, parts: &mut Vec<SentPart>) {
    match value.kind() {
        JsonType::Text => parts.push(SentPart::Text(text_or_empty(Some(value)))),
        _ if depth == 0 => {}
        JsonType::List => value.items().for_each(|item| gather_parts(item, depth - 1, parts)),
        JsonType::Object => {
            let [kind, own] = value.fields(["type", "text"]);
            let is_text = matches!(&*text_or_empty(kind), "" | "text" | "input_text" | "output_text");
            if let Some(own) = own.filter(|own| is_text && own.kind() == JsonType::Text) {
                parts.push(SentPart::Text(text_or_empty(Some(own))));
            } else if let Some(image) = Image::parse(value) {
                parts.push(SentPart::Image(image));
            } else {
                let inner = value.fields([
                    "state",
                    "functionResponse",
                    "response",
                    "content",
                    "output",
                    "error",
                    "result",
                    "attachments",
                    "parts",
                ]);
                inner.into_iter().flatten().for_each(|inner| gather_parts(inner, depth - 1, parts));
            }
        }
        JsonType::Null | JsonType::Bool(_) | JsonType::Number => {}
    }
}

#[cfg(test)]
mod tests {
    use cwl_engine::RawPayload;

    use super::*;

    fn content(text: &str, raw: &str) -> Content {
        Content { text: text.to_owned(), raw: RawPayload::Whole(raw.to_owned()) }
    }

    fn check_call(name: &str, text: &str, raw: &str, sent_as: &str, input: Input) {
        let call = ToolCall { id: "c".into(), name: name.into(), program: None, mark: None };
        let call = RenderedCall::parse(&call, &content(text, raw), None, false);
        assert_eq!((&*call.name, call.input), (sent_as, input), "{text} {raw}");
    }

    #[test]
    fn calls_are_what_was_counted() {
        let object = |json: &str| Input::Object(json.to_owned());
        check_call("read", r#"read{"path":"x"}"#, "", "read", object(r#"{"path":"x"}"#));
        check_call("read", "read", "", "read", object("{}"));
        check_call("read", "readnull", "", "read", object("{}"));
        check_call("read", "read[1]", "", "read", Input::Broken("[1]".into()));
        check_call("read", r#"read{"path":"#, "", "read", Input::Broken(r#"{"path":"#.into()));
        check_call(
            "apply_patch",
            "apply_patch{not json}",
            r#"{"type":"custom_tool_call","name":"apply_patch"}"#,
            "apply_patch",
            Input::Free("{not json}".into()),
        );
        // A shell command counted as a tool is sent under its original name.
        let shell = r#"{"command":["apply_patch","x"]}"#;
        check_call("apply_patch", &format!("shell{shell}"), r#"{"name":"shell"}"#, "shell", object(shell));
        check_call("a", "b{}", "", "a", Input::Broken("b{}".into()));
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        let check = |json: &str, expected: &str| {
            assert_eq!(without_lone_surrogates(json.to_owned()), expected);
        };
        check(r#"{"a":"\ud800x"}"#, r#"{"a":"\ufffdx"}"#);
        check(r#"{"a":"\\ud800\n\"\udfff"}"#, r#"{"a":"\\ud800\n\"\ufffd"}"#);
        check(r#"{"a":"é\u0001"}"#, r#"{"a":"é\u0001"}"#);
        check("\\ud", "\\ufffd");
    }

    fn check_result(text: &str, n_images: u32, raw: &str, expected: &str) {
        let parts = parts_of_result(&content(text, raw), n_images);
        let shown: Vec<String> = parts
            .iter()
            .map(|part| match part {
                SentPart::Text(text) => text.clone(),
                SentPart::Image(image) => format!("<{}>", image.as_address()),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(shown.join("|"), expected, "{raw}");
    }

    #[test]
    fn results_keep_the_order_of_their_parts() {
        let image = r#"{"type":"image","data":"AA","mimeType":"image/png"}"#;
        let two = format!(r#"[{{"type":"text","text":"a"}},{image},{{"type":"text","text":"b"}}]"#);
        check_result("ab", 1, &two, "a|<data:image/png;base64,AA>|b");
        check_result("ab", 0, &two, "a|b");
        check_result("a", 0, "\"a\"", "a");
        let anthropic = r#"{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a"}]}"#;
        check_result("a", 0, anthropic, "a");
        check_result("a", 0, r#"{"type":"function_call_output","call_id":"c","output":"a"}"#, "a");
        let gemini = r#"[{"functionResponse":{"id":"c","name":"n","response":{"output":"a"}}}]"#;
        check_result("a", 0, gemini, "a");
        let opencode = r#"{"tool":"read","state":{"status":"completed","input":{},"output":"a","attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,AA"}]}}"#;
        check_result("a", 1, opencode, "a|<data:image/png;base64,AA>");
    }

    #[test]
    fn results_are_what_was_counted() {
        check_result("a", 0, r#"{"output":"{\"output\":\"a\",\"metadata\":{}}"}"#, "a");
        check_result("[cleared]", 0, "", "[cleared]");
        check_result("", 0, "[]", "");
        let deep = format!("{}\"x\"{}", "[".repeat(50_000), "]".repeat(50_000));
        check_result("x", 0, &deep, "x");
    }
}
