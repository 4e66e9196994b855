//! Measures: a replay's quality, judged by the session's own later turns. No policy reads them.

mod absence;
mod alignment;
mod compaction;
mod detail_fates;
mod detail_lines;
mod details;
mod edit_pace;
mod cache_entries;
mod cache_miss;
mod cost;
mod frontier;
mod frontier_gap;
mod counterfactual;
mod summary_calls;
mod recall;
mod mentions;
mod oracle;
mod prefix_cache;
mod prefix_sums;
mod request_diff;
mod reacquisition;
mod survival;
mod working_set;
mod blame;
mod work;
mod worth;

pub use absence::{Absence, Absences, Reacquisition, find_absences, step_that_takes, turn_that_got};
pub use alignment::{AlignedTurn, Alignment, RowDifference};
pub use blame::{Blame, BlameClass, rank_blame};
pub use cache_miss::{CacheRead, MissCause, MissInput, SMALLEST_MISS, is_miss, reported_cache};
pub use compaction::{CompactionAudit, NeededName, audit_compactions};
pub use cost::{
    BillingBreakdown, Cost, Prices, Rates, ReportedRequest, SummaryTokens, cost_so_far, output_tokens,
    reported_turns, session_cost,
};
pub use counterfactual::CounterfactualCompaction;
pub use detail_fates::{DetailAtCut, DetailFate, FateCounts, details_at_cuts};
pub use details::{Detail, DetailKind, DetailsBuilder, Saying};
pub use edit_pace::{EditPace, pace_after, pace_before};
pub use frontier::{Tradeoff, pareto_frontier};
pub use frontier_gap::{EqualRange, FrontierGap, MEAN_PARTS, frontier_gap};
pub use mentions::{Mentions, command_head};
pub use oracle::{Bound, hit_upper_bound};
pub use prefix_cache::{BreakpointHabit, CacheMatch, CacheOptions, CacheTurn, PromptLayout, prefix_cache};
pub use reacquisition::{
    FEW_NAMES, LEAST_NAMES, ReacquisitionCause, ReacquisitionStory, SAME_PER_MILLE, budgets_that_keep,
    fuller_description, reacquisition_stories, shared_lines,
};
pub use recall::{Recall, RecallTurn, measure_recall, uses_of};
pub use summary_calls::{SummaryCall, summary_calls};
pub use survival::{DetailNeeds, DetailSurvival, SurvivalCounts, detail_survival};
pub use work::{SessionWork, WorkBuilder, WorkKind, WorkUnit, got_again};
pub use working_set::SYMBOLS_THAT_TELL;
pub use worth::{Scales, Trial};
