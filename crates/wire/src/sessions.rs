//! The list of sessions.

use cwl_inspect::api::AnnotationPresence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Sessions in the store and sessions discovered in `folders`.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionsAnswer {
    /// Newest first. A subagent's session is in its caller's `children`.
    pub rows: Vec<SessionListRow>,
    /// Searched folders. A working directory recorded in a log is never searched.
    pub folders: Vec<String>,
    /// Stores and settings found on disk but not readable, each with a remedy.
    pub notices: Vec<NoticeRow>,
    /// Logs not yet examined. Their rows follow, announced by [`Push::Sessions`](super::Push::Sessions).
    pub n_pending: u32,
}

/// A session filter. `None` in a field matches every session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionFilter {
    pub harness: Option<String>,
    /// Matches sessions recorded in this folder or below it.
    pub cwd: Option<String>,
    /// Matches a substring of the model's name, ignoring case.
    pub model: Option<String>,
    /// Earliest change: an age (`45m`, `12h`, `7d`, `2w`) or a date.
    pub since: Option<String>,
    pub sort: SessionsOrder,
    /// Maximum number of rows, not counting subagents.
    pub limit: Option<usize>,
}

/// Something found at `path` but not listed: an unreadable store, or settings that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NoticeRow {
    pub harness: String,
    pub path: String,
    /// A clause without initial capital and full stop, as is `hint`.
    pub message: String,
    pub hint: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionListRow {
    /// The number used by other commands; `None` until the session is opened once.
    pub session: Option<u32>,
    /// The shortest name accepted by `open`: a prefix of `id`, else the file name, `session` or `path`. Empty
    /// if only its subagents' logs remain.
    pub name: String,
    /// The id in the log. A unique prefix works as [`OpenRequest::target`].
    pub id: Option<String>,
    pub path: String,
    /// The program that wrote the log: `claude-code`, `openclaw`, ….
    pub harness: String,
    pub format: String,
    /// The session's name, else the beginning of the first human message or of the subagent's task, else the file name.
    pub title: String,
    /// The recorded working directory. Displayed only; never opened.
    pub cwd: Option<String>,
    pub model: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Requests to the model, not counting `now`.
    pub n_turns: Option<u32>,
    /// Tokens in the whole history, counted by `tokenizer`.
    pub tokens: Option<u64>,
    pub n_episodes: Option<u32>,
    pub n_problems: Option<u64>,
    pub tokenizer: Option<String>,
    pub annotation: AnnotationPresence,
    pub changed_at_ms: Option<i64>,
    /// True if the log was written to within the last minutes.
    pub live: bool,
    /// True if `path` no longer exists. The session stays readable from the store.
    pub gone: bool,
    pub pinned: bool,
    pub n_notes: u32,
    /// True if the harness put the log away: archived, compressed, deleted or reset under another name.
    pub archived: bool,
    /// The caller's log, for a subagent's session.
    pub parent: Option<String>,
    /// The session or log continued by this one (a fork or a resumed session), as the log names it.
    pub continues: Option<String>,
    /// The subagent's type, name or id, if known.
    pub subagent: Option<String>,
    pub children: Vec<Self>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OpenRequest {
    /// A path, or a known session's number, id or id prefix, as `cwl` accepts them.
    pub target: String,
    pub format: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmitRequest {
    pub session: String,
    #[serde(default)]
    #[ts(optional)]
    pub annotation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmitAnswer {
    pub target: String,
    /// True if `target` is a listed session and `marks` is `null`. Otherwise the person must confirm.
    pub known: bool,
    /// The file in [`AdmitRequest::annotation`], as an absolute path.
    pub marks: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionRequest {
    pub session: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionsOrder {
    #[default]
    Changed,
    Tokens,
    Turns,
    Size,
    Title,
}
