//! Sessions: the list, and one opened session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PolicyFamilyDto, ProviderDto, SessionsSortDto, SeverityDto};

/// Asks for what needs no argument: the list of sessions, or what the host was started with.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct EmptyRequest {}

/// The list of sessions: what the store holds and what was discovered in the default folders.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionsDto {
    /// Sessions, newest first; those of subagents are in the rows of the sessions that called them.
    pub rows: Vec<SessionRowDto>,
    /// The folders that are searched; recorded working directories never are.
    pub folders: Vec<String>,
    /// Sessions that were found and are not among the rows, with the way out.
    pub notices: Vec<NoticeDto>,
    /// How many logs are still to be looked at; there are more rows then, and a push says when.
    pub n_pending: u32,
}

/// Which sessions of the list are asked for; `None` everywhere is all of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionsWantedDto {
    /// The program that wrote them.
    pub harness: Option<String>,
    /// A folder: sessions that were recorded in it or below it.
    pub cwd: Option<String>,
    /// A part of the model's name, in any case.
    pub model: Option<String>,
    /// The time since which they changed: `45m`, `12h`, `7d`, `2w`, or a day.
    pub since: Option<String>,
    /// The order.
    pub sort: SessionsSortDto,
    /// The most that are listed, those of subagents apart.
    pub limit: Option<usize>,
}

/// Something of a harness that was found and is not shown: a store that is not read, settings that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct NoticeDto {
    /// Whose it is; empty where that is not known.
    pub harness: String,
    /// The file or folder.
    pub path: String,
    /// The trouble, as a sentence without its capital and its end.
    pub message: String,
    /// The way out, in the same form.
    pub hint: String,
}

/// One session in the list.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionRowDto {
    /// The number by which commands name an indexed session; `None` until it is opened once.
    pub session: Option<u32>,
    /// The shortest name that opens it: the beginning of its id, else the name of its file, its number or its path. Empty
    /// where nothing but its subagents tells that it was there.
    pub name: String,
    /// The id in the log; the beginning of it opens the session as well where no other begins so.
    pub id: Option<String>,
    /// The log's path.
    pub path: String,
    /// The program that wrote it: `claude-code`, `openclaw`, ….
    pub harness: String,
    /// The log's format: `pi`, ….
    pub format: String,
    /// Its name, else the start of the first human message or what the subagent was asked to do, else the file's name.
    pub title: String,
    /// The recorded working directory; shown, never touched.
    pub cwd: Option<String>,
    /// The last model.
    pub model: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Requests to the model, without `now`.
    pub n_turns: Option<u32>,
    /// The size of the next request with nothing evicted, tokens, counted as `tokenizer` says.
    pub tokens: Option<u64>,
    /// Episodes that the agent marked, on the branch that the session is on.
    pub n_episodes: Option<u32>,
    /// The number of problems of the log and its annotation.
    pub n_problems: Option<u64>,
    /// The unit of `tokens`: `provider`, or a tokenizer's name.
    pub tokenizer: Option<String>,
    /// Whether the agent marked episodes.
    pub annotation: AnnotationDto,
    /// When the file last changed, milliseconds since 1970.
    pub changed_at_ms: Option<i64>,
    /// True while it is being written: it was written to in the last minutes, whether it is open or not.
    pub live: bool,
    /// True when the log is not there any more; the session stays inspectable.
    pub gone: bool,
    /// True when people keep it on top of the list.
    pub pinned: bool,
    /// How many notes there are on it and its parts.
    pub n_notes: u32,
    /// True when the harness has put the log away: archived, compressed, deleted or reset under another name.
    pub archived: bool,
    /// The path of the session that it hangs under: the one that called this subagent.
    pub parent: Option<String>,
    /// The session or log that this one goes on from (a fork, a resumed one), as the log names it.
    pub continues: Option<String>,
    /// The subagent's sort, name or id, where the log or what stands beside it tells that.
    pub subagent: Option<String>,
    /// The sessions of its subagents, newest first.
    pub children: Vec<Self>,
}

/// Whether the agent marked episodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationDto {
    /// By the delimiter tool.
    Annotated,
    /// Not at all.
    None,
    /// Not known before it is opened.
    #[default]
    Unknown,
}

impl AnnotationDto {
    /// Tells of a session whether it is annotated.
    pub(crate) fn from_annotated(is_annotated: bool) -> Self {
        if is_annotated { Self::Annotated } else { Self::None }
    }
}

/// Asks to open a session and to follow its log.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OpenRequest {
    /// A path, or the number, the id or the beginning of the id of a known session.
    pub target: String,
    /// Forces a log format; `None` detects it.
    pub format: Option<String>,
}

/// Asks whether a link may open a session.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmitRequest {
    /// The session as the link names it.
    pub session: String,
    /// The annotation of the link's view, which may be a file of marks.
    #[serde(default)]
    #[ts(optional)]
    pub annotation: Option<String>,
}

/// The session that a link may open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AdmittedDto {
    /// The target to open: a whole path.
    pub target: String,
    /// True where the list of sessions has it and no file of marks is named; else the person is asked first.
    pub known: bool,
    /// The file of marks that the link names, as a whole path.
    pub marks: Option<String>,
}

/// Asks for an opened session as it is now, or for something of it that needs no other argument.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionRequest {
    /// The session.
    pub session: u32,
}

