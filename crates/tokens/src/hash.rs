use std::fmt;

/// BLAKE3 hash of a text, the key for stored texts and counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub fn from_text(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_blake3_in_hex() {
        // Published test vector for the empty input.
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(ContentHash::from_text("").to_string(), empty);
        assert_eq!(format!("{:?}", ContentHash::from_text("")), format!("ContentHash({empty})"));
    }

    #[test]
    fn goes_through_bytes_and_tells_texts_apart() {
        let hash = ContentHash::from_text("a");
        assert_eq!(ContentHash::from_bytes(*hash.as_bytes()), hash);
        assert_eq!(hash, ContentHash::from_text("a"));
        assert_ne!(hash, ContentHash::from_text("a "), "one more space is another text");
    }
}
