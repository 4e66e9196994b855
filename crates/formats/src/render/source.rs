//! Messages as stored by pi, and the texts that pi wraps around some of them.

use cwl_engine::{BlockIdx, MessageForm, Provider, RawPayload, SessionMessage};

use super::request::ProviderRequest;
use crate::json::{Fields, JsonType, Object, Value, owned};
use crate::payload::{fill_hole, payload_around};
use crate::pi::n_blocks_of_message;
use crate::time::milliseconds_of;

const COMPACTION: [&str; 2] = [
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
];
const BRANCH: [&str; 2] = [
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
];

pub(super) enum Wording {
    Log,
    Pi(String),
    Nothing,
}

/// A message's JSON without its content.
pub(super) struct MessageFrame {
    /// The message, or the record that is the message; the content may be `[]`.
    json: String,
    /// The same JSON with a hole for the content, if it has one.
    around: RawPayload,
}

impl MessageFrame {
    pub(super) fn find(request: &ProviderRequest<'_>, row: &SessionMessage, blocks: &[BlockIdx]) -> Self {
        let envelope = request.contents.envelope(row.event);
        let json = fill_hole(&envelope, "[]");
        let retained = blocks.first().and_then(|block| {
            let (_, part) = request.part_of_record(*block);
            retained_message(&json, part)
        });
        match retained {
            Some((json, around)) => Self { json, around },
            None => Self { json, around: envelope },
        }
    }

    pub(super) fn with_content(&self, content: &str) -> String {
        fill_hole(&self.around, content)
    }

    pub(super) fn wording_of(&self, form: &MessageForm) -> Wording {
        let value = Value::trusted(&self.json, 0);
        match form {
            MessageForm::Plain | MessageForm::Custom { .. } => Wording::Log,
            MessageForm::HumanShell { .. } => Wording::Pi(shell_text(value)),
            MessageForm::Summary => {
                let summary = value.text_of("summary");
                let is_branch =
                    value.text_of("type") == "branch_summary" || value.text_of("role") == "branchSummary";
                if is_branch && summary.is_empty() {
                    return Wording::Nothing;
                }
                let [before, after] = if is_branch { BRANCH } else { COMPACTION };
                Wording::Pi([before, &summary, after].concat())
            }
        }
    }

    pub(super) fn timestamp_ms(&self, row: &SessionMessage) -> Option<i64> {
        Value::trusted(&self.json, 0).get("timestamp").and_then(milliseconds_of).or(row.at_ms)
    }

    /// Returns the provider by the reply's `api` or `provider`; only this provider accepts its signatures
    /// back.
    pub(super) fn maker_by_api(&self) -> Option<Provider> {
        match &*text_or_empty(Value::trusted(&self.json, 0).first_of(["api", "provider"])) {
            "anthropic-messages" | "anthropic" => Some(Provider::Anthropic),
            "openai-responses" | "azure-openai-responses" | "openai-codex-responses" => {
                Some(Provider::OpenAiResponses)
            }
            "openai-completions" => Some(Provider::OpenAiChat),
            google if google.starts_with("google") => Some(Provider::Gemini),
            _ => None,
        }
    }
}

fn retained_message(record: &str, part: u32) -> Option<(String, RawPayload)> {
    let value = Value::trusted(record, 0);
    if value.text_of("type") != "compaction" {
        return None;
    }
    // Index 0 is the summary, if it has a text.
    let mut next = u32::from(!value.text_of("summary").is_empty());
    if part < next {
        return None;
    }
    let message =
        value.get("retainedTail")?.items().filter(|item| item.kind() == JsonType::Object).find(|item| {
            next += n_blocks_of_message(*item);
            part < next
        })?;
    let content = message.get("content");
    Some((message.raw().into(), payload_around(message, content)))
}

fn shell_text(message: Value<'_>) -> String {
    let message = Fields::parse(message);
    let is_set = |flag: &str| message.get(flag).is_some_and(Value::is_true);
    let mut told = format!("Ran `{}`\n", message.text_of("command"));
    match message.text_of("output") {
        none if none.is_empty() => told.push_str("(no output)"),
        output => told.push_str(&format!("```\n{output}\n```")),
    }
    let failed = message.get("exitCode").filter(|code| code.number().is_some_and(|code| code != 0.0));
    if is_set("cancelled") {
        told.push_str("\n\n(command cancelled)");
    } else if let Some(code) = failed {
        told.push_str(&format!("\n\nCommand exited with code {}", code.raw()));
    }
    let full_path = message.text_of("fullOutputPath");
    if is_set("truncated") && !full_path.is_empty() {
        told.push_str(&format!("\n\n[Output truncated. Full output: {full_path}]"));
    }
    told
}

pub(super) fn text_or_empty(value: Option<Value<'_>>) -> String {
    owned(value).unwrap_or_default()
}

pub(super) fn text_part(text: &str) -> String {
    Object::with_type("text").text("text", text).done()
}
