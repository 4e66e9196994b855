//! The history that the harness rebuilds from its records: which records each message has, and what waits.

use std::collections::BTreeMap;

use cwl_engine::{EntryId, EventBody, ParsedEvent};

use crate::adapter::Batch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// A prompt of the human, which compactions keep.
    Human,
    /// A text of the harness that an undo passes over.
    Injection,
    /// A summary, before which no undo goes.
    Summary,
    Other,
}

#[derive(Clone)]
struct HistoryRow {
    kind: RowKind,
    entries: Vec<EntryId>,
}

#[derive(Clone, Default)]
pub(super) struct KimiHistory {
    rows: Vec<HistoryRow>,
    open: BTreeMap<String, usize>,
    pending: BTreeMap<String, u64>,
    /// Calls from the first one without a result on, in order, each with its result if the log has it already.
    open_calls: BTreeMap<u64, Option<ParsedEvent>>,
    n_calls: u64,
    /// Messages that came while results were open, which the harness sends behind them.
    deferred: Vec<(RowKind, ParsedEvent)>,
}

pub(super) struct CompactedRows {
    pub(super) kept: Vec<EntryId>,
    /// True if the summary stands behind what stays.
    pub(super) is_behind: bool,
}

impl KimiHistory {
    pub(super) fn waiting(&self) -> impl Iterator<Item = ParsedEvent> {
        let results = self.open_calls.values().flatten();
        results.chain(self.deferred.iter().map(|(_, event)| event)).cloned()
    }

    pub(super) fn add_row(&mut self, kind: RowKind, entry: EntryId) {
        self.rows.push(HistoryRow { kind, entries: vec![entry] });
    }

    pub(super) fn add_first(&mut self, kind: RowKind) {
        self.rows.insert(0, HistoryRow { kind, entries: Vec::new() });
    }

    pub(super) fn add_message(&mut self, kind: RowKind, event: ParsedEvent, out: &mut Batch) {
        if self.pending.is_empty() {
            self.add_row(kind, event.event.entry.clone());
            out.events.push(event);
        } else {
            self.deferred.push((kind, event));
        }
    }

    pub(super) fn begin_step(&mut self, step: &str, out: &mut Batch) {
        self.release_results(out);
        self.release_waiting(out);
        self.open.insert(step.to_owned(), self.rows.len());
        self.rows.push(HistoryRow { kind: RowKind::Other, entries: Vec::new() });
    }

    pub(super) fn is_open(&self, step: &str) -> bool {
        self.open.contains_key(step)
    }

    pub(super) fn has_parts(&self, step: &str) -> bool {
        let row = self.open.get(step).and_then(|at| self.rows.get(*at));
        row.is_some_and(|row| !row.entries.is_empty())
    }

    pub(super) fn add_part(&mut self, step: &str, entry: EntryId, call: Option<String>) {
        if let Some(row) = self.open.get(step).and_then(|at| self.rows.get_mut(*at)) {
            row.entries.push(entry);
        }
        let Some(call) = call.filter(|call| !self.pending.contains_key(call)) else { return };
        self.n_calls += 1;
        self.pending.insert(call, self.n_calls);
        self.open_calls.insert(self.n_calls, None);
    }

    pub(super) fn end_step(&mut self, step: &str, out: &mut Batch) {
        self.open.remove(step);
        self.release_waiting(out);
    }

    pub(super) fn awaits(&self, call: &str) -> bool {
        self.pending.contains_key(call)
    }

    /// The results of a step are sent in the order of its calls, however long each call took.
    pub(super) fn add_result(&mut self, event: ParsedEvent, call: &str, out: &mut Batch) {
        let Some(number) = self.pending.remove(call) else { return };
        self.open_calls.insert(number, Some(event));
        while let Some(first) = self.open_calls.first_entry().filter(|first| first.get().is_some()) {
            let result = first.remove();
            self.add_event(result, out);
        }
        self.release_waiting(out);
    }

    fn release_results(&mut self, out: &mut Batch) {
        self.pending.clear();
        for result in std::mem::take(&mut self.open_calls).into_values() {
            self.add_event(result, out);
        }
    }

    fn add_event(&mut self, event: Option<ParsedEvent>, out: &mut Batch) {
        let Some(event) = event else { return };
        self.add_row(RowKind::Other, event.event.entry.clone());
        out.events.push(event);
    }

    fn release_waiting(&mut self, out: &mut Batch) {
        if !self.pending.is_empty() {
            return;
        }
        for (kind, event) in std::mem::take(&mut self.deferred) {
            self.add_row(kind, event.event.entry.clone());
            out.events.push(event);
        }
    }

    pub(super) fn drop_waiting(&mut self, out: &mut Batch) {
        for (_, mut event) in std::mem::take(&mut self.deferred) {
            event.event.body = EventBody::Quiet { record: "context.append_message".into() };
            event.event.parent = cwl_engine::Parent::Outside;
            event.contents.clear();
            out.events.push(event);
        }
    }

    fn reset(&mut self, out: &mut Batch) {
        self.open.clear();
        self.release_results(out);
    }

    pub(super) fn clear(&mut self, out: &mut Batch) -> Vec<EntryId> {
        self.reset(out);
        std::mem::take(&mut self.rows).into_iter().flat_map(|row| row.entries).collect()
    }

    /// Removes everything from the `count`-th last human message on, except texts of the harness. Stops
    /// behind a summary.
    pub(super) fn undo(&mut self, count: u64, out: &mut Batch) -> Vec<EntryId> {
        self.reset(out);
        let mut gone = Vec::new();
        let mut n_left = count;
        let mut at = self.rows.len();
        while n_left > 0 && at > 0 {
            at -= 1;
            match self.rows[at].kind {
                RowKind::Injection => continue,
                RowKind::Summary => break,
                RowKind::Human => n_left -= 1,
                RowKind::Other => {}
            }
            gone.extend(self.rows.remove(at).entries);
        }
        gone
    }

    /// Keeps messages of the human, the first `n_head` and the last ones up to `n_kept`; without these figures
    /// everything behind the first `n_compacted` messages.
    pub(super) fn compact(
        &mut self,
        n_kept: Option<u64>,
        n_head: Option<u64>,
        n_compacted: Option<u64>,
        out: &mut Batch,
    ) -> CompactedRows {
        self.reset(out);
        self.drop_waiting(out);
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let rows = std::mem::take(&mut self.rows);
        self.rows = match n_kept {
            Some(n_kept) => {
                let humans: Vec<HistoryRow> =
                    rows.into_iter().filter(|row| row.kind == RowKind::Human).collect();
                let n_head = count(n_head.unwrap_or(0)).min(count(n_kept)).min(humans.len());
                let from = humans.len().saturating_sub(count(n_kept) - n_head).max(n_head);
                let is_kept = |(at, row): (usize, HistoryRow)| (at < n_head || at >= from).then_some(row);
                humans.into_iter().enumerate().filter_map(is_kept).collect()
            }
            None => rows.into_iter().skip(n_compacted.map_or(usize::MAX, count)).collect(),
        };
        let kept: Vec<EntryId> = self.rows.iter().flat_map(|row| row.entries.iter().cloned()).collect();
        let is_behind = n_kept.is_some() && !kept.is_empty();
        CompactedRows { kept, is_behind }
    }
}
