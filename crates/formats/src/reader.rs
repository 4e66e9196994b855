//! Reads a log piece by piece: bytes to lines, to records, to events.

use std::borrow::Cow;

use cwl_engine::{
    EventBody, ParsedEvent, Place, Problem, ProblemKind, ProblemList, RawPayload, SessionEvent,
};
use memchr::memchr;

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::bounds::{BoundedCollector, Bounds};
use crate::event::{EventDraft, RecordStamp};
use crate::format::{Format, Framing};
use crate::json::{JsonType, MAX_VALUES_ON_LINE, Value, is_json, values_of_line};
use crate::lines::{LineSplitter, MAX_LINE, RecordBytes, strip_line};
use crate::values::{MAX_DOCUMENT, ValueSplitter};

/// Lets another reader continue without the earlier bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReaderState {
    pub line: u64,
    /// Number of bytes in complete lines, and so the position of the next byte to feed.
    pub offset: u64,
    /// The format's version if reading depends on it; 0 if unknown.
    pub version: u32,
    pub records: u64,
}

/// Reads one log piece by piece.
///
/// Splitting the bytes differently never changes the events. Memory holds only the unfinished last record, at
/// most 64 MiB of a line or 256 MiB of a document. Per problem code the first hundred keep their places, and
/// only the first hundred unknown records outside the conversation are kept; the rest is counted.
#[derive(Clone)]
pub struct LogReader {
    format: Format,
    records: Records,
    last: RecordPlace,
    adapter: Box<dyn Adapter>,
    bounds: Bounds,
}

#[derive(Clone)]
enum Records {
    Lines(LineSplitter),
    Values(ValueSplitter),
    /// Undecided until the first line with any part of a value ends.
    Either(ValueSplitter),
}

impl LogReader {
    pub fn new(format: Format) -> Self {
        Self::resume_from(format, ReaderState::default())
    }

    pub fn resume_from(format: Format, state: ReaderState) -> Self {
        let records = match format.spec().framing {
            Framing::Lines => Records::Lines(LineSplitter::new(state.line, state.offset, MAX_LINE)),
            Framing::Values => Records::Values(ValueSplitter::new(state.line, state.offset, MAX_DOCUMENT)),
            Framing::Either => Records::Either(ValueSplitter::new(state.line, state.offset, MAX_DOCUMENT)),
        };
        let last = RecordPlace { line: 0, nth: 0 };
        let adapter = (format.spec().adapter)(state.version, state.records);
        Self { format, records, last, adapter, bounds: Bounds::default() }
    }

    /// Counts a record kept before the log was resumed.
    pub fn count_kept(&mut self, event: &SessionEvent) {
        self.bounds.count_record(event);
    }

    /// Returns the number of JSON values and invalid lines since the start or resumption, kept or not.
    pub fn n_values(&self) -> u64 {
        self.bounds.n_values
    }

