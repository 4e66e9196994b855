//! A running `cwl live`: status, decisions as events, and changes of its settings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A question on the control socket of a process, one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LiveQuestion {
    Status {
        /// Maximum number of events in the answer, the newest.
        #[serde(default)]
        events: usize,
    },
    /// Computes the effect of a change on the last request; nothing changes.
    Preview(LiveChange),
    /// Changes settings from the next decision on.
    Set(LiveChange),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LiveAnswer {
    /// Answers `status` and `set`.
    Status(Box<LiveProcessRow>),
    Preview(LivePreview),
    Refused(LiveRefusal),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LiveRefusal {
    pub reason: String,
    /// The smallest τ that works, tokens, if τ is the reason.
    pub smallest_budget: Option<u64>,
}

/// A change of settings; missing members keep their values. Another policy drops the options of the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct LiveChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub policy: Option<String>,
    /// τ as people type it: `80000`, `80k`, `50%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub budget: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub options: Option<BTreeMap<String, String>>,
    /// Source of episode marks: `declared`, `filled` or `inferred`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub marks: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SetLiveRequest {
    pub session: u32,
    pub change: LiveChange,
}

/// The process that decides for a session; `null` if none runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LiveStatusAnswer {
    pub process: Option<LiveProcessRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveProcessesAnswer {
    pub processes: Vec<LiveProcessRow>,
}

/// A running `cwl live`: the settings in force, and its decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LiveProcessRow {
    /// The harness's id of the session.
    pub session: String,
    /// Name and version of the harness, as are those of its extension in `client`.
    pub harness: String,
    pub client: String,
    pub process: u32,
    #[ts(type = "number")]
    pub started_at_ms: u64,
    pub policy: String,
    #[ts(type = "number")]
    pub budget: u64,
    /// Options different from their defaults.
    pub options: BTreeMap<String, String>,
    pub tokenizer: String,
    pub marks: String,
    /// System prompt and tools, tokens, if no message holds them.
    #[ts(type = "number")]
    pub overhead: u64,
    pub requests: u32,
    pub evicting: u32,
    pub passed_through: u32,
    pub refused: u32,
    /// The last decision; `null` before the first request.
    pub last: Option<LiveEvent>,
    /// The newest events, the oldest first.
    pub events: Vec<LiveEvent>,
}

/// A decision, a change of settings, or a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LiveEvent {
    /// 1 for the first event of the process.
    pub number: u32,
    #[ts(type = "number")]
    pub at_ms: u64,
    pub kind: LiveEventKind,
    pub turn: Option<u32>,
    /// The request without any eviction, tokens; 0 if this is no decision.
    #[ts(type = "number")]
    pub whole: u64,
    /// The request as sent, tokens; 0 if this is no decision.
    #[ts(type = "number")]
    pub sent: u64,
    /// Parts that the request leaves out, earlier evictions included.
    pub evicted: u32,
    pub policy: String,
    #[ts(type = "number")]
    pub budget: u64,
    pub says: String,
    /// Parts that the request before still had, by reason.
    pub gone: Vec<LiveEviction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveEventKind {
    Keep,
    Evict,
    /// A request with all of its messages although a policy is in force.
    PassThrough,
    Refused,
    SetByHarness,
    /// Settings changed by the window or the command line.
    SetByOwner,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LiveEviction {
    pub says: String,
    pub parts: u32,
    #[ts(type = "number")]
    pub tokens: u64,
}

/// The effect of a change on the last request, had it been in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LivePreview {
    /// Why the change is refused; the figures are then 0.
    pub refusal: Option<LiveRefusal>,
    /// The request under the settings in force, tokens.
    #[ts(type = "number")]
    pub sent_in_force: u64,
    /// The request under the changed settings, tokens.
    #[ts(type = "number")]
    pub sent: u64,
    pub parts_lost: u32,
    #[ts(type = "number")]
    pub tokens_lost: u64,
    pub parts_back: u32,
    #[ts(type = "number")]
    pub tokens_back: u64,
    pub says: String,
}
