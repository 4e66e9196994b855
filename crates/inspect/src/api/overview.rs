//! The overview: what happened in a session, as sentences that lead to their evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::MissRow;

/// A session as it happened; no policy is simulated.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverviewAnswer {
    pub revision: u32,
    pub counted_by: String,
    /// The sentences, the most telling first.
    pub lines: Vec<OverviewLine>,
    /// The prompt tokens that the provider reported for each request; 0 if none.
    pub reported: Vec<u64>,
    /// The tokens of each request as counted, nothing evicted.
    pub counted: Vec<u64>,
    /// The cost of each request by its reported usage, millionths of a dollar; 0 if it is not known.
    pub cost: Vec<u64>,
    /// The turns before whose requests the harness took something out.
    pub replaced_turns: Vec<u32>,
    pub window: Option<u64>,
    pub sent: u64,
    /// The largest consumers by kind, tool and MCP server; the parts add up to `sent`.
    pub consumers: Vec<ConsumerRow>,
    pub files: Vec<ConsumerRow>,
    /// The dearest misses of the prompt cache, in order.
    pub misses: Vec<MissRow>,
    pub n_misses: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverviewLine {
    pub kind: OverviewLineKind,
    pub says: String,
    /// The turn that shows it; `null` if a list shows it.
    pub turn: Option<u32>,
    pub block: Option<String>,
    pub line: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverviewLineKind {
    /// Cost, and misses of the prompt cache.
    Cost,
    Fullest,
    /// Compactions, and what they lost.
    Compactions,
    Clearings,
    /// Requests that are smaller or larger than the log accounts for.
    Hidden,
    /// Files read again although their content was in the context.
    Repeated,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ConsumerRow {
    pub kind: ConsumerKind,
    /// The name of the tool, server or file; for `others` their number.
    pub name: String,
    pub n_blocks: u32,
    /// Their size, each once, tokens.
    pub tokens: u64,
    /// Their size, once for each request that held them, tokens.
    pub sent: u64,
    /// `sent` as a share of all requests, per mille.
    pub share: u32,
    pub block: Option<String>,
    /// The first turn whose request held the largest block.
    pub turn: Option<u32>,
    pub line: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConsumerKind {
    /// System prompt, tool definitions and whatever else the log does not hold.
    Unlogged,
    System,
    /// Definitions of tools, as far as the log holds them: those of one MCP server, or without a name the others.
    ToolDefinitions,
    Human,
    /// Content that the harness put in: reminders, attachments.
    Injected,
    Model,
    Reasoning,
    Summary,
    Tool,
    Server,
    File,
    Others,
}
