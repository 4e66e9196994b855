//! Marks files that the user edits, saves and compares.

use cwl_inspect::api::{MarkEdit, MarkProblem, MarksFile, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for a view's marks after `edits`, without saving.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksRequest {
    pub view: ViewSettings,
    /// The edits in the order of application. If one edit fails, the command applies none.
    pub edits: Vec<MarkEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksAnswer {
    pub before: MarksFile,
    pub after: MarksFile,
    pub changes: Vec<String>,
    /// A name to save `after` under: the overlay that was edited if it is the user's own, else an unused name.
    pub name: String,
    pub touched: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksReportRequest {
    pub view: ViewSettings,
    /// The old annotation, as in [`ViewSettings::annotation`](cwl_inspect::api::ViewSettings::annotation). `null` means `based_on` of the
    /// new marks, else `auto`.
    pub before: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveMarksRequest {
    pub session: u32,
    pub name: String,
    /// A [`MarksFile`] as JSON.
    pub json: String,
    /// Fails if `name` is in use.
    #[serde(default)]
    pub fresh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveMarksAnswer {
    pub name: String,
    pub n_episodes: u32,
    pub problems: Vec<MarkProblem>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct KeptMarksRequest {
    pub session: u32,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlaysAnswer {
    pub overlays: Vec<OverlayRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlayRow {
    pub name: String,
    pub by: Option<String>,
    pub based_on: Option<String>,
    pub n_marks: u32,
    pub saved_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksJsonAnswer {
    pub json: String,
}
