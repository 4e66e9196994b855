//! The engine of CWL Inspector: logs as events, the episodes in them, and the context a policy
//! leaves at every turn.
//!
//! Reading order: an adapter (another crate) turns log records into [`SessionEvent`]s, which an
//! [`EventLog`] collects. A [`Session`] is one branch of this log in model order: messages,
//! blocks, turns, and whatever the harness itself removed. The agent's delimiter marks become an
//! [`EpisodeGraph`]. Token counts come from outside as a [`TokenTable`]. A [`Policy`] runs over
//! all turns as a [`Replay`]. The replay's step log gives the state at any cut, and thus a
//! [`RenderedContext`]: what the model would receive, with a reason for every block inside or
//! outside the context.
//!
//! The engine reads no clock, file, database or environment, and no decision depends on an
//! unordered map or a float: same input, same bytes. Odd input never fails; it comes back as a
//! [`Problem`] with a place.
#![cfg_attr(not(any(test, feature = "schema")), no_std)]

extern crate alloc;

// In layers: code in a folder uses only folders above it in this list (checked by `cargo xtask tidy`).
mod text;
mod event;
mod problem;
mod log;
mod tool;
mod session;
mod graph;
mod infer;
mod material;
mod replay;
mod context;
mod policy;
mod measure;
mod verify;
mod quality;
mod diagnostic;
#[cfg(feature = "testing")]
pub mod testing;

