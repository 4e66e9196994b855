//! The things that can be asked for: policies with their options, formats of logs, models with their prices, branches of a log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::PolicyDto;

/// All policies, or the one that was asked for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PoliciesDto {
    /// The policies, in the order of the registry.
    pub policies: Vec<PolicyDto>,
}

/// The formats of logs, and where they are looked for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FormatsDto {
    /// The formats that are read, in the order in which they are tried.
    pub formats: Vec<FormatDto>,
    /// The folders that are searched for sessions.
    pub folders: Vec<FolderDto>,
    /// Logs that are recognised and cannot be read, with their articles.
    pub unread: Vec<String>,
}

/// A format of logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatDto {
    /// The name, as `--format` takes it.
    pub name: String,
    /// The program that writes it, and how.
    pub about: String,
}

/// A folder that is searched for sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderDto {
    /// Whose it is.
    pub harness: String,
    /// The folder.
    pub path: String,
    /// True where it is there.
    pub is_there: bool,
}

/// The table of prices, the user's own rows first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelsDto {
    /// The rows.
    pub models: Vec<ModelDto>,
    /// The row for models that no row names, as the user's own file says; `null` where such models have no price.
    pub default: Option<String>,
    /// The file of the user's own rows; `null` where the platform names no folder for it.
    pub own_file: Option<String>,
    /// Problems of that file, as sentences.
    pub problems: Vec<String>,
}

/// A row of the table of prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelDto {
    /// The name of the row.
    pub name: String,
    /// Names of models as logs write them; `*` stands for anything.
    pub models: Vec<String>,
    /// The size of the context window, tokens, where it is known.
    pub window: Option<u64>,
    /// Where the window is from, and the day on which that said it; `null` where a row of prices says it.
    pub window_source: Option<String>,
    /// The prices.
    #[serde(flatten)]
    pub prices: RatesDto,
    /// The size of a prompt above which other prices hold, tokens.
    pub long_above: Option<u64>,
    /// The prices of such prompts.
    pub long: Option<RatesDto>,
    /// The shortest prompt that is cached, tokens.
    pub cache_minimum: u64,
    /// The length of a cached prefix is a multiple of this, tokens.
    pub cache_granularity: u64,
    /// The time that a prefix is kept after its last use, seconds; 0 is for ever.
    pub cache_lifetime: u64,
    /// The day from which the prices are known, `YYYY-MM-DD`.
    pub as_of: String,
    /// Where they are from.
    pub source: String,
}

/// The tables that answers are worked out with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TablesDto {
    /// The version of the program.
    pub version: String,
    /// Those that a user may override first.
    pub tables: Vec<TableDto>,
}

/// A table of what is known of the world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TableDto {
    /// Its name: `prices`, `models`, ….
    pub name: String,
    /// The knowledge in it, in a few words.
    pub holds: String,
    /// How many rows are in force.
    #[ts(type = "number")]
    pub n_rows: usize,
    /// How many of them are the user's own.
    #[ts(type = "number")]
    pub n_own: usize,
    /// The day of the row that was known first, `YYYY-MM-DD`; `null` where rows have no day.
    pub oldest: Option<String>,
    /// The day of the row that was known last.
    pub newest: Option<String>,
    /// The user's own file, whether it is there or not; `null` for a table that no file goes over.
    pub own_file: Option<String>,
    /// True where that file is there.
    pub is_there: bool,
    /// The problems of that file, as sentences.
    pub problems: Vec<String>,
    /// The rows, the user's own first; of `tools` and `records` each is a harness with its names, of `secrets` a list of rules.
    pub rows: Vec<TableRowDto>,
}

/// A row of such a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct TableRowDto {
    /// Its name.
    pub name: String,
    /// The knowledge in it, in a few words.
    pub says: String,
    /// The day on which the source said it, or on which it was looked up there, `YYYY-MM-DD`; `null` where the user's row has none.
    pub as_of: Option<String>,
    /// Where it is from; `null` where the user's row does not say.
    pub source: Option<String>,
    /// True for a row of the user's own file.
    pub is_own: bool,
}

/// Prices in dollars per million tokens, as texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatesDto {
    /// Prompt tokens that are neither read from the cache nor written to it.
    pub input: String,
    /// Prompt tokens read from the cache.
    pub cache_read: String,
    /// Prompt tokens written to the cache.
    pub cache_write: String,
    /// Prompt tokens written to a cache that keeps them for an hour.
    pub cache_write_hour: String,
    /// Tokens of replies.
    pub output: String,
}

/// The branches of a log.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BranchesDto {
    /// The current one first, then the newest first.
    pub branches: Vec<BranchRowDto>,
}

/// A branch of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchRowDto {
    /// The id of its last record, as `--branch` takes it.
    pub leaf: String,
    /// The line of that record, from 1.
    pub line: u64,
    /// How many messages are on it.
    pub n_messages: u32,
    /// True for the branch that the session is on.
    pub current: bool,
    /// True for a subagent's own conversation that the log holds beside the session's.
    pub subagent: bool,
    /// The first words of the last message on it that a human wrote; empty where there is none.
    pub text: String,
}
