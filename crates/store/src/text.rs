//! Hashes and compresses stored texts.

use std::fmt;

use zstd::bulk::{Compressor, Decompressor};

use crate::error::{Fault, StoreError};

/// Shorter texts are stored uncompressed: a zstd frame would hardly be shorter, and the SQLite shell can read
/// them.
const PACK_FROM_BYTES: usize = 128;
/// Compared with level 1: a quarter more time, a file 4 % smaller, equal reading speed.
const LEVEL: i32 = 3;
/// Maximum compression of zstd; a row that claims more is damaged.
const MAX_RATIO: u64 = 1 << 17;
/// Maximum number of bytes per row, SQLite's own limit.
pub(crate) const MAX_TEXT_BYTES: usize = 1_000_000_000;
/// A larger buffer is dropped, so one huge text does not hold its memory forever.
const BUFFER_KEEP_BYTES: usize = 8 << 20;
/// How many characters of a compressed text are also stored uncompressed, for the SQLite shell.
const PREVIEW_CHARS: usize = 120;

/// BLAKE3 hash of a text, which identifies it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash([u8; 32]);

impl TextHash {
    pub fn from_text(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
    }

    pub(crate) fn of_joined(before: &str, after: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(before.as_bytes()).update(after.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    Raw = 0,
    Zstd = 1,
}

impl Codec {
    pub(crate) fn from_code(code: i64) -> Result<Self, Fault> {
        match code {
            0 => Ok(Self::Raw),
            1 => Ok(Self::Zstd),
            code => Err(Fault::damaged(format!("codec {code}"))),
        }
    }
}

/// Compresses texts. Keep one per thread, because [`Packer::new`] costs more than one use.
pub struct Packer {
    zstd: Compressor<'static>,
    buffer: Vec<u8>,
}

impl Packer {
    pub fn new() -> Result<Self, StoreError> {
        let zstd = Compressor::new(LEVEL)
            .map_err(|source| Fault::Codec(source).with_context("set up a compressor", "".as_ref()))?;
        Ok(Self { zstd, buffer: Vec::new() })
    }

    /// Returns the compressed frame, or the bytes themselves if they are not longer.
    pub(crate) fn pack<'a>(&'a mut self, bytes: &'a [u8]) -> Result<(Codec, &'a [u8]), Fault> {
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(Fault::TooLarge);
        }
        if bytes.len() <= PACK_FROM_BYTES {
            return Ok((Codec::Raw, bytes));
        }
        if self.buffer.capacity() > BUFFER_KEEP_BYTES {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        self.buffer.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
        self.zstd.compress_to_buffer(bytes, &mut self.buffer).map_err(Fault::Codec)?;
        if self.buffer.len() < bytes.len() {
            Ok((Codec::Zstd, &self.buffer))
        } else {
            Ok((Codec::Raw, bytes))
        }
    }
}

pub(crate) struct TextUnpacker {
    zstd: Decompressor<'static>,
}

impl TextUnpacker {
    pub(crate) fn new() -> Result<Self, Fault> {
        Ok(Self { zstd: Decompressor::new().map_err(Fault::Codec)? })
    }

    pub(crate) fn unpack(&mut self, codec: Codec, n_bytes: u64, data: &[u8]) -> Result<String, Fault> {
        let bytes = match codec {
            Codec::Raw => data.to_vec(),
            Codec::Zstd => {
                // The size is checked before it is allocated: it may come from a damaged row.
                let possible = n_bytes <= MAX_TEXT_BYTES as u64
                    && n_bytes <= (data.len() as u64).saturating_mul(MAX_RATIO);
                let size = usize::try_from(n_bytes).ok().filter(|_| possible);
                let Some(size) = size else {
                    return Err(Fault::damaged(format!(
                        "a text of {n_bytes} bytes in a frame of {}",
                        data.len()
                    )));
                };
                self.zstd.decompress(data, size).map_err(Fault::Codec)?
            }
        };
        if bytes.len() as u64 != n_bytes {
            return Err(Fault::damaged(format!("a text of {} bytes instead of {n_bytes}", bytes.len())));
        }
        String::from_utf8(bytes).map_err(|error| Fault::damaged(format!("a text that is none: {error}")))
    }
}

pub(crate) fn short_beginning(text: &str) -> &str {
    text.char_indices().nth(PREVIEW_CHARS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check_packs(text: &str, expected: Codec) {
        let (mut packer, mut unpacker) = (Packer::new().unwrap(), TextUnpacker::new().unwrap());
        let (codec, data) = packer.pack(text.as_bytes()).unwrap();
        assert_eq!(codec, expected, "{} bytes", text.len());
        assert!(data.len() <= text.len(), "packing never grows a text");
        assert_eq!(unpacker.unpack(codec, text.len() as u64, data).unwrap(), text);
    }

    #[test]
    fn packs_what_gets_shorter() {
        check_packs("", Codec::Raw);
        check_packs("\0", Codec::Raw);
        check_packs(&"a".repeat(128), Codec::Raw);
        check_packs(&"a".repeat(129), Codec::Zstd);
        check_packs(&" ".repeat(64 << 20), Codec::Zstd);
        let noise: String = (0..200).map(|n| char::from_u32(0x4e00 + n * 7919 % 20_000).unwrap()).collect();
        check_packs(&noise[..150], Codec::Raw);
    }

    #[test]
    fn damage_is_reported() {
        let (mut packer, mut unpacker) = (Packer::new().unwrap(), TextUnpacker::new().unwrap());
        let text = "word ".repeat(100);
        let (_, frame) = packer.pack(text.as_bytes()).unwrap();
        let mut check = |codec, n_bytes, data: &[u8]| {
            unpacker.unpack(codec, n_bytes, data).unwrap_err();
        };
        check(Codec::Zstd, 499, frame);
        check(Codec::Zstd, 501, frame);
        check(Codec::Zstd, u64::MAX, frame);
        check(Codec::Zstd, 500, &frame[..frame.len() - 1]);
        check(Codec::Zstd, 500, b"no frame");
        check(Codec::Raw, 2, b"\xff\xfe");
        check(Codec::Raw, 3, b"ab");
    }

    #[test]
    fn previews_end_at_a_character() {
        assert_eq!(short_beginning("short"), "short");
        assert_eq!(short_beginning(&"ü".repeat(121)), "ü".repeat(120));
        assert_eq!(short_beginning(&"ü".repeat(120)), "ü".repeat(120));
    }
}
