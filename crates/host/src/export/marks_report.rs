//! A report on marks before and after edits, as one self-contained HTML page with secrets redacted.

use std::collections::HashMap;

use cwl_inspect::figures::{count_noun, with_commas};
use cwl_inspect::marks::list_changes;
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::ApiError;
use crate::api::{
    BandsBy, CacheRules, CompareColumn, CompareRequest, EditMarksRequest, EpisodeKind, EpisodeNode, FileMark,
    FrontierMeasure, GraphAnswer, MarksReportRequest, ViewCut, ViewRequest, ViewSettings,
};
use crate::commands::{compare, edit_marks, graph};
use crate::export::clean::Cleaner;
use crate::export::page::escape_html;

const WIDE: f64 = 1160.0;
const LANE: f64 = 54.0;
/// Space between lanes for dependencies, in pixels.
const BETWEEN: f64 = 70.0;
/// Narrowest box with a name, in pixels.
const NAMED: f64 = 44.0;

/// Writes the page: figures under both sets of marks, differences, and both graphs.
///
/// # Errors
/// If a view is invalid, or redaction cannot be set up.
pub fn marks_report(opened: &SessionSnapshot, request: &MarksReportRequest) -> Result<Vec<u8>, ApiError> {
    let marks = |annotation: &str| -> Result<_, ApiError> {
        let view = ViewSettings { annotation: annotation.to_owned(), ..request.view.clone() };
        let marks = edit_marks(opened, &EditMarksRequest { view: view.clone(), edits: Vec::new() })?.after;
        Ok((graph(opened, &ViewRequest { view: view.clone() })?, marks, view))
    };
    let (after, marks_after, view_after) = marks(&request.view.annotation)?;
    let base = request.before.as_deref().or(marks_after.based_on.as_deref()).unwrap_or("auto");
    let (before, marks_before, view_before) = marks(base)?;
    let compared = compare(
        opened,
        &CompareRequest {
            views: vec![view_before, view_after],
            cut: ViewCut { turn: None, step: None },
            cache: CacheRules::default(),
            by: FrontierMeasure::default(),
            bands: BandsBy::default(),
        },
    )?;
    let cleaner = &mut Cleaner::learn_from(opened, std::iter::empty())?;
    let changed = changed_names(&marks_before.episodes, &marks_after.episodes);
    let mut page = String::from(HEAD);
    let mut say = |text: &str| escape_html(&cleaner.clean_text(text));
    let title = say(&opened.display_title());
    let columns = (compared.columns.first(), compared.columns.get(1));
    let (Some(first), Some(second)) = columns else {
        return Err(ApiError::from_internal("a comparison without columns"));
    };
    push_text(
        &mut page,
        format_args!("<title>Before and after · {title}</title>\n<h1>Before and after</h1>\n"),
    );
    push_text(&mut page, format_args!("<p class=\"what\">{title}</p>\n<p>"));
    push_text(
        &mut page,
        format_args!(
            "Under <code>{}</code> with a budget of <b>{}</b> tokens, over {} requests. Before: episodes {}. After: episodes {}.",
            say(&first.policy),
            with_commas(second.budget),
            with_commas(compared.n_requests.into()),
            say(&before.from.says),
            say(&after.from.says)
        ),
    );
    page.push_str("</p>\n");
    page.push_str(&figures_table(first, second));
    push_text(
        &mut page,
        format_args!(
            "<p class=\"basis\">{}</p><p class=\"basis\">{}</p>\n",
            say(&compared.price.says),
            say(&compared.cache.says)
        ),
    );
    let said = list_changes(&marks_before, &marks_after);
    push_text(&mut page, format_args!("<h2>{}</h2>\n<ul>\n", n_of(said.len(), "difference")));
    for one in &said {
        push_text(&mut page, format_args!("<li>{}</li>\n", say(one)));
    }
    page.push_str("</ul>\n");
    for (name, graph) in [("Before", &before), ("After", &after)] {
        push_text(&mut page, format_args!("<h2>{name}</h2>\n"));
        page.push_str(&draw_graph(graph, &changed, &mut say));
    }
    push_text(
        &mut page,
        format_args!(
            "<footer>CWL Inspector {}. Explorations stand above, acts below, by turns from left to right; dotted episodes were inferred; those with a thick outline differ.</footer>\n",
            env!("CARGO_PKG_VERSION")
        ),
    );
    Ok(page.into_bytes())
}

