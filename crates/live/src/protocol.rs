//! Protocol lines: questions from a client and answers from `cwl live`.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A client with another version is refused.
pub const PROTOCOL: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    Hello,
    Decide,
    Set,
    Mark,
}

/// `hello`: first line from a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HelloRequest {
    pub protocol: u32,
    pub client: String,
    pub harness: String,
    /// A second process for the same session is refused.
    pub session: String,
    /// Form of the messages: `pi` (default) or `opencode`.
    pub messages: Option<MessagesForm>,
    /// Session id of the caller, if a subagent's session is OpenCode's.
    pub parent: Option<String>,
    #[serde(flatten)]
    pub settings: SetRequest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessagesForm {
    /// Messages as in pi's `context` hook. Positions are those of the list.
    #[default]
    Pi,
    /// Messages as in OpenCode's `experimental.chat.messages.transform`. Message n of the list has position 2n for its parts and
    /// 2n + 1 for the results of its calls; part positions are those of `parts`.
    Opencode,
}

/// `set`: changes settings. Missing members keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct SetRequest {
    /// Default: `cwl+`.
    pub policy: Option<String>,
    /// τ: tokens (`80000`, `80k`) or a share of `window` (`50%`); default `80k`.
    pub budget: Option<String>,
    pub options: Option<BTreeMap<String, String>>,
    /// Default: `o200k`.
    pub tokenizer: Option<String>,
    /// Source of episode marks: `declared` (default), `filled` or `inferred`.
    pub marks: Option<String>,
    /// In tokens.
    pub window: Option<u64>,
    /// API name: `anthropic-messages`, `openai-responses`, `openai-completions`, `google-generative-ai`.
    pub api: Option<String>,
    pub system: Option<String>,
    /// Tool definitions as JSON, if no message holds them.
    pub tools: Option<String>,
    /// Tokens of system prompt and tools, counted as long as `system` is unknown.
    pub overhead: Option<u64>,
}

/// `decide`: asks for a decision before a request. The members are those of `ClientLine::Decide`.
#[derive(Debug, Deserialize)]
pub struct DecideRequest<'a> {
    pub from: usize,
    pub digest: String,
    #[serde(borrow)]
    pub messages: Vec<&'a RawValue>,
}

/// `mark`: a delimiter call, checked as `cwl mcp` checks it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MarkRequest {
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// Answers `hello` and `set`.
    Ready(ReadyAnswer),
    Decision(LiveDecision),
    /// Answers `decide` if `digest` does not match: send all messages, with `from` 0.
    Resend,
    Marked {
        text: String,
        ok: bool,
    },
    /// Refuses the line; settings stay unchanged.
    Refused {
        reason: String,
    },
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadyAnswer {
    pub protocol: u32,
    pub version: String,
    pub policy: String,
    /// τ, in tokens.
    pub budget: u64,
    /// Options different from their defaults.
    pub options: BTreeMap<String, String>,
    pub tokenizer: String,
    pub marks: String,
    /// System prompt and tools, in tokens, if no message holds them.
    pub overhead: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveVerdict {
    /// Nothing is evicted: send the list unchanged.
    Keep,
    Evict,
    /// Send the list unchanged although a policy is in force; `reason` says why.
    PassThrough,
}

/// Edits, sizes and a log record. Message positions refer to the list before any edit, part positions to a message's content.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LiveDecision {
    /// From 1.
    pub turn: u32,
    pub verdict: LiveVerdict,
    /// For `pass_through`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub tokens: TokenCounts,
    /// Deleted messages: first and last position per run.
    pub remove: Vec<(usize, usize)>,
    pub change: Vec<PartCounts>,
    /// Texts to insert as user messages.
    pub insert: Vec<InsertedMark>,
    /// Messages to append to the previous one.
    pub join: Vec<usize>,
    /// Parts not sent, earlier evictions included.
    pub evicted: usize,
    /// Settings in force, if the window or `cwl live set` changed them since the previous decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Box<ReadyAnswer>>,
    /// Record for the session's log; the client replaces positions by the log's own ids.
    pub record: DecisionRecord,
}

/// In tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenCounts {
    pub whole: u64,
    pub sent: u64,
    pub budget: u64,
    /// True if the policy cannot bring the request down to τ.
    pub over_budget: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartCounts {
    pub message: usize,
    pub remove: Vec<u32>,
    /// Placeholders by part position; for a result, a placeholder for its content.
    pub replace: BTreeMap<u32, &'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InsertedMark {
    /// Position of the next message; the list's length to append. The text is a user message.
    pub before: usize,
    pub text: String,
}

/// Log record of a decision: the difference to the previous decision, or all of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionRecord {
    /// True if complete: first decision, changed settings, or a list that did not only grow.
    pub whole: bool,
    pub overhead: u64,
    /// Newly evicted parts: message and part position.
    pub evicted: Vec<(usize, u32)>,
    /// Parts sent again: message and part position.
    pub restored: Vec<(usize, u32)>,
    pub replaced: Vec<ReplacedPart>,
    pub inserted: Vec<RecordedText>,
    /// Inserted texts no longer sent.
    pub removed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplacedPart {
    pub message: usize,
    pub part: u32,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedText {
    /// Position of the next message; `null` at the end of the list.
    pub before: Option<usize>,
    pub text: String,
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used: lines are read by their kind")]
enum ClientLine {
    Hello(HelloRequest),
    Decide {
        /// Number of leading messages unchanged since the previous `decide`.
        from: usize,
        /// `""` if `from` is 0, else the SHA-256 in hex over the digest one message before and the message's JSON.
        digest: String,
        /// All messages from position `from` on, as the harness has them.
        messages: Vec<serde_json::Value>,
    },
    Set(SetRequest),
    Mark(MarkRequest),
}

pub fn protocol_schema() -> Schema {
    #[derive(JsonSchema)]
    #[schemars(title = "cwl live, protocol 1", untagged)]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Line {
        Client(ClientLine),
        Answer(Answer),
    }
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<Line>()
}
