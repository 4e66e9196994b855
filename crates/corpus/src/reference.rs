//! The table reference in docs/corpus.md.

use std::fmt::Write;

use crate::table::{CorpusTable, TABLES, VERSION};

pub fn write_reference() -> String {
    let mut text = format!("The columns have version {VERSION}.\n");
    for CorpusTable { name, about, columns } in TABLES {
        let mut line = |what: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            text.write_fmt(what).ok();
        };
        line(format_args!(
            "\n### `{name}`\n\n{about}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n"
        ));
        for column in columns {
            let (sql, unit) = (column.kind.sql_type(), column.kind.unit_name());
            line(format_args!("| `{}` | {sql} | {unit} | {} |\n", column.name, column.about));
        }
    }
    text
}
