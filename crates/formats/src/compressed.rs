//! Compressed logs: Codex compresses idle rollouts to `.jsonl.zst`, and people use gzip.
//!
//! Compressed bytes go in and log bytes come out in small pieces, so memory holds only one window. A file
//! that expands far more than logs do is rejected.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use cwl_engine::ProblemKind;
use flate2::write::MultiGzDecoder;
#[cfg(feature = "zstd")]
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    Zstd,
    Gzip,
}

impl Compression {
    /// Detects the compression by the file's first four bytes; `None` for an uncompressed file.
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            // A skippable frame.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            // Deflate, the only method of gzip.
            [0x1f, 0x8b, 0x08, _, ..] => Some(Self::Gzip),
            _ => None,
        }
    }
}

/// Bytes read for a head, if they hold the first request.
pub const HEAD: usize = 64 << 10;

const PIECE: usize = 128 << 10;
/// How many gzip bytes are decompressed at once; each may expand to a thousand.
const GZIP_STEP: usize = 4 << 10;
/// Base-2 logarithm of the largest accepted window: 128 MiB, as the format recommends.
#[cfg(feature = "zstd")]
const WINDOW_LOG: u32 = 27;
/// How many bytes any file may expand to: 32 MiB, a second or two of reading.
const FREE_BYTES: u64 = 32 << 20;
/// Maximum expansion of a file beyond `FREE_BYTES`; logs usually expand tenfold.
const MAX_RATIO: u64 = 200;

#[derive(Default)]
pub struct LogUnpacker {
    #[cfg(feature = "zstd")]
    decoder: Option<Decoder<'static>>,
    gzip: Option<Box<MultiGzDecoder<Vec<u8>>>>,
    n_given: usize,
    piece: Vec<u8>,
    n_in: u64,
    n_out: u64,
    free_bytes: u64,
    in_frame: bool,
    /// True if the last piece was full inside a frame: there may be more output without further input.
    has_more: bool,
    damage: Option<ProblemKind>,
}

impl fmt::Debug for LogUnpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker")
            .field("n_in", &self.n_in)
            .field("n_out", &self.n_out)
            .finish_non_exhaustive()
    }
}

impl LogUnpacker {
    pub fn new(compression: Compression) -> Self {
        Self::with_free_bytes(compression, FREE_BYTES)
    }

    fn with_free_bytes(compression: Compression, free_bytes: u64) -> Self {
        if compression == Compression::Gzip {
            let gzip = Some(Box::new(MultiGzDecoder::new(Vec::new())));
            return Self { gzip, piece: vec![0; PIECE], free_bytes, ..Self::default() };
        }
        let mut unpacker = Self { piece: vec![0; PIECE], free_bytes, ..Self::default() };
        unpacker.begin_zstd();
        unpacker
    }

    #[cfg(feature = "zstd")]
    fn begin_zstd(&mut self) {
        let decoder = Decoder::new().and_then(|mut decoder| {
            decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
            Ok(decoder)
        });
        match decoder {
            Ok(decoder) => self.decoder = Some(decoder),
            Err(error) => self.damage = Some(damaged_log(error.to_string())),
        }
    }

    #[cfg(not(feature = "zstd"))]
    fn begin_zstd(&mut self) {
        self.damage = Some(damaged_log("zstd cannot be unpacked here".to_owned()));
    }

    /// Takes compressed bytes from the front of `bytes` and returns the next piece of the log, at most 128
    /// KiB.
    ///
    /// `None` if all input is used and nothing more comes out, or if the log is damaged
    /// ([`Self::damage_kind`]). The result does not depend on how the input is split.
    pub fn unpack_next(&mut self, bytes: &mut &[u8]) -> Option<&[u8]> {
        loop {
            if self.damage.is_some() || (bytes.is_empty() && !self.has_more) {
                return None;
            }
            match self.run_decoder(bytes) {
                // Some input, such as a header, gives no output yet.
                Ok(0) => {}
                Ok(n_bytes) => return self.piece.get(..n_bytes),
                Err(reason) => self.damage = Some(damaged_log(reason)),
            }
        }
    }

    pub fn damage_kind(&self) -> Option<&ProblemKind> {
        self.damage.as_ref()
    }

    pub fn end_problem(&mut self) -> Option<ProblemKind> {
        let is_torn = self.in_frame
            || self.gzip.as_mut().is_some_and(|gzip| self.n_in > 0 && gzip.try_finish().is_err());
        self.damage.clone().or_else(|| is_torn.then(|| damaged_log("the end is missing".to_owned())))
    }