/// One opened session.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionDto {
    /// The number by which commands name it.
    pub session: u32,
    /// Grows by one with every change; pushes carry it.
    pub revision: u32,
    /// The id in the log.
    pub id: Option<String>,
    /// The log's path.
    pub path: String,
    /// The program that wrote it, as in the list.
    pub harness: String,
    /// The log's format.
    pub format: String,
    /// As in the list.
    pub title: String,
    /// The recorded working directory.
    pub cwd: Option<String>,
    /// The log or id of the session that called this one, where a subagent wrote it.
    pub parent: Option<String>,
    /// The session or log that this one goes on from (a fork, a resumed one), as the log names it.
    pub continues: Option<String>,
    /// The subagent's name or id, where the log tells it.
    pub subagent: Option<String>,
    /// A sentence that says of which session it is a copy, where it is no session of its own.
    pub copy: Option<String>,
    /// The last model.
    pub model: Option<String>,
    /// True while the log is being written, as in the list of sessions.
    pub live: bool,
    /// True when the log is not there any more.
    pub gone: bool,
    /// False when it is in memory only, because the store cannot be used.
    pub kept: bool,
    /// Requests to the model, `now` included.
    pub n_turns: u32,
    /// Messages on the branch.
    pub n_messages: u32,
    /// Blocks on the branch.
    pub n_blocks: u32,
    /// Whether the agent marked episodes.
    pub annotation: AnnotationDto,
    /// All branches of the log, the current one first.
    pub branches: Vec<BranchDto>,
    /// The problems of the log and its annotation, in log order.
    pub problems: Vec<ProblemDto>,
    /// The meaning of the codes of these problems.
    pub codes: Vec<CodeDto>,
    /// The harness's own account of its evictions, where it keeps a trace (pi-cwl).
    pub recorded: Option<RecordedDto>,
    /// How many of the requests that the log tells of are proved by it; `None` where it tells of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proved: Option<ProvedDto>,
    /// The model's context window, tokens, where known.
    pub window: Option<u64>,
    /// The choices for a view.
    pub choices: ChoicesDto,
}

/// How many of the requests that a log tells of, by the hashes of their messages, are proved by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProvedDto {
    /// Requests whose messages, system prompt and tools the log holds as they were sent.
    pub requests: u32,
    /// Requests that the log tells of.
    pub of_requests: u32,
    /// Messages of the proved requests, once for each request.
    #[ts(type = "number")]
    pub messages: u64,
    /// Messages of all requests that the log tells of, once for each request.
    #[ts(type = "number")]
    pub of_messages: u64,
    /// The first thing that is not proved, and why.
    pub first: Option<String>,
}

/// The harness's own account of its evictions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedDto {
    /// The budget that it used last, tokens.
    pub budget: Option<u64>,
    /// Its passes, in order.
    pub passes: Vec<RecordedPassDto>,
}

/// One pass of eviction that the harness made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedPassDto {
    /// The turn before whose request it was, by the clocks of both; `null` where they do not tell.
    pub turn: Option<u32>,
    /// The size before it, tokens by the harness's count.
    pub before: u64,
    /// The size after it.
    pub after: u64,
    /// The names of the episodes of which nothing was left.
    pub removed: Vec<String>,
    /// The names of the episodes of which a part was taken.
    pub stripped: Vec<String>,
}

/// The choices for a view.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChoicesDto {
    /// All policies.
    pub policies: Vec<PolicyDto>,
    /// The policies that people compare most, the most likely first: a first comparison has the first of them.
    pub likely: Vec<String>,
    /// All tokenizers.
    pub tokenizers: Vec<String>,
    /// All forms of the request tab.
    pub providers: Vec<ProviderDto>,
}

/// A policy and its options.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PolicyDto {
    /// The name that people type.
    pub name: String,
    /// Plain words that stand beside the name.
    pub plain: String,
    /// The family that it belongs to.
    pub family: PolicyFamilyDto,
    /// Its effect, in one sentence.
    pub about: String,
    /// Where it comes from.
    pub source: String,
    /// Its options, the common ones first.
    pub options: Vec<OptionDto>,
}

/// An option of a policy.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OptionDto {
    /// The key.
    pub key: String,
    /// The values, as people type them.
    pub values: String,
    /// The default.
    pub default: String,
    /// Its effect as a sentence, with `{}` in the place of the value; of a switch, the sentence that it makes true.
    pub sentence: String,
    /// More words on it; empty where the sentence says all.
    pub about: String,
    /// True when the value is a share, per mille.
    pub share: bool,
    /// The least and the most that it takes, where it is a number of the policy's own; 0 to 1 is a switch.
    pub range: Option<(u64, u64)>,
    /// True when every policy has it.
    pub common: bool,
}

/// A branch of a log.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BranchDto {
    /// The id of its last record.
    pub leaf: String,
    /// How many messages are on it.
    pub n_messages: u32,
    /// True for the branch that the session is on.
    pub current: bool,
    /// True for a subagent's own conversation that the log holds beside the session's.
    pub subagent: bool,
}

/// Something odd, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProblemDto {
    /// `P001`…, `L001`….
    pub code: String,
    /// How grave it is.
    pub severity: SeverityDto,
    /// The problem, as a sentence.
    pub message: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The block, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The episode that it is about, by its place in the graph.
    pub episode: Option<u32>,
}

/// The meaning of a code, and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CodeDto {
    /// `P001`…, `L001`….
    pub code: String,
    /// It in a few words.
    pub title: String,
    /// Its meaning, as a sentence.
    pub means: String,
    /// The way out, as a sentence.
    pub todo: String,
}
