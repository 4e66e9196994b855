//! The brief: a session condensed to its turns, for a reader who marks episodes or looks something up.
//!
//! A turn shows its lines, the human's words before it, the agent's words, its calls with their main
//! argument, results as sizes and failures, and changes of the task list. All texts of the log are redacted,
//! shortened and indented, so none can pass for a line of the brief. Pages are limited in size.

mod condense;
mod tasks;
mod text;

use std::ops::Range;

use crate::export::clean::Cleaner;
use crate::measure::opened::SessionSnapshot;
use crate::{ApiError, ErrorCode};

pub(crate) use text::{harmless_text, indent_text, one_line};

/// Instructions for a reader who marks episodes.
pub const GUIDE: &str = include_str!("guide.md");

/// Page size in bytes; a page with a single turn may be larger.
const PAGE_BYTES: usize = 24 << 10;

/// Explains places if a line alone does not identify a turn.
const SHARED: &str = " Turns share lines in this log: `7/3` is block 3 of line 7. A mark names the blocks beside the lines: \
    \"first\": 7, \"first_block\": 3, \"last\": 7, \"last_block\": 9.";

#[derive(Debug, Clone)]
pub struct Brief {
    head: String,
    turns: Vec<String>,
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

    pub(crate) fn condense_cleaned(
        opened: &SessionSnapshot,
        cleaner: &mut Cleaner,
    ) -> Result<Self, ApiError> {
        let shares_lines = condense::share_lines(&opened.current_branch().session);
        let turns = condense::condense_turns(opened, cleaner, shares_lines)?;
        let shared = if shares_lines { SHARED } else { "" };
        let n_turns = opened.current_branch().n_answered();
        let head = format!(
            "Session `{}` ({}), {n_turns} turns, {} records.{shared}",
            harmless_text(&cleaner.clean_text(&opened.display_title())),
            opened.about.format.name(),
            opened.log.events().len(),
        );
        let pages = divide_pages(&turns);
        Ok(Self { head, turns, pages })
    }

    /// Number of pages, at least 1.
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
            page.push_str(turn);
        }
        Ok(page)
    }
}

fn divide_pages(turns: &[String]) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let (mut first, mut size) = (0, 0);
    for (at, turn) in turns.iter().enumerate() {
        if size > 0 && size + turn.len() > PAGE_BYTES {
            pages.push(first..at);
            (first, size) = (at, 0);
        }
        size += turn.len();
    }
    pages.push(first..turns.len());
    pages
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
