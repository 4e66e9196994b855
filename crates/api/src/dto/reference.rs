//! Reference lists: policies, log formats, models with prices, knowledge tables, branches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::PolicyDto;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PoliciesDto {
    /// Policies in registry order.
    pub policies: Vec<PolicyDto>,
}

/// Log formats, and the folders searched for logs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FormatsDto {
    /// Formats in detection order.
    pub formats: Vec<FormatDto>,
    pub folders: Vec<FolderDto>,
    /// Log kinds recognised but not readable, each with its article (`a …`).
    pub unread: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatDto {
    /// A value for `--format`.
    pub name: String,
    /// The program writing the format.
    pub about: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderDto {
    pub harness: String,
    pub path: String,
    pub is_there: bool,
}

/// The price table. The user's rows come first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelsDto {
    pub models: Vec<ModelDto>,
    /// The row for unlisted models, from the user's file; `null` if they have no price.
    pub default: Option<String>,
    /// The user's file; `null` if the platform has no folder for it.
    pub own_file: Option<String>,
    /// Problems of the user's file, as sentences.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelDto {
    pub name: String,
    /// Model names as in logs; `*` matches anything.
    pub models: Vec<String>,
    /// The context window, tokens.
    pub window: Option<u64>,
    /// The source of `window` with its date; `null` if the price row states it.
    pub window_source: Option<String>,
    #[serde(flatten)]
    pub prices: RatesDto,
    /// Prompts above this many tokens are charged at `long`.
    pub long_above: Option<u64>,
    pub long: Option<RatesDto>,
    /// Minimum tokens of a cacheable prompt.
    pub cache_minimum: u64,
    /// Cached prefixes are multiples of this many tokens.
    pub cache_granularity: u64,
    /// Seconds a prefix is kept after its last use; 0 means forever.
    pub cache_lifetime: u64,
    /// The day of the prices, `YYYY-MM-DD`.
    pub as_of: String,
    pub source: String,
}

/// The knowledge tables in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TablesDto {
    pub version: String,
    /// Tables that a user may override come first.
    pub tables: Vec<TableDto>,
}

/// A table of facts about models, providers and harnesses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TableDto {
    /// `prices`, `models`, ….
    pub name: String,
    /// A short description.
    pub holds: String,
    /// Rows in use.
    #[ts(type = "number")]
    pub n_rows: usize,
    /// Rows in use from the user's file.
    #[ts(type = "number")]
    pub n_own: usize,
    /// The oldest `as_of` of all rows, `YYYY-MM-DD`.
    pub oldest: Option<String>,
    pub newest: Option<String>,
    /// The user's file, existing or not; `null` if the table cannot be overridden.
    pub own_file: Option<String>,
    pub is_there: bool,
    pub problems: Vec<String>,
    /// The user's rows come first. A row of `tools` and `records` is a harness, a row of `secrets` a list of rules.
    pub rows: Vec<TableRowDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TableRowDto {
    pub name: String,
    /// A short description.
    pub says: String,
    /// The day on which `source` stated this or was consulted, `YYYY-MM-DD`.
    pub as_of: Option<String>,
    pub source: Option<String>,
    /// True if the row is from the user's file.
    pub is_own: bool,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatesDto {
    /// Prompt tokens not read from or written to the cache.
    pub input: String,
    pub cache_read: String,
    /// Prompt tokens written to the cache.
    pub cache_write: String,
    /// Prompt tokens written to a cache kept for an hour.
    pub cache_write_hour: String,
    /// Reply tokens.
    pub output: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BranchesDto {
    /// The current branch, then newest first.
    pub branches: Vec<BranchRowDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchRowDto {
    /// A value for `--branch`: the id of the branch's last record.
    pub leaf: String,
    /// The line of the last record, from 1.
    pub line: u64,
    pub n_messages: u32,
    pub current: bool,
    /// True for a subagent's conversation inside its caller's log.
    pub subagent: bool,
    /// The beginning of the branch's last human message.
    pub text: String,
}
