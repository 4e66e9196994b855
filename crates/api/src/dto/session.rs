//! The list of sessions, and one opened session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PolicyFamilyDto, ProviderDto, SessionsSortDto, SeverityDto};

/// An empty body, for commands without arguments such as `sessions`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct EmptyRequest {}

/// Sessions in the store and sessions discovered in the harnesses' default folders.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionsDto {
    /// Newest first. A subagent's session is in its caller's `children`.
    pub rows: Vec<SessionRowDto>,
    /// Searched folders. A working directory recorded in a log is never searched.
    pub folders: Vec<String>,
    /// Stores and settings found on disk but not readable, each with a remedy.
    pub notices: Vec<NoticeDto>,
    /// Logs not yet examined. Their rows follow, announced by a push.
    pub n_pending: u32,
}

/// A filter of the session list. `None` in a field matches every session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionsWantedDto {
    pub harness: Option<String>,
    /// Matches sessions recorded in this folder or below it.
    pub cwd: Option<String>,
    /// Matches a substring of the model's name, ignoring case.
    pub model: Option<String>,
    /// Earliest change: an age (`45m`, `12h`, `7d`, `2w`) or a date.
    pub since: Option<String>,
    pub sort: SessionsSortDto,
    /// Maximum number of rows, not counting subagents.
    pub limit: Option<usize>,
}

/// Something found on disk but not listed: an unreadable store, or settings that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NoticeDto {
    /// Empty if the harness is unknown.
    pub harness: String,
    pub path: String,
    /// A clause without initial capital and full stop, as is `hint`.
    pub message: String,
    pub hint: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionRowDto {
    /// The number used by other commands; `None` until the session is opened once.
    pub session: Option<u32>,
    /// The shortest name accepted by `open`: a prefix of `id`, else the file name, `session` or `path`. Empty
    /// if only its subagents' logs remain.
    pub name: String,
    /// The id in the log. Any unique prefix opens the session.
    pub id: Option<String>,
    pub path: String,
    /// The program that wrote the log: `claude-code`, `openclaw`, ….
    pub harness: String,
    pub format: String,
    /// The session's name, else the beginning of the first human message or of the subagent's task, else the file name.
    pub title: String,
    /// The recorded working directory. Displayed only; never opened.
    pub cwd: Option<String>,
    /// The model of the last reply.
    pub model: Option<String>,
    /// Bytes of the log.
    pub size: u64,
    /// Requests to the model, not counting `now`.
    pub n_turns: Option<u32>,
    /// Tokens of the whole history, counted by `tokenizer`.
    pub tokens: Option<u64>,
    /// Episodes marked by the agent on the current branch.
    pub n_episodes: Option<u32>,
    /// Problems of the log and its annotation.
    pub n_problems: Option<u64>,
    pub tokenizer: Option<String>,
    pub annotation: AnnotationDto,
    /// Last change of the file, milliseconds since 1970.
    pub changed_at_ms: Option<i64>,
    /// True if the log was written to within the last minutes.
    pub live: bool,
    /// True if the log no longer exists. The session stays readable from the store.
    pub gone: bool,
    pub pinned: bool,
    pub n_notes: u32,
    /// True if the harness archived, compressed, deleted or reset the log.
    pub archived: bool,
    /// The path of the log whose agent called this subagent.
    pub parent: Option<String>,
    /// The session or log continued by this one (a fork or a resumed session), as the log names it.
    pub continues: Option<String>,
    /// The subagent's type, name or id, if known.
    pub subagent: Option<String>,
    /// Subagents' sessions, newest first.
    pub children: Vec<Self>,
}

/// Whether the agent marked episodes with its `delimiter` tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationDto {
    Annotated,
    None,
    /// Not known until the session is opened.
    #[default]
    Unknown,
}

