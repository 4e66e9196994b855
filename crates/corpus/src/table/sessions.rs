//! The table `sessions`.

use cwl_host::ApiError;
use cwl_host::api::{
    AnnotationPresence, CompactionsAnswer, CostAnswer, EpisodeKind, LintAnswer, ReacquisitionStoriesAnswer,
    RequestsMade, SessionAnswer,
};

use super::corpus_table;
use crate::cell::Cell;
use crate::rows::{LogName, LogRows, Views};
use crate::texts::LogTexts;

pub(crate) struct ReadLog<'a> {
    pub(crate) session: &'a SessionAnswer,
    pub(crate) cost: &'a CostAnswer,
    pub(crate) made: &'a RequestsMade,
    pub(crate) lint: &'a LintAnswer,
    pub(crate) reacquisitions: &'a ReacquisitionStoriesAnswer,
    pub(crate) compactions: &'a CompactionsAnswer,
    pub(crate) solved: Option<bool>,
}

impl ReadLog<'_> {
    fn figure_part(&self, figure: &str, part: &str) -> Cell {
        let figure = self.lint.figures.iter().find(|one| one.name == figure);
        figure.and_then(|figure| figure.parts.iter().find(|one| one.name == part)).map(|part| part.n).into()
    }

    fn time_at(&self, times: impl Iterator<Item = i64>, last: bool) -> Option<i64> {
        if last { times.max() } else { times.min() }
    }

    fn event_times(&self) -> impl Iterator<Item = i64> {
        self.made.requests.iter().filter_map(|request| request.at_ms)
    }
}

pub(crate) struct UnreadLog<'a> {
    pub(crate) problem: &'a ApiError,
}

fn n_of(views: &Views, kind: EpisodeKind) -> u64 {
    views.graph.episodes.iter().filter(|episode| episode.kind == kind).count() as u64
}

fn count_u64<T>(list: &[T]) -> u64 {
    list.len() as u64
}

