//! Adapters: one agent's records to events.

use cwl_engine::{EntryId, ParsedEvent, Problem};
use dyn_clone::DynClone;

use crate::json::Value;

/// Events and problems of complete lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// In file order.
    pub events: Vec<ParsedEvent>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordPlace {
    pub(crate) line: u64,
    /// Counted from 1 on each line.
    pub(crate) nth: u32,
}

impl RecordPlace {
    pub(crate) fn on(self, line: u64) -> Self {
        Self { line, nth: if self.line == line { self.nth } else { 0 } }
    }

    pub(crate) fn entry(self) -> EntryId {
        match self.nth {
            0 | 1 => EntryId::of_line(self.line),
            nth => EntryId::new(format!("L{}.{nth}", self.line)),
        }
    }
}

/// Turns one log's records into events, in file order.
pub(crate) trait Adapter: DynClone + Send + Sync {
    /// `record` is a JSON object, or a list in some documents.
    fn record(&mut self, record: Value<'_>, at: RecordPlace, out: &mut Batch);

    /// Adds records held back for a later one, in their present form.
    fn waiting(&self, _out: &mut Batch) {}

    fn pass_over(&mut self) {}

    /// Returns the version and the number of records so far; `None` if the log must be read from its start.
    fn resumable(&self) -> Option<(u32, u64)> {
        None
    }
}

dyn_clone::clone_trait_object!(Adapter);
