//! The table `runs`.

use cwl_host::api::{DetailKind, DetailSurvivalRow, PolicyRunFigures};

use super::corpus_table;
use crate::rows::LogName;

corpus_table! {
    RUNS "runs" "One row for each policy, options and budget that `--runs` names, over each session. It is empty without `--runs`."
    fn push_run(log: &LogName, n_requests: u32, run: &PolicyRunFigures) {
        log: Key = log.key.clone(), "The log.";
        policy: Word = run.policy.as_str(), "The policy.";
        options: Word = run.options.as_str(), "The policy's options that differ from their defaults, as `key=value`, comma-separated and sorted by key; empty at the defaults.";
        budget: Tokens = run.budget, "The budget; null for `none`, which evicts nothing.";
        n_requests: Count = n_requests, "The requests that the session made; sums are over these.";
        sent: Tokens = run.measured.cost.cached + run.measured.cost.written + run.measured.cost.fresh, "The size of all prompts.";
        cached: Tokens = run.measured.cost.cached, "The part of `sent` that the model of the prompt cache reads from the cache.";
        written: Tokens = run.measured.cost.written, "The part of `sent` that the model of the prompt cache writes to the cache.";
        fresh: Tokens = run.measured.cost.fresh, "The part of `sent` that is neither.";
        output: Tokens = run.measured.cost.output, "The size of all replies.";
        cached_share: PerMille = run.measured.cost.cached_per_mille, "`cached` by `sent`.";
        cost: Money = (!run.measured.cost.unpriced).then_some(run.measured.cost.total_cost), "The cost of all requests and of the policy's own summaries, by list prices; null for a model without a known price.";
        n_summaries: Count = run.measured.cost.summary_calls, "The calls that the policy's own summaries need.";
        summaries_cost: Money = (!run.measured.cost.unpriced).then_some(run.measured.cost.summary_cost), "The cost of these calls, included in `cost`.";
        used: Tokens = run.measured.recall.used_tokens, "The size of the blocks that later turns use again, once per use.";
        found: Tokens = run.measured.recall.hit_tokens, "The size of these blocks that were still there.";
        recall: PerMille = run.measured.recall.hit_per_mille, "`found` by `used`; 1000 if nothing is used again.";
        bound: PerMille = run.measured.recall.bound_per_mille, "The most that any policy could have found in the same space.";
        reacquired: Tokens = run.measured.recall.reacquired_tokens, "The size of what the agent read again after the policy had evicted it.";
        missed_by_harness: Tokens = run.measured.recall.harness_tokens, "The size of what was missing because the harness itself had removed it.";
        files_needed: Count = kind_survival(run, DetailKind::File).map(|kind| kind.n_needed), "Needs of files that an earlier block names, each once per turn.";
        files_literal: Count = kind_survival(run, DetailKind::File).map(|kind| kind.n_literal), "Needs whose file the request had word for word.";
        files_named: Count = kind_survival(run, DetailKind::File).map(|kind| kind.n_named), "Needs for which the request had only an ending of the path.";
        commands_needed: Count = kind_survival(run, DetailKind::Command).map(|kind| kind.n_needed), "Needs of commands that an earlier block has, each once per turn.";
        commands_literal: Count = kind_survival(run, DetailKind::Command).map(|kind| kind.n_literal), "Needs whose command the request had word for word.";
        commands_named: Count = kind_survival(run, DetailKind::Command).map(|kind| kind.n_named), "Needs for which the request had only the program with its first argument.";
        numbers_needed: Count = kind_survival(run, DetailKind::Number).map(|kind| kind.n_needed), "Needs of numbers that an earlier block has, each once per turn.";
        numbers_literal: Count = kind_survival(run, DetailKind::Number).map(|kind| kind.n_literal), "Needs whose number the request had.";
        errors_needed: Count = kind_survival(run, DetailKind::Error).map(|kind| kind.n_needed), "Needs of telling lines of failing results that an earlier block has, each once per turn.";
        errors_literal: Count = kind_survival(run, DetailKind::Error).map(|kind| kind.n_literal), "Needs whose line the request had word for word.";
        decisions_needed: Count = kind_survival(run, DetailKind::Decision).map(|kind| kind.n_needed), "Needs of the model's decisions that an earlier block has, each once per turn.";
        decisions_literal: Count = kind_survival(run, DetailKind::Decision).map(|kind| kind.n_literal), "Needs whose decision the request had word for word.";
        constraints_needed: Count = kind_survival(run, DetailKind::Constraint).map(|kind| kind.n_needed), "Needs of the human's rules that an earlier block has, each once per turn.";
        constraints_literal: Count = kind_survival(run, DetailKind::Constraint).map(|kind| kind.n_literal), "Needs whose rule the request had word for word.";
        open_items_needed: Count = kind_survival(run, DetailKind::OpenItem).map(|kind| kind.n_needed), "Needs of open items that an earlier block has, each once per turn.";
        open_items_literal: Count = kind_survival(run, DetailKind::OpenItem).map(|kind| kind.n_literal), "Needs whose item the request had word for word.";
        n_findings: Count = run.measured.found.verification, "The findings of a check of every pass.";
        n_doubts: Count = run.measured.found.doubts, "The doubts about the annotation that depend on the policy or its budget.";
        n_steps: Count = run.measured.n_steps, "The steps of all passes.";
        n_passes: Count = run.n_passes, "The requests before which the policy took a step; the next request may be one.";
        over_budget_turns: Count = run.over_budget_turns, "The turns at which the budget cannot be met; the next request may be one.";
        mean_request: Tokens = run.measured.mean_total, "The mean size of a request, rounded down.";
        largest_request: Tokens = run.measured.max_total, "The size of the largest request.";
    }
}

fn kind_survival(run: &PolicyRunFigures, kind: DetailKind) -> Option<&DetailSurvivalRow> {
    run.survival.iter().find(|survival| survival.kind == kind)
}
