//! The order of what happened, from the final state of a session's rows.
//!
//! A compaction in place keeps its rows as archived ones, and writes what stays once more behind them: some first
//! messages, the summary, and the last messages. A rewind keeps its rows as inactive ones.

use std::collections::BTreeMap;

use crate::json::{Value, owned};
use crate::known::names_of;

pub(super) struct TimelineRow<'a> {
    pub(super) value: Value<'a>,
    /// The first row with the same content and time, if this row is a copy of it.
    pub(super) copy_of: Option<usize>,
    is_active: bool,
    is_archived: bool,
    is_summary: bool,
    is_compacting: bool,
}

/// A compaction in front of row `at`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CompactionRun {
    pub(super) at: usize,
    /// `None` if no row is known to be the summary.
    pub(super) summary: Option<usize>,
    /// The first versions of the messages that stay.
    pub(super) kept: Vec<usize>,
}

pub(super) struct Timeline<'a> {
    pub(super) rows: Vec<TimelineRow<'a>>,
    pub(super) compactions: Vec<CompactionRun>,
}

impl<'a> Timeline<'a> {
    /// `is_continued` tells that the session may begin with the summary of another.
    pub(super) fn of_messages(messages: Value<'a>, is_continued: bool) -> Self {
        let mut known: BTreeMap<[&str; 6], usize> = BTreeMap::new();
        let mut rows: Vec<TimelineRow<'a>> = Vec::new();
        for (at, value) in messages.items().enumerate() {
            let fields =
                value.fields(["role", "content", "timestamp", "tool_call_id", "tool_calls", "tool_name"]);
            // Without a time, equal messages may be different ones.
            let is_timed = fields[2].is_some_and(|time| !time.is_null());
            let key = fields.map(|field| field.map_or("", Value::raw));
            let first = if is_timed { *known.entry(key).or_insert(at) } else { at };
            let [active, compacted, flag] = value.fields(["active", "compacted", "_compressed_summary"]);
            rows.push(TimelineRow {
                value,
                copy_of: (first < at).then_some(first),
                is_active: active.is_none_or(|active| active.is_null() || is_set(active)),
                is_archived: compacted.is_some_and(is_set),
                is_summary: flag.is_some_and(is_set) || is_summary_text(value),
                is_compacting: false,
            });
        }
        let mut timeline = Self { rows, compactions: Vec::new() };
        timeline.find_compactions(is_continued);
        timeline
    }

    /// Tells which messages the human took back: no version of them is active or archived.
    pub(super) fn rewound(&self) -> Vec<bool> {
        let mut rewound: Vec<bool> = self.rows.iter().map(|row| row.copy_of.is_none()).collect();
        for (at, row) in self.rows.iter().enumerate() {
            if row.is_active || row.is_archived {
                rewound[row.copy_of.unwrap_or(at)] = false;
            }
        }
        rewound
    }

    /// Tells whether a row is the summary of a compaction in this session.
    pub(super) fn is_compacting(&self, at: usize) -> bool {
        self.rows[at].is_compacting
    }

    /// Tells whether a row is the summary of a session that this one continues.
    pub(super) fn is_brought_along(&self, at: usize) -> bool {
        self.rows[at].is_summary && !self.rows[at].is_compacting
    }

    fn find_compactions(&mut self, is_continued: bool) {
        let is_copy = |at: usize| self.rows[at].copy_of.is_some();
        let first_active = self.rows.iter().position(|row| row.copy_of.is_none() && row.is_active);
        let mut is_first = true;
        let mut found: Vec<CompactionRun> = Vec::new();
        for at in 0..self.rows.len() {
            if !self.rows[at].is_summary || is_copy(at) {
                continue;
            }
            let begin = (0..at).rev().find(|row| !is_copy(*row)).map_or(0, |row| row + 1);
            let end = (at + 1..self.rows.len()).find(|row| !is_copy(*row)).unwrap_or(self.rows.len());
            let was_first = std::mem::replace(&mut is_first, false);
            let has_copies = end - begin > 1;
            // The summary of another session stands behind rows that stay, or at the beginning.
            let is_brought = was_first && is_continued && !has_copies;
            if is_brought || first_active.is_some_and(|first| first < begin) {
                continue;
            }
            let kept = (begin..end).filter_map(|row| self.rows[row].copy_of).collect();
            found.push(CompactionRun { at: begin, summary: Some(at), kept });
        }
        found.extend(self.unsummarised(found.last().map_or(0, |run| run.at)));
        for at in found.iter().filter_map(|run| run.summary) {
            self.rows[at].is_compacting = true;
        }
        self.compactions = found;
    }

    /// A compaction behind row `from` whose summary is not told: rows were archived, and others stand behind them.
    fn unsummarised(&self, from: usize) -> Option<CompactionRun> {
        let is_gone = |row: &TimelineRow<'_>| row.is_archived && row.copy_of.is_none();
        let last = (from..self.rows.len()).rev().find(|at| is_gone(&self.rows[*at]))?;
        let at = last + 1;
        let behind = self.rows.get(at..).filter(|behind| !behind.is_empty())?;
        let kept = behind.iter().map_while(|row| row.copy_of).collect();
        Some(CompactionRun { at, summary: None, kept })
    }
}

fn is_set(value: Value<'_>) -> bool {
    value.is_true() || value.number().is_some_and(|number| number != 0.0)
}

fn is_summary_text(message: Value<'_>) -> bool {
    let text = message.get("content").filter(|content| content.raw().starts_with('"'));
    let Some(text) = owned(text) else { return false };
    names_of("hermes.summaries").iter().any(|mark| text.trim_start().starts_with(mark))
}
