//! Tables for people.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableStyle};

use crate::out::is_terminal;

/// Begins a table; columns whose title starts with `#` hold numbers.
pub(crate) fn begin(titles: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    if is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(titles.iter().map(|title| Cell::new(title.trim_start_matches('#'))));
    for (at, title) in titles.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            let first = at == 0;
            column.set_padding((if first { 0 } else { 1 }, 1));
            if title.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// Returns a table's lines without blanks at their ends.
pub(crate) fn lines(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
