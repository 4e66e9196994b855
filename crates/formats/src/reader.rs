//! Reading a log piece by piece: lines to records to events.

use std::borrow::Cow;

use cwl_engine::{
    EventBody, ParsedEvent, Place, Problem, ProblemKind, ProblemList, RawPayload, SessionEvent,
};
use memchr::memchr;

use crate::bounds::{BoundedCollector, Bounds};
use crate::event::{EventDraft, RecordStamp};
use crate::format::{Adapter, Format, Framing, RecordPlace};
use crate::json::{JsonType, MAX_VALUES_ON_LINE, Value, is_json, values_of_line};
use crate::lines::{LineSplitter, MAX_LINE, RecordBytes, strip_line};
use crate::values::{MAX_DOCUMENT, ValueSplitter};

/// The events and problems of some bytes of a log, complete lines only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// The events in file order.
    pub events: Vec<ParsedEvent>,
    /// Everything odd, in file order.
    pub problems: Vec<Problem>,
}

/// The state in which reading stopped: enough to go on without the bytes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReaderState {
    /// Complete lines so far.
    pub line: u64,
    /// Bytes in complete lines so far; the next byte to feed is the one at this position.
    pub offset: u64,
    /// The format's version as far as it matters for reading; 0 while it is not known.
    pub version: u32,
    /// Records so far.
    pub records: u64,
}

/// Reads one log, piece by piece: bytes in, events out.
///
/// Any split of the bytes gives the same events in total. Only the unfinished last record is held, and never
/// more than 64 MiB of a line or 256 MiB of a document. Of problems of one code the first hundred keep their places, and
/// of unknown records outside the conversation the first hundred are kept: the others are counted.
#[derive(Clone)]
pub struct LogReader {
    format: Format,
    records: Records,
    last: RecordPlace,
    adapter: Box<dyn Adapter>,
    bounds: Bounds,
}

/// The records of a file as they come.
#[derive(Clone)]
enum Records {
    Lines(LineSplitter),
    Values(ValueSplitter),
    /// Values until the first line has ended that holds any of one.
    Either(ValueSplitter),
}

impl LogReader {
    /// Starts at the first byte of a log.
    pub fn new(format: Format) -> Self {
        Self::resume_from(format, ReaderState::default())
    }

    /// Goes on where another reader stopped.
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

    /// Counts a record that was kept of this log before it was resumed.
    pub fn count_kept(&mut self, event: &SessionEvent) {
        self.bounds.count_record(event);
    }

    /// Returns how many records there were so far, kept or not, and since it was resumed.
    pub fn n_values(&self) -> u64 {
        self.bounds.n_values
    }

    /// Takes the next bytes and returns the content of the lines they complete.
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

    /// Takes lines until they decide how records stand in the file, and returns the rest of `bytes`.
    ///
    /// A line on which a record ends is one of many; a document goes on behind it.
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

    /// Returns the content of the unfinished last line, without taking it, and that of records that wait for a later one.
    ///
    /// Writers that put the newline first leave a complete record there: its events are provisional. If
    /// the line is not complete JSON, the batch is one [`ProblemKind::TornLine`]; without such a line it is
    /// empty.
    pub fn unfinished_batch(&self) -> Batch {
        let mut batch = Batch::default();
        match self.read_unfinished(&mut batch) {
            Some(adapter) => adapter.waiting(&mut batch),
            None => self.adapter.waiting(&mut batch),
        }
        batch
    }

    /// Reads the unfinished last line with a copy of the adapter, which it returns; `None` if it holds no record.
    fn read_unfinished(&self, batch: &mut Batch) -> Option<Box<dyn Adapter>> {
        let (n_line, record, of_lines) = match &self.records {
            Records::Lines(lines) => (lines.n_lines + 1, lines.tail(), true),
            // A value that has not ended is never complete.
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

    /// Returns where reading stopped; `None` if this log must be read from the start again.
    ///
    /// That is pi's version 1, whose compactions point at records by their position in the file.
    pub fn resume_state(&self) -> Option<ReaderState> {
        let (version, records) = self.adapter.resumable()?;
        let (line, offset) = self.line_and_offset();
        Some(ReaderState { line, offset, version, records })
    }

    /// Returns how many bytes are in complete records so far.
    pub fn complete_bytes(&self) -> u64 {
        self.line_and_offset().1
    }

    /// Returns complete lines and bytes so far.
    fn line_and_offset(&self) -> (u64, u64) {
        match &self.records {
            Records::Lines(lines) => (lines.n_lines, lines.offset),
            Records::Values(values) | Records::Either(values) => (values.n_lines, values.offset),
        }
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }
}

/// Reads a whole log, its unfinished last line included where that is complete JSON.
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

/// Reads a line's records, or one behind others on its line; returns the place of the last.
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

/// Finds where a whole record begins that was written right behind the beginning of another, as after a crash.
///
/// Records of one log begin alike, so it is looked for by the letters with which the line begins; parts of a record may
/// begin so too.
fn glued_record(text: &str) -> Option<usize> {
    const MOST_PLACES: usize = 64;
    let key = text.get(..text.find("\":")? + 2).filter(|key| key.starts_with('{'))?;
    let begins = text.match_indices(key).map(|(begin, _)| begin).skip(1).take(MOST_PLACES);
    begins.into_iter().find(|begin| is_json(&text[*begin..]))
}

/// Returns what there is to say of `line` without a record: how many NULs stand there, if any do.
fn nul_problem(line: &[u8]) -> Option<ProblemKind> {
    let n_bytes = line.iter().filter(|byte| **byte == 0).count() as u64;
    (n_bytes > 0).then_some(ProblemKind::NulBytes { n_bytes })
}

fn opaque_event(at: RecordPlace, kind: &str, raw: &str) -> ParsedEvent {
    let body = EventBody::Opaque { record: kind.into() };
    let draft = EventDraft { envelope: RawPayload::Whole(raw.to_owned()), ..EventDraft::bare(body) };
    draft.event(RecordStamp::line(at.line), at.entry())
}

/// Returns the value of a record the reader passes to an adapter: for its tests.
#[cfg(test)]
pub(crate) fn record_of(text: &str) -> crate::json::Value<'_> {
    assert!(is_json(text), "{text}");
    crate::json::Value::trusted(text, 0)
}
