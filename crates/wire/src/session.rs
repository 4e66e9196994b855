//! The list of sessions, and one opened session.

use cwl_engine::with_commas;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PolicyFamilyDto, ProviderDto, SessionsSortDto, SeverityDto};

/// An empty body, for commands without arguments such as `sessions`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct EmptyRequest {}

/// Sessions in the store and sessions discovered in `folders`.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionsDto {
    /// Newest first. A subagent's session is in its caller's `children`.
    pub rows: Vec<SessionRowDto>,
    /// Searched folders. A working directory recorded in a log is never searched.
    pub folders: Vec<String>,
    /// Stores and settings found on disk but not readable, each with a remedy.
    pub notices: Vec<NoticeDto>,
    /// Logs not yet examined. Their rows follow, announced by [`PushDto::Sessions`](super::PushDto::Sessions).
    pub n_pending: u32,
}

/// A session filter. `None` in a field matches every session.
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

/// Something found at `path` but not listed: an unreadable store, or settings that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NoticeDto {
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
    pub annotation: AnnotationDto,
    /// The file's last change, milliseconds since 1970.
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

/// The presence of episodes marked by the agent's own `delimiter` calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationDto {
    Annotated,
    None,
    #[default]
    Unknown,
}

impl AnnotationDto {
    pub fn from_annotated(is_annotated: bool) -> Self {
        if is_annotated { Self::Annotated } else { Self::None }
    }
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
    /// The link's `annotation`, possibly a file with marks.
    #[serde(default)]
    #[ts(optional)]
    pub annotation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmittedDto {
    pub target: String,
    /// True if `target` is a listed session and `marks` is `null`. Otherwise the person must confirm.
    pub known: bool,
    /// The file in [`AdmitRequest::annotation`], as an absolute path.
    pub marks: Option<String>,
}

/// A request about one session: the number of the session beside the fields of `request`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InSession<Request> {
    pub session: u32,
    #[serde(flatten)]
    pub request: Request,
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
    pub title: String,
    pub cwd: Option<String>,
    /// The caller's log or id, for a subagent's session.
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
    pub n_turns: u32,
    pub n_messages: u32,
    pub n_blocks: u32,
    pub annotation: AnnotationDto,
    pub branches: Vec<BranchDto>,
    pub problems: Vec<ProblemDto>,
    pub codes: Vec<CodeDto>,
    /// The harness's own eviction trace (`pi-cwl` only).
    pub recorded: Option<RecordedDto>,
    /// Requests verified against hashes in the log; `None` if the log has no hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proved: Option<ProvedDto>,
    /// The decisions of `cwl live` while the agent ran; `None` without a live policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decided: Option<DecidedDto>,
    pub window: Option<u64>,
    /// The context window of the model, tokens: as the log states it, else from the table of models.
    pub model_window: Option<u64>,
    pub choices: ChoicesDto,
}

/// How many requests in a log match its message hashes (`of_…` counts all with hashes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProvedDto {
    /// Requests whose messages, system prompt and tools match.
    pub requests: u32,
    pub of_requests: u32,
    /// Messages in verified `requests`; a message counts once per request.
    #[ts(type = "number")]
    pub messages: u64,
    /// Messages in all `of_requests`; a message counts once per request.
    #[ts(type = "number")]
    pub of_messages: u64,
    pub first: Option<String>,
}

/// The decisions of a live policy in a log, and how many of them are what the policy in force says of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DecidedDto {
    /// Decisions on the current branch.
    pub decisions: u32,
    /// Decisions that left at least one part out of a request.
    pub evicting: u32,
    /// Decisions that sent the whole request although a policy was in force.
    pub passed_through: u32,
    /// Decisions that left out the same parts as a replay of the policy in force, with its settings, over the whole history.
    pub as_policy: u32,
    /// The policy of the last one.
    pub policy: String,
    /// The budget τ of the last one, tokens.
    #[ts(type = "number")]
    pub budget: u64,
    /// The first difference: the turn, the block, and who evicts it.
    pub first: Option<String>,
}

impl DecidedDto {
    /// Says it in one line.
    pub fn sentence(&self) -> String {
        let Self { decisions, evicting, passed_through, as_policy, policy, budget, .. } = self;
        let passed = match passed_through {
            0 => String::new(),
            n_passed => format!(", {} passed through", with_commas(u64::from(*n_passed))),
        };
        format!(
            "live: {} requests under {policy} at {}, {} evicting{passed}; {} as the policy says of the whole log",
            with_commas(u64::from(*decisions)),
            with_commas(*budget),
            with_commas(u64::from(*evicting)),
            with_commas(u64::from(*as_policy)),
        )
    }
}

/// The eviction trace kept by `pi-cwl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedDto {
    pub budget: Option<u64>,
    pub passes: Vec<RecordedPassDto>,
}

/// One eviction pass by the harness. Sizes are tokens, counted by the harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedPassDto {
    /// The turn after the pass, matched by timestamps; `null` if the timestamps do not tell.
    pub turn: Option<u32>,
    pub before: u64,
    pub after: u64,
    pub removed: Vec<String>,
    pub stripped: Vec<String>,
}

/// The values a [`ViewDto`](super::ViewDto) may have.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChoicesDto {
    pub policies: Vec<PolicyDto>,
    /// Frequently compared policies. The first one is preselected in a new comparison.
    pub likely: Vec<String>,
    pub tokenizers: Vec<String>,
    pub providers: Vec<ProviderDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PolicyDto {
    pub name: String,
    pub plain: String,
    pub family: PolicyFamilyDto,
    pub about: String,
    pub source: String,
    pub options: Vec<OptionDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OptionDto {
    pub key: String,
    pub values: String,
    pub default: String,
    /// The effect as a sentence, with `{}` for the value. For a switch, the sentence that is true if it is on.
    pub sentence: String,
    pub about: String,
    /// True if the value is a fraction, given per mille.
    pub share: bool,
    /// Minimum and maximum of a policy's own number; `(0, 1)` is a switch.
    pub range: Option<(u64, u64)>,
    pub common: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BranchDto {
    pub leaf: String,
    pub n_messages: u32,
    pub current: bool,
    /// True for a subagent's conversation inside its caller's log.
    pub subagent: bool,
}

/// An oddity in a log or its annotation, explained in `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProblemDto {
    pub code: String,
    pub severity: SeverityDto,
    pub message: String,
    pub line: Option<u64>,
    pub block: Option<String>,
    pub episode: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CodeDto {
    pub code: String,
    pub title: String,
    pub means: String,
    pub todo: String,
}