fn push_text(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.push_str(&text.to_string());
}

fn changed_names<'a>(before: &'a [FileMark], after: &'a [FileMark]) -> HashMap<&'a str, ()> {
    let by_name = |marks: &'a [FileMark]| -> HashMap<&'a str, &'a FileMark> {
        marks.iter().map(|mark| (mark.name.as_str(), mark)).collect()
    };
    let (olds, news) = (by_name(before), by_name(after));
    let of = |these: &HashMap<&'a str, &'a FileMark>,
              others: &HashMap<&'a str, &'a FileMark>|
     -> Vec<&'a str> {
        these.iter().filter(|(name, mark)| others.get(*name) != Some(mark)).map(|(name, _)| *name).collect()
    };
    of(&olds, &news).into_iter().chain(of(&news, &olds)).map(|name| (name, ())).collect()
}

fn n_of(number: usize, what: &str) -> String {
    if number == 0 { format!("No {what}") } else { count_noun(number, what) }
}

fn figures_table(before: &CompareColumn, after: &CompareColumn) -> String {
    type FigureLine<'a> = (&'a str, fn(&CompareColumn) -> u64, fn(u64) -> String, Option<bool>);
    let rows: [FigureLine<'_>; 7] = [
        ("Mean request, tokens", |one| one.measured.mean_total, with_commas, None),
        ("Largest request, tokens", |one| one.measured.max_total, with_commas, None),
        ("Cost", |one| one.measured.cost.total_cost, write_dollars, Some(false)),
        (
            "Recall: later uses that found their block",
            |one| one.measured.recall.hit_per_mille.into(),
            per_cent,
            Some(true),
        ),
        (
            "Read again after eviction, tokens",
            |one| one.measured.recall.reacquired_tokens,
            with_commas,
            Some(false),
        ),
        ("Turns over the budget", |one| one.over_budget.len() as u64, with_commas, Some(false)),
        ("Steps of all passes", |one| one.measured.n_steps, with_commas, None),
    ];
    let mut table =
        String::from("<table><tr><th></th><th>Before</th><th>After</th><th>Difference</th></tr>\n");
    for (name, value, shown, more_is_better) in rows {
        let (old, new) = (value(before), value(after));
        let class = match more_is_better {
            Some(more) if old != new => {
                if (new > old) == more {
                    "better"
                } else {
                    "worse"
                }
            }
            _ => "",
        };
        let sign = if new < old { "−" } else { "+" };
        let difference = if old == new {
            "same".to_owned()
        } else {
            format!("{sign}{}", shown(old.abs_diff(new)).replace(" %", " points"))
        };
        push_text(
            &mut table,
            format_args!(
                "<tr><th>{name}</th><td>{}</td><td>{}</td><td class=\"{class}\">{difference}</td></tr>\n",
                shown(old),
                shown(new)
            ),
        );
    }
    table.push_str("</table>\n");
    table
}

fn write_dollars(millionths: u64) -> String {
    let cents = (millionths + 5_000) / 10_000;
    format!("${}.{:02}", with_commas(cents / 100), cents % 100)
}

fn per_cent(per_mille: u64) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

