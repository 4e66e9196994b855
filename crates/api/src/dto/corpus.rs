//! A corpus: what the tables of many sessions are made of beside the answers of the commands, and what a run of it did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CostDto, EdgeUseDto, MeasuredDto};

/// A dependency of an act on an exploration, judged by the evidence in the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyDto {
    /// The act, by its place in the graph.
    pub act: u32,
    /// The exploration, by its place in the graph.
    pub on: u32,
    /// Whether the act names it and uses it.
    pub usage: EdgeUseDto,
}

/// The requests that a session made, and what it did before it first changed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestsMadeDto {
    /// The requests, in order; without the one that is next.
    pub requests: Vec<RequestMadeDto>,
    /// Calls that look at something before the first call that edits a file; without such a call, all that look.
    pub n_looks_before_edit: u32,
    /// The first turn that edits a file.
    pub first_edit: Option<u32>,
}

/// One request that a session made: what its reply did, and what the provider reported of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMadeDto {
    /// The turn, from 1.
    pub turn: u32,
    /// When the reply was written, milliseconds since 1970; `null` where the log does not tell.
    pub at_ms: Option<i64>,
    /// The model as the log names it.
    pub model: Option<String>,
    /// The reported usage with its cost; `null` where none is reported.
    pub reported: Option<CostDto>,
    /// Calls of the reply, without marks.
    pub n_calls: u32,
    /// Calls that look at something.
    pub n_looks: u32,
    /// Calls that edit a file.
    pub n_edits: u32,
    /// Calls that mark an episode.
    pub n_marks: u32,
}

/// One policy and budget over a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDto {
    /// The policy.
    pub policy: String,
    /// Its options that are not at their defaults, `key=value` with commas between, by key.
    pub options: String,
    /// The token budget τ; `null` where nothing is evicted.
    pub budget: Option<u64>,
    /// At how many turns the budget cannot be met; the next request is one of them.
    pub over_budget_turns: u32,
    /// Before how many requests the policy took a step; the next request is one of them.
    pub n_passes: u32,
    /// The measures.
    #[serde(flatten)]
    pub measured: MeasuredDto,
}

/// The result of `cwl corpus`: the tables of many sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusDto {
    /// The folder of the tables.
    pub folder: String,
    /// The version of the tables' columns.
    pub version: u32,
    /// How many logs the tables are of; those that cannot be read among them.
    pub n_logs: u32,
    /// How many of them cannot be read; each is a row with its problem.
    pub n_unread: u32,
    /// The size of the logs, bytes.
    pub n_bytes: u64,
    /// How many parts were written, because a log of them is new or changed, or because something else was asked for.
    pub n_written: u32,
    /// How many parts stayed as they were.
    pub n_kept: u32,
    /// How many parts were removed, because no log of them is left.
    pub n_removed: u32,
    /// The tables.
    pub tables: Vec<CorpusTableDto>,
}

/// One table of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusTableDto {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its rows, all parts together.
    pub n_rows: u64,
}
