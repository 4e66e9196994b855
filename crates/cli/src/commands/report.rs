//! `cwl report`: prints a session on one page.

use cwl_host::api::{
    BandsBy, BodyCheck, BudgetOrigin, CacheRules, CapturedRequest, CostAnswer, CostRequest, Document,
    FindingRow, FindingsAnswer, FrameRequest, GraphAnswer, HeldFrameParts, HistoryAnswer, LevelName,
    OverheadSource, OverviewLine, ProblemRow, RecordedPasses, ReplayAnswer, ReportAnswer, SessionAnswer,
    VerdictRequest, ViewCut, ViewRequest,
};
use cwl_host::commands;
use cwl_host::commands::TakenOut;
use cwl_host::{PageExtent, SessionSnapshot, count_noun, with_commas};
use owo_colors::Style;

use super::compare_table::print_verdict;
use super::unmarked;
use crate::args::ReportArgs;
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text};
use crate::progress::with_progress;
use crate::{picture, table};

const BARS: usize = 80;
const STRETCHES: usize = 4;
const EVICTIONS: usize = 8;
const PROBLEMS: usize = 8;

pub(crate) fn run(args: &ReportArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let request = ViewRequest { view };
    let session = commands::session(&opened)?;
    if args.problems {
        return print_odd(session.problems.iter(), usize::MAX, out);
    }
    let graph = commands::graph(&opened, &request)?;
    let history = commands::history(&opened, &request)?;
    let replay = commands::replay(&opened, &request)?;
    let asked = CostRequest { view: request.view.clone(), cache: CacheRules::default() };
    let cost = commands::cost(&opened, &asked)?;
    let happened = commands::overview(&opened, &request)?.lines;
    let asked = VerdictRequest { view: request.view.clone(), cache: CacheRules::default() };
    let verdict = with_progress("judging policies", |_| commands::verdict(&opened, &asked))?;
    if args.json {
        let findings = commands::findings(&opened, &request)?;
        let found = commands::lint(&opened, &request)?;
        let (lint, quality) = (found.counts, found.figures);
        let report = ReportAnswer {
            session,
            happened,
            graph,
            history,
            replay,
            verdict,
            findings,
            cost,
            lint,
            quality,
        };
        let about = commands::about(&opened, &request.view, source)?;
        return out.write_json(&Document::new(report).with_about(about));
    }
    print_header(&session, &graph, &history, &replay, source, out)?;
    print_happened(&happened, out)?;
    print_timeline(&session, &history, &replay, out)?;
    print_recorded(&session, out)?;
    print_episodes(&opened, &request, &session, &graph, out)?;
    print_evictions(&opened, &request, &session, &graph, &replay, out)?;
    print_title("Policies", out)?;
    print_verdict(&verdict, out)?;
    taken_out(&opened, &request, out)?;
    print_losses(&history, out)?;
    print_gains(&history, out)?;
    print_captured(&opened, &request, out)?;
    print_stated(&cost, out)?;
    print_misses(&cost, out)?;
    if graph.episodes.is_empty() {
        unmarked::print_others(&opened, &request, &session, &replay, out)?;
        print_title("The way to episodes", out)?;
        out.write_line(unmarked::WAY)?;
    }
    print_findings(&commands::findings(&opened, &request)?, out)?;
    print_problems(&session, out)?;
    let found = commands::lint(&opened, &request)?;
    if !found.figures.is_empty() {
        print_title("Annotation", out)?;
        super::lint::print_figures(&found, out)?;
    }
    print_title("Lint", out)?;
    out.write_line(format!("{}; `cwl lint FILE` lists them", super::lint::summarize_counts(&found.counts)))
}

fn print_happened(lines: &[OverviewLine], out: &mut Stdout) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    print_title("What happened", out)?;
    lines.iter().try_for_each(|line| out.write_line(clean_text(&line.says)))
}

fn print_captured(opened: &SessionSnapshot, request: &ViewRequest, out: &mut Stdout) -> Result<(), Failure> {
    let view = request.view.clone();
    let captured = commands::captured(opened, &CapturedRequest { view, folder: None, turn: None })?;
    if captured.n_requests == 0 {
        return Ok(());
    }
    print_title("Captured requests", out)?;
    out.write_line(format!("{}; `cwl captured FILE` lists them", clean_text(&captured.says)))
}

pub(super) fn print_title(text: &str, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line("")?;
    out.write_line(paint_text(text, Style::new().bold()))
}

