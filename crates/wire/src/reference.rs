//! Reference lists: policies, log formats, models with prices, knowledge tables.

use cwl_inspect::api::PolicyRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PoliciesAnswer {
    pub policies: Vec<PolicyRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FormatsAnswer {
    /// Formats in detection order, as [`OpenRequest::format`](super::OpenRequest::format) names them.
    pub formats: Vec<FormatRow>,
    pub folders: Vec<FolderRow>,
    /// Log kinds recognised but not readable, each with its article (`a …`).
    pub unread: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatRow {
    pub name: String,
    pub about: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderRow {
    pub harness: String,
    pub path: String,
    pub is_there: bool,
}

/// The price table, as `cwl models` prints it. The user's rows come first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelsAnswer {
    pub models: Vec<ModelRow>,
    /// The row for unlisted models, from the user's file; `null` if they have no price.
    pub default: Option<String>,
    /// The user's file; `null` if the platform has no folder for it.
    pub own_file: Option<String>,
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRow {
    pub name: String,
    /// Model names as in logs; `*` matches anything.
    pub models: Vec<String>,
    pub window: Option<u64>,
    /// The source of `window` with its date; `null` if the price row states it.
    pub window_source: Option<String>,
    #[serde(flatten)]
    pub prices: RatesInDollars,
    /// Prompts above this many tokens are charged at `long`.
    pub long_above: Option<u64>,
    pub long: Option<RatesInDollars>,
    /// Minimum tokens in a cacheable prompt.
    pub cache_minimum: u64,
    /// Cached prefixes have a multiple of this many tokens.
    pub cache_granularity: u64,
    /// Seconds a prefix is kept after its last use; 0 means forever.
    pub cache_lifetime: u64,
    /// The date of the prices, `YYYY-MM-DD`.
    pub as_of: String,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TablesAnswer {
    pub version: String,
    /// Tables a user may override with `own_file` come first.
    pub tables: Vec<ReferenceTable>,
}

/// A table of facts about models, providers and harnesses (`prices.toml`, …).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReferenceTable {
    pub name: String,
    pub holds: String,
    #[ts(type = "number")]
    pub n_rows: usize,
    #[ts(type = "number")]
    pub n_own: usize,
    /// The oldest `as_of` among the rows, `YYYY-MM-DD`.
    pub oldest: Option<String>,
    pub newest: Option<String>,
    /// The user's file, existing or not; `null` if the table cannot be overridden.
    pub own_file: Option<String>,
    pub is_there: bool,
    pub problems: Vec<String>,
    /// The user's rows come first. A row of `tools` and `records` is a harness, a row of `secrets` a list of rules.
    pub rows: Vec<ReferenceRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReferenceRow {
    pub name: String,
    pub says: String,
    /// The day on which `source` stated this or was consulted, `YYYY-MM-DD`.
    pub as_of: Option<String>,
    pub source: Option<String>,
    pub is_own: bool,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatesInDollars {
    /// Prompt tokens neither read from nor written to the cache.
    pub input: String,
    pub cache_read: String,
    pub cache_write: String,
    /// Prompt tokens written to a cache kept for an hour.
    pub cache_write_hour: String,
    pub output: String,
}
