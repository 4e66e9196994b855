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
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod ids;
mod event;
mod holds;
mod delimiter;
mod annotation;
mod rewrite;
mod chunked_vec;
mod record_index;
mod log;
mod branch;
mod branch_tip;
mod parents;
mod session;
mod session_builder;
mod built_branch;
mod growing_session;
mod pairing;
mod tool;
mod shell;
mod reading;
mod problem;
mod problem_list;
mod cells;
mod rule;
mod episode;
mod graph;
mod grouped;
mod figure;
mod annotate;
mod growth;
mod growing_branch;
mod edit;
mod replacement;
mod lapse;
mod tokens;
mod overhead;
mod level;
mod material;
mod digest;
mod stand_in;
mod step;
mod life;
mod ledger;
mod step_log;
mod tool_loop;
mod pass;
mod policy;
mod replay;
mod state;
mod waits;
mod eligible;
mod composition;
mod frame;
mod context;
mod render;
mod validity;
mod verify;
mod finding;
mod measure;
mod infer;
mod quality;
#[cfg(feature = "testing")]
pub mod testing;

pub use annotation::{Annotation, AnnotationSource, Evidence, Span};
pub use chunked_vec::ChunkedVec;
pub use composition::{Band, BandTokens, BandsBy, bands_by_turn, composition_at};
pub use context::{
    Fate, GoneReason, KeptReason, MessageOrigin, RenderedContext, RenderedItem, RenderedMessage,
};
pub use delimiter::{DeclaredKind, DelimiterMark, MarkField};
pub use digest::{DigestBuilder, DigestRule, Passage, digest_lines};
pub use edit::{Edit, EditRefusal, SpanEdge, apply_edit, spans_of};
pub use eligible::{BlockReason, Eligibility, eligibility_among};
pub use episode::{Dependency, Episode, EpisodeKind, Life};
pub use event::{
    Author, BlockKind, Compaction, Content, ContentBlock, EventBody, Header, Keep, Message, MessageForm,
    Parent, ParsedEvent, RawPayload, ReplyOutcome, Role, SessionEvent, ToolCall, ToolResult, Usage,
    UsageReport, UsageScope,
};
pub use figure::{count_noun, with_commas};
pub use finding::{Finding, FindingKind, UnansweredReason};
pub use frame::Frame;
pub use graph::EpisodeGraph;
pub use growing_branch::GrowingBranch;
pub use growing_session::{GrowingSession, SessionChange};
pub use growth::{BlockRun, GraphChange, GraphTimeline, GrowingTimeline, PairSide};
pub use holds::{Holds, HumanWords};
pub use ids::{
    BlockId, BlockIdx, BlockPlace, EntryId, EpisodeIdx, EpisodeName, EventIdx, MessageIdx, SessionId,
    ToolCallId, TurnIdx,
};
pub use infer::{
    BlockFacts, CONTENTS, Cues, EdgeFeature, Effect, Effects, Facts, FactsBuilder, FileFact, Hindsight,
    HumanFacts, LENGTHS, LabeledSegment, StartFeature, StretchCounts, TaskFacts, TurnFacts, TurnFeature,
    WEIGHTS, Weights, confidence_of_margin, contents_of, divide_weighted, edge_features, edges_between,
    features_of, infer_between, infer_episodes, infer_with, label_stretches, shuffle_lengths, turn_facts,
};
pub use ledger::Ledger;
pub use level::EvictionLevel;
pub use life::{BlockForm, BlockState, BlockStates, ChangedBy, Transition};
pub use log::{BranchTips, EventLog};
pub use material::{DigestLine, FileChange, LostNames, Material, Name, NameKind, Use};
pub use measure::{
    Absence, Absences, AlignedTurn, Alignment, BillingBreakdown, Blame, BlameClass, Bound, BreakpointHabit,
    CacheMatch, CacheOptions, CacheRead, CacheTurn, CompactionAudit, Cost, CounterfactualCompaction, Detail,
    DetailAtCut, DetailFate, DetailKind, DetailNeeds, DetailSurvival, DetailsBuilder, EditPace, EqualRange,
    FEW_NAMES, FateCounts, FoundNames, FrontierGap, LEAST_NAMES, MEAN_PARTS, Mentions, MissCause, MissInput,
    NamesBuilder, NeededName, NumberUse, NumbersBuilder, Prices, PromptLayout, Rates, Reacquisition,
    ReacquisitionCause, ReacquisitionStory, Recall, RecallTurn, ReportedRequest, RowDifference,
    SAME_PER_MILLE, SMALLEST_MISS, SYMBOLS_THAT_TELL, Saying, Scales, SessionWork, SummaryCall,
    SummaryTokens, SurvivalCounts, Tradeoff, Trial, WorkBuilder, WorkKind, WorkUnit, audit_compactions,
    budgets_that_keep, command_head, cost_so_far, detail_survival, details_at_cuts, find_absences,
    frontier_gap, fuller_description, got_again, hit_upper_bound, is_miss, measure_recall, output_tokens,
    pace_after, pace_before, pareto_frontier, prefix_cache, rank_blame, reacquisition_stories,
    reported_cache, reported_turns, session_cost, shared_lines, step_that_takes, summary_calls,
    turn_that_got, uses_of,
};
pub use overhead::Overhead;
pub use pass::Pass;
pub use policy::{
    COMMON_OPTIONS, DelimiterRule, Granularity, KeptRule, Levels, ListBare, ListPass, Memory, OptionError,
    OptionSpec, PageOrder, PiCwlPass, Policy, PolicyFamily, PolicyOptions, PolicyRun, ResidueOption,
    pi_cwl_pass,
};
pub use problem::{Place, Problem, ProblemKind, Severity};
pub use problem_list::{ProblemList, count_problems};
pub use quality::{
    AnnotationFigures, Breach, Clue, EVIDENCE_LISTED, EarlyEviction, EdgeFigures, EdgeUse, JudgedEdge,
    LateRetention, MarkingCost, NAMES_LISTED, QualityGround, QualityInput, Remark, RemarkKind, THRESHOLDS,
    Threshold, ThresholdRow, Thresholds, UndeclaredExploration, UndeclaredUse, count_remarks_of_policy,
    find_remarks, find_undeclared, judged_edges,
};
pub use reading::{Argument, ArgumentRole, CallReading, TodoChange};
pub use render::{Fates, render};
pub use replacement::{Replacement, ReplacementCause};
pub use replay::{Replay, ReplayInput, TurnEffect, TurnOutcome};
pub use rewrite::{Change, Rewrite, RewriteTarget};
pub use rule::Rule;
pub use session::{History, MessageClass, Session, SessionBlock, SessionMessage, Turn};
pub use shell::{ShellCommand, shell_commands};
pub use stand_in::{Placeholder, SUMMARY_TITLE, Summary, SummarySlot};
pub use state::{Cut, Presence, StateAt, TakenStep, protected_from};
pub use step::{Action, EvictionStep, Move, Subject};
pub use step_log::{StepLog, Steps};
pub use tokens::TokenTable;
pub use tool::{AnswerForm, ToolClass, ToolTable};
pub use validity::{Pairing, Provider, Violation, find_violations};
pub use verify::{
    OpenLoops, PinnedText, ProbeCount, Todo, Verification, WatchedKind, Watchlist, verify_replay,
};
pub use waits::{WaitingActs, Waits};