fn print_header(
    session: &SessionAnswer,
    graph: &GraphAnswer,
    history: &HistoryAnswer,
    replay: &ReplayAnswer,
    source: BudgetOrigin,
    out: &mut Stdout,
) -> Result<(), Failure> {
    out.write_line(paint_text(one_line(&session.title, 100), Style::new().bold()))?;
    let SessionAnswer { format, n_messages, n_blocks, .. } = session;
    let model = clean_text(session.model.as_deref().unwrap_or("unknown model"));
    let sizes = [(session.n_turns.saturating_sub(1), "turn"), (*n_messages, "message"), (*n_blocks, "block")];
    let sizes = sizes.map(|(n, one)| count_noun(n, one)).join(", ");
    out.write_line(format!("{format} log, {model}, {sizes}"))?;
    out.write_line(format!("episodes: {}", clean_text(unmarked::from(session, graph))))?;
    if let Some(note) = &graph.from.note {
        out.write_line(clean_text(note))?;
    }
    out.write_line(format!(
        "policy {} at {} tokens ({}), counted in {}",
        replay.policy,
        with_commas(replay.budget),
        match source {
            BudgetOrigin::Default => "the default",
            BudgetOrigin::User => "given",
            BudgetOrigin::Trace => "as in pi-cwl's trace",
        },
        history.counted_by,
    ))?;
    if let Some(proved) = &session.proved {
        let BodyCheck { requests, of_requests, messages, of_messages, first } = proved;
        let (messages, of_messages) = (with_commas(*messages), with_commas(*of_messages));
        out.write_line(format!(
            "proved: {requests} of {of_requests} requests, {messages} of {of_messages} messages"
        ))?;
        if let Some(first) = first {
            out.write_line(clean_text(&format!("the first that is not: {first}")))?;
        }
    }
    if let Some(decided) = &session.decided {
        out.write_line(clean_text(&decided.sentence()))?;
        if let Some(first) = &decided.first {
            out.write_line(clean_text(&format!("the first that is not: {first}")))?;
        }
    }
    print_unlogged(history, out)?;
    if !history.carried.is_empty() {
        out.write_line("reasoning that the log does not show has the size that is reported of it, or else of the output of its reply less what can be read:")?;
    }
    for of_model in &history.carried {
        out.write_line(clean_text(&of_model.says))?;
    }
    match &history.drift {
        Some(drift) => out.write_line(&drift.says),
        None => Ok(()),
    }
}

fn print_unlogged(history: &HistoryAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if history.overhead_source == OverheadSource::Given {
        return out.write_line(format!(
            "not in the log: {} tokens of each request, as given",
            with_commas(history.overhead.last().copied().unwrap_or(0))
        ));
    }
    for stretch in history.stretches.iter().take(STRETCHES) {
        out.write_line(&stretch.says)?;
    }
    match history.stretches.len().saturating_sub(STRETCHES) {
        0 => Ok(()),
        more => out.write_line(format!("and {more} more stretches between changes of the history")),
    }
}

fn print_timeline(
    session: &SessionAnswer,
    history: &HistoryAnswer,
    replay: &ReplayAnswer,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let top = history.full.iter().chain(&replay.after).copied().max().unwrap_or(0);
    let last = |values: &[u64]| with_commas(values.last().copied().unwrap_or(0));
    print_title("Tokens over time", out)?;
    out.write_line(format!(
        "history   {}  {}",
        picture::draw_sparkline(&history.full, top, BARS),
        last(&history.full)
    ))?;
    out.write_line(format!(
        "sent      {}  {}",
        picture::draw_sparkline(&replay.after, top, BARS),
        last(&replay.after)
    ))?;
    let n_passes = replay.n_steps.iter().filter(|n_steps| **n_steps > 0).count();
    out.write_line(format!(
        "{} in {}; the largest request is {}; {}{}",
        count_noun(replay.n_steps_in_all, "step"),
        count_noun(n_passes, "pass"),
        count_noun(replay.after.iter().copied().max().unwrap_or(0), "token"),
        describe_over_budget(session, replay),
        count_times("the harness compacted", history.compactions.len())
            + &count_times("it cleared old outputs", history.clearings.len())
    ))
}

/// Counts requests over the budget; the next request, which was not made, is counted apart.
fn describe_over_budget(session: &SessionAnswer, replay: &ReplayAnswer) -> String {
    let next = replay.over_budget.last() == Some(&session.n_turns);
    let n_made = replay.over_budget.len() - usize::from(next);
    let rest = match (next, n_made) {
        (false, _) => "",
        (true, 0) => ", but the next request is",
        (true, _) => ", and so is the next request",
    };
    format!("{} over the budget{rest}", count_noun(n_made as u64, "turn"))
}

fn count_times(what: &str, n: usize) -> String {
    match n {
        0 => String::new(),
        1 => format!("; {what} once"),
        n => format!("; {what} {n} times"),
    }
}