    fn gunzip_step(&mut self, bytes: &mut &[u8]) -> Result<usize, String> {
        let gzip = self.gzip.as_mut().ok_or("it cannot be unpacked here")?;
        if self.n_given >= gzip.get_ref().len() {
            gzip.get_mut().clear();
            self.n_given = 0;
            let input = bytes.get(..bytes.len().min(GZIP_STEP)).unwrap_or_default();
            gzip.write_all(input).and_then(|()| gzip.flush()).map_err(|error| error.to_string())?;
            *bytes = bytes.get(input.len()..).unwrap_or_default();
            self.n_in += input.len() as u64;
        }
        let rest = gzip.get_ref().get(self.n_given..).unwrap_or_default();
        let n_out = rest.len().min(PIECE);
        self.piece.get_mut(..n_out).unwrap_or_default().copy_from_slice(&rest[..n_out]);
        self.has_more = rest.len() > n_out;
        self.n_given += n_out;
        Ok(n_out)
    }

    fn run_decoder(&mut self, bytes: &mut &[u8]) -> Result<usize, String> {
        let n_out = if self.gzip.is_some() { self.gunzip_step(bytes)? } else { self.unzstd_step(bytes)? };
        self.n_out += n_out as u64;
        if self.n_out > self.free_bytes.max(self.n_in.saturating_mul(MAX_RATIO)) {
            return Err(format!("it unpacks to more than {MAX_RATIO} times its size"));
        }
        Ok(n_out)
    }

    #[cfg(not(feature = "zstd"))]
    fn unzstd_step(&mut self, _: &mut &[u8]) -> Result<usize, String> {
        Err("zstd cannot be unpacked here".to_owned())
    }

    #[cfg(feature = "zstd")]
    fn unzstd_step(&mut self, bytes: &mut &[u8]) -> Result<usize, String> {
        let decoder = self.decoder.as_mut().ok_or("it cannot be unpacked here")?;
        // The library decodes a complete frame in one go, and then checks its end more strictly than piece by
        // piece. So the first byte of a frame is always passed alone, and the result is the same for any
        // split.
        let n_offered = if self.in_frame { bytes.len() } else { bytes.len().min(1) };
        let mut input = InBuffer::around(bytes.get(..n_offered).unwrap_or_default());
        let mut output = OutBuffer::around(self.piece.as_mut_slice());
        let hint = decoder.run(&mut input, &mut output).map_err(|error| error.to_string())?;
        let (n_in, n_out) = (input.pos(), output.pos());
        *bytes = bytes.get(n_in..).unwrap_or_default();
        self.n_in += n_in as u64;
        self.in_frame = hint != 0;
        self.has_more = self.in_frame && n_out == PIECE;
        if n_in == 0 && n_out == 0 && !bytes.is_empty() {
            return Err("it makes no progress".to_owned());
        }
        Ok(n_out)
    }
}

pub fn plain_beginning(bytes: &[u8], limit: usize) -> Cow<'_, [u8]> {
    let Some(compression) = Compression::detect(bytes) else { return Cow::Borrowed(bytes) };
    let mut unpacker = LogUnpacker::new(compression);
    let mut log = Vec::new();
    let mut rest = bytes;
    while let Some(more) = unpacker.unpack_next(&mut rest).filter(|_| log.len() < limit) {
        log.extend_from_slice(more);
    }
    log.truncate(limit);
    Cow::Owned(log)
}

