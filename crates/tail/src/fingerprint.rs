//! Fingerprints of byte ranges, equal in every process and release.

/// Maximum number of bytes in a head's fingerprint.
pub const HEAD_LIMIT: usize = 4096;
/// Maximum number of bytes in a tail's fingerprint.
pub const TAIL_LIMIT: usize = 256;

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a hash (64 bits) and number of bytes.
///
/// Fingerprints are stored and compared by later releases, so the hash must not change. It distinguishes
/// accidental rewrites from appends; it does not protect against a forged log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    pub hash: u64,
    pub len: u32,
}

impl Fingerprint {
    pub const EMPTY: Self = Self { hash: OFFSET_BASIS, len: 0 };

    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::EMPTY.followed_by(bytes)
    }

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

pub(crate) fn last_bytes(bytes: &[u8], limit: usize) -> &[u8] {
    &bytes[bytes.len().saturating_sub(limit)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published test vectors of FNV-1a: stored fingerprints outlive the release that made them.
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
