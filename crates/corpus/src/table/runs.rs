//! The table `runs`.

use cwl_host::dto::RunDto;

use super::corpus_table;
use crate::rows::LogName;

corpus_table! {
    RUNS "runs" "One row for each policy, options and budget that `--runs` names, over each session. It is empty without `--runs`."
    fn push_run(log: &LogName, n_requests: u32, run: &RunDto) {
        log: Key = log.key.clone(), "The log.";
        policy: Word = run.policy.as_str(), "The policy.";
        options: Word = run.options.as_str(), "Its options that are not at their defaults, `key=value` with commas between, by key; empty at the defaults.";
        budget: Tokens = run.budget, "The budget; null for `none`, which evicts nothing.";
        n_requests: Count = n_requests, "The requests that the session made; sums are over these.";
        sent: Tokens = run.measured.cost.cached + run.measured.cost.written + run.measured.cost.fresh, "The size of all prompts.";
        cached: Tokens = run.measured.cost.cached, "The part of it that the model of the prompt cache reads from the cache.";
        written: Tokens = run.measured.cost.written, "The part that it writes to the cache.";
        fresh: Tokens = run.measured.cost.fresh, "The part that is neither.";
        output: Tokens = run.measured.cost.output, "The size of all replies.";
        cached_share: PerMille = run.measured.cost.cached_per_mille, "`cached` by `sent`.";
        cost: Money = (!run.measured.cost.unpriced).then_some(run.measured.cost.total_cost), "The cost of all requests and of the policy's own summaries, by list prices; null for a model without a known price.";
        n_summaries: Count = run.measured.cost.summary_calls, "The calls that the policy's own summaries need.";
        summaries_cost: Money = (!run.measured.cost.unpriced).then_some(run.measured.cost.summary_cost), "The cost of these calls; in `cost`.";
        used: Tokens = run.measured.look_back.used_tokens, "The size of the blocks that later turns use again, once per use.";
        found: Tokens = run.measured.look_back.hit_tokens, "The size of those that were still there.";
        look_back: PerMille = run.measured.look_back.hit_per_mille, "`found` by `used`; 1000 where nothing is used again.";
        bound: PerMille = run.measured.look_back.bound_per_mille, "The most that any policy could have found with the same room.";
        regret: Tokens = run.measured.look_back.regret_tokens, "The size of what the agent read again after the policy had evicted it.";
        missed_by_harness: Tokens = run.measured.look_back.harness_tokens, "The size of what was not there because the harness itself had taken it.";
        n_findings: Count = run.measured.found.verification, "The findings of a check of every pass.";
        n_doubts: Count = run.measured.found.doubts, "The doubts about the annotation that depend on the policy or its budget.";
        n_steps: Count = run.measured.n_steps, "The steps of all passes.";
        n_passes: Count = run.n_passes, "The requests before which the policy took a step; the next request may be one.";
        over_budget_turns: Count = run.over_budget_turns, "The turns at which the budget cannot be met; the next request may be one.";
        mean_request: Tokens = run.measured.mean_total, "The mean size of a request, rounded down.";
        largest_request: Tokens = run.measured.max_total, "The size of the largest request.";
    }
}
