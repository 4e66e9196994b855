use std::borrow::Cow;

use cwl_engine::{BlockId, EntryId, EventBody, Place, Problem, ProblemKind};

use crate::bounds::MOST_TOKENS;
use crate::json::{JsonType, Value};

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

    pub(crate) fn entry(&self) -> &EntryId {
        &self.entry
    }

    pub(crate) fn note(&mut self, kind: ProblemKind) {
        self.problems.push(Problem { place: Place::at_entry(self.line, self.entry.clone()), kind });
    }

    pub(crate) fn unknown(&mut self, record: impl Into<Box<str>>) -> EventBody {
        let record = record.into();
        self.note(ProblemKind::UnknownRecord { record: record.clone() });
        EventBody::Opaque { record }
    }

    pub(crate) fn note_part(&mut self, index: u32, kind: ProblemKind) {
        let block = BlockId { entry: self.entry.clone(), index };
        self.problems.push(Problem { place: Place::at_block(self.line, block), kind });
    }

    pub(crate) fn odd(&mut self, field: &str) {
        self.note(ProblemKind::OddField { field: field.into() });
    }

    pub(crate) fn decode<'a>(&mut self, value: Value<'a>) -> Option<Cow<'a, str>> {
        let text = value.text()?;
        if text.lossy && !self.lossy {
            self.lossy = true;
            self.note(ProblemKind::LossyText);
        }
        Some(text.value)
    }

    /// Null counts as missing.
    pub(crate) fn text<'a>(&mut self, value: Option<Value<'a>>, field: &str) -> Option<Cow<'a, str>> {
        let text = self.decode(value.filter(|value| !value.is_null())?);
        self.or_odd(text, field)
    }

    pub(crate) fn required_text<'a>(&mut self, value: Option<Value<'a>>, field: &str) -> Cow<'a, str> {
        let text = value.and_then(|value| self.decode(value));
        self.or_odd(text, field).unwrap_or_default()
    }

    pub(crate) fn flag(&mut self, value: Option<Value<'_>>, field: &str) -> bool {
        if value.is_some_and(|value| !matches!(value.kind(), JsonType::Null | JsonType::Bool(_))) {
            self.odd(field);
        }
        value.is_some_and(Value::is_true)
    }

    /// Milliseconds since 1970, parsed by `read`.
    pub(crate) fn time(
        &mut self,
        value: Option<Value<'_>>,
        field: &str,
        read: fn(Value<'_>) -> Option<i64>,
    ) -> Option<i64> {
        self.or_odd(read(value?), field)
    }

    pub(crate) fn count(&mut self, value: Option<Value<'_>>, field: &str) -> Option<u64> {
        let value = value.filter(|value| !value.is_null())?;
        let whole = value.raw().parse().ok();
        // The cast saturates.
        let count =
            whole.or_else(|| value.number().filter(|number| *number >= 0.0).map(|number| number as u64));
        self.or_odd(count, field)
    }

    /// More than `MOST_TOKENS` is a problem, so no sum overflows.
    pub(crate) fn tokens(&mut self, value: Option<Value<'_>>, field: &str) -> Option<u64> {
        let tokens = self.count(value, field)?;
        self.or_odd(Some(tokens).filter(|tokens| *tokens <= MOST_TOKENS), field)
    }

    fn or_odd<T>(&mut self, found: Option<T>, field: &str) -> Option<T> {
        if found.is_none() {
            self.odd(field);
        }
        found
    }
}
