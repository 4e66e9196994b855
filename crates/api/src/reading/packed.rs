//! Packed logs: what a reader gets of a file whose bytes are compressed.
//!
//! Such a file is read whole: a position in what is unpacked says nothing of a position in the file.

use cwl_engine::{Place, Problem, ProblemKind, ProblemList};
use cwl_formats::{Batch, Compression, LogReader, LogUnpacker};

/// The bytes of one packed log on their way to its reader.
#[derive(Debug)]
pub(crate) struct PackedLog {
    unpacker: LogUnpacker,
    /// That it is damaged is told once.
    told: bool,
    /// Bytes of the file so far.
    n_in: u64,
    /// True once the log has more records than a log of its size may have; the rest is not read.
    is_left: bool,
}

/// The records that may come out of any packed log.
const FREE_RECORDS: u64 = 100_000;
/// Beyond those there may be one record for so many bytes of the file. Logs have one for a hundred or so.
const BYTES_OF_RECORD: u64 = 4;

impl PackedLog {
    /// Looks at a file's first bytes; `None` if it is not packed.
    pub(crate) fn detect(head: &[u8]) -> Option<Self> {
        let unpacker = LogUnpacker::new(Compression::detect(head)?);
        Some(Self { unpacker, told: false, n_in: 0, is_left: false })
    }

    /// Returns the problem the log has if no more bytes come and which was not told.
    pub(crate) fn end_problem(mut self) -> Option<Problem> {
        let kind = if self.told { None } else { self.unpacker.end_problem() };
        kind.map(|kind| Problem { place: Place::default(), kind })
    }

    /// Takes bytes of the file off the front until `limit` bytes of the log have come out of them, or all are taken;
    /// returns what the lines hold that they complete, and how many bytes came out.
    ///
    /// At least one byte is taken if there is any, so the piece may be larger by what one byte unpacks to.
    pub(crate) fn feed_reader(
        &mut self,
        reader: &mut LogReader,
        bytes: &mut &[u8],
        limit: usize,
    ) -> (Batch, usize) {
        let mut events = Vec::new();
        let mut problems = ProblemList::default();
        let (n_given, mut n_out) = (bytes.len(), 0);
        while !self.is_left {
            let n_before = bytes.len();
            let Some(piece) = self.unpacker.unpack_next(bytes) else {
                // Bytes behind a damage are of no use.
                *bytes = &[];
                break;
            };
            n_out += piece.len();
            self.n_in += (n_before - bytes.len()) as u64;
            let more = reader.feed_bytes(piece);
            events.extend(more.events);
            problems.extend(more.problems);
            self.is_left = reader.n_values() > FREE_RECORDS.max(self.n_in / BYTES_OF_RECORD);
            if n_out >= limit && bytes.len() < n_given && !bytes.is_empty() {
                break;
            }
        }
        if self.is_left {
            *bytes = &[];
        }
        if let Some(kind) = self.damage_kind()
            && !std::mem::replace(&mut self.told, true)
        {
            problems.push(Problem { place: Place::default(), kind });
        }
        (Batch { events, problems: problems.into_problems() }, n_out)
    }

    /// Returns why no more is read of it, if that is not for want of input.
    fn damage_kind(&self) -> Option<ProblemKind> {
        let too_many = || ProblemKind::DamagedCompression {
            reason: format!(
                "it has more than {FREE_RECORDS} records, and more than one for {BYTES_OF_RECORD} bytes"
            )
            .into(),
        };
        self.unpacker.damage_kind().cloned().or_else(|| self.is_left.then(too_many))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cwl_formats::Format;

    /// Reads a packed log and returns how many records it had, and the codes of its problems.
    fn read(log: &[u8]) -> (u64, Vec<&'static str>) {
        let bytes = zstd::encode_all(log, 3).unwrap();
        let mut packed = PackedLog::detect(&bytes).unwrap();
        let mut reader = LogReader::new(Format::Pi);
        let (batch, _) = packed.feed_reader(&mut reader, &mut &bytes[..], usize::MAX);
        let problems = batch.problems.into_iter().chain(packed.end_problem());
        let mut codes: Vec<&str> = problems.map(|problem| problem.kind.code()).collect();
        codes.dedup();
        (reader.n_values(), codes)
    }

    #[test]
    fn more_records_than_logs_have_are_left_there() {
        let head =
            r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/x"}"#;
        let of = |n: usize| format!("{head}\n{}", "{}\n".repeat(n)).into_bytes();
        let (n_records, codes) = read(&of(50_000));
        assert_eq!((n_records, codes), (50_001, vec!["L009", "L030"]));
        let (n_records, codes) = read(&of(400_000));
        assert!(n_records < 150_000, "{n_records}");
        assert_eq!(codes, ["L009", "L025", "L030"]);
    }
}