    /// Reads the next bytes and returns the content of all lines completed by them.
    pub fn feed_bytes(&mut self, bytes: &[u8]) -> Batch {
        let mut bounds = self.bounds;
        let mut gathered = BoundedCollector::new(&mut bounds);
        let bytes = self.feed_first_line(bytes, &mut gathered);
        let (adapter, last) = (&mut *self.adapter, &mut self.last);
        let mut found = Batch::default();
        let mut read = |line, record: RecordBytes<'_>, framing| {
            let at = last.on(line);
            *last = read_record(adapter, at, record, framing, &mut found);
            gathered.take_record(&mut found, u64::from(last.nth.saturating_sub(at.nth)));
        };
        match &mut self.records {
            Records::Lines(lines) => {
                lines.feed_bytes(bytes, |line, record| read(line, record, Framing::Lines))
            }
            Records::Values(values) | Records::Either(values) => {
                values.feed_bytes(bytes, |line, value| read(line, value, Framing::Values));
            }
        }
        let batch = gathered.into_batch();
        self.bounds = bounds;
        batch
    }

    /// Reads lines until the framing is decided, and returns the rest of `bytes`.
    ///
    /// A record that ends on its line means [`Framing::Lines`]; a document continues on the next line.
    fn feed_first_line<'b>(&mut self, mut bytes: &'b [u8], gathered: &mut BoundedCollector<'_>) -> &'b [u8] {
        let mut found = Batch::default();
        while let Records::Either(values) = &mut self.records
            && let Some(end) = memchr(b'\n', bytes)
        {
            let (line, rest) = bytes.split_at(end + 1);
            values.feed_bytes(line, |line, value| {
                let at = self.last.on(line);
                self.last = read_record(&mut *self.adapter, at, value, Framing::Values, &mut found);
                gathered.take_record(&mut found, u64::from(self.last.nth.saturating_sub(at.nth)));
            });
            bytes = rest;
            if values.tail().is_some() {
                self.records = Records::Values(values.clone());
            } else if self.last.line > 0 {
                self.records = Records::Lines(LineSplitter::new(values.n_lines, values.offset, MAX_LINE));
            }
        }
        bytes
    }

    /// Returns the content of the unfinished last line, without consuming it, and of records held back for a
    /// later one.
    ///
    /// Some programs write the newline first, so the last line may be a complete record: its events are
    /// provisional. An incomplete line gives only [`ProblemKind::TornLine`].
    pub fn unfinished_batch(&self) -> Batch {
        let mut batch = Batch::default();
        match self.read_unfinished(&mut batch) {
            Some(adapter) => adapter.waiting(&mut batch),
            None => self.adapter.waiting(&mut batch),
        }
        batch
    }

    /// Reads the unfinished last line with a copy of the adapter and returns the copy; `None` if there is no
    /// record.
    fn read_unfinished(&self, batch: &mut Batch) -> Option<Box<dyn Adapter>> {
        let (n_line, record, of_lines) = match &self.records {
            Records::Lines(lines) => (lines.n_lines + 1, lines.tail(), true),
            // An unfinished value is never complete.
            Records::Values(values) | Records::Either(values) => {
                let (begun, value) = values.tail()?;
                (begun, Some(value), false)
            }
        };
        match record? {
            RecordBytes::Held(bytes) => {
                let stripped = strip_line(bytes, n_line);
                if of_lines && is_complete(stripped) {
                    let (at, record) = (RecordPlace { line: n_line, nth: 0 }, RecordBytes::Held(bytes));
                    let mut adapter = self.adapter.clone();
                    read_record(&mut *adapter, at, record, Framing::Lines, batch);
                    return Some(adapter);
                }
                if let Some(kind) = nul_problem(bytes).filter(|_| of_lines && stripped.is_empty()) {
                    batch.problems.push(Problem { place: Place::at_line(n_line), kind });
                } else if !of_lines || !stripped.is_empty() {
                    batch
                        .problems
                        .push(Problem { place: Place::at_line(n_line), kind: ProblemKind::TornLine });
                }
            }
            RecordBytes::TooLong(n_bytes) => {
                let kind = ProblemKind::LongLine { n_bytes };
                batch.problems.push(Problem { place: Place::at_line(n_line), kind });
            }
        }
        None
    }

    /// `None` if the log can only be read from its start, such as pi's version 1, whose compactions refer to
    /// records by position.
    pub fn resume_state(&self) -> Option<ReaderState> {
        let (version, records) = self.adapter.resumable()?;
        let (line, offset) = self.line_and_offset();
        Some(ReaderState { line, offset, version, records })
    }

    pub fn complete_bytes(&self) -> u64 {
        self.line_and_offset().1
    }

    fn line_and_offset(&self) -> (u64, u64) {
        match &self.records {
            Records::Lines(lines) => (lines.n_lines, lines.offset),
            Records::Values(values) | Records::Either(values) => (values.n_lines, values.offset),
        }
    }

    pub fn format(&self) -> Format {
        self.format
    }
}

/// Reads a whole log, including an unfinished last line if this is complete JSON.
pub fn parse_log(format: Format, bytes: &[u8]) -> (Vec<ParsedEvent>, Vec<Problem>) {
    let mut reader = LogReader::new(format);
    let Batch { mut events, mut problems } = reader.feed_bytes(bytes);
    let tail = reader.unfinished_batch();
    events.extend(tail.events);
    problems.extend(tail.problems);
    (events, problems.into_iter().collect::<ProblemList>().into_problems())
}

