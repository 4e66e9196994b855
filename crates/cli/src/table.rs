//! Text tables. If the terminal is too narrow for all columns, a row becomes several lines.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, TableStyle};
use owo_colors::Style;

use crate::out::{Failure, Stdout, is_terminal, paint_text};

/// Least width for a column with words, in characters.
const LEAST_WORDS: usize = 12;

pub(crate) struct TableRows {
    table: Table,
    titles: Vec<(String, bool)>,
}

/// Begins a table. A title with a leading `#` makes a number column.
pub(crate) fn begin_table(titles: &[&str]) -> TableRows {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    if is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    let titles: Vec<(String, bool)> = titles
        .iter()
        .map(|title| (title.trim_start_matches('#').to_owned(), title.starts_with('#')))
        .collect();
    table.set_header(titles.iter().map(|(title, _)| Cell::new(title)));
    for (at, (_, is_number)) in titles.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            let first = at == 0;
            column.set_padding((if first { 0 } else { 1 }, 1));
            if *is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    TableRows { table, titles }
}

impl TableRows {
    pub(crate) fn add_row(&mut self, row: impl Into<Row>) {
        self.table.add_row(row);
    }
}

/// Terminal width in characters. `None` if standard output is no terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    Table::new().width().filter(|_| is_terminal()).map(usize::from)
}

pub(crate) fn print_table(rows: &TableRows, out: &mut Stdout) -> Result<(), Failure> {
    table_lines(rows, terminal_width()).iter().try_for_each(|line| out.write_line(line))
}

/// Formats a table for `width`; `None` sets no limit.
fn table_lines(rows: &TableRows, width: Option<usize>) -> Vec<String> {
    match width.filter(|width| *width < least_width(rows)) {
        Some(width) => fold_row(rows, width),
        None => rows.table.lines().map(|line| line.trim_end().to_owned()).collect(),
    }
}

fn least_width(rows: &TableRows) -> usize {
    let widths = rows.table.column_max_content_widths().into_iter().map(usize::from);
    let least = |(at, (widest, (_, is_number))): (usize, (usize, &(String, bool)))| {
        let padding = if at == 0 { 1 } else { 2 };
        padding + if *is_number { widest } else { widest.min(LEAST_WORDS) }
    };
    widths.zip(&rows.titles).enumerate().map(least).sum()
}

/// Formats a row as a line with its first non-empty cell, and the other cells below with their titles.
fn fold_row(rows: &TableRows, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows.table.row_iter() {
        let cells = cell_texts(row);
        let mut filled = rows.titles.iter().zip(&cells).filter(|(_, cell)| !matches!(cell.trim(), "" | "?"));
        let head = filled.next().map_or("", |(_, cell)| cell.trim_end());
        lines.push(paint_text(head, Style::new().bold()));
        let mut line = String::new();
        for ((title, _), cell) in filled {
            let pair = format!("{title} {}", cell.trim()).trim_start().to_owned();
            if !line.is_empty() {
                line.push(',');
            }
            // A pair that fits on a line stays together.
            let words: Vec<&str> =
                if pair.chars().count() + 2 > width { pair.split(' ').collect() } else { vec![&pair] };
            for word in words {
                if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > width {
                    lines.push(std::mem::take(&mut line));
                }
                line.push_str(if line.is_empty() { "  " } else { " " });
                line.push_str(word);
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

fn cell_texts(row: &Row) -> Vec<String> {
    row.cell_iter().map(|cell| cell.content().replace('\n', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_does_not_fit_is_folded_row_by_row() {
        let mut table = begin_table(&["session", "#turns", "#tokens", "", "path"]);
        table.add_row(["0a789f64", "310", "917,204", "live", "/home/dev/.pi/agent/sessions/one.jsonl"]);
        table.add_row(["19cec831", "4", "12", "", "/b.jsonl"]);
        let text = |width: Option<usize>| table_lines(&table, width).join("\n");
        assert_eq!(
            text(None),
            "session   turns   tokens        path\n\
             0a789f64    310  917,204  live  /home/dev/.pi/agent/sessions/one.jsonl\n\
             19cec831      4       12        /b.jsonl"
        );
        assert_eq!(
            text(Some(40)),
            "0a789f64\n  turns 310, tokens 917,204, live, path\n  /home/dev/.pi/agent/sessions/one.jsonl\n\
             19cec831\n  turns 4, tokens 12, path /b.jsonl"
        );
    }
}
