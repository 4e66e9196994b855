//! Reasoning: its readable text, and what proves to the provider that made it that it is its own.

use cwl_engine::{Content, Provider, SessionMessage};

use super::own::home;
use super::request::Request;
use super::source::{Frame, text};
use crate::json::{Kind, Value, is_json};
use crate::payload::block_json;

/// Stands in archived logs where something encrypted was.
const REDACTED: &str = "REDACTED";

/// The maker of reasoning, who alone takes it back as reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    /// Anthropic: signed, or redacted.
    Anthropic,
    /// OpenAI Responses: encrypted.
    OpenAi,
    /// A model behind the Chat Completions interface: plain text in a field of the message.
    Chat,
    /// Gemini: signed.
    Gemini,
}

impl Maker {
    /// Returns who made the replies of a log by its format, or by the provider before the model's name.
    pub(super) fn of_reply(
        request: &Request<'_>,
        row: &SessionMessage,
        first: Option<&Frame>,
    ) -> Option<Self> {
        if let Some(frame) = first {
            return frame.maker();
        }
        match home(request) {
            Some(Provider::Anthropic) => Some(Self::Anthropic),
            Some(Provider::OpenAiResponses) => Some(Self::OpenAi),
            Some(Provider::OpenAiChat) => Some(Self::Chat),
            Some(Provider::Gemini) => Some(Self::Gemini),
            Some(Provider::Pi) | None => match row.model.as_deref()?.split_once('/')?.0 {
                "anthropic" => Some(Self::Anthropic),
                "openai" => Some(Self::OpenAi),
                "google" | "gemini" => Some(Self::Gemini),
                _ => None,
            },
        }
    }

    /// Returns the names that pi has for the interface and for who runs it.
    pub(super) fn in_pi(self) -> [&'static str; 2] {
        match self {
            Self::Anthropic => ["anthropic-messages", "anthropic"],
            Self::OpenAi => ["openai-responses", "openai"],
            Self::Chat => ["openai-completions", "openai"],
            Self::Gemini => ["google-generative-ai", "google"],
        }
    }
}

/// Reasoning as it may be sent back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reasoning {
    /// Its readable text.
    pub(super) text: String,
    pub(super) maker: Option<Maker>,
    /// The signature, or the encrypted content; for Chat the name of its field. Empty where there is none.
    pub(super) signature: String,
    /// True where the text was withheld.
    pub(super) redacted: bool,
    /// The parts of an item of OpenAI's that are sent back as they are.
    pub(super) item: Item,
}

/// The members of a reasoning item of OpenAI's, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Item {
    pub(super) id: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) content: Option<String>,
}

impl Reasoning {
    /// Reads reasoning in any of its forms; a form that does not tell the maker is the reply's maker's.
    pub(super) fn of(content: &Content, maker: Option<Maker>, is_pi: bool) -> Self {
        let json = block_json(content);
        let part = Value::trusted(&json, 0);
        let [kind, signature, of_pi, redacted, data, encrypted, summary, thought, of_gemini, metadata] = part
            .fields([
                "type",
                "signature",
                "thinkingSignature",
                "redacted",
                "data",
                "encrypted_content",
                "summary",
                "thought",
                "thoughtSignature",
                "metadata",
            ]);
        let kind = text(kind);
        let plain = Self { text: content.text.clone(), maker, ..Self::default() };
        if is_pi || of_pi.is_some() {
            let redacted = redacted.is_some_and(|redacted| redacted.kind() == Kind::Bool(true));
            let signature = text(of_pi);
            let item = Value::trusted(&signature, 0);
            if maker == Some(Maker::OpenAi) || item.fields(["encrypted_content"])[0].is_some() {
                return Self { redacted, ..plain.of_openai(item) };
            }
            return Self { signature, redacted, ..plain };
        }
        if kind == "redacted_thinking" {
            return Self { maker: Some(Maker::Anthropic), signature: text(data), redacted: true, ..plain };
        }
        if kind == "reasoning" && (encrypted.is_some() || summary.is_some()) {
            return plain.of_openai(part);
        }
        if signature.is_some() {
            return Self { maker: Some(Maker::Anthropic), signature: text(signature), ..plain };
        }
        if thought.or(of_gemini).is_some() {
            return Self { maker: Some(Maker::Gemini), signature: text(of_gemini), ..plain };
        }
        for (_, told) in metadata.into_iter().flat_map(Value::members) {
            let [signed, redacted, encrypted, thought, id] = told.fields([
                "signature",
                "redactedData",
                "reasoningEncryptedContent",
                "thoughtSignature",
                "itemId",
            ]);
            if let Some(signature) = redacted.or(signed) {
                let redacted = redacted.is_some();
                return Self {
                    maker: Some(Maker::Anthropic),
                    signature: text(Some(signature)),
                    redacted,
                    ..plain
                };
            }
            if let Some(signature) = thought {
                return Self { maker: Some(Maker::Gemini), signature: text(Some(signature)), ..plain };
            }
            if let Some(encrypted) = encrypted {
                let id = id.filter(|id| id.kind() == Kind::Text).map(|id| id.raw().to_owned());
                let item = Item { id, ..Item::default() };
                return Self { maker: Some(Maker::OpenAi), signature: text(Some(encrypted)), item, ..plain };
            }
        }
        plain
    }

