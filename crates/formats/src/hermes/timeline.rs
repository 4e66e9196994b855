//! The order of what happened, from the final state of a session's rows.
//!
//! A compaction in place keeps its rows as archived ones, and writes what stays once more behind them: some first
//! messages, the summary, and the last messages. Some of the rows that stay get the time of the compaction, and a long
//! result may come back shorter. A rewind keeps its rows as inactive ones.

use std::collections::BTreeMap;

use crate::json::{Value, owned};
use crate::known::names_of;

/// Longest time between two rows that one compaction writes, seconds. Such rows are 1 µs apart.
const BATCH_GAP: f64 = 0.001;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowOrigin {
    New,
    /// A compaction wrote it without an earlier version.
    Injected,
    /// The first row with the same content.
    CopyOf(usize),
    /// The row whose result this row has in a shorter form.
    ShorterThan(usize),
}

pub(super) struct TimelineRow<'a> {
    pub(super) value: Value<'a>,
    pub(super) origin: RowOrigin,
    is_active: bool,
    is_archived: bool,
    is_summary: bool,
    is_compacting: bool,
}

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
        let mut earlier = EarlierRows::default();
        let mut rows: Vec<TimelineRow<'a>> = Vec::new();
        for (at, value) in messages.items().enumerate() {
            let [active, compacted, flag] = value.fields(["active", "compacted", "_compressed_summary"]);
            let is_summary = flag.is_some_and(is_set) || is_summary_text(value);
            rows.push(TimelineRow {
                value,
                origin: earlier.add(at, value, is_summary, |at| !rows[at].is_active),
                is_active: active.is_none_or(|active| active.is_null() || is_set(active)),
                is_archived: compacted.is_some_and(is_set),
                is_summary,
                is_compacting: false,
            });
        }
        let mut timeline = Self { rows, compactions: Vec::new() };
        timeline.find_compactions(is_continued);
        timeline
    }

    /// Tells which messages the human took back: no version of them is active or archived.
    pub(super) fn rewound(&self) -> Vec<bool> {
        let mut rewound: Vec<bool> = self.rows.iter().map(|row| !row.is_kept()).collect();
        for (at, row) in self.rows.iter().enumerate().filter(|(_, row)| row.is_active || row.is_archived) {
            rewound[at] = false;
            if let Some(first) = row.earlier_version() {
                rewound[first] = false;
            }
        }
        rewound
    }

    pub(super) fn is_compacting(&self, at: usize) -> bool {
        self.rows[at].is_compacting
    }

    /// Tells whether a row is the summary of a session that this one continues.
    pub(super) fn is_brought_along(&self, at: usize) -> bool {
        self.rows[at].is_summary && !self.rows[at].is_compacting
    }

    fn find_compactions(&mut self, is_continued: bool) {
        let is_copy = |at: usize| self.rows[at].is_kept();
        let first_active = self.rows.iter().position(|row| !row.is_kept() && row.is_active);
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
            let kept = (begin..end).filter_map(|row| self.rows[row].earlier_version()).collect();
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
        let is_gone = |row: &TimelineRow<'_>| row.is_archived && !row.is_kept();
        let last = (from..self.rows.len()).rev().find(|at| is_gone(&self.rows[*at]))?;
        let at = last + 1;
        let behind = self.rows.get(at..).filter(|behind| !behind.is_empty())?;
        let kept = behind.iter().map_while(TimelineRow::earlier_version).collect();
        Some(CompactionRun { at, summary: None, kept })
    }
}

impl TimelineRow<'_> {
    fn earlier_version(&self) -> Option<usize> {
        match self.origin {
            RowOrigin::New | RowOrigin::Injected => None,
            RowOrigin::CopyOf(at) | RowOrigin::ShorterThan(at) => Some(at),
        }
    }

    pub(super) fn is_kept(&self) -> bool {
        self.earlier_version().is_some()
    }
}

/// The rows so far, by what a copy has in common with its first version.
#[derive(Default)]
struct EarlierRows<'a> {
    timed: BTreeMap<(RowContent<'a>, &'a str), usize>,
    contents: BTreeMap<RowContent<'a>, usize>,
    results: BTreeMap<&'a str, (usize, &'a str)>,
    latest: Option<f64>,
    is_compacting: bool,
}

type RowContent<'a> = [&'a str; 5];

impl<'a> EarlierRows<'a> {
    fn add(
        &mut self,
        at: usize,
        row: Value<'a>,
        is_summary: bool,
        is_inactive: impl Fn(usize) -> bool,
    ) -> RowOrigin {
        let content = row.fields(["role", "content", "tool_call_id", "tool_calls", "tool_name"]);
        let [role, _, call, ..] = content;
        let is_result = role.and_then(Value::string).as_deref() == Some("tool");
        let call = call.filter(|_| is_result).map_or("", Value::raw);
        let content = content.map(|field| field.map_or("", Value::raw));
        // Without a time, equal messages may be different ones.
        let Some(time) = row.get("timestamp").filter(|time| !time.is_null()) else { return RowOrigin::New };
        let is_in_batch = self.note_time(time);
        let timed = self.timed.get(&(content, time.raw())).copied();
        let first = timed.or_else(|| {
            self.contents.get(&content).copied().filter(|first| is_in_batch && is_inactive(*first))
        });
        let longer = self.results.get(call).copied();
        let longer = longer.filter(|(at, of)| (is_in_batch || *of == time.raw()) && is_inactive(*at));
        let is_going_on = self.is_compacting && is_in_batch;
        self.is_compacting = is_summary || first.is_some() || longer.is_some() || is_going_on;
        let origin = match (first, longer) {
            (Some(first), _) => RowOrigin::CopyOf(first),
            (None, Some((longer, _))) => RowOrigin::ShorterThan(longer),
            (None, None) if is_going_on && !is_summary => RowOrigin::Injected,
            (None, None) => RowOrigin::New,
        };
        let version = first.unwrap_or(at);
        self.timed.entry((content, time.raw())).or_insert(version);
        self.contents.insert(content, version);
        if !call.is_empty() {
            self.results.insert(call, (version, time.raw()));
        }
        origin
    }

    fn note_time(&mut self, time: Value<'a>) -> bool {
        let Some(seconds) = time.number().filter(|seconds| seconds.is_finite()) else { return false };
        let latest = self.latest.unwrap_or(f64::NEG_INFINITY);
        self.latest = Some(latest.max(seconds));
        (0.0..BATCH_GAP).contains(&(seconds - latest))
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
