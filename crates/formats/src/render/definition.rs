use cwl_engine::{Content, Provider};

use super::source::text_or_empty;
use crate::json::{Fields, JsonType, Object, Value, is_json};
use crate::payload::block_json;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    raw: String,
    form: Provider,
    name: String,
    description: String,
    /// JSON schema of the input; `None` for tools run by a provider.
    schema: Option<String>,
}

impl Definition {
    /// Empty unless the block holds definitions.
    pub(super) fn parse_all(content: &Content) -> Vec<Self> {
        let json = block_json(content);
        if !is_json(&json) {
            return Vec::new();
        }
        let value = Value::trusted(&json, 0);
        match value.kind() {
            JsonType::Object => Self::of_object(value),
            JsonType::List => {
                let read: Vec<Vec<Self>> = value.items().map(Self::of_object).collect();
                // A prompt's parts are a list too.
                if read.iter().any(Vec::is_empty) { Vec::new() } else { read.into_iter().flatten().collect() }
            }
            _ => Vec::new(),
        }
    }

    fn of_object(tool: Value<'_>) -> Vec<Self> {
        let fields = Fields::parse(tool);
        let has = |names: &[&str]| fields.first_of(names).is_some();
        if let Some(declarations) = fields.first_of(&["functionDeclarations", "function_declarations"]) {
            let read = |tool| Self::parse_definition(tool, tool, Provider::Gemini);
            return declarations.items().filter_map(read).collect();
        }
        let is_function = fields.text_of("type") == "function";
        let read = if let Some(function) = fields.get("function").filter(|_| is_function) {
            Self::parse_definition(tool, function, Provider::OpenAiChat)
        } else if is_function {
            Self::parse_definition(tool, tool, Provider::OpenAiResponses)
        } else if is_openai_tool(&fields) {
            Some(Self::parse_openai_tool(tool))
        } else if has(&["input_schema"]) || (has(&["type"]) && has(&["name"])) {
            Self::parse_definition(tool, tool, Provider::Anthropic)
        } else if has(&["parameters", "parametersJsonSchema"]) {
            Self::parse_definition(tool, tool, Provider::Gemini)
        } else {
            None
        };
        read.into_iter().collect()
    }

    fn parse_definition(whole: Value<'_>, tool: Value<'_>, form: Provider) -> Option<Self> {
        let (name, description) = (text_or_empty(tool.get("name")), text_or_empty(tool.get("description")));
        let schema = tool.first_of(["input_schema", "parametersJsonSchema", "parameters"]);
        let schema = schema.and_then(Value::object).map(|schema| schema.raw().to_owned());
        let raw = whole.raw().to_owned();
        (!name.is_empty()).then_some(Self { raw, form, name, description, schema })
    }

    fn parse_openai_tool(tool: Value<'_>) -> Self {
        let (raw, name) = (tool.raw().to_owned(), text_or_empty(tool.first_of(["name", "type"])));
        Self { raw, form: Provider::OpenAiResponses, name, description: String::new(), schema: None }
    }

    pub(super) fn for_provider(&self, provider: Provider) -> Option<String> {
        if self.form == provider {
            return Some(self.raw.clone());
        }
        let schema = self.schema.as_deref()?;
        let described = |object: Object| {
            let object = object.text("name", &self.name);
            if self.description.is_empty() { object } else { object.text("description", &self.description) }
        };
        Some(match provider {
            Provider::Anthropic => described(Object::new()).json("input_schema", schema).done(),
            Provider::OpenAiResponses => {
                described(Object::with_type("function")).json("parameters", schema).done()
            }
            Provider::OpenAiChat => {
                let function = described(Object::new()).json("parameters", schema).done();
                Object::with_type("function").json("function", &function).done()
            }
            Provider::Gemini => described(Object::new()).json("parametersJsonSchema", schema).done(),
            Provider::Pi => described(Object::new()).json("parameters", schema).done(),
        })
    }
}

fn is_openai_tool(fields: &Fields<'_>) -> bool {
    match &*fields.text_of("type") {
        "namespace" | "local_shell" | "web_search" | "web_search_preview" | "file_search"
        | "code_interpreter" | "image_generation" | "mcp" => true,
        "custom" => fields.get("input_schema").is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use cwl_engine::RawPayload;

    use super::*;

    fn check(raw: &str, provider: Provider, expected: &[&str]) {
        let content = Content { text: String::new(), raw: RawPayload::Whole(raw.to_owned()) };
        let written: Vec<String> =
            Definition::parse_all(&content).iter().filter_map(|tool| tool.for_provider(provider)).collect();
        assert_eq!(written, expected, "{raw}");
    }

    const SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

    #[test]
    fn every_form_becomes_every_other() {
        let anthropic = format!(r#"{{"name":"n","description":"d","input_schema":{SCHEMA}}}"#);
        let chat = format!(
            r#"{{"type":"function","function":{{"name":"n","description":"d","parameters":{SCHEMA}}}}}"#
        );
        let responses =
            format!(r#"{{"type":"function","name":"n","description":"d","parameters":{SCHEMA}}}"#);
        let gemini = format!(r#"{{"name":"n","description":"d","parametersJsonSchema":{SCHEMA}}}"#);
        let pi = format!(r#"{{"name":"n","description":"d","parameters":{SCHEMA}}}"#);
        let in_gemini = format!(r#"{{"functionDeclarations":[{gemini}]}}"#);
        for raw in [&anthropic, &chat, &responses, &gemini, &in_gemini] {
            check(raw, Provider::Anthropic, &[&anthropic]);
            check(raw, Provider::OpenAiChat, &[&chat]);
            check(raw, Provider::OpenAiResponses, &[&responses]);
            check(raw, Provider::Gemini, &[&gemini]);
            check(raw, Provider::Pi, &[&pi]);
        }
        check(&pi, Provider::Gemini, &[&pi]);
        let list = format!("[{anthropic},{chat}]");
        check(&list, Provider::Gemini, &[&gemini, &gemini]);
    }

    #[test]
    fn the_own_form_stays_as_it_is() {
        let raw =
            format!(r#"{{"name":"n", "input_schema":{SCHEMA}, "cache_control":{{"type":"ephemeral"}}}}"#);
        check(&raw, Provider::Anthropic, &[&raw]);
        let search = r#"{"type":"web_search_20250305","name":"web_search"}"#;
        check(search, Provider::Anthropic, &[search]);
        check(search, Provider::Gemini, &[]);
        for openai in [
            r#"{"type":"web_search","external_web_access":true}"#,
            r#"{"type":"namespace","name":"mcp__cwl","tools":[{"type":"function","name":"delimiter","parameters":{}}]}"#,
            r#"{"type":"custom","name":"apply_patch","format":{"type":"grammar"}}"#,
        ] {
            check(openai, Provider::OpenAiResponses, &[openai]);
            check(openai, Provider::Anthropic, &[]);
        }
        let custom = format!(r#"{{"type":"custom","name":"n","input_schema":{SCHEMA}}}"#);
        check(&custom, Provider::Anthropic, &[&custom]);
    }

    #[test]
    fn prompts_are_no_definitions() {
        for raw in [
            "",
            "\"text\"",
            r#"{"type":"text","text":"t"}"#,
            r#"[{"type":"text","text":"t"}]"#,
            "7",
            "{\"name\":",
        ] {
            check(raw, Provider::Anthropic, &[]);
        }
    }
}
