//! One opened session.

use cwl_engine::with_commas;
use cwl_engine::{PolicyFamily, Provider, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct EmptyRequest {}

/// The presence of episodes marked by the agent's own `delimiter` calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationPresence {
    Annotated,
    None,
    #[default]
    Unknown,
}

impl AnnotationPresence {
    pub fn from_annotated(is_annotated: bool) -> Self {
        if is_annotated { Self::Annotated } else { Self::None }
    }
}

/// A request about one session: the number of the session beside the fields of `request`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InSession<Request> {
    pub session: u32,
    #[serde(flatten)]
    pub request: Request,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SessionAnswer {
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
    pub annotation: AnnotationPresence,
    pub branches: Vec<BranchSummary>,
    pub problems: Vec<ProblemRow>,
    pub codes: Vec<RuleExplanation>,
    /// The harness's own eviction trace (`pi-cwl` only).
    pub recorded: Option<RecordedPasses>,
    /// Requests verified against hashes in the log; `None` if the log has no hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proved: Option<BodyCheck>,
    /// The decisions of `cwl live` while the agent ran; `None` without a live policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decided: Option<LiveDecisionCheck>,
    pub window: Option<u64>,
    /// The context window of the model, tokens: as the log states it, else from the table of models.
    pub model_window: Option<u64>,
    pub choices: ViewChoices,
}

/// How many requests in a log match its message hashes (`of_…` counts all with hashes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyCheck {
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
pub struct LiveDecisionCheck {
    pub decisions: u32,
    /// Decisions that left at least one part out of a request.
    pub evicting: u32,
    /// Decisions that sent the whole request although a policy was in force.
    pub passed_through: u32,
    /// Decisions that left out the same parts as a replay of the policy in force, with its settings, over the whole history.
    pub as_policy: u32,
    /// The policy of the last one.
    pub policy: String,
    #[ts(type = "number")]
    pub budget: u64,
    /// The first difference: the turn, the block, and who evicts it.
    pub first: Option<String>,
}

impl LiveDecisionCheck {
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedPasses {
    pub budget: Option<u64>,
    pub passes: Vec<RecordedPass>,
}

/// One eviction pass by the harness. Sizes are tokens, counted by the harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RecordedPass {
    /// The turn after the pass, matched by timestamps; `null` if the timestamps do not tell.
    pub turn: Option<u32>,
    pub before: u64,
    pub after: u64,
    pub removed: Vec<String>,
    pub stripped: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ViewChoices {
    pub policies: Vec<PolicyRow>,
    /// Frequently compared policies. The first one is preselected in a new comparison.
    pub likely: Vec<String>,
    pub tokenizers: Vec<String>,
    pub providers: Vec<Provider>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct PolicyRow {
    pub name: String,
    pub plain: String,
    pub family: PolicyFamily,
    pub about: String,
    pub source: String,
    pub options: Vec<OptionRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct OptionRow {
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
pub struct BranchSummary {
    pub leaf: String,
    pub n_messages: u32,
    pub current: bool,
    pub subagent: bool,
}

/// An oddity in a log or its annotation, explained in `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct ProblemRow {
    pub code: String,
    pub severity: Severity,
    pub message: String,
    pub line: Option<u64>,
    pub block: Option<String>,
    pub episode: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RuleExplanation {
    pub code: String,
    pub title: String,
    pub means: String,
    pub todo: String,
}
