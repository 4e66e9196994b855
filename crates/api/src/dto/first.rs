//! The first look: one line about a session of the list, and the sample.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the line about a session.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct GlanceRequest {
    /// A path, or the number, the id or the beginning of the id of a known session.
    pub target: String,
}

/// The reasons why a session is worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GlanceMarkDto {
    /// Names that were used again went in a compaction, without a word in what stands in its place.
    Lost,
    /// The harness compacted the history.
    Compacted,
    /// Requests are smaller than the log accounts for.
    Hidden,
    /// Requests are over the budget.
    Over,
    /// The agent marked no episodes.
    Unannotated,
}

/// One line about a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct GlanceDto {
    /// The line: what is interesting, or that nothing is; an empty log and one too large to be looked through say so.
    pub says: String,
    /// The interesting things, the most interesting first; empty where nothing is or the log was not looked through.
    pub marks: Vec<GlanceMarkDto>,
}

/// The sample, as a file that can be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SampleDto {
    /// Its path.
    pub path: String,
    /// A budget that it passes several times over, as people type it.
    pub budget: String,
}
