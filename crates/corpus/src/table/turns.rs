//! The table `turns`.

use cwl_host::api::{Band, MissRow, RequestMade};

use super::corpus_table;
use crate::cell::Cell;
use crate::rows::{LogName, Views};
use crate::texts::LogTexts;

pub(crate) struct TurnRow<'a> {
    pub(crate) made: &'a RequestMade,
    /// Index into the views' series.
    pub(crate) at: usize,
    /// Set if the request read less from the prompt cache than it should have.
    pub(crate) miss: Option<&'a MissRow>,
    pub(crate) is_over: bool,
}

impl TurnRow<'_> {
    fn value_at_turn(&self, series: &[u64]) -> Cell {
        series.get(self.at).copied().into()
    }

    fn band_cell(&self, views: &Views, name: Band) -> Cell {
        let band = views.replay.bands.iter().find(|band| band.band == name);
        band.and_then(|band| band.tokens.get(self.at)).copied().into()
    }
}

corpus_table! {
    TURNS "turns" "One row for each request that a session made, on the branch that it is on."
    fn push_turn(log: &LogName, views: &Views, turn: &TurnRow<'_>, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        turn: Turn = turn.made.turn, "The turn.";
        at: Time = turn.made.at_ms, "The time of the reply; null if the log does not tell.";
        model: Text = texts.maybe_text(turn.made.model.as_deref()), "The model that replied, as the log names it; null if the log does not.";
        came_in: Tokens = turn.value_at_turn(&views.history.came_in), "The content that came in since the request before, counted.";
        recorded: Tokens = turn.value_at_turn(&views.history.full), "The request as the harness made it, counted, with what the log does not hold.";
        unlogged: Tokens = turn.value_at_turn(&views.history.overhead), "The part of that request that the log does not hold: given, or inferred from reported sizes.";
        before: Tokens = turn.value_at_turn(&views.replay.before), "The request before the policy's pass.";
        sent: Tokens = turn.value_at_turn(&views.replay.after), "The request after the policy's pass, at the budget of `sessions`.";
        is_over: Flag = turn.is_over, "True if the policy cannot meet the budget.";
        n_steps: Count = views.replay.n_steps.get(turn.at).copied(), "The steps of the policy's pass.";
        band_unlogged: Tokens = turn.band_cell(views, Band::Unlogged), "The part of `sent` that the log does not hold.";
        band_human: Tokens = turn.band_cell(views, Band::Human), "The part of `sent` that is the human's words.";
        band_prologue: Tokens = turn.band_cell(views, Band::Prologue), "The part of `sent` before the first episode.";
        band_act: Tokens = turn.band_cell(views, Band::Action), "The part of `sent` in acts.";
        band_expl: Tokens = turn.band_cell(views, Band::Exploratory), "The part of `sent` in explorations.";
        band_unannotated: Tokens = turn.band_cell(views, Band::Unannotated), "The part of `sent` in stretches without an episode.";
        band_reasoning: Tokens = turn.band_cell(views, Band::Reasoning), "The part of `sent` that is reasoning, in any episode.";
        band_residue: Tokens = turn.band_cell(views, Band::Residue), "The part of `sent` that is descriptions and summaries.";
        reported: Tokens = views.history.reported.get(turn.at).copied().flatten(), "The size of the request as the provider reported it; null without a report.";
        reported_cached: Tokens = turn.made.reported.map(|cost| cost.cached), "Reported tokens that were read from the prompt cache.";
        reported_written: Tokens = turn.made.reported.map(|cost| cost.written), "Reported tokens that were written to the prompt cache.";
        reported_fresh: Tokens = turn.made.reported.map(|cost| cost.fresh), "Reported tokens that are neither.";
        reported_output: Tokens = turn.made.reported.map(|cost| cost.output), "Reported tokens of the reply.";
        reported_cost: Money = turn.made.reported.filter(|cost| !cost.unpriced).map(|cost| cost.total_cost), "The cost of the request by its reported tokens and the list price of its model; null for a copied request, and for a model without a known price.";
        missed: Tokens = turn.miss.map(|miss| miss.tokens), "Tokens that should have been read from the prompt cache and were not; null if none.";
        missed_cost: Money = turn.miss.map(|miss| miss.cost), "The cost of these tokens beyond the price of reading them from the cache.";
        missed_cause: Word = turn.miss.map(|miss| miss.cause.name()), "The cause, as far as the log tells.";
        n_calls: Count = turn.made.n_calls, "The calls of the reply, without marks of episodes.";
        n_looks: Count = turn.made.n_looks, "The calls of the reply that look at something: read, search, list.";
        n_edits: Count = turn.made.n_edits, "The calls of the reply that edit a file.";
        n_marks: Count = turn.made.n_marks, "The calls of the reply that mark an episode.";
    }
}
