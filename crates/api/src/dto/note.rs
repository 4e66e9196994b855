//! Notes, bookmarks and pins of sessions, which people make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the notes on a session and its parts.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotesRequest {
    /// The session.
    pub session: u32,
    /// The branch in which places are told, by the id of its last record; `null` is the current one.
    pub branch: Option<String>,
    /// The annotation by which episodes are told, as in a view.
    #[serde(default = "auto_overhead")]
    pub annotation: String,
}

fn auto_overhead() -> String {
    super::ViewDto::default().annotation
}

/// The notes on a session and its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotesDto {
    /// In the order of the log: those on the session first, those on what is not on this branch last.
    pub notes: Vec<NoteDto>,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NoteDto {
    /// Its number, which no other note ever has.
    pub id: i64,
    /// The subject of the note.
    pub subject: SubjectDto,
    /// Its words: plain text.
    pub body: String,
    /// When it was written, milliseconds since 1970.
    pub written_ms: i64,
    /// Where that stands; `null` for the whole session, and for what is not on this branch.
    pub place: Option<NotePlaceDto>,
}

/// The subject of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "on", rename_all = "camelCase")]
pub enum SubjectDto {
    /// The whole session.
    Session,
    /// An episode.
    Episode {
        /// Its name, as shown.
        name: String,
    },
    /// A block.
    Block {
        /// Its id, `ENTRY:INDEX`.
        block: String,
    },
}

/// Where something stands on a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NotePlaceDto {
    /// The line, from 1.
    pub line: u64,
    /// The first turn whose request holds it.
    pub turn: u32,
    /// The episode that it is or belongs to, by its place in the graph.
    pub episode: Option<u32>,
}

/// Asks to keep a note.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveNoteRequest {
    /// The session.
    pub session: u32,
    /// The number of the note that is written anew, or put back; `null` for a new one.
    pub id: Option<i64>,
    /// The subject of the note.
    pub subject: SubjectDto,
    /// Its words.
    pub body: String,
    /// When it was written, for one that is put back as it was; `null` is now.
    pub written_ms: Option<i64>,
}

/// The note or bookmark as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedDto {
    /// Its number.
    pub id: i64,
}

/// Asks to remove a note or a bookmark.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct RemoveRequest {
    /// Its number.
    pub id: i64,
}

/// The note or bookmark that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RemovedDto {
    /// False when it was not there any more.
    pub removed: bool,
}

/// Asks to keep a session on top of the list, or no longer.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PinRequest {
    /// The log's path, as in the list.
    pub path: String,
    /// Whether it is to be on top.
    pub pinned: bool,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct PinDto {
    /// Whether it is on top.
    pub pinned: bool,
}

/// The bookmarks of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedViewsDto {
    /// As they were saved, the oldest first.
    pub views: Vec<SavedViewDto>,
}

/// A bookmark: a place in a session and a view of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedViewDto {
    /// Its number, which no other one ever has.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The place as the query of a link.
    pub query: String,
    /// When it was saved, milliseconds since 1970.
    pub saved_ms: i64,
}

/// Asks to keep a bookmark.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveViewRequest {
    /// The session.
    pub session: u32,
    /// The number of the one that is changed, or put back; `null` for a new one.
    pub id: Option<i64>,
    /// Its name.
    pub name: String,
    /// The place as the query of a link.
    pub query: String,
    /// When it was saved, for one that is put back as it was; `null` is now.
    pub saved_ms: Option<i64>,
}