corpus_table! {
    SESSIONS "sessions" "One row for each log; one that cannot be read has its problem, and nulls."
    fn push_session(log: &LogName, views: &Views, read: &ReadLog<'_>, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log: a hash of its path, which names it in all tables.";
        path: Text = texts.text_value(&log.path), "The path of the log; `DATABASE#ID` for a session in a database.";
        bytes: Bytes = log.n_bytes, "The size of the log; null if the log cannot be read.";
        problem: Word = Cell::Null, "The reason, as a word, if the log has no other rows; null if the log was read.";
        problem_says: Text = Cell::Null, "The same reason as a sentence.";
        session: Text = texts.maybe_text(read.session.id.as_deref()), "The session's id in the log.";
        harness: Word = read.session.harness.as_str(), "The program that wrote the log.";
        format: Word = read.session.format.as_str(), "The log's format.";
        title: Text = texts.text_value(&read.session.title), "The session's name, else the start of the first human message.";
        folder: Text = texts.maybe_text(read.session.cwd.as_deref()), "The recorded working directory.";
        model: Text = texts.maybe_text(read.session.model.as_deref()), "The last model, as the log names it.";
        price_row: Word = (!read.cost.price.assumed).then(|| read.cost.price.row.clone()), "The row of `cwl models` that fits the model; null without one: no cost then includes its tokens.";
        parent: Text = texts.maybe_text(read.session.parent.as_deref()), "The session that called this one, if a subagent wrote the log.";
        is_subagent: Flag = read.session.parent.is_some() || read.session.subagent.is_some(), "True if a subagent wrote the log.";
        started_at: Time = read.time_at(read.event_times(), false), "The time of the first reply; null if the log has none.";
        ended_at: Time = read.time_at(read.event_times(), true), "The time of the last reply; null if the log has none.";
        n_turns: Count = count_u64(&read.made.requests), "The requests of the session, each with a row in `turns`.";
        n_messages: Count = read.session.n_messages, "The messages of the current branch.";
        n_blocks: Count = read.session.n_blocks, "The blocks of these messages.";
        n_branches: Count = count_u64(&read.session.branches), "The branches of the log, at most 100; all figures are of the current branch.";
        n_human: Count = count_u64(&views.graph.human_turns), "The human's messages.";
        window: Tokens = read.session.window, "The model's context window, as stated by the log or a file beside it; null if not stated.";
        counted_by: Word = views.history.counted_by.as_str(), "The unit of all counts: a tokenizer with its version, or the provider's tokens.";
        tokens: Tokens = views.history.full.last().copied(), "The next request, as the harness would make it.";
        unlogged: Tokens = views.history.overhead.last().copied(), "The part of the next request that the log does not hold.";
        unlogged_from: Word = views.history.overhead_source.name(), "The source of that figure.";
        hidden_reasoning: Tokens = views.history.hidden_reasoning, "Reasoning that the log hides and that is sent back, derived from reported replies.";
        drift: Ratio = views.history.drift.as_ref().map(|drift| drift.factor), "Reported tokens for each counted one; null if too little is reported.";
        looks_before_edit: Count = read.made.n_looks_before_edit, "Calls that look at something before the first call that edits a file; all calls if none edits a file.";
        first_edit_turn: Turn = read.made.first_edit, "The first turn that edits a file; null if none does.";
        solved: Flag = read.solved, "True if the task of the session was solved, as the field `resolved` of its document says, or the reward that Harbor keeps beside it; null if neither is there.";
        n_reported: Count = read.cost.n_reported, "The requests whose usage the log reports; sums of reported figures are over these.";
        reported_cached: Tokens = read.cost.reported.cached, "Reported tokens that were read from the prompt cache.";
        reported_written: Tokens = read.cost.reported.written, "Reported tokens that were written to the prompt cache.";
        reported_fresh: Tokens = read.cost.reported.fresh, "Reported tokens that are neither.";
        reported_output: Tokens = read.cost.reported.output, "Reported tokens of replies.";
        reported_cost: Money = (!read.cost.reported.unpriced).then_some(read.cost.reported.total_cost), "The cost of the reported tokens by list prices, each request by the model that answered; null if no model has a known price.";
        missed: Tokens = read.cost.missed, "Tokens that should have been read from the prompt cache and were not.";
        missed_cost: Money = (!read.cost.reported.unpriced).then_some(read.cost.missed_cost), "The cost of these tokens beyond the price of reading them from the cache.";
        n_misses: Count = count_u64(&read.cost.misses), "The requests that missed the prompt cache.";
        is_annotated: Flag = read.session.annotation == AnnotationPresence::Annotated, "True if the agent marked episodes.";
        episodes_from: Word = read.lint.source.name(), "Who marked the episodes of these tables: `declared` (the agent), `inferred` (this program), `filled`, `written`.";
        n_expl: Count = n_of(views, EpisodeKind::Exploratory), "Explorations.";
        n_act: Count = n_of(views, EpisodeKind::Action), "Acts.";
        n_stretches: Count = n_of(views, EpisodeKind::Unannotated), "Stretches without an episode.";
        n_open: Count = views.graph.episodes.iter().filter(|one| one.open && one.kind != EpisodeKind::Unannotated).count() as u64, "Episodes that were never ended.";
        sound_tokens: Tokens = read.figure_part("sound", "sound"), "The size of the episodes that no warning speaks against; this and the figures up to `late_open` are null without an episode.";
        doubtful_tokens: Tokens = read.figure_part("sound", "doubtful"), "The size of the other episodes.";
        unmarked_tokens: Tokens = read.figure_part("sound", "unmarked"), "The size of the stretches without an episode.";
        n_sound: Count = read.figure_part("sound", "sound_episodes"), "The episodes that no warning speaks against.";
        n_breaches: Count = read.figure_part("breaches", "breaches"), "Breaches of the protocol that are warnings or errors.";
        edges_used: Count = read.figure_part("recall", "used"), "Dependencies that acts name and use.";
        edges_unused: Count = read.figure_part("recall", "unused"), "Dependencies that acts name and do not use.";
        edges_untold: Count = read.figure_part("recall", "untold"), "Dependencies that acts name and whose use cannot be judged.";
        edges_forgotten: Count = read.figure_part("recall", "forgotten"), "Dependencies that acts use and do not name.";
        n_marks: Count = read.figure_part("spent", "marks"), "Calls that mark episodes; null where no agent marked them, as are the next two.";
        marks_calls: Tokens = read.figure_part("spent", "calls"), "The size of these calls.";
        marks_results: Tokens = read.figure_part("spent", "results"), "The size of their results.";
        early_tokens: Tokens = read.figure_part("early", "tokens"), "The size of what was read again unchanged after the policy had evicted it.";
        late_unused: Tokens = read.figure_part("late", "unused"), "Tokens that are kept for acts that use nothing of them.";
        late_open: Tokens = read.figure_part("late", "open"), "Tokens that are kept by episodes that were left open.";
        n_errors: Count = read.lint.counts.errors, "Findings that are errors.";
        n_warnings: Count = read.lint.counts.warnings, "Findings that are warnings.";
        n_notes: Count = read.lint.counts.infos, "Findings that are notes.";
        n_doubts: Count = read.lint.counts.doubts, "Doubts about inferred episodes, which are in none of the three.";
        n_compactions: Count = count_u64(&read.compactions.compactions), "Compactions of the harness.";
        n_clearings: Count = count_u64(&views.history.clearings), "Turns before which the harness cleared old outputs.";
        n_losses: Count = count_u64(&views.history.losses), "Stretches with fewer tokens than the log accounts for.";
        policy: Word = views.replay.policy.as_str(), "The policy of the figures that depend on one: here to the end, in `turns`, `findings` and `reacquisitions`.";
        budget: Tokens = views.replay.budget, "The token budget τ of these figures.";
        n_steps: Count = views.replay.n_steps_in_all, "The steps of all passes.";
        over_budget_turns: Count = count_u64(&views.replay.over_budget), "The turns at which the budget cannot be met; the next request may be one.";
        largest_sent: Tokens = views.replay.after.iter().max().copied(), "The largest request after the policy's pass.";
        n_reacquisitions: Count = read.reacquisitions.n_stories, "Things that the agent read again after the policy had evicted them.";
        reacquired_tokens: Tokens = read.reacquisitions.tokens, "The size of what came back.";
        reacquired_cost: Money = read.reacquisitions.cost, "The price of writing it into the prompt once; null where the model's price is not known.";
    }
}

pub(crate) fn push_unread(rows: &mut LogRows, log: &LogName, unread: &UnreadLog<'_>, texts: &mut LogTexts) {
    let word = serde_json::to_value(unread.problem.code).ok();
    let word = word.as_ref().and_then(|word| word.as_str()).unwrap_or("internal");
    for (column, values) in SESSIONS.columns.iter().zip(rows.begin_row(&SESSIONS)) {
        values.push_cell(match column.name {
            "log" => log.key.clone().into(),
            "path" => texts.text_value(&log.path).into(),
            "bytes" => log.n_bytes.into(),
            "problem" => word.into(),
            "problem_says" => texts.text_value(&unread.problem.message).into(),
            _ => Cell::Null,
        });
    }
}
