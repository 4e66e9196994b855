//! Tables: columns of text for a terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableStyle};

use crate::out::{Failure, Out, is_terminal};

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

/// Prints a table without blanks at the ends of its lines.
pub(crate) fn print(table: &Table, out: &mut Out) -> Result<(), Failure> {
    table.lines().try_for_each(|line| out.line(line.trim_end()))
}
