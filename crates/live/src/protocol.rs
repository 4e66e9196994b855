//! The lines of the protocol: what a client asks, and what it is answered.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the protocol. A client of another one is refused.
pub const PROTOCOL: u32 = 1;

/// The kind of a client's line, which its member `type` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// The first line.
    Hello,
    /// Before a request.
    Decide,
    /// Other settings.
    Set,
    /// A call of the delimiter.
    Mark,
}

/// `hello`: the first line of a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HelloRequest {
    /// The version of the protocol that the client speaks.
    pub protocol: u32,
    /// The client and its version.
    pub client: String,
    /// The harness and its version.
    pub harness: String,
    /// The session's id: a second process for it is refused.
    pub session: String,
    /// The settings.
    #[serde(flatten)]
    pub settings: SetRequest,
}

/// `set`: other settings. Members that are missing stay as they are.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct SetRequest {
    /// The policy; `cwl+` at first.
    pub policy: Option<String>,
    /// The budget τ: `80000`, `80k`, or `50%` of the window; `80k` at first.
    pub budget: Option<String>,
    /// Options of the policy, each as text.
    pub options: Option<BTreeMap<String, String>>,
    /// The tokenizer; `o200k` at first.
    pub tokenizer: Option<String>,
    /// The marks that the policy goes by: `declared` (at first), `filled` or `inferred`.
    pub marks: Option<String>,
    /// The size of the model's window, tokens.
    pub window: Option<u64>,
    /// The interface of the model, as the harness names it: `anthropic-messages`, `openai-responses`, `openai-completions`,
    /// `google-generative-ai`.
    pub api: Option<String>,
    /// The system prompt, where no message holds it.
    pub system: Option<String>,
    /// The definitions of tools as JSON, where no message holds them.
    pub tools: Option<String>,
}

/// `decide`: before a request.
#[derive(Debug, Deserialize)]
pub struct DecideRequest<'a> {
    /// How many messages of the list before are still the same.
    pub from: usize,
    /// The digest of those messages: of none `""`, of one more the SHA-256 in hex of the digest before and the message's
    /// JSON.
    pub digest: String,
    /// The messages behind them, as the harness has them.
    #[serde(borrow)]
    pub messages: Vec<&'a RawValue>,
}

/// `mark`: a call of the delimiter, which is checked as `cwl mcp` checks it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MarkRequest {
    /// The arguments of the call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// A line that the program answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// To `hello` and `set`.
    Ready(ReadyAnswer),
    /// To `decide`.
    Decision(LiveDecision),
    /// To `decide`: the digest is another one; send all messages, from 0.
    Resend,
    /// To `mark`.
    Marked {
        /// The words for the agent.
        text: String,
        /// True if the call counts.
        ok: bool,
    },
    /// The line is refused; settings stay as they were.
    Refused {
        /// Why, and what would work.
        reason: String,
    },
}

/// The settings in force.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadyAnswer {
    /// The version of the protocol.
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// The policy.
    pub policy: String,
    /// The budget τ, tokens.
    pub budget: u64,
    /// The options that differ from their defaults.
    pub options: BTreeMap<String, String>,
    /// The tokenizer.
    pub tokenizer: String,
    /// The marks that the policy goes by.
    pub marks: String,
    /// System prompt and tools, as far as no message holds them, tokens.
    pub overhead: u64,
}

/// The verdict of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveVerdictDto {
    /// Nothing has to go.
    Keep,
    /// The edits are to be made.
    Evict,
    /// The list goes through as it is, although a policy is in force: `reason` says why.
    PassThrough,
}

/// The edits of the list, its sizes, and a record for the log. Positions are those of the whole list, before any edit; parts are positions in a message's content.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LiveDecision {
    /// The request's turn, from 1.
    pub turn: u32,
    /// Whether the list is edited.
    pub verdict: LiveVerdictDto,
    /// Why it goes through as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The sizes.
    pub tokens: TokensDto,
    /// Messages that go, whole: the first and the last of each run.
    pub remove: Vec<(usize, usize)>,
    /// Messages of which parts go or are replaced.
    pub change: Vec<PartsDto>,
    /// Texts that come in, in the user's role.
    pub insert: Vec<InsertDto>,
    /// Messages whose rest goes to the end of the message before.
    pub join: Vec<usize>,
    /// How many parts are not sent, also those that went at earlier turns.
    pub evicted: usize,
    /// The record that the client keeps in the session's log, with positions in place of the log's own ids.
    pub record: DecisionRecord,
}

/// The sizes of a request, tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokensDto {
    /// Everything that the harness has.
    pub whole: u64,
    /// The request as it is sent.
    pub sent: u64,
    /// The budget τ.
    pub budget: u64,
    /// True when the budget cannot be met.
    pub over_budget: bool,
}

/// A message of which parts go or are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartsDto {
    /// The message.
    pub message: usize,
    /// The parts that go.
    pub remove: Vec<u32>,
    /// The texts that stand in the place of parts; of a result in the place of its content.
    pub replace: BTreeMap<u32, String>,
}

/// A text that comes in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InsertDto {
    /// The message before which it comes, as a message of the user's role; the list's length at its end.
    pub before: usize,
    /// The text.
    pub text: String,
}

/// A decision for the session's log: what differs from the decision before, or everything.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionRecord {
    /// True when it says everything: of the first decision of a process, and after a list that did not only grow.
    pub whole: bool,
    /// The overhead that was counted, tokens.
    pub overhead: u64,
    /// Parts that are not sent from here on: message and part.
    pub evicted: Vec<(usize, u32)>,
    /// Parts that are sent again.
    pub restored: Vec<(usize, u32)>,
    /// Texts that stand in the place of parts from here on.
    pub replaced: Vec<ReplacedPart>,
    /// Texts that come in from here on; at the list's end without a message.
    pub inserted: Vec<RecordedText>,
    /// Texts that came in before and are not sent any more.
    pub removed: Vec<String>,
}

/// A text in the place of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplacedPart {
    /// The message.
    pub message: usize,
    /// The part.
    pub part: u32,
    /// The text.
    pub text: String,
}

/// A text that comes in before a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedText {
    /// The message; `None` at the list's end.
    pub before: Option<usize>,
    /// The text.
    pub text: String,
}

/// A client's line, for the schema.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used: lines are read by their kind")]
enum ClientLine {
    Hello(HelloRequest),
    Decide {
        /// How many messages of the list before are still the same.
        from: usize,
        /// The digest of those messages: of none `""`, of one more the SHA-256 in hex of the digest before and the
        /// message's JSON.
        digest: String,
        /// The messages behind them, as the harness has them.
        messages: Vec<serde_json::Value>,
    },
    Set(SetRequest),
    Mark(MarkRequest),
}

/// Returns the schema of all lines.
pub fn protocol_schema() -> Schema {
    #[derive(JsonSchema)]
    #[schemars(title = "cwl live, protocol 1", untagged)]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Line {
        /// A line of the client's.
        Client(ClientLine),
        /// A line of the program's.
        Answer(Answer),
    }
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<Line>()
}