fn print_recorded(session: &SessionAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let Some(RecordedPasses { budget, passes }) = &session.recorded else { return Ok(()) };
    print_title("What the harness evicted itself (pi-cwl's trace)", out)?;
    let budget = budget.map(|budget| format!(" above {} tokens", with_commas(budget))).unwrap_or_default();
    out.write_line(match passes.len() {
        0 => format!("nothing{budget}"),
        1 => format!("1 pass{budget}"),
        n_passes => format!("{n_passes} passes{budget}"),
    })?;
    for pass in passes.iter().take(EVICTIONS) {
        let turn = pass.turn.map_or_else(|| "turn ?    ".to_owned(), |turn| format!("turn {turn:<5}"));
        let mut line = format!("{turn} {} → {} tokens", with_commas(pass.before), with_commas(pass.after));
        for (did, names) in [("removed", &pass.removed), ("stripped", &pass.stripped)] {
            if !names.is_empty() {
                line.push_str(&format!(", {did} {}", one_line(&names.join(", "), 100)));
            }
        }
        out.write_line(line)?;
    }
    if passes.len() > EVICTIONS {
        out.write_line(format!("… and {} more", passes.len() - EVICTIONS))?;
    }
    Ok(())
}

fn print_episodes(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    session: &SessionAnswer,
    graph: &GraphAnswer,
    out: &mut Stdout,
) -> Result<(), Failure> {
    print_title("Episodes as they are now", out)?;
    if graph.episodes.is_empty() {
        return out.write_line(format!("none: {}", clean_text(unmarked::why_unmarked(session, graph))));
    }
    let now = ViewCut::default();
    let frame = FrameRequest {
        view: request.view.clone(),
        cut: now,
        held: HeldFrameParts::Replay,
        bands: BandsBy::default(),
        base: None,
    };
    let levels = commands::frame(opened, &frame)?.levels;
    let kept = commands::kept(opened, &request.view, now)?;
    let mut table = table::begin_table(&["episode", "type", "turns", "#tokens", "#kept", "level"]);
    for ((episode, level), kept) in graph.episodes.iter().zip(&levels).zip(kept) {
        let last = if episode.open { "open".to_owned() } else { episode.last_turn.to_string() };
        table.add_row([
            clean_text(&episode.name),
            episode.kind.to_string(),
            format!("{}–{last}", episode.first_turn),
            with_commas(episode.tokens),
            with_commas(kept),
            format!("{level} {}", LevelName::from_level(*level)),
        ]);
    }
    table::print_table(&table, out)
}

fn print_evictions(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    session: &SessionAnswer,
    graph: &GraphAnswer,
    replay: &ReplayAnswer,
    out: &mut Stdout,
) -> Result<(), Failure> {
    print_title("Largest evictions", out)?;
    let (largest, n_steps) = commands::Passes::replay(opened, request)?.largest_steps(EVICTIONS);
    if largest.is_empty() {
        return out.write_line(no_evictions(opened, request, session, graph, replay)?);
    }
    for (turn, step) in &largest {
        out.write_line(format!("turn {turn:<5} {}", clean_text(&step.sentence)))?;
    }
    if n_steps > largest.len() as u64 {
        let more = with_commas(n_steps - largest.len() as u64);
        out.write_line(format!("… and {more} smaller ones; see `cwl replay --steps`"))?;
    }
    Ok(())
}

fn no_evictions(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    session: &SessionAnswer,
    graph: &GraphAnswer,
    replay: &ReplayAnswer,
) -> Result<String, Failure> {
    let policy = &replay.policy;
    if policy == "none" {
        return Ok("none: this policy evicts nothing".to_owned());
    }
    let Some(turn) = replay.over_budget.first() else {
        let fits = replay.before.iter().all(|before| *before <= replay.budget);
        let why = if fits { "the history fits the budget" } else { "there is nothing that it would take" };
        return Ok(format!("none: {why}"));
    };
    let from = if *turn == session.n_turns {
        "the next request would be over the budget".to_owned()
    } else {
        format!("turn {turn} is the first over the budget")
    };
    if graph.episodes.is_empty() && commands::needs_episodes(policy)? {
        return Ok(format!("none: {from}, but {policy} evicts episodes only, and there is none"));
    }
    // The turn that is furthest over the budget shows best what is in the way.
    let most = (1u32..).zip(&replay.after).max_by_key(|(_, after)| **after).map_or(*turn, |(turn, _)| turn);
    let cut = ViewCut { turn: Some(most), step: None };
    let context = commands::context(opened, &request.view, cut, false, PageExtent::with_limit(0, 0))?;
    let held = context.over_budget.map(|held| held.held_by).unwrap_or_default();
    let held: Vec<String> =
        held.iter().map(|(name, tokens)| format!("{name} {}", with_commas(*tokens))).collect();
    Ok(format!("none: {from}, and {policy} may take nothing of what is there ({})", held.join(", ")))
}

