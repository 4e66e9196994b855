//! The page's lists: links to notable sessions, and findings by rule and model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_host::commands::code_of;
use cwl_host::{count_noun, escape_html, with_commas};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::chart::put_text;
use super::parts::{MOST_ROWS, signed_whole};
use super::{ReportTables, write_table};
use crate::texts::is_full_path;

const UNPRICED: &str = "a model without a known price";
const LISTED: usize = 10;
/// Path characters that a link escapes, as in `link.ts`.
const IN_LINK: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'\'');

/// Lists the sessions with the largest reacquisition under the tables' policy, and those with the most steps
/// and no reacquisition.
pub(super) fn best_and_worst(tables: &ReportTables) -> String {
    let sessions = &tables.sessions;
    let number = |name: &'static str, row: usize| sessions.whole_number(name, row).unwrap_or(0);
    let name = |row: usize| sessions.text_value("log", row).cloned();
    let mut worst: Vec<usize> =
        tables.read.iter().copied().filter(|row| number("reacquired_tokens", *row) > 0).collect();
    worst.sort_by_key(|row| (std::cmp::Reverse(number("reacquired_tokens", *row)), name(*row)));
    let mut best: Vec<usize> = tables
        .read
        .iter()
        .copied()
        .filter(|row| number("n_steps", *row) > 0 && number("n_reacquisitions", *row) == 0)
        .collect();
    best.sort_by_key(|row| (std::cmp::Reverse(number("n_steps", *row)), name(*row)));
    let mut html = String::new();
    let mut is_linked = false;
    for (caption, rows) in [
        ("Most got again after the policy of the tables had evicted it", worst),
        ("Most steps of the policy of the tables, and nothing got again", best),
    ] {
        if rows.is_empty() {
            put_text(&mut html, format_args!("<p>{}: no session.</p>\n", escape_html(caption)));
            continue;
        }
        let cells: Vec<Vec<String>> = rows
            .iter()
            .take(LISTED)
            .map(|row| {
                let (session, linked) = session_cell(tables, *row);
                is_linked |= linked;
                let steps = [("n_turns"), ("tokens"), ("n_steps"), ("reacquired_tokens")];
                let figures = steps.iter().map(|name| signed_whole(number(name, *row) as f64));
                [session].into_iter().chain(figures).collect()
            })
            .collect();
        let caption = format!("{caption}, {} of {}", cells.len(), count_noun(rows.len(), "session"));
        html.push_str(&write_table(
            &caption,
            &["session", "turns", "tokens", "steps", "got again, tokens"],
            &cells,
        ));
    }
    if !is_linked {
        html.push_str("<p class=\"muted\">Without full paths in the tables nothing is a link: <code>--with-texts --no-redact --i-know</code> with full paths writes them.</p>\n");
    }
    html
}

/// A session as a link to the window, if the tables have its full path. The flag is `true` for a link.
fn session_cell(tables: &ReportTables, row: usize) -> (String, bool) {
    let text = |name: &'static str| tables.sessions.text_value(name, row).map_or("", |text| text.as_ref());
    let (title, path) = (escape_html(text("title")), text("path"));
    if !is_full_path(path) {
        return (format!("{title} <span class=\"hash\">{}</span>", escape_html(path)), false);
    }
    let mut link = format!("cwl-inspector://open?session={}", utf8_percent_encode(path, IN_LINK));
    let view = (tables.sessions.text_value("policy", row), tables.sessions.whole_number("budget", row));
    if let (Some(policy), Some(budget)) = view {
        put_text(&mut link, format_args!("&policy={}&tau={budget}", utf8_percent_encode(policy, IN_LINK)));
    }
    (
        format!(
            "<a href=\"{}\">{title}</a> <span class=\"hash\">{}</span>",
            escape_html(&link),
            escape_html(path)
        ),
        true,
    )
}

/// A rule's title in `docs/rules.md`. `code` is untrusted.
fn rule_title(code: &str) -> String {
    code_of(code).map_or_else(String::new, |rule| rule.title)
}

pub(super) fn findings_table(tables: &ReportTables) -> String {
    let sessions = &tables.sessions;
    let models: BTreeMap<&Arc<str>, &str> = tables
        .read
        .iter()
        .filter_map(|row| {
            let model = sessions.text_value("price_row", *row).map_or(UNPRICED, |model| model.as_ref());
            Some((sessions.text_value("log", *row)?, model))
        })
        .collect();
    type Counted<'a> = (u64, BTreeSet<&'a Arc<str>>, i64);
    let mut counts: BTreeMap<(&str, &str), Counted<'_>> = BTreeMap::new();
    for row in 0..tables.findings.n_rows {
        let found = (tables.findings.text_value("code", row), tables.findings.text_value("log", row));
        let (Some(code), Some(log)) = found else { continue };
        if tables.findings.is_set("is_doubt", row) {
            continue;
        }
        let model = models.get(log).copied().unwrap_or(UNPRICED);
        let (n, logs, cost) = counts.entry((code, model)).or_default();
        *n += 1;
        logs.insert(log);
        *cost = cost.saturating_add(tables.findings.whole_number("cost", row).unwrap_or(0));
    }
    if counts.is_empty() {
        return "<p>No findings.</p>\n".to_owned();
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|((code, model), (n, _, cost))| (std::cmp::Reverse((*cost, *n)), *code, *model));
    let n_all = counts.len();
    let rows: Vec<Vec<String>> = counts
        .iter()
        .take(MOST_ROWS)
        .map(|((code, model), (n, logs, cost))| {
            vec![
                format!("<code>{}</code> {}", escape_html(code), escape_html(&rule_title(code))),
                escape_html(model),
                with_commas(*n),
                with_commas(logs.len() as u64),
                signed_whole(*cost as f64),
            ]
        })
        .collect();
    let mut html =
        write_table("The dearest first", &["rule", "<model", "findings", "sessions", "cost, tokens"], &rows);
    if n_all > MOST_ROWS {
        put_text(
            &mut html,
            format_args!("<p>{} more are left out.</p>\n", with_commas((n_all - MOST_ROWS) as u64)),
        );
    }
    html
}