    /// Reads an item of OpenAI's; one that holds nothing encrypted cannot be sent back.
    fn of_openai(self, item: Value<'_>) -> Self {
        let [id, summary, content, encrypted] =
            item.fields(["id", "summary", "content", "encrypted_content"]);
        let signature = text(encrypted);
        let raw = |value: Option<Value<'_>>, kind| {
            value
                .filter(|value| value.kind() == kind && is_json(value.raw()))
                .map(|value| value.raw().to_owned())
        };
        let item = Item {
            id: raw(id, Kind::Text),
            summary: raw(summary, Kind::List),
            content: raw(content, Kind::List),
        };
        let signature = if signature == REDACTED { String::new() } else { signature };
        Self { maker: Some(Maker::OpenAi), signature, item, ..self }
    }

    /// Tells whether there is something to read.
    pub(super) fn is_readable(&self) -> bool {
        !self.redacted && !self.text.trim().is_empty()
    }

    /// Tells whether its maker would take it back.
    pub(super) fn is_provable(&self) -> bool {
        match self.maker {
            Some(Maker::Chat) => self.is_readable(),
            _ => !self.signature.trim().is_empty(),
        }
    }
}

/// Returns the signature that Gemini put on a call.
pub(super) fn call_signature(part: Value<'_>, maker: Option<Maker>, is_pi: bool) -> Option<String> {
    // pi keeps something else there for other providers.
    if is_pi && maker != Some(Maker::Gemini) {
        return None;
    }
    let [camel, snake, metadata] = part.fields(["thoughtSignature", "thought_signature", "metadata"]);
    let told = metadata.and_then(|metadata| metadata.fields(["google"])[0]);
    let told = told.and_then(|told| told.fields(["thoughtSignature"])[0]);
    Some(text(camel.or(snake).or(told))).filter(|signature| !signature.is_empty())
}

#[cfg(test)]
mod tests {
    use cwl_engine::RawPayload;

    use super::*;

    fn read(raw: &str, maker: Option<Maker>, is_pi: bool) -> Reasoning {
        let content = Content { text: "t".to_owned(), raw: RawPayload::Whole(raw.to_owned()) };
        Reasoning::of(&content, maker, is_pi)
    }

    fn check(raw: &str, maker: Maker, signature: &str) {
        let reasoning = read(raw, None, false);
        assert_eq!((reasoning.maker, &*reasoning.signature), (Some(maker), signature), "{raw}");
        assert_eq!(reasoning.is_provable(), !signature.is_empty(), "{raw}");
    }

    #[test]
    fn the_form_says_whose_it_is() {
        check(r#"{"type":"thinking","thinking":"t","signature":"s"}"#, Maker::Anthropic, "s");
        check(r#"{"type":"redacted_thinking","data":"d"}"#, Maker::Anthropic, "d");
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":"e"}"#, Maker::OpenAi, "e");
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":null}"#, Maker::OpenAi, "");
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":"REDACTED"}"#, Maker::OpenAi, "");
        check(r#"{"text":"t","thought":true,"thoughtSignature":"g"}"#, Maker::Gemini, "g");
        check(r#"{"text":"t","thought":true}"#, Maker::Gemini, "");
        check(
            r#"{"type":"reasoning","text":"t","metadata":{"anthropic":{"signature":"s"}}}"#,
            Maker::Anthropic,
            "s",
        );
        check(
            r#"{"type":"reasoning","text":"t","metadata":{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"e"}}}"#,
            Maker::OpenAi,
            "e",
        );
    }

    #[test]
    fn else_it_is_the_replys_makers() {
        assert_eq!(read(r#"{"thinking":"t"}"#, None, false).maker, None);
        assert_eq!(read("\"t\"", Some(Maker::Chat), false).maker, Some(Maker::Chat));
        let signed = r#"{"type":"thinking","thinking":"t","thinkingSignature":"s"}"#;
        assert_eq!(read(signed, Some(Maker::Anthropic), true).signature, "s");
        let item = r#"{"thinking":"t","thinkingSignature":"{\"id\":\"rs_1\",\"encrypted_content\":\"e\",\"summary\":[]}"}"#;
        let read = read(item, Some(Maker::OpenAi), true);
        assert_eq!((&*read.signature, read.item.summary.as_deref()), ("e", Some("[]")));
    }

    #[test]
    fn signatures_of_calls_are_geminis_only() {
        let check = |raw: &str, maker, is_pi, expected| {
            let found = call_signature(Value::trusted(raw, 0), maker, is_pi);
            assert_eq!(found.as_deref(), expected, "{raw}");
        };
        let of_pi = r#"{"type":"toolCall","thoughtSignature":"s"}"#;
        check(of_pi, Some(Maker::Gemini), true, Some("s"));
        check(of_pi, Some(Maker::Chat), true, None);
        check(r#"{"functionCall":{},"thoughtSignature":"s"}"#, None, false, Some("s"));
        check(r#"{"metadata":{"google":{"thoughtSignature":"s"}}}"#, None, false, Some("s"));
        check("{}", None, false, None);
    }
}