impl AnnotationDto {
    pub(crate) fn from_annotated(is_annotated: bool) -> Self {
        if is_annotated { Self::Annotated } else { Self::None }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OpenRequest {
    /// A path, or a known session's number, id or id prefix.
    pub target: String,
    /// A log format; `None` detects it.
    pub format: Option<String>,
}

/// Asks whether a link may open a session without confirmation.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmitRequest {
    pub session: String,
    /// The annotation named by the link; may be a file of marks.
    #[serde(default)]
    #[ts(optional)]
    pub annotation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmittedDto {
    /// An absolute path.
    pub target: String,
    /// True if `target` is a listed session and the link names no file of marks. Otherwise the person must confirm.
    pub known: bool,
    /// The absolute path of the file of marks named by the link.
    pub marks: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionRequest {
    pub session: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionDto {
    pub session: u32,
    /// Grows by one with every change. Pushes carry it.
    pub revision: u32,
    pub id: Option<String>,
    pub path: String,
    pub harness: String,
    pub format: String,
    /// Derived as [`SessionRowDto::title`] is.
    pub title: String,
    pub cwd: Option<String>,
    /// The log or id of the session whose agent called this subagent.
    pub parent: Option<String>,
    /// The session or log continued by this one, as the log names it.
    pub continues: Option<String>,
    pub subagent: Option<String>,
    /// A sentence naming the original, if this log is a copy.
    pub copy: Option<String>,
    pub model: Option<String>,
    pub live: bool,
    pub gone: bool,
    /// False if the session is only in memory because the store is unusable.
    pub kept: bool,
    /// Requests to the model, including `now`.
    pub n_turns: u32,
    pub n_messages: u32,
    pub n_blocks: u32,
    pub annotation: AnnotationDto,
    /// The current branch comes first.
    pub branches: Vec<BranchDto>,
    /// Problems of the log and its annotation, in log order.
    pub problems: Vec<ProblemDto>,
    /// Explanations for the codes in `problems`.
    pub codes: Vec<CodeDto>,
    /// The harness's own eviction trace (`pi-cwl` only).
    pub recorded: Option<RecordedDto>,
    /// Requests verified against hashes in the log; `None` if the log has no hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proved: Option<ProvedDto>,
    /// The model's context window, tokens.
    pub window: Option<u64>,
    pub choices: ChoicesDto,
}

/// Requests verified against the message hashes in a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProvedDto {
    /// Requests whose messages, system prompt and tools match their hashes.
    pub requests: u32,
    /// Requests with hashes.
    pub of_requests: u32,
    /// Messages of the verified `requests`; a message counts once per request.
    #[ts(type = "number")]
    pub messages: u64,
    /// Messages of all `of_requests`; a message counts once per request.
    #[ts(type = "number")]
    pub of_messages: u64,
    /// The first mismatch, with its reason.
    pub first: Option<String>,
}

/// The eviction trace that a harness kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedDto {
    /// The last budget used by the harness, tokens.
    pub budget: Option<u64>,
    pub passes: Vec<RecordedPassDto>,
}

/// One eviction pass of the harness. Sizes are tokens, counted by the harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedPassDto {
    /// The turn after the pass, matched by timestamps; `null` if the timestamps do not tell.
    pub turn: Option<u32>,
    pub before: u64,
    pub after: u64,
    /// Names of the episodes evicted completely.
    pub removed: Vec<String>,
    /// Names of the episodes evicted in part.
    pub stripped: Vec<String>,
}

/// The values a [`ViewDto`](super::ViewDto) may have.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChoicesDto {
    pub policies: Vec<PolicyDto>,
    /// Frequently compared policies. The first one is preselected in a new comparison.
    pub likely: Vec<String>,
    pub tokenizers: Vec<String>,
    /// Request formats of the request tab.
    pub providers: Vec<ProviderDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PolicyDto {
    pub name: String,
    /// A short explanation shown beside `name`.
    pub plain: String,
    pub family: PolicyFamilyDto,
    pub about: String,
    pub source: String,
    /// Common options come first.
    pub options: Vec<OptionDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OptionDto {
    pub key: String,
    /// Permitted values, as people type them.
    pub values: String,
    pub default: String,
    /// The effect as a sentence, with `{}` for the value. For a switch, the sentence that is true if it is on.
    pub sentence: String,
    /// Further explanation; empty if `sentence` suffices.
    pub about: String,
    /// True if the value is a fraction, stored per mille.
    pub share: bool,
    /// Minimum and maximum of a numeric option; `(0, 1)` is a switch.
    pub range: Option<(u64, u64)>,
    /// True if every policy has the option.
    pub common: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BranchDto {
    /// The id of the branch's last record.
    pub leaf: String,
    pub n_messages: u32,
    pub current: bool,
    /// True for a subagent's conversation inside its caller's log.
    pub subagent: bool,
}

/// An oddity of a log or its annotation. The rules are in `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProblemDto {
    /// A rule's code: `P001`, `L001`, ….
    pub code: String,
    pub severity: SeverityDto,
    pub message: String,
    /// A line of the log, from 1.
    pub line: Option<u64>,
    /// A block id, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The episode's index in the graph.
    pub episode: Option<u32>,
}

/// A rule's title, meaning and remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CodeDto {
    pub code: String,
    pub title: String,
    pub means: String,
    /// The remedy, as a sentence.
    pub todo: String,
}
