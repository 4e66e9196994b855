//! A one-line summary of a listed session, and the sample.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct GlanceRequest {
    /// A path, or a known session's number, id or id prefix, as `cwl` accepts them.
    pub target: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GlanceMark {
    /// A compaction lost names used again later.
    Lost,
    Compacted,
    /// A hidden loss: requests are smaller than the log explains.
    Hidden,
    Over,
    Unannotated,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct GlanceAnswer {
    /// A sentence: the session's interesting facts, or that there are none, the log is empty, or it is too large to
    /// scan.
    pub says: String,
    pub marks: Vec<GlanceMark>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SampleSuggestion {
    pub path: String,
    /// A budget the sample exceeds repeatedly, as people type it.
    pub budget: String,
}
