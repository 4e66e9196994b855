//! The report: tables with figures in docs/inference.md.

use anyhow::Context;

use crate::Fold;
use crate::fit::MarkedSession;
use crate::score::{Score, mean, score};

/// Upper ends for margin buckets, in sixteenths.
const MARGINS: [i32; 6] = [4, 12, 24, 40, 64, 96];

pub(crate) fn row(name: &str, score: &Score) -> String {
    let edges =
        |figure: Option<f64>| figure.map_or_else(|| "none".to_owned(), |figure| format!("{figure:.2}"));
    format!(
        "| {name} | {:.3} | {:.2} | {:.2} | {:.3} | {:.3} | {} | {} | {:.2} | {} / {} |",
        score.f1,
        score.precision,
        score.recall,
        score.window_diff,
        score.kappa,
        edges(score.edge_precision),
        edges(score.edge_recall),
        score.edge_f(),
        score.n_found,
        score.n_gold
    )
}

const HEAD: &str = "| | F1 ± 1 turn | P | R | WindowDiff | κ | edges P | R | F | episodes / readers' |\n|---|---|---|---|---|---|---|---|---|---|";

pub(crate) fn report(
    sessions: &[MarkedSession],
    folds: &[Fold],
    (aside, found): (&[MarkedSession], &[Vec<Score>]),
    samples: &[(String, Score)],
) -> String {
    let of_set = |later: bool, of: fn(&Fold) -> &Vec<Score>| -> Vec<Score> {
        let chosen = sessions.iter().zip(folds).filter(|(session, _)| session.later == later);
        chosen.flat_map(|(_, fold)| of(fold)).copied().collect()
    };
    let mut lines = vec![HEAD.to_owned()];
    for (session, fold) in sessions.iter().zip(folds) {
        lines.push(row(&named(session), &mean(&fold.found)));
    }
    for (later, name) in [(false, "the first ten sessions"), (true, "the sessions marked later")] {
        let found = of_set(later, |fold| &fold.found);
        lines.push(row(&format!("**mean of the {} readings of {name}**", found.len()), &mean(&found)));
        let edges = mean(&of_set(later, |fold| &fold.edges));
        lines.push(row("edges alone, between a reader's own episodes", &edges));
    }
    for (later, name) in [(false, "the first ten sessions"), (true, "the sessions marked later")] {
        let pairs = sessions.iter().filter(|session| session.later == later);
        lines.push(row(&format!("reader B against reader A, {name}"), &mean(&readers(pairs))));
    }
    lines.push(spreads(&of_set(false, |fold| &fold.found)));
    let all: Vec<Score> = folds.iter().flat_map(|fold| &fold.found).copied().collect();
    lines.push(within("the sessions above", &all));
    lines.push("\n| margin of a start | starts | of them a reader's, ± 1 turn |\n|---|---|---|".to_owned());
    let margins: Vec<(i32, bool)> = folds.iter().flat_map(|fold| &fold.margins).copied().collect();
    let mut from = i32::MIN;
    for end in MARGINS.into_iter().chain([i32::MAX]) {
        let within: Vec<bool> =
            margins.iter().filter(|(margin, _)| (from..end).contains(margin)).map(|(_, is)| *is).collect();
        let share = within.iter().filter(|is| **is).count() as f64 / within.len().max(1) as f64;
        let named = if end == i32::MAX { format!("from {from}") } else { format!("below {end}") };
        lines.push(format!("| {named} | {} | {:.0} % |", within.len(), 100.0 * share));
        from = end;
    }
    let tasks =
        folds.iter().map(|fold| fold.tasks).fold((0, 0), |(n, hit), (more, hits)| (n + more, hit + hits));
    lines.push(format!(
        "\nItems that agents began on their own lists of tasks, with the lists hidden: {} of {} are within a turn of a start.",
        tasks.1, tasks.0
    ));
    for (known, name) in
        [(false, "kept aside, of other repositories"), (true, "kept aside, of the same repositories")]
    {
        let is_of_set = |session: &MarkedSession| {
            sessions.iter().any(|other| other.repository == session.repository) == known
        };
        let of_set = || aside.iter().zip(found).filter(|(session, _)| is_of_set(session));
        lines.push(format!("\nSessions {name}, by the engine's own table:\n"));
        lines.push(HEAD.to_owned());
        lines.extend(of_set().map(|(session, found)| row(&named(session), &mean(found))));
        let all: Vec<Score> = of_set().flat_map(|(_, found)| found).copied().collect();
        lines.push(row(&format!("**mean of the {} readings of sessions {name}**", all.len()), &mean(&all)));
        let pairs = of_set().map(|(session, _)| session);
        lines.push(row(&format!("reader B against reader A, sessions {name}"), &mean(&readers(pairs))));
        lines.push(within("these sessions", &all));
    }
    lines.push("\nSamples whose agents call `delimiter`, with these calls hidden:\n".to_owned());
    lines.push(HEAD.to_owned());
    lines.extend(samples.iter().map(|(name, score)| row(name, score)));
    lines.join("\n")
}

fn named(session: &MarkedSession) -> String {
    format!("{} ({} turns)", session.name, session.lines.len())
}

fn readers<'a>(sessions: impl Iterator<Item = &'a MarkedSession>) -> Vec<Score> {
    let of = |session: &MarkedSession| {
        let [a, b] = session.readings.as_slice() else { return None };
        Some(score(&a.turns, &a.episodes, &b.episodes))
    };
    sessions.filter_map(of).collect()
}

fn within(of: &str, scores: &[Score]) -> String {
    let share = mean(scores).edges_within.unwrap_or(0.0);
    format!(
        "\nOf the readers' edges in {of}, {:.0} % have both their episodes among those inferred; the division loses the others.",
        100.0 * share
    )
}

fn spreads(found: &[Score]) -> String {
    let spread = |of: fn(&Score) -> f64| {
        let mean = found.iter().map(of).sum::<f64>() / found.len().max(1) as f64;
        let square = found.iter().map(|score| (of(score) - mean).powi(2)).sum::<f64>();
        (square / found.len().saturating_sub(1).max(1) as f64).sqrt()
    };
    format!(
        "\nThe spread over the {} readings of the first ten sessions (standard deviation): F1 {:.3}, WindowDiff {:.3}, κ {:.3}.",
        found.len(),
        spread(|score| score.f1),
        spread(|score| score.window_diff),
        spread(|score| score.kappa)
    )
}

pub(crate) fn write(place: &str, text: &str) -> anyhow::Result<()> {
    write_into("inference.md", place, text)
}

pub(crate) fn write_into(page: &str, place: &str, text: &str) -> anyhow::Result<()> {
    let path = crate::home().join("../../docs").join(page);
    let old = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (start, end) = (format!("<!-- {place} -->"), format!("<!-- end of {place} -->"));
    let (before, rest) =
        old.split_once(&start).with_context(|| format!("{} has no {start}", path.display()))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("{} has no {end}", path.display()))?;
    std::fs::write(&path, format!("{before}{start}\n{text}\n{end}{after}"))?;
    Ok(())
}
