//! The tables: each column with its kind and meaning, beside the expression that fills it.

mod sessions;
mod turns;
mod episodes;
mod findings;
mod compactions;
mod runs;

pub(crate) use compactions::{COMPACTIONS, LOSSES, push_compaction, push_loss};
pub(crate) use episodes::{DEPENDENCIES, EPISODES, push_dependency, push_episode};
pub(crate) use findings::{FINDINGS, REACQUISITIONS, push_finding, push_reacquisition};
pub(crate) use runs::{RUNS, push_run};
pub(crate) use sessions::{ReadLog, SESSIONS, UnreadLog, push_session, push_unread};
pub(crate) use turns::{TURNS, TurnRow, push_turn};

use crate::cell::ColumnKind;

/// Column version. Raise it for every added, removed or redefined column, since parts in two versions cannot
/// be read together.
pub const VERSION: u32 = 6;

#[derive(Debug, Clone, Copy)]
pub struct CorpusColumn {
    pub name: &'static str,
    pub kind: ColumnKind,
    /// Meaning, as a phrase with a full stop. The phrase says when the value is null.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct CorpusTable {
    /// The table's name, and its folder's name in a corpus.
    pub name: &'static str,
    pub about: &'static str,
    pub columns: &'static [CorpusColumn],
}

pub const TABLES: [CorpusTable; 9] =
    [SESSIONS, TURNS, EPISODES, DEPENDENCIES, FINDINGS, REACQUISITIONS, COMPACTIONS, LOSSES, RUNS];

/// Declares a table, and a function that appends a row's cells to the columns in order.
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
