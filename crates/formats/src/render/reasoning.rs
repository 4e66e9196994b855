//! Reasoning: its readable text, and the signature by which its provider accepts it back.

use cwl_engine::{Content, Provider, SessionMessage};

use super::own::home_provider;
use super::request::ProviderRequest;
use super::source::{MessageFrame, text_or_empty};
use crate::Format;
use crate::content::openai_chat::REASONING_FIELDS;
use crate::json::{Fields, JsonType, Value, is_json};
use crate::payload::block_json;

/// Replaces encrypted content in archived logs.
const REDACTED: &str = "REDACTED";

/// Returns the provider that made a reply, the only one to accept its reasoning back.
///
/// Looks at the reply's frame, the log's format, and the prefix of the model's name.
pub(super) fn maker_of(
    request: &ProviderRequest<'_>,
    row: &SessionMessage,
    frame: Option<&MessageFrame>,
) -> Option<Provider> {
    if let Some(frame) = frame {
        return frame.maker_by_api();
    }
    home_provider(request).or_else(|| match row.model.as_deref()?.split_once('/')?.0 {
        "anthropic" => Some(Provider::Anthropic),
        "openai" => Some(Provider::OpenAiResponses),
        "google" | "gemini" => Some(Provider::Gemini),
        _ => None,
    })
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SendableReasoning {
    pub(super) text: String,
    pub(super) maker: Option<Provider>,
    /// Signature or encrypted content; for Chat the name of the field. May be empty.
    pub(super) signature: String,
    pub(super) redacted: bool,
    /// Members of OpenAI's item sent back unchanged.
    pub(super) item: ReasoningItem,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ReasoningItem {
    pub(super) id: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) content: Option<String>,
}

impl SendableReasoning {
    /// Reads reasoning in any format; if the format fits several providers, `maker` is assumed.
    pub(super) fn parse(content: &Content, maker: Option<Provider>, is_pi: bool) -> Self {
        let json = block_json(content);
        let part = Fields::parse(Value::trusted(&json, 0));
        let has = |name: &str| part.get(name).is_some();
        let plain = Self { text: content.text.clone(), maker, ..Self::default() };
        if is_pi || has("thinkingSignature") {
            let redacted = part.get("redacted").is_some_and(Value::is_true);
            let signature = text_or_empty(part.get("thinkingSignature"));
            let item = Value::trusted(&signature, 0);
            if maker == Some(Provider::OpenAiResponses) || item.get("encrypted_content").is_some() {
                return Self { redacted, ..plain.of_openai(item) };
            }
            return Self { signature, redacted, ..plain };
        }
        match &*part.text_of("type") {
            "redacted_thinking" => plain.with_signature(Provider::Anthropic, part.get("data"), true),
            "reasoning" if has("encrypted_content") || has("summary") => plain.of_openai(part.value),
            // Droid keeps OpenAI's item as the signature.
            _ if part.text_of("signatureProvider") == "openai" => {
                plain.of_openai(Value::trusted(&text_or_empty(part.get("signature")), 0))
            }
            _ if has("signature") => plain.with_signature(Provider::Anthropic, part.get("signature"), false),
            _ if has("thought") || has("thoughtSignature") => {
                plain.with_signature(Provider::Gemini, part.get("thoughtSignature"), false)
            }
            _ => {
                let told = part.get("metadata").into_iter().flat_map(Value::members);
                let mut told = told.filter_map(|(_, told)| plain.clone().of_opencode(&Fields::parse(told)));
                told.next().unwrap_or(plain)
            }
        }
    }

    fn with_signature(self, maker: Provider, signature: Option<Value<'_>>, redacted: bool) -> Self {
        Self { maker: Some(maker), signature: text_or_empty(signature), redacted, ..self }
    }

    /// Reads one provider's metadata as stored by OpenCode; `None` without a signature.
    fn of_opencode(self, told: &Fields<'_>) -> Option<Self> {
        if let Some(signature) = told.first_of(&["redactedData", "signature"]) {
            let redacted = told.get("redactedData").is_some();
            return Some(self.with_signature(Provider::Anthropic, Some(signature), redacted));
        }
        if let Some(signature) = told.get("thoughtSignature") {
            return Some(self.with_signature(Provider::Gemini, Some(signature), false));
        }
        let encrypted = told.get("reasoningEncryptedContent")?;
        let id = told.get("itemId").filter(|id| id.kind() == JsonType::Text).map(|id| id.raw().to_owned());
        let signed = self.with_signature(Provider::OpenAiResponses, Some(encrypted), false);
        Some(Self { item: ReasoningItem { id, ..ReasoningItem::default() }, ..signed })
    }

    /// Reads an OpenAI item; without encrypted content it cannot be sent back.
    fn of_openai(self, item: Value<'_>) -> Self {
        let item = Fields::parse(item);
        let signature = text_or_empty(item.get("encrypted_content"));
        let raw = |name: &str, kind| {
            let value = item.get(name).filter(|value| value.kind() == kind && is_json(value.raw()));
            value.map(|value| value.raw().to_owned())
        };
        let (id, summary) = (raw("id", JsonType::Text), raw("summary", JsonType::List));
        let item = ReasoningItem { id, summary, content: raw("content", JsonType::List) };
        let signature = if signature == REDACTED { String::new() } else { signature };
        Self { maker: Some(Provider::OpenAiResponses), signature, item, ..self }
    }

    /// Applies the rules of harnesses that send reasoning to the `provider` in use, also if another one made it.
    pub(super) fn sent_by(self, format: Format, content: &Content, provider: Provider) -> Self {
        match (format, provider) {
            // Qwen Code stores all messages in Gemini's format, but also sends them to this provider.
            (Format::QwenCode, Provider::OpenAiChat) => self.of_chat(),
            // Copilot uses this format for all other providers.
            (Format::Copilot, Provider::OpenAiChat) if self.maker.is_none() => self.of_chat(),
            (Format::KimiCode, Provider::Anthropic | Provider::OpenAiResponses) => {
                let json = block_json(content);
                match Value::trusted(&json, 0).get("encrypted") {
                    Some(encrypted) => self.with_signature(provider, Some(encrypted), false),
                    None => self,
                }
            }
            _ => self,
        }
    }

    fn of_chat(self) -> Self {
        Self { maker: Some(Provider::OpenAiChat), signature: REASONING_FIELDS[0].to_owned(), ..self }
    }

    pub(super) fn is_readable(&self) -> bool {
        !self.redacted && !self.text.trim().is_empty()
    }

    /// Returns true if the provider that made it accepts it back.
    pub(super) fn is_provable(&self) -> bool {
        match self.maker {
            Some(Provider::OpenAiChat) => self.is_readable(),
            _ => !self.signature.trim().is_empty(),
        }
    }
}

pub(super) fn call_signature(part: Value<'_>, maker: Option<Provider>, is_pi: bool) -> Option<String> {
    // For other providers, pi stores something else in this field.
    if is_pi && maker != Some(Provider::Gemini) {
        return None;
    }
    let told = || part.get("metadata")?.get("google")?.get("thoughtSignature");
    Some(text_or_empty(part.first_of(["thoughtSignature", "thought_signature"]).or_else(told)))
        .filter(|signature| !signature.is_empty())
}

#[cfg(test)]
mod tests {
    use cwl_engine::RawPayload;

    use super::*;

    fn read(raw: &str, maker: Option<Provider>, is_pi: bool) -> SendableReasoning {
        let content = Content { text: "t".to_owned(), raw: RawPayload::Whole(raw.to_owned()) };
        SendableReasoning::parse(&content, maker, is_pi)
    }

    fn check(raw: &str, maker: Provider, signature: &str) {
        let reasoning = read(raw, None, false);
        assert_eq!((reasoning.maker, &*reasoning.signature), (Some(maker), signature), "{raw}");
        assert_eq!(reasoning.is_provable(), !signature.is_empty(), "{raw}");
    }

    #[test]
    fn the_form_says_whose_it_is() {
        check(r#"{"type":"thinking","thinking":"t","signature":"s"}"#, Provider::Anthropic, "s");
        check(r#"{"type":"redacted_thinking","data":"d"}"#, Provider::Anthropic, "d");
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":"e"}"#, Provider::OpenAiResponses, "e");
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":null}"#, Provider::OpenAiResponses, "");
        check(
            r#"{"type":"reasoning","summary":[],"encrypted_content":"REDACTED"}"#,
            Provider::OpenAiResponses,
            "",
        );
        check(
            r#"{"type":"thinking","signature":"{\"type\":\"reasoning\",\"encrypted_content\":\"e\"}","signatureProvider":"openai"}"#,
            Provider::OpenAiResponses,
            "e",
        );
        check(r#"{"text":"t","thought":true,"thoughtSignature":"g"}"#, Provider::Gemini, "g");
        check(r#"{"text":"t","thought":true}"#, Provider::Gemini, "");
        check(
            r#"{"type":"reasoning","text":"t","metadata":{"anthropic":{"signature":"s"}}}"#,
            Provider::Anthropic,
            "s",
        );
        check(
            r#"{"type":"reasoning","text":"t","metadata":{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"e"}}}"#,
            Provider::OpenAiResponses,
            "e",
        );
    }

    #[test]
    fn else_it_is_the_replys_makers() {
        assert_eq!(read(r#"{"thinking":"t"}"#, None, false).maker, None);
        assert_eq!(read("\"t\"", Some(Provider::OpenAiChat), false).maker, Some(Provider::OpenAiChat));
        let signed = r#"{"type":"thinking","thinking":"t","thinkingSignature":"s"}"#;
        assert_eq!(read(signed, Some(Provider::Anthropic), true).signature, "s");
        let item = r#"{"thinking":"t","thinkingSignature":"{\"id\":\"rs_1\",\"encrypted_content\":\"e\",\"summary\":[]}"}"#;
        let read = read(item, Some(Provider::OpenAiResponses), true);
        assert_eq!((&*read.signature, read.item.summary.as_deref()), ("e", Some("[]")));
    }

    #[test]
    fn signatures_of_calls_are_geminis_only() {
        let check = |raw: &str, maker, is_pi, expected| {
            let found = call_signature(Value::trusted(raw, 0), maker, is_pi);
            assert_eq!(found.as_deref(), expected, "{raw}");
        };
        let of_pi = r#"{"type":"toolCall","thoughtSignature":"s"}"#;
        check(of_pi, Some(Provider::Gemini), true, Some("s"));
        check(of_pi, Some(Provider::OpenAiChat), true, None);
        check(r#"{"functionCall":{},"thoughtSignature":"s"}"#, None, false, Some("s"));
        check(r#"{"metadata":{"google":{"thoughtSignature":"s"}}}"#, None, false, Some("s"));
        check("{}", None, false, None);
    }
}