pub use context::composition::{Band, BandTokens, BandsBy, bands_by_turn, composition_at};
pub use context::frame::Frame;
pub use context::render::{Fates, render};
pub use context::validity::{Pairing, Provider, Violation, find_violations};
pub use context::{Fate, GoneReason, MessageOrigin, RenderedContext, RenderedItem, RenderedMessage};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use event::delimiter::{DeclaredKind, DelimiterMark, MarkField};
pub use event::holds::{Holds, HumanWords};
pub use event::ids::{
    BlockId, BlockIdx, BlockPlace, EntryId, EpisodeIdx, EpisodeName, EventIdx, MessageIdx, SessionId,
    ToolCallId, TurnIdx,
};
pub use event::rewrite::{Change, ReplacementCause, Rewrite, RewriteTarget};
pub use event::{
    Author, BlockKind, Compaction, Content, ContentBlock, EventBody, Header, Keep, Message, MessageForm,
    Parent, ParsedEvent, RawPayload, ReplyOutcome, Role, SessionEvent, ToolCall, ToolResult, Usage,
    UsageReport, UsageScope,
};
pub use graph::EpisodeGraph;
pub use graph::annotation::{Annotation, AnnotationSource, Evidence, Span};
pub use graph::edit::{Edit, EditRefusal, SpanEdge, apply_edit, spans_of};
pub use graph::episode::{Dependency, Episode, EpisodeKind, Life};
pub use graph::growing_branch::GrowingBranch;
pub use graph::growth::{BlockRun, GraphChange, GraphTimeline, GrowingTimeline, PairSide};
pub use graph::level::EvictionLevel;
pub use infer::{
    BlockFacts, CONTENTS, Cues, EdgeFeature, Effect, Effects, Facts, FactsBuilder, FileFact, Hindsight,
    HumanFacts, LENGTHS, LabeledSegment, StartFeature, StretchCounts, TaskFacts, TurnFacts, TurnFeature,
    WEIGHTS, Weights, confidence_of_margin, contents_of, divide_weighted, edge_features, edges_between,
    features_of, infer_between, infer_episodes, infer_with, label_stretches, shuffle_lengths, turn_facts,
};
pub use log::chunked_vec::ChunkedVec;
pub use log::{BranchTips, EventLog};
pub use material::digest::{DigestBuilder, DigestRule, Passage, digest_lines};
pub use material::names::{FoundNames, NamesBuilder};
pub use material::numbers::{NumberUse, NumbersBuilder};
pub use material::stand_in::{Placeholder, SUMMARY_TITLE, Summary, SummarySlot};
pub use material::{DigestLine, FileChange, LostNames, Material, Name, NameKind, Use};
pub use measure::{
    Absence, Absences, AlignedTurn, Alignment, BillingBreakdown, Blame, BlameClass, Bound, BreakpointHabit,
    CacheMatch, CacheOptions, CacheRead, CacheTurn, CompactionAudit, Cost, CounterfactualCompaction, Detail,
    DetailAtCut, DetailFate, DetailKind, DetailNeeds, DetailSurvival, DetailsBuilder, EditPace, EqualRange,
    FEW_NAMES, FateCounts, FrontierGap, LEAST_NAMES, MEAN_PARTS, Mentions, MissCause, MissInput, NeededName,
    Prices, PromptLayout, Rates, Reacquisition, ReacquisitionCause, ReacquisitionStory, Recall, RecallTurn,
    ReportedRequest, RowDifference, SAME_PER_MILLE, SMALLEST_MISS, SYMBOLS_THAT_TELL, Saying, Scales,
    SessionWork, SummaryCall, SummaryTokens, SurvivalCounts, Tradeoff, Trial, WorkBuilder, WorkKind,
    WorkUnit, audit_compactions, budgets_that_keep, command_head, cost_so_far, detail_survival,
    details_at_cuts, find_absences, frontier_gap, fuller_description, got_again, hit_upper_bound, is_miss,
    measure_recall, output_tokens, pace_after, pace_before, pareto_frontier, prefix_cache, rank_blame,
    reacquisition_stories, reported_cache, reported_turns, session_cost, shared_lines, step_that_takes,
    summary_calls, turn_that_got, uses_of,
};
pub use policy::{PiCwlPass, pi_cwl_pass};
pub use problem::problem_list::{ProblemList, count_problems};
pub use problem::rule::{Rule, RuleGroup};
pub use problem::{Place, Problem, ProblemKind, Severity};
pub use quality::{
    AnnotationFigures, Breach, Clue, EVIDENCE_LISTED, EarlyEviction, EdgeFigures, EdgeUse, JudgedEdge,
    LateRetention, MarkingCost, NAMES_LISTED, QualityGround, QualityInput, Remark, RemarkKind, THRESHOLDS,
    Threshold, ThresholdRow, Thresholds, UndeclaredExploration, UndeclaredUse, count_remarks_of_policy,
    find_remarks, find_undeclared, judged_edges,
};
pub use replay::eligible::{BlockReason, Eligibility, eligibility_among};
pub use replay::kept_reason::KeptReason;
pub use replay::ledger::Ledger;
pub use replay::life::{BlockForm, BlockState, BlockStates, ChangedBy, Transition};
pub use replay::options::{
    COMMON_OPTIONS, DelimiterRule, Granularity, OptionError, OptionSpec, PageOrder, PolicyOptions,
    ResidueOption,
};
pub use replay::overhead::Overhead;
pub use replay::pass::Pass;
pub use replay::policy::{KeptRule, Levels, ListBare, ListPass, Memory, Policy, PolicyFamily, PolicyRun};
pub use replay::state::{Cut, Presence, StateAt, TakenStep, protected_from};
pub use replay::step::{Action, EvictionStep, Move, Subject};
pub use replay::step_log::{StepLog, Steps};
pub use replay::tokens::TokenTable;
pub use replay::waits::{WaitingActs, Waits};
pub use replay::{Replay, ReplayInput, TurnEffect, TurnOutcome};
pub use session::growing_session::{GrowingSession, SessionChange};
pub use session::replacement::Replacement;
pub use session::{History, MessageClass, Session, SessionBlock, SessionMessage, Turn};
pub use text::figure::{count_noun, with_commas};
pub use tool::reading::{Argument, ArgumentRole, CallReading, TodoChange};
pub use tool::shell::{ShellCommand, shell_commands};
pub use tool::{AnswerForm, ToolClass, ToolTable};
pub use verify::finding::{Finding, FindingKind, UnansweredReason};
pub use verify::{
    OpenLoops, PinnedText, ProbeCount, Todo, Verification, WatchedKind, Watchlist, verify_replay,
};
