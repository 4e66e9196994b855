//! Notes, bookmarks and pinned sessions.

use cwl_inspect::api::ViewSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotesRequest {
    pub session: u32,
    /// The branch to locate notes on, given by its last record; `null` is the current one.
    pub branch: Option<String>,
    /// The annotation to find episodes by, as in [`ViewSettings::annotation`](cwl_inspect::api::ViewSettings::annotation).
    #[serde(default = "auto_overhead")]
    pub annotation: String,
}

fn auto_overhead() -> String {
    ViewSettings::default().annotation
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotesAnswer {
    /// In log order. Notes on the session come first, notes on other branches last.
    pub notes: Vec<SessionNote>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionNote {
    pub id: i64,
    pub subject: NoteTarget,
    pub body: String,
    pub written_ms: i64,
    /// `null` for the whole session, and for subjects on other branches.
    pub place: Option<NotePlace>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "on", rename_all = "camelCase")]
pub enum NoteTarget {
    Session,
    Episode { name: String },
    Block { block: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotePlace {
    pub line: u64,
    pub turn: u32,
    pub episode: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveNoteRequest {
    pub session: u32,
    /// The note to replace or restore; `null` creates one.
    pub id: Option<i64>,
    pub subject: NoteTarget,
    pub body: String,
    /// The original time of a restored note, milliseconds since 1970; `null` is now.
    pub written_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveAnswer {
    pub id: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RemoveRequest {
    pub id: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RemoveAnswer {
    pub removed: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PinRequest {
    pub path: String,
    pub pinned: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PinAnswer {
    pub pinned: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedViewsAnswer {
    pub views: Vec<SavedViewRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedViewRow {
    pub id: i64,
    pub name: String,
    pub query: String,
    pub saved_ms: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveViewRequest {
    pub session: u32,
    /// The bookmark to replace or restore; `null` creates one.
    pub id: Option<i64>,
    pub name: String,
    pub query: String,
    pub saved_ms: Option<i64>,
}
