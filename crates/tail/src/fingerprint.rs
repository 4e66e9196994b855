//! Fingerprints of byte ranges, the same in every process and in every release.

/// The bytes at the start of a file its fingerprint covers, at most.
pub const HEAD_LIMIT: usize = 4096;
/// The bytes before an offset the fingerprint of the tail covers, at most.
pub const TAIL_LIMIT: usize = 256;

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The FNV-1a hash (64 bits) of some bytes, and how many they were.
///
/// It is stored beside a session and compared by a later release, so it may not change; it tells
/// accidental rewrites from appends and is no protection against someone who forges a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The bytes' hash, taken in order.
    pub hash: u64,
    /// The number of bytes.
    pub len: u32,
}

impl Fingerprint {
    /// The fingerprint of no bytes.
    pub const EMPTY: Self = Self { hash: OFFSET_BASIS, len: 0 };

    /// Returns the fingerprint of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::EMPTY.followed_by(bytes)
    }

    /// Returns the fingerprint of the bytes of `self` with `bytes` after them.
    pub fn followed_by(self, bytes: &[u8]) -> Self {
        let hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self { hash, len: self.len.saturating_add(len) }
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Returns the last `limit` bytes, or all of them.
pub(crate) fn last_bytes(bytes: &[u8], limit: usize) -> &[u8] {
    &bytes[bytes.len().saturating_sub(limit)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vectors of FNV-1a: a stored fingerprint outlives the release that made it.
    #[test]
    fn hashes_are_the_published_ones() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("b", 0xaf63_df4c_8601_f1a5),
            ("foo", 0xdcb2_7518_fed9_d577),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let print = Fingerprint::from_bytes(text.as_bytes());
            assert_eq!((print.hash, print.len as usize), (hash, text.len()), "fingerprint of {text:?}");
        }
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        assert_eq!(Fingerprint::from_bytes(b"foo").followed_by(b"bar"), Fingerprint::from_bytes(b"foobar"));
        assert_ne!(
            Fingerprint::from_bytes(b"foobar"),
            Fingerprint::from_bytes(b"foobaR"),
            "a changed byte changes it"
        );
        assert_ne!(Fingerprint::from_bytes(b""), Fingerprint::from_bytes(b"\0"), "a zero byte counts");
    }

    #[test]
    fn last_is_at_most_everything() {
        assert_eq!(last_bytes(b"abc", 2), b"bc");
        assert_eq!(last_bytes(b"abc", 9), b"abc");
        assert_eq!(last_bytes(b"", 1), b"");
    }
}
