//! The oddities of a record, noted while its fields are read.

use std::borrow::Cow;

use cwl_engine::{BlockId, EntryId, EventBody, Place, Problem, ProblemKind};

use crate::bounds::MOST_TOKENS;
use crate::json::{JsonType, Value};

/// The problems of one record, and the reading of fields that notes them.
pub(crate) struct Notes<'p> {
    line: u64,
    entry: EntryId,
    problems: &'p mut Vec<Problem>,
    lossy: bool,
}

impl<'p> Notes<'p> {
    pub(crate) fn new(line: u64, entry: EntryId, problems: &'p mut Vec<Problem>) -> Self {
        Self { line, entry, problems, lossy: false }
    }

    /// Returns the record's id.
    pub(crate) fn entry(&self) -> &EntryId {
        &self.entry
    }

    /// Notes something about the record.
    pub(crate) fn note(&mut self, kind: ProblemKind) {
        self.problems.push(Problem { place: Place::at_entry(self.line, self.entry.clone()), kind });
    }

    /// Notes that no adapter knows records of that name, and makes the body of the record's event.
    pub(crate) fn unknown(&mut self, record: impl Into<Box<str>>) -> EventBody {
        let record = record.into();
        self.note(ProblemKind::UnknownRecord { record: record.clone() });
        EventBody::Opaque { record }
    }

    /// Notes something about one of its blocks.
    pub(crate) fn note_part(&mut self, index: u32, kind: ProblemKind) {
        let block = BlockId { entry: self.entry.clone(), index };
        self.problems.push(Problem { place: Place::at_block(self.line, block), kind });
    }

    /// Notes a field that is missing or has an invalid value.
    pub(crate) fn odd(&mut self, field: &str) {
        self.note(ProblemKind::OddField { field: field.into() });
    }

    /// Decodes a string, which notes lost characters once per record.
    pub(crate) fn decode<'a>(&mut self, value: Value<'a>) -> Option<Cow<'a, str>> {
        let text = value.text()?;
        if text.lossy && !self.lossy {
            self.lossy = true;
            self.note(ProblemKind::LossyText);
        }
        Some(text.value)
    }

    /// Reads a string that may be absent or null.
    pub(crate) fn text<'a>(&mut self, value: Option<Value<'a>>, field: &str) -> Option<Cow<'a, str>> {
        let text = self.decode(value.filter(|value| !value.is_null())?);
        self.or_odd(text, field)
    }

    /// Reads a string that should be there; empty if it is not.
    pub(crate) fn required_text<'a>(&mut self, value: Option<Value<'a>>, field: &str) -> Cow<'a, str> {
        let text = value.and_then(|value| self.decode(value));
        self.or_odd(text, field).unwrap_or_default()
    }

    /// Reads a truth value that may be absent or null; false if it is.
    pub(crate) fn flag(&mut self, value: Option<Value<'_>>, field: &str) -> bool {
        if value.is_some_and(|value| !matches!(value.kind(), JsonType::Null | JsonType::Bool(_))) {
            self.odd(field);
        }
        value.is_some_and(Value::is_true)
    }

    /// Reads a time in milliseconds since 1970 that may be absent; `read` knows how the log writes it.
    pub(crate) fn time(
        &mut self,
        value: Option<Value<'_>>,
        field: &str,
        read: fn(Value<'_>) -> Option<i64>,
    ) -> Option<i64> {
        self.or_odd(read(value?), field)
    }

    /// Reads a count that may be absent or null.
    pub(crate) fn count(&mut self, value: Option<Value<'_>>, field: &str) -> Option<u64> {
        let value = value.filter(|value| !value.is_null())?;
        let whole = value.raw().parse().ok();
        // A cast from a float stops at the ends of the range.
        let count =
            whole.or_else(|| value.number().filter(|number| *number >= 0.0).map(|number| number as u64));
        self.or_odd(count, field)
    }

    /// Reads a number of tokens that may be absent or null; a larger one than `MOST_TOKENS` is odd, so that no sum overflows.
    pub(crate) fn tokens(&mut self, value: Option<Value<'_>>, field: &str) -> Option<u64> {
        let tokens = self.count(value, field)?;
        self.or_odd(Some(tokens).filter(|tokens| *tokens <= MOST_TOKENS), field)
    }

    /// Passes on what a field holds; notes the field where that is nothing of use.
    fn or_odd<T>(&mut self, found: Option<T>, field: &str) -> Option<T> {
        if found.is_none() {
            self.odd(field);
        }
        found
    }
}
