//! Exports: a session in one file, whose page computes.

use cwl_inspect::api::{ViewCut, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportRequest {
    /// The page opens with this view, at `cut`.
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub redact: bool,
}

/// The facts about an exported page. Behind them, the page holds the session as data and the engine.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ExportedSession {
    pub made_by: String,
    pub path: String,
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub redacted: Option<RedactionCounts>,
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RedactionCounts {
    /// `(kind, distinct secrets, occurrences)`, most frequent first.
    pub counts: Vec<(String, u32, u32)>,
    /// Texts omitted because they could not be scanned.
    pub left_out: u32,
}
