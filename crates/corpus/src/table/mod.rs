//! The tables: what each is of, and its columns, each with its kind and its meaning beside the expression that fills it.

mod sessions;
mod turns;
mod episodes;
mod findings;
mod compactions;
mod runs;

pub(crate) use compactions::{COMPACTIONS, LOSSES, compaction_cells, loss_cells};
pub(crate) use episodes::{DEPENDENCIES, EPISODES, dependency_cells, episode_cells};
pub(crate) use findings::{FINDINGS, REGRETS, finding_cells, regret_cells};
pub(crate) use runs::{RUNS, run_cells};
pub(crate) use sessions::{ReadLog, SESSIONS, UnreadLog, session_cells, unread_cells};
pub(crate) use turns::{TURNS, TurnRow, turn_cells};

use crate::cell::ColumnKind;

/// The version of the columns. One that goes or means something else raises it; one that is added does too, because parts of
/// two forms cannot be read together.
pub const VERSION: u32 = 2;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct CorpusColumn {
    /// Its name.
    pub name: &'static str,
    /// The type and the unit of its values.
    pub kind: ColumnKind,
    /// Its meaning, as a phrase with its end; it says when the value is null.
    pub about: &'static str,
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct CorpusTable {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// A sentence that says what a row of it is.
    pub about: &'static str,
    /// Its columns.
    pub columns: &'static [CorpusColumn],
}

/// All tables.
pub const TABLES: [CorpusTable; 9] =
    [SESSIONS, TURNS, EPISODES, DEPENDENCIES, FINDINGS, REGRETS, COMPACTIONS, LOSSES, RUNS];

/// Declares a table, and a function that makes the cells of a row in the order of the columns.
macro_rules! corpus_table {
    (
        $TABLE:ident $name:literal $about:literal
        fn $cells:ident($($arg:ident: $of:ty),*) {
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

        pub(crate) fn $cells($($arg: $of),*) -> Vec<$crate::cell::Cell> {
            vec![$($cell.into()),*]
        }
    };
}
pub(crate) use corpus_table;
