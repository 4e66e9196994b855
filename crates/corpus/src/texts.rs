//! Texts of logs in tables: keyed hashes, redacted texts, or unchanged ones.
//!
//! A plain hash of a short name can be guessed by trying names. Hashes are therefore keyed, with a key per
//! corpus that lies beside it. Without the key nothing can be guessed; with the key, names can be tried.
//! Within a corpus equal texts have equal hashes, so they can be counted and joined.

use std::sync::Arc;

use cwl_host::{ApiError, Cleaner, SessionSnapshot};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextsAs {
    Hashed,
    Redacted,
    Plain,
}

impl TextsAs {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashed => "hashed",
            Self::Redacted => "redacted",
            Self::Plain => "plain",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusKey(pub [u8; 32]);

/// Hexadecimal digits per hash: with 64 bits, two of a million logs share a name with a chance of about one
/// in forty million.
const DIGITS: usize = 16;

impl CorpusKey {
    pub fn hash(&self, text: &str) -> Arc<str> {
        blake3::keyed_hash(&self.0, text.as_bytes()).to_hex()[..DIGITS].into()
    }
}

/// Tells whether a path from a table is complete, so that it leads to its log from everywhere.
pub(crate) fn is_full_path(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
}

pub struct LogTexts {
    key: CorpusKey,
    /// `None` makes hashes.
    cleaner: Option<Cleaner>,
    last: Option<(String, Arc<str>)>,
}

impl LogTexts {
    /// Prepares for a log's texts; redaction learns from each.
    ///
    /// # Errors
    /// If a text cannot be read, or the search for secrets cannot be built.
    pub fn of_log(key: CorpusKey, wording: TextsAs, opened: &SessionSnapshot) -> Result<Self, ApiError> {
        let cleaner = match wording {
            TextsAs::Hashed => None,
            TextsAs::Redacted => Some(Cleaner::of_log(opened)?),
            TextsAs::Plain => Some(Cleaner::off()),
        };
        Ok(Self { key, cleaner, last: None })
    }

    /// Prepares for messages about an unreadable log. Redaction has nothing to learn from, so texts are
    /// hashed instead.
    pub fn of_unread(key: CorpusKey, wording: TextsAs) -> Self {
        let cleaner = match wording {
            TextsAs::Hashed | TextsAs::Redacted => None,
            TextsAs::Plain => Some(Cleaner::off()),
        };
        Self { key, cleaner, last: None }
    }

    pub fn hash(&self, text: &str) -> Arc<str> {
        self.key.hash(text)
    }

    pub fn text_value(&mut self, text: &str) -> Arc<str> {
        match &mut self.cleaner {
            None => {
                if let Some((_, hash)) = self.last.as_ref().filter(|(last, _)| last == text) {
                    return Arc::clone(hash);
                }
                let hash = self.key.hash(text);
                self.last = Some((text.to_owned(), Arc::clone(&hash)));
                hash
            }
            Some(cleaner) => cleaner.clean_text(text).into(),
        }
    }

    pub fn maybe_text(&mut self, text: Option<&str>) -> Option<Arc<str>> {
        text.map(|text| self.text_value(text))
    }
}