fn taken_out(opened: &SessionSnapshot, request: &ViewRequest, out: &mut Stdout) -> Result<(), Failure> {
    let mut taken = commands::taken_out(opened, request)?;
    if taken.is_empty() {
        return Ok(());
    }
    print_title("What the harness itself took out", out)?;
    let (n_all, n_times) = (taken.iter().map(|one| one.tokens).sum::<u64>(), taken.len());
    if n_times > EVICTIONS {
        taken.sort_by_key(|one| std::cmp::Reverse(one.tokens));
        taken.truncate(EVICTIONS);
        taken.sort_by_key(|one| one.turn);
    }
    for TakenOut { turn, compacted, n_blocks, tokens } in taken {
        let did = if compacted { "compacted" } else { "cleared" };
        let blocks = if n_blocks == 1 { "block" } else { "blocks" };
        let (n_blocks, tokens) = (with_commas(n_blocks.into()), with_commas(tokens));
        out.write_line(format!("turn {turn:<5} {did}: {n_blocks} {blocks}, {tokens} tokens"))?;
    }
    if n_times > EVICTIONS {
        out.write_line(format!(
            "… and {} smaller ones; {} tokens in all",
            n_times - EVICTIONS,
            with_commas(n_all)
        ))?;
    }
    out.write_line("`cwl evicted FILE --policy none` lists the blocks, the largest first")
}

/// Prints requests that were larger than the log accounts for.
fn print_gains(history: &HistoryAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if history.gains.is_empty() {
        return Ok(());
    }
    print_title("Sent without a word in the log", out)?;
    for gain in history.gains.iter().take(PROBLEMS) {
        out.write_line(format!("turn {:<5} {}", gain.turn, gain.says))?;
    }
    match history.gains.len().saturating_sub(PROBLEMS) {
        0 => Ok(()),
        more => out.write_line(format!("… and {more} more")),
    }
}

/// Prints requests that were smaller than the log accounts for.
fn print_losses(history: &HistoryAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if history.losses.is_empty() && history.may_be_pruned.is_none() {
        return Ok(());
    }
    print_title("Taken out without a word in the log", out)?;
    if let Some(says) = &history.may_be_pruned {
        out.write_line(says)?;
    }
    for loss in history.losses.iter().take(PROBLEMS) {
        out.write_line(format!("turn {:<5} {}", loss.from, loss.says))?;
    }
    match history.losses.len().saturating_sub(PROBLEMS) {
        0 => Ok(()),
        more => out.write_line(format!("… and {more} more")),
    }
}

fn print_stated(cost: &CostAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let said: Vec<String> = super::cost::describe_unpriced(cost).collect();
    if said.is_empty() {
        return Ok(());
    }
    print_title("What it cost", out)?;
    said.iter().try_for_each(|said| out.write_line(clean_text(said)))
}

fn print_misses(cost: &CostAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if cost.causes.is_empty() {
        return Ok(());
    }
    print_title("Why the prompt cache was missed", out)?;
    out.write_line(&cost.says)?;
    super::cost::by_cause(cost, out)?;
    out.write_line("`cwl cost FILE` lists the requests")
}

fn print_findings(found: &FindingsAnswer, out: &mut Stdout) -> Result<(), Failure> {
    // An unmet budget is reported with the totals.
    let mut findings: Vec<&FindingRow> = found.findings.iter().filter(|one| one.code != "V002").collect();
    if findings.is_empty() {
        return Ok(());
    }
    findings.sort_by_key(|finding| !finding.watched);
    print_title("Verification", out)?;
    for finding in findings.iter().take(PROBLEMS) {
        out.write_line(super::context::write_finding(finding))?;
    }
    if findings.len() > PROBLEMS {
        out.write_line(format!("… and {} more", findings.len() - PROBLEMS))?;
    }
    Ok(())
}

fn print_problems(session: &SessionAnswer, out: &mut Stdout) -> Result<(), Failure> {
    // A hidden loss is reported elsewhere.
    let problems: Vec<&ProblemRow> = session.problems.iter().filter(|one| one.code != "L028").collect();
    if problems.is_empty() {
        return Ok(());
    }
    print_title("Problems", out)?;
    let n_problems = problems.len();
    print_odd(problems.into_iter(), PROBLEMS, out)?;
    if n_problems > PROBLEMS {
        out.write_line(format!("… and {} more; `cwl report --problems` lists them", n_problems - PROBLEMS))?;
    }
    Ok(())
}

fn print_odd<'p>(
    problems: impl Iterator<Item = &'p ProblemRow>,
    most: usize,
    out: &mut Stdout,
) -> Result<(), Failure> {
    for ProblemRow { code, severity, line, message, .. } in problems.take(most) {
        let line = line.map(|line| format!("line {line:<6}")).unwrap_or_default();
        out.write_line(format!("{code} {severity:<7} {line} {}", clean_text(message)))?;
    }
    Ok(())
}
