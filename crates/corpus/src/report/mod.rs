//! The report of a corpus: one self-contained page, made from the tables alone.
//!
//! Apart from reading, [`corpus_report`] is pure: equal tables give equal bytes. Every text passes
//! `escape_html`, and the page's content security policy forbids scripts and loading.

pub(crate) mod chart;
mod listed;
pub(crate) mod parts;

use std::path::Path;

use cwl_host::{escape_html, with_commas};

use crate::make::CorpusError;
use crate::read_back::{ReadTable, check_folder, read_table};
use crate::settings::{Runs, read_runs};
use crate::stats::{N_RESAMPLES, SEED};
use crate::table::{FINDINGS, SESSIONS};

use chart::put_text;

pub(crate) const LOOK: &str = concat!(include_str!("look.css"), include_str!("chart.css"));

struct ReportTables {
    /// Sessions, including unreadable ones.
    sessions: ReadTable,
    read: Vec<usize>,
    findings: ReadTable,
    runs: Runs,
    n_unfinished: usize,
}

/// Writes the page of a corpus. `template` is the built page for exports, used for its fonts; without it the
/// reader's fonts apply.
///
/// # Errors
/// If the folder is no corpus, or a table is unreadable.
pub fn corpus_report(folder: &Path, template: Option<&str>) -> Result<Vec<u8>, CorpusError> {
    let n_unfinished = check_folder(folder)?;
    let sessions = read_table(
        folder,
        &SESSIONS,
        &[
            "log",
            "path",
            "problem",
            "harness",
            "title",
            "price_row",
            "n_turns",
            "tokens",
            "n_expl",
            "n_act",
            "n_reported",
            "is_annotated",
            "policy",
            "budget",
            "n_steps",
            "n_reacquisitions",
            "reacquired_tokens",
        ],
    )?;
    let findings = read_table(folder, &FINDINGS, &["log", "code", "is_doubt", "cost"])?;
    let read = (0..sessions.n_rows).filter(|row| sessions.text_value("problem", *row).is_none()).collect();
    let tables = ReportTables { sessions, read, findings, runs: read_runs(folder)?, n_unfinished };
    Ok(write_page(&tables, template).into_bytes())
}

fn write_page(tables: &ReportTables, template: Option<&str>) -> String {
    let title = format!("Corpus of {} sessions", with_commas(tables.read.len() as u64));
    let mut page = begin_page(&title, template, LOOK);
    put_text(&mut page, format_args!("<h1>{} sessions</h1>\n", with_commas(tables.read.len() as u64)));
    page.push_str(&parts::harness_table(tables));
    put_text(
        &mut page,
        format_args!(
            "<p class=\"muted\">Intervals hold 95 of 100 resamples of the sessions: {} resamples, drawn with the seed {SEED}, so that the same tables give the same page.</p>\n",
            with_commas(N_RESAMPLES.into())
        ),
    );
    page.push_str("<h2>Not measured</h2>\n");
    page.push_str(&parts::not_measured(tables));
    page.push_str("<h2>Sessions</h2>\n");
    page.push_str(&parts::draw_distributions(tables));
    page.push_str("<h2>Policies by budget</h2>\n");
    page.push_str(&parts::by_budget(tables));
    page.push_str("<h2>Policies against each other</h2>\n");
    page.push_str(&parts::compare_policies(tables));
    page.push_str("<h2>Sessions to look at</h2>\n");
    page.push_str(&listed::best_and_worst(tables));
    page.push_str("<h2>Findings by rule and model</h2>\n");
    page.push_str(&listed::findings_table(tables));
    put_text(
        &mut page,
        format_args!("</main>\n<footer>CWL Inspector {}</footer>\n</html>\n", env!("CARGO_PKG_VERSION")),
    );
    page
}

/// Begins a page that runs no script and loads nothing, with the fonts of `template`. `<main>` stays open.
pub(crate) fn begin_page(title: &str, template: Option<&str>, look: &str) -> String {
    let fonts = template.map(fonts_of).unwrap_or_default();
    let title = escape_html(title);
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"dark light\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'\">\n",
    );
    put_text(&mut page, format_args!("<title>{title}</title>\n<style>\n{fonts}\n{look}</style>\n<main>\n"));
    page
}

fn fonts_of(template: &str) -> String {
    let style = template.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    let style = style.map_or("", |(style, _)| style);
    let rules = style.split("@font-face").skip(1).filter_map(|rule| {
        let (rule, _) = rule.trim_start().strip_prefix('{')?.split_once('}')?;
        // A rule that is kept can neither end the element nor load anything.
        (rule.contains("url(data:font/") && !rule.contains('<')).then(|| format!("@font-face{{{rule}}}"))
    });
    rules.collect::<Vec<_>>().join("\n")
}

/// Writes a table from a caption, column names and cells of HTML. The first column and columns with a leading
/// `<` in their name hold words, aligned left; the others hold figures.
pub(crate) fn write_table(caption: &str, names: &[&str], rows: &[Vec<String>]) -> String {
    let mut html =
        format!("<div class=\"scrolled\"><table><caption>{}</caption>\n<thead><tr>", escape_html(caption));
    let side = |at: usize| {
        let is_of_words = names.get(at).is_some_and(|name| name.starts_with('<'));
        if is_of_words { " class=\"left\"" } else { "" }
    };
    for (at, name) in names.iter().enumerate() {
        let name = escape_html(name.trim_start_matches('<'));
        put_text(&mut html, format_args!("<th scope=\"col\"{}>{name}</th>", side(at)));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            put_text(&mut html, format_args!("<td{}>{cell}</td>", side(at)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_taken_and_nothing_else() {
        let font = "@font-face{font-family:A;src:url(data:font/woff2;base64,AA==)}";
        let template = format!(
            "<style>{font}b{{}}@font-face{{src:url(https://x)}}</style><script>@font-face{{src:url(data:font/woff2,x)}}</script>"
        );
        assert_eq!(fonts_of(&template), font);
        assert_eq!(fonts_of("<p>"), "");
    }

    #[test]
    fn colours_are_those_of_the_window() {
        let tokens = include_str!("../../../../ui/src/styles/tokens.css");
        let (light, rest) = tokens.split_once("[data-theme='dark']").expect("the window has two themes");
        let (dark, _) = rest.split_once("\n}").expect("the theme ends");
        let (ours_light, ours_dark) = LOOK.split_once("@media").expect("the page has two themes");
        let colours = |css: &str| -> Vec<String> {
            let lines = css.lines().map(str::trim).filter(|line| line.starts_with("--"));
            lines.map(str::to_owned).collect()
        };
        for (ours, theirs) in [(ours_light, light), (ours_dark, dark)] {
            let (ours, theirs) = (colours(ours), colours(theirs));
            assert!(ours.len() > 10, "{ours:?}");
            for colour in ours {
                assert!(theirs.contains(&colour), "{colour} is another colour in the window");
            }
        }
    }
}
