//! The brief: a session condensed to its turns, for a reader who marks episodes or looks something up.
//!
//! A turn shows its lines, the human's words before it, the agent's words (reports as a whole), its thoughts in a
//! line, its calls with their main argument, how each result begins and ends with its size and exit code, and
//! changes of the task list. All texts of the log are redacted, shortened and indented, so none can pass for a line
//! of the brief. Pages are limited in size.

mod condense;
mod prompt;
mod reader_commands;
mod reader_task;
mod results;
mod tasks;
mod text;

use std::ops::Range;

use cwl_inspect::marks::share_lines;
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::brief::condense::CondensedTurn;
use crate::export::clean::Cleaner;
use crate::{ApiError, ErrorCode};

pub use prompt::{MarksPrompt, guide_hash, list_problems, merge_marks};
pub use reader_task::{
    NoMarks, PART_TOKENS, READER_LIMIT, READER_TRIES, READER_WARNING, ReaderMarks, ReaderPlan, ReaderTask,
    ReaderTry,
};
pub(crate) use text::{harmless_text, indent_text, one_line};

pub const GUIDE: &str = include_str!("guide.md");

/// Page size in bytes; a page with a single turn may be larger.
const PAGE_BYTES: usize = 24 << 10;

const NUMBERED: &str = " A turn has the number of the first request that holds its reply, as in the graph.";

/// Explains places if a line alone does not identify a turn.
const SHARED: &str = " Turns share lines in this log: `7/3` is block 3 of line 7. A mark names the blocks beside the lines: \
    \"first\": 7, \"first_block\": 3, \"last\": 7, \"last_block\": 9.";

#[derive(Debug, Clone)]
pub struct Brief {
    head: String,
    turns: Vec<CondensedTurn>,
    pages: Vec<Range<usize>>,
}

impl Brief {
    /// Condenses the current branch of a session.
    ///
    /// # Errors
    /// If texts cannot be read or redaction cannot be set up.
    pub fn from_snapshot(opened: &SessionSnapshot) -> Result<Self, ApiError> {
        Self::condense_cleaned(opened, &mut Cleaner::learn_from(opened, std::iter::empty())?)
    }

    /// Condenses the current branch with a cleaner of the session's log.
    ///
    /// # Errors
    /// If texts cannot be read.
    pub fn condense_cleaned(opened: &SessionSnapshot, cleaner: &mut Cleaner) -> Result<Self, ApiError> {
        let turns = condense::condense_turns(opened, cleaner)?;
        let shared = if share_lines(&opened.current_branch().session) { SHARED } else { "" };
        let n_turns = opened.current_branch().n_answered();
        let head = format!(
            "Session `{}` ({}), {n_turns} turns, {} records.{NUMBERED}{shared}",
            harmless_text(&cleaner.clean_text(&opened.display_title())),
            opened.about.format.name(),
            opened.log.events().len(),
        );
        let sizes: Vec<usize> = turns.iter().map(|turn| turn.text.len()).collect();
        let pages = divide_pages(&sizes);
        Ok(Self { head, turns, pages })
    }

    pub fn n_pages(&self) -> usize {
        self.pages.len()
    }

    /// Returns a page, counted from 1.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn read_page(&self, number: usize) -> Result<String, ApiError> {
        let n_pages = self.n_pages();
        let Some(turns) = number.checked_sub(1).and_then(|at| self.pages.get(at)) else {
            let pages = if n_pages == 1 { "1 page".to_owned() } else { format!("{n_pages} pages") };
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                format!("the brief has {pages} and no page {number}"),
            )
            .with_hint(format!("ask for a page from 1 to {n_pages}")));
        };
        let mut page = format!("{} Page {number} of {n_pages}.\n", self.head);
        for turn in &self.turns[turns.clone()] {
            page.push('\n');
            page.push_str(&turn.text);
        }
        Ok(page)
    }
}

fn divide_pages(sizes: &[usize]) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let (mut first, mut size) = (0, 0);
    for (at, turn) in sizes.iter().enumerate() {
        if size > 0 && size + turn > PAGE_BYTES {
            pages.push(first..at);
            (first, size) = (at, 0);
        }
        size += turn;
    }
    pages.push(first..sizes.len());
    pages
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
