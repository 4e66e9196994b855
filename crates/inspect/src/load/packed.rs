//! Packed logs: the records of a file whose bytes are compressed.
//!
//! A packed file is read whole, since an offset in the unpacked bytes is no offset in the file.

use cwl_engine::{Place, Problem, ProblemKind, ProblemList};
use cwl_formats::{Batch, Compression, LogReader, LogUnpacker};

#[derive(Debug)]
pub struct PackedLog {
    unpacker: LogUnpacker,
    /// A damage is reported once.
    told: bool,
    n_in: u64,
    /// Set once the log has more records than its size allows; the rest is not read.
    is_left: bool,
}

/// Records allowed in any packed log, however small.
const FREE_RECORDS: u64 = 100_000;
/// Each further record needs this many compressed bytes. Real logs have a hundred bytes or so per record.
const BYTES_OF_RECORD: u64 = 4;

impl PackedLog {
    /// Looks at a file's first bytes. `None` if they are not compressed.
    pub fn detect(head: &[u8]) -> Option<Self> {
        let unpacker = LogUnpacker::new(Compression::detect(head)?);
        Some(Self { unpacker, told: false, n_in: 0, is_left: false })
    }

    /// Returns the problem if the log ends here, unless it was reported already.
    pub fn end_problem(mut self) -> Option<Problem> {
        let kind = if self.told { None } else { self.unpacker.end_problem() };
        kind.map(|kind| Problem { place: Place::default(), kind })
    }

    /// Decompresses bytes from the front of `bytes` until about `limit` bytes have come out. Returns the
    /// completed records and the number of decompressed bytes.
    ///
    /// One compressed byte is taken at least, so the result may exceed `limit` by what that byte expands to.
    pub fn feed_reader(&mut self, reader: &mut LogReader, bytes: &mut &[u8], limit: usize) -> (Batch, usize) {
        let mut events = Vec::new();
        let mut problems = ProblemList::default();
        let (n_given, mut n_out) = (bytes.len(), 0);
        while !self.is_left {
            let n_before = bytes.len();
            let Some(piece) = self.unpacker.unpack_next(bytes) else {
                // Bytes after a damage are useless.
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

    /// Returns why no more is read, unless the log only waits for more input.
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
