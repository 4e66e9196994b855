//! The messages of a request, as its record may repeat them: what the model got in full.

use std::collections::BTreeMap;

use crate::json::{JsonType, Value, is_json, js_json, owned};

/// Texts, calls and outputs of one request; empty if the log has none.
#[derive(Default)]
pub(super) struct SentMessages {
    /// True if the record has its messages to the end.
    pub(super) is_complete: bool,
    texts: Vec<String>,
    /// JSON.
    calls: BTreeMap<String, String>,
    outputs: BTreeMap<String, SentOutput>,
}

#[derive(Clone, Default)]
pub(super) struct SentOutput {
    pub(super) text: String,
    pub(super) images: u32,
}

impl SentMessages {
    pub(super) fn read(messages: Option<Value<'_>>) -> Self {
        let mut sent = Self::default();
        let Some(json) = owned(messages).filter(|json| is_json(json)) else { return sent };
        let messages = Value::trusted(&json, 0);
        sent.is_complete = messages.kind() == JsonType::List;
        for message in messages.items() {
            for part in message.get("parts").into_iter().flat_map(Value::items) {
                sent.add(part);
            }
        }
        sent
    }

    fn add(&mut self, part: Value<'_>) {
        let [kind, id, content, arguments, response] =
            part.fields(["type", "id", "content", "arguments", "response"]);
        let id = owned(id).unwrap_or_default();
        match kind.and_then(Value::string).as_deref() {
            Some("text") => self.texts.extend(owned(content)),
            Some("tool_call") => {
                let arguments = arguments.map(|arguments| match owned(Some(arguments)) {
                    Some(text) => text,
                    None => arguments.raw().to_owned(),
                });
                self.calls.insert(id, arguments.unwrap_or_default());
            }
            Some("tool_call_response") => {
                self.outputs.insert(id, output_of(response.or(content)));
            }
            _ => {}
        }
    }

    pub(super) fn whole_text(&self, cut: &str) -> Option<&str> {
        let texts = self.texts.iter().rev().filter(|_| !cut.is_empty());
        texts.map(String::as_str).find(|text| text.starts_with(cut))
    }

    pub(super) fn has_text(&self, text: &str) -> bool {
        let text = text.trim();
        !text.is_empty() && self.texts.iter().any(|sent| sent.contains(text))
    }

    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id) || self.outputs.contains_key(id)
    }

    pub(super) fn arguments(&self, id: &str) -> Option<&str> {
        self.calls.get(id).map(String::as_str)
    }

    pub(super) fn output(&self, id: &str) -> Option<&SentOutput> {
        self.outputs.get(id)
    }
}

/// An output is a text, or a list of texts and attachments.
fn output_of(response: Option<Value<'_>>) -> SentOutput {
    let mut output = SentOutput::default();
    let Some(response) = response else { return output };
    if response.kind() != JsonType::List {
        output.text = owned(Some(response)).unwrap_or_else(|| js_json(response.raw()));
        return output;
    }
    for part in response.items() {
        let [kind, text, content, modality] = part.fields(["type", "text", "content", "modality"]);
        match kind.and_then(Value::string).as_deref() {
            Some("text" | "input_text" | "output_text") => {
                output.text.push_str(&owned(text.or(content)).unwrap_or_default());
            }
            _ if modality.and_then(Value::string).as_deref() == Some("image") => output.images += 1,
            _ => output.text.push_str(&js_json(part.raw())),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::quoted;

    fn sent(messages: &str) -> SentMessages {
        let json = quoted(messages);
        SentMessages::read(Some(Value::trusted(&json, 0)))
    }

    #[test]
    fn outputs_in_their_forms() {
        let check = |response: &str, text: &str, images: u32| {
            let part = format!(r#"{{"type":"tool_call_response","id":"c1",{response}}}"#);
            let sent = sent(&format!(r#"[{{"role":"tool","parts":[{part}]}}]"#));
            let output = sent.output("c1").map(|output| (output.text.as_str(), output.images));
            assert_eq!(output, Some((text, images)), "{response}");
        };
        check(r#""response":"a""#, "a", 0);
        check(r#""content":"a""#, "a", 0);
        check(r#""response":[{"type":"text","text":"a"},{"type":"input_text","text":"b"}]"#, "ab", 0);
        check(r#""response":[{"type":"blob","modality":"image"}]"#, "", 1);
        check(r#""response":[{"x":1}]"#, r#"{"x":1}"#, 0);
        check(r#""response":{"x":1}"#, r#"{"x":1}"#, 0);
        check(r#""response":null"#, "null", 0);
        check(r#""other":1"#, "", 0);
    }

    #[test]
    fn messages_that_were_cut_tell_nothing() {
        let whole = r#"[{"role":"user","parts":[{"type":"text","content":"Why is it slow?"}]}]"#;
        assert!(sent(whole).is_complete && sent(whole).has_text("slow"));
        assert_eq!(sent(whole).whole_text("Why"), Some("Why is it slow?"));
        assert_eq!(sent(whole).whole_text("slow"), None);
        for cut in [&whole[..40], "7", "", "...[truncated, original 90000 chars]"] {
            assert!(!sent(cut).is_complete && !sent(cut).has_text("slow"), "{cut}");
        }
        assert!(!SentMessages::read(None).is_complete);
    }
}