fn draw_graph(
    graph: &GraphAnswer,
    changed: &HashMap<&str, ()>,
    say: &mut impl FnMut(&str) -> String,
) -> String {
    if graph.episodes.is_empty() {
        return "<p>No episodes.</p>\n".to_owned();
    }
    let wide = f64::from(graph.n_turns.max(2));
    let x = |turn: f64| turn / wide * WIDE;
    let extent = |episode: &EpisodeNode| {
        let first = f64::from(episode.first_turn.saturating_sub(1));
        let left = x(first);
        (left, (x(f64::from(episode.last_turn)) - left).max(1.0))
    };
    let top = |kind: EpisodeKind| if kind == EpisodeKind::Action { LANE + BETWEEN } else { 0.0 };
    let high = 2.0 * LANE + BETWEEN;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDE} {high}\" role=\"img\">\n");
    for (from, to) in &graph.edges {
        let ends = (graph.episodes.get(*from as usize), graph.episodes.get(*to as usize));
        let (Some(from), Some(to)) = ends else { continue };
        let ((a, a_wide), (b, b_wide)) = (extent(from), extent(to));
        let (a, b, foot) = (a + a_wide / 2.0, b + b_wide / 2.0, LANE + BETWEEN);
        let middle = LANE + BETWEEN / 2.0;
        push_text(
            &mut svg,
            format_args!("<path d=\"M{a:.1} {LANE}C{a:.1} {middle} {b:.1} {middle} {b:.1} {foot}\"/>\n"),
        );
    }
    for episode in graph.episodes.iter().filter(|episode| episode.kind != EpisodeKind::Unannotated) {
        let (left, wide) = extent(episode);
        let y = top(episode.kind);
        let kind = if episode.kind == EpisodeKind::Action { "act" } else { "expl" };
        let guess = if episode.confidence.is_some() { " guess" } else { "" };
        let differs = if changed.contains_key(episode.name.as_str()) { " differs" } else { "" };
        let name = say(&episode.name);
        push_text(
            &mut svg,
            format_args!(
                "<g><title>{name}: turns {} to {}, {} tokens</title><rect class=\"{kind}{guess}{differs}\" x=\"{left:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"{LANE}\"/>",
                with_commas(episode.first_turn.into()),
                with_commas(episode.last_turn.into()),
                with_commas(episode.tokens)
            ),
        );
        if wide > NAMED {
            let (x, y, wide) = (left + 4.0, y + 18.0, wide - 6.0);
            push_text(
                &mut svg,
                format_args!(
                    "<svg x=\"{x:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"24\"><text y=\"15\">{name}</text></svg>",
                    y - 15.0
                ),
            );
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --ink: #14181d; --muted: #5b6570; --bg: #fff; --line: #d5dae0; --expl: #b9d3f3; --act: #f6cfa4; --ok: #196b40; --error: #a3123f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --muted: #9aa4af; --bg: #14181d; --line: #39424c; --expl: #26496f; --act: #6d4618; --ok: #6cc58f; --error: #f08aa5; } }
body { margin: 2rem auto; max-width: 74rem; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--bg); }
h1 { margin-bottom: 0; font-size: 1.5rem; } h2 { margin-top: 2rem; font-size: 1.1rem; }
.what, .basis, footer { color: var(--muted); } .basis, footer { font-size: .85rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); text-align: right; } th:first-child { font-weight: 400; text-align: left; }
.better { color: var(--ok); } .worse { color: var(--error); }
li { overflow-wrap: anywhere; }
svg { max-width: 100%; } rect { stroke: var(--ink); stroke-width: .6; } rect.expl { fill: var(--expl); } rect.act { fill: var(--act); }
rect.guess { stroke-dasharray: 1.5 2.5; } rect.differs { stroke-width: 2.5; } path { fill: none; stroke: var(--muted); stroke-width: 1; opacity: .7; } text { font-size: 12px; fill: var(--ink); }
</style>
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_people() {
        let check = |shown: String, expected: &str| assert_eq!(shown, expected);
        check(write_dollars(0), "$0.00");
        check(write_dollars(1_234_565_000), "$1,234.57");
        check(per_cent(869), "86.9 %");
        check(n_of(0, "difference"), "No difference");
        check(n_of(1, "difference"), "1 difference");
        check(n_of(1200, "difference"), "1,200 differences");
    }
}
