//! The tables that a trial reads, from a corpus folder or from memory.

use std::collections::HashSet;

use crate::read_back::ReadTable;
use crate::settings::{RUN_COLUMNS, Runs};
use crate::table::{CorpusTable, RUNS, SESSIONS, TURNS};

/// The rows of a trial, in any order. Each table has only the columns that are read.
#[derive(Debug)]
pub struct TrialTables {
    pub(super) runs: ReadTable,
    pub(super) turns: ReadTable,
    pub(super) sessions: ReadTable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTrial {
    #[error("the table of runs is empty")]
    NoRuns,
    #[error("no session has a run of `none`, with which the others are compared, and one of another policy")]
    NoReference,
    /// The tables were made with different keys, or of different logs.
    #[error("a log of the table `runs` has no row in the table `{table}`")]
    StrangeLog { table: &'static str },
}

impl TrialTables {
    /// Gathers the tables; `read` returns the named columns of one.
    ///
    /// # Errors
    /// If `read` fails for a table.
    pub fn read_with<E>(
        read: impl Fn(&CorpusTable, &[&'static str]) -> Result<ReadTable, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            runs: read(&RUNS, &RUN_COLUMNS)?,
            turns: read(&TURNS, &["log", "unlogged"])?,
            sessions: read(&SESSIONS, &["log", "problem", "harness", "n_turns", "solved"])?,
        })
    }

    /// Checks that every log with requests among the runs has rows in the other tables, without which a figure would be
    /// wrong and not missing.
    pub(super) fn check_logs(&self, runs: &Runs) -> Result<(), NoTrial> {
        for (name, table) in [(SESSIONS.name, &self.sessions), (TURNS.name, &self.turns)] {
            let logs: HashSet<&str> =
                (0..table.n_rows).filter_map(|row| Some(table.text_value("log", row)?.as_ref())).collect();
            let mut with_requests = runs.values().flatten().filter(|(_, run)| run.n_requests > 0.0);
            if with_requests.any(|(log, _)| !logs.contains(log.as_ref())) {
                return Err(NoTrial::StrangeLog { table: name });
            }
        }
        Ok(())
    }
}