fn is_complete(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    is_json(&text) || {
        let found = values_of_line(&text);
        found.rest.is_none() && !found.values.is_empty()
    }
}

fn read_record(
    adapter: &mut dyn Adapter,
    mut at: RecordPlace,
    record: RecordBytes<'_>,
    framing: Framing,
    batch: &mut Batch,
) -> RecordPlace {
    let n_line = at.line;
    let place = || Place::at_line(n_line);
    let bytes = match record {
        RecordBytes::Held(bytes) => bytes,
        RecordBytes::TooLong(n_bytes) => {
            batch.problems.push(Problem { place: place(), kind: ProblemKind::LongLine { n_bytes } });
            return at;
        }
    };
    let held = bytes;
    let bytes = strip_line(held, n_line);
    if bytes.is_empty() {
        batch.problems.extend(nul_problem(held).map(|kind| Problem { place: place(), kind }));
        return at;
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            batch.problems.push(Problem { place: place(), kind: ProblemKind::LossyText });
            String::from_utf8_lossy(bytes)
        }
    };
    let found = values_of_line(&text);
    if found.values.len() > 1 {
        let n_objects = u32::try_from(found.values.len()).unwrap_or(u32::MAX);
        batch.problems.push(Problem { place: place(), kind: ProblemKind::SeveralObjects { n_objects } });
    }
    let is_broken = framing == Framing::Lines && found.values.len() < MAX_VALUES_ON_LINE;
    for value in found.values {
        at.nth += 1;
        let is_record = match framing {
            Framing::Lines => value.kind() == JsonType::Object,
            Framing::Values | Framing::Either => matches!(value.kind(), JsonType::Object | JsonType::List),
        };
        if is_record {
            adapter.record(value, at, batch);
        } else {
            adapter.pass_over();
            batch.events.push(opaque_event(at, value.kind().name(), value.raw()));
            let place = Place::at_entry(n_line, at.entry());
            batch.problems.push(Problem { place, kind: ProblemKind::NotObject });
        }
    }
    if let Some(rest) = found.rest {
        at.nth += 1;
        let glued = if is_broken { glued_record(rest.text) } else { None };
        let cut = &rest.text[..glued.unwrap_or(rest.text.len())];
        batch.events.push(opaque_event(at, "not JSON", cut));
        let place = Place::at_entry(n_line, at.entry());
        batch.problems.push(Problem { place, kind: ProblemKind::NotJson { reason: rest.reason.into() } });
        if let Some(begin) = glued {
            at.nth += 1;
            adapter.record(Value::trusted(&rest.text[begin..], 0), at, batch);
        }
    }
    at
}

/// Finds a complete record written directly behind a truncated one, as after a crash.
///
/// A log's records all begin with the same key, so the search looks for the line's own first key. Parts of a
/// record may begin with it too, so at most 64 places are tried.
fn glued_record(text: &str) -> Option<usize> {
    const MOST_PLACES: usize = 64;
    let key = text.get(..text.find("\":")? + 2).filter(|key| key.starts_with('{'))?;
    let begins = text.match_indices(key).map(|(begin, _)| begin).skip(1).take(MOST_PLACES);
    begins.into_iter().find(|begin| is_json(&text[*begin..]))
}

fn nul_problem(line: &[u8]) -> Option<ProblemKind> {
    let n_bytes = line.iter().filter(|byte| **byte == 0).count() as u64;
    (n_bytes > 0).then_some(ProblemKind::NulBytes { n_bytes })
}

fn opaque_event(at: RecordPlace, kind: &str, raw: &str) -> ParsedEvent {
    let body = EventBody::Opaque { record: kind.into() };
    let draft = EventDraft { envelope: RawPayload::Whole(raw.to_owned()), ..EventDraft::bare(body) };
    draft.event(RecordStamp::line(at.line), at.entry())
}

#[cfg(test)]
pub(crate) fn record_of(text: &str) -> crate::json::Value<'_> {
    assert!(is_json(text), "{text}");
    crate::json::Value::trusted(text, 0)
}
