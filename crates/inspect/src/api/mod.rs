//! Requests and answers of the commands: the types that the window, the page and `--json` share, each with its JSON,
//! its JSON schema and its TypeScript.
//!
//! Numbers are JSON numbers. Each `…Answer` answers one question of a pane, so the page recomputes nothing.
//!
//! Conventions, unless a field says otherwise: block ids are `ENTRY:INDEX`; lines, turns and steps count from 1, other
//! indices from 0; an `episode` is an index into [`GraphAnswer::episodes`]; sizes are tokens; money is millionths of a
//! US dollar; `…_ms` is milliseconds since 1970; `says` and `message` are clauses without full stop; `revision` is the
//! session's revision at the time of the answer.

mod error;
mod words;
mod annotation;
mod session;
mod branch;
mod replay;
mod graph;
mod episode;
mod list;
mod block;
mod subject;
mod finding;
mod story;
mod lint;
mod compaction;
mod compare;
mod side_by_side;
mod duel;
mod sweep;
mod frontier;
mod verdict;
mod cost;
mod overview;
mod run;
mod trace;

pub use cwl_engine::{
    Action, AnnotationSource, Author, Band, BandsBy, BlameClass, DetailKind, EdgeUse, EpisodeKind, MissCause,
    NameKind, PolicyFamily, Provider, Role, RowDifference, Severity,
};

pub use annotation::{AnnotationOrigin, EditPlace, FileMark, MarkEdit, MarkProblem, MarksFile, WorthAnswer};
pub use block::{
    BlockAnswer, BlockRequest, BodyAnswer, BodyRequest, ContextTextAnswer, ContextTextRequest, ImageAnswer,
    ImageRequest,
};
pub use branch::{BranchRow, BranchesAnswer};
pub use compaction::{
    CompactedContent, CompactionReport, CompactionSentences, CompactionsAnswer, CounterfactualRow,
    DetailCounts, EditPaceFigures, NeededDetails, NeededNameFate, NeededNameRow, NeededNames, QuestionCounts,
    ReacquiredCounts, RecallQuestion, RecoveryAnswer, RecoveryRequest,
};
pub use compare::{
    BlockDifference, CompareAnswer, CompareAtCut, CompareBlocksAnswer, CompareBlocksRequest, CompareColumn,
    CompareRequest,
};
pub use cost::{CostAnswer, CostRequest, MissRow, MissSum, StatedCost, UnpricedUsage};
pub use duel::{DuelAnswer, DuelNeed, DuelRequest, DuelSide};
pub use episode::{DeclaredNeed, EpisodeAnswer, EpisodeAtAnyCut, EpisodeAtCut, EpisodeRequest};
pub use error::{ApiError, ErrorCode};
pub use finding::{
    FINDINGS_LISTED, FindingRow, FindingsAnswer, ReacquisitionRow, ReacquisitionsAnswer, UndeclaredAnswer,
    UndeclaredHint,
};
pub use frontier::{FrontierMeasure, FrontierPoint, FrontierRequest, MeasuredSetting, ParetoFrontier};
pub use graph::{EpisodeNode, FrameAnswer, FrameRequest, GraphAnswer, HeldFrameParts, HumanTurnRow};
pub use lint::{
    FigurePart, LintAnswer, LintCounts, LintFinding, LintPlace, LintReport, LintedLog, QualityFigure,
};
pub use list::{
    ABOUT_CHARS, ContextAnswer, ContextItem, DiffAgainst, DiffAnswer, DiffWords, EvictedAnswer, FindAnswer,
    FindRequest, ItemDiff, ListKind, MATCHES_COUNTED, MatchesAnswer, MatchesRequest, OverBudgetReason,
    PREVIEW_CHARS, PageAnswer, PageRequest, PlaceAnswer, PlaceRequest, ProviderViolations, TextPattern,
};
pub use overview::{ConsumerKind, ConsumerRow, OverviewAnswer, OverviewLine, OverviewLineKind};
pub use replay::{
    BandSeries, CountDrift, HiddenGainRow, HiddenLossRow, HistoryAnswer, ReplayAnswer, RetainedReasoning,
    StepRow, StepsAnswer, StepsRequest, TurnAnswer, UnloggedStretch, ViewCut, ViewRequest, ViewSettings,
};
pub use run::{JudgedDependency, PolicyRunFigures, RequestMade, RequestsMade};
pub use session::{
    AnnotationPresence, BodyCheck, BranchSummary, EmptyRequest, InSession, LiveDecisionCheck, OptionRow,
    PolicyRow, ProblemRow, RecordedPass, RecordedPasses, RuleExplanation, SessionAnswer, ViewChoices,
};
pub use side_by_side::{
    DivergencePoint, PairedFigure, SessionSide, SideBySideAnswer, SideBySideRequest, SideRow, SideTurn,
    WorkUnitRow,
};
pub use story::{
    BlameEntry, CauseSum, ReacquisitionStoriesAnswer, ReacquisitionStoryRow, STORIES_LISTED, StoryPlace,
};
pub use subject::DocumentSubject;
pub use sweep::{
    CacheModelCheck, CacheRules, CacheRulesInForce, ClaimCheck, ContextFindings, CostFigures,
    DetailSurvivalRow, MeasuredFigures, PriceInForce, ProbeCounts, RecallFigures, SweepAnswer, SweepPoint,
    SweepRequest, SweptPolicy,
};
pub use trace::{TraceAnswer, TraceEpisode, TraceStep, TraceTurn};
pub use verdict::{VerdictAnswer, VerdictOutcome, VerdictRange, VerdictRequest, VerdictScope, WithVerdict};
pub use words::{
    BudgetOrigin, ContextItemKind, DetailFateName, DiffChange, EpisodeLife, EvictedOrder, FigureUnit,
    GainCause, LevelName, LostContent, MarksEffectKind, OverheadSource, ReacquisitionCauseName,
    ReasoningRetention, SummaryForm, UnloggedContent, WorkKindName,
};