fn damaged_log(reason: String) -> ProblemKind {
    ProblemKind::DamagedCompression { reason: reason.into() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn packed(log: &[u8]) -> Vec<u8> {
        zstd::encode_all(log, 3).unwrap()
    }

    fn gzipped(log: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(log).unwrap();
        encoder.finish().unwrap()
    }

    /// Decompresses in pieces of `step` bytes; returns the log and the problem at its end.
    fn unpacked(bytes: &[u8], step: usize, free_bytes: u64) -> (Vec<u8>, Option<String>) {
        let compression = Compression::detect(bytes).unwrap_or(Compression::Zstd);
        let mut unpacker = LogUnpacker::with_free_bytes(compression, free_bytes);
        let mut log = Vec::new();
        for mut piece in bytes.chunks(step.max(1)) {
            while let Some(out) = unpacker.unpack_next(&mut piece) {
                assert!((1..=PIECE).contains(&out.len()));
                log.extend_from_slice(out);
            }
        }
        (log, unpacker.end_problem().map(|kind| kind.to_string()))
    }

    #[track_caller]
    fn check_whole(log: &[u8], bytes: &[u8]) {
        for step in [1, 7, 4096, usize::MAX] {
            let (found, problem) = unpacked(bytes, step, FREE_BYTES);
            assert!(
                found == log && problem.is_none(),
                "in steps of {step}: {} bytes, {problem:?}",
                found.len()
            );
        }
    }

    #[test]
    fn the_magic_tells() {
        for (head, expected) in [
            (packed(b"x"), Some(Compression::Zstd)),
            (b"\x5a\x2a\x4d\x18\0\0\0\0".to_vec(), Some(Compression::Zstd)),
            (b"\x28\xb5\x2f".to_vec(), None),
            (b"{\"type\":1}".to_vec(), None),
            (gzipped(b"x"), Some(Compression::Gzip)),
            (b"\x1f\x8b\x07\x00".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(Compression::detect(&head), expected, "{head:?}");
        }
    }

    #[test]
    fn frames_one_behind_the_other_are_one_log() {
        check_whole(b"", &packed(b""));
        check_whole(b"one\ntwo\n", &packed(b"one\ntwo\n"));
        check_whole(b"one\ntwo\n", &[packed(b"one\n"), packed(b"two\n")].concat());
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        check_whole(b"one\n", &[skipped, packed(b"one\n")].concat());
        let long: Vec<u8> =
            (0..400_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        check_whole(&long, &packed(&long));
        check_whole(b"", &gzipped(b""));
        check_whole(b"one\ntwo\n", &[gzipped(b"one\n"), gzipped(b"two\n")].concat());
        check_whole(&long[..100_000], &gzipped(&long[..100_000]));
    }

    #[test]
    fn a_missing_end_is_told_and_what_came_before_is_read() {
        let log: Vec<u8> = (0..40_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        for bytes in [packed(&log), gzipped(&log)] {
            let (found, problem) = unpacked(&bytes[..bytes.len() - 3], 4096, FREE_BYTES);
            assert!(log.starts_with(&found) && found.len() > 100_000, "{}", found.len());
            assert!(problem.unwrap().contains("the end is missing"));
        }
    }

    #[test]
    fn damage_is_told_once_and_ends_it() {
        let mut bytes = packed(b"one\n");
        bytes.extend_from_slice(b"no frame");
        let (found, problem) = unpacked(&bytes, 3, FREE_BYTES);
        assert_eq!(found, b"one\n");
        assert!(problem.is_some());
        let (found, problem) = unpacked(b"\x28\xb5\x2f\xfdnonsense", 2, FREE_BYTES);
        assert!(found.is_empty() && problem.is_some());
        let (found, problem) = unpacked(&[gzipped(b"one\n"), b"no member".to_vec()].concat(), 3, FREE_BYTES);
        assert!(b"one\n".starts_with(&found[..]) && problem.is_some());
    }

    #[test]
    fn a_size_that_is_not_kept_is_the_same_in_any_pieces() {
        let check = |bytes: &[u8]| {
            let whole = unpacked(bytes, usize::MAX, FREE_BYTES);
            for step in [1, 4, 8] {
                assert_eq!(unpacked(bytes, step, FREE_BYTES), whole, "in steps of {step}");
            }
        };
        // A frame that announces 32 bytes and holds an empty block; the same with an empty compressed block.
        check(b"\x28\xb5\x2f\xfd\x20\x20\x01\0\0");
        check(b"\x28\xb5\x2f\xfd\x20\0\x05\0\0");
    }

    #[test]
    fn what_grows_beyond_measure_is_stopped() {
        // 64 MiB of zeros compress to a few KiB.
        let bytes = packed(&vec![0; 64 << 20]);
        assert!(bytes.len() < 16 << 10, "{}", bytes.len());
        for (bytes, n_bytes) in [(bytes, 64), (gzipped(&vec![0; 16 << 20]), 16)] {
            let (found, problem) = unpacked(&bytes, usize::MAX, 8 << 20);
            assert!(problem.unwrap().contains("more than 200 times its size"));
            assert!(found.len() <= (8 << 20) + PIECE, "{}", found.len());
            assert!(unpacked(&bytes, 512, n_bytes << 20).1.is_none());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 3, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_taken(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            packing in 0..3,
            at in any::<proptest::sample::Index>(),
            byte in any::<u8>(),
            step in 1..64usize,
        ) {
            let mut packed = match packing {
                0 => packed(&bytes),
                1 => gzipped(&bytes),
                _ => bytes,
            };
            if !packed.is_empty() {
                let at = at.index(packed.len());
                packed[at] = byte;
            }
            let whole = unpacked(&packed, usize::MAX, 1 << 20);
            let pieces = unpacked(&packed, step, 1 << 20);
            prop_assert!(whole.0.len() <= (1 << 20) + PIECE);
            prop_assert_eq!(&pieces.1, &whole.1);
            // A damaged frame gives the same bytes in pieces and as a whole, up to the point where one of
            // them stops.
            prop_assert!(pieces.0.starts_with(&whole.0) || whole.0.starts_with(&pieces.0));
        }
    }
}
