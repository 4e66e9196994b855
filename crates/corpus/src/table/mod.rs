//! The tables: what each is of, and its columns, each with its kind and its meaning beside the expression that fills it.

mod sessions;
mod turns;
mod episodes;
mod findings;
mod compactions;
mod runs;

pub(crate) use compactions::{COMPACTIONS, LOSSES, push_compaction, push_loss};
pub(crate) use episodes::{DEPENDENCIES, EPISODES, push_dependency, push_episode};
pub(crate) use findings::{FINDINGS, REGRETS, push_finding, push_regret};
pub(crate) use runs::{RUNS, push_run};
pub(crate) use sessions::{ReadLog, SESSIONS, UnreadLog, push_session, push_unread};
pub(crate) use turns::{TURNS, TurnRow, push_turn};

use crate::cell::ColumnKind;

/// The columns' version. One that goes or means something else raises it; one that is added does too, because parts of two
/// forms cannot be read together.
pub const VERSION: u32 = 3;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct CorpusColumn {
    /// The name.
    pub name: &'static str,
    /// The type and the unit of its values.
    pub kind: ColumnKind,
    /// The meaning, as a phrase with its end; it says when the value is null.
    pub about: &'static str,
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct CorpusTable {
    /// The name, which is that of its folder.
    pub name: &'static str,
    /// A sentence that says what a row of it is.
    pub about: &'static str,
    /// The columns.
    pub columns: &'static [CorpusColumn],
}

/// All tables.
pub const TABLES: [CorpusTable; 9] =
    [SESSIONS, TURNS, EPISODES, DEPENDENCIES, FINDINGS, REGRETS, COMPACTIONS, LOSSES, RUNS];

/// Declares a table, and a function that adds the cells of a row to its columns, in their order.
macro_rules! corpus_table {
    (
        $TABLE:ident $name:literal $about:literal
        fn $push:ident($($arg:ident: $of:ty),*) {
            $($column:ident: $kind:ident = $cell:expr, $meaning:literal;)*
        }
    ) => {
        pub(crate) const $TABLE: $crate::table::CorpusTable = $crate::table::CorpusTable {
            name: $name,
            about: $about,
            columns: &[$($crate::table::CorpusColumn {
                name: stringify!($column),
                kind: $crate::cell::ColumnKind::$kind,
                about: $meaning,
            }),*],
        };

        pub(crate) fn $push(rows: &mut $crate::rows::LogRows, $($arg: $of),*) {
            let mut columns = rows.begin_row(&$TABLE).iter_mut();
            $(if let Some(column) = columns.next() {
                column.push_cell($cell.into());
            })*
        }
    };
}
pub(crate) use corpus_table;
