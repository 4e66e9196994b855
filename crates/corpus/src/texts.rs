//! The form in which texts of logs come out: keyed hashes, redacted texts, or the texts as they are.
//!
//! A plain hash of a short name can be guessed: a reader of the hash tries names until one fits. So the hashes are keyed,
//! with a key made for each corpus and lies beside it. Who gets the tables without the key can guess nothing; who has the
//! key can try names. Equal texts have equal hashes within a corpus, so they can be counted and joined.

use std::sync::Arc;

use cwl_api::{ApiError, Cleaner, SessionSnapshot};

/// The form in which texts of logs come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextsAs {
    /// They become keyed hashes.
    Hashed,
    /// They are redacted as in an export.
    Redacted,
    /// They stay as they are.
    Plain,
}

impl TextsAs {
    /// Returns its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashed => "hashed",
            Self::Redacted => "redacted",
            Self::Plain => "plain",
        }
    }
}

/// The key of the hashes of one corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusKey(pub [u8; 32]);

/// Hashes have so many hexadecimal digits: 64 bits, so among a million logs two have one name with a chance of about one in
/// forty million.
const DIGITS: usize = 16;

impl CorpusKey {
    /// Returns a text's hash.
    pub fn hash(&self, text: &str) -> Arc<str> {
        blake3::keyed_hash(&self.0, text.as_bytes()).to_hex()[..DIGITS].into()
    }
}

/// Tells whether a path of a table is whole, so it leads to its log from everywhere.
pub(crate) fn is_full_path(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
}

/// Writes the texts of one log.
pub struct LogTexts {
    key: CorpusKey,
    /// `None` hashes.
    cleaner: Option<Cleaner>,
    /// The text that was hashed last: the rows of a log often have one word in a column.
    last: Option<(String, Arc<str>)>,
}

impl LogTexts {
    /// Gets ready for the texts of a log; redaction learns from all of them.
    ///
    /// # Errors
    /// If a text cannot be read, and if the search for secrets cannot be built.
    pub fn of_log(key: CorpusKey, wording: TextsAs, opened: &SessionSnapshot) -> Result<Self, ApiError> {
        let cleaner = match wording {
            TextsAs::Hashed => None,
            TextsAs::Redacted => Some(Cleaner::of_log(opened)?),
            TextsAs::Plain => Some(Cleaner::off()),
        };
        Ok(Self { key, cleaner, last: None })
    }

    /// Gets ready for what is said of a log that cannot be read; where texts are to be redacted, no text can be learned from, so
    /// they are hashed.
    pub fn of_unread(key: CorpusKey, wording: TextsAs) -> Self {
        let cleaner = match wording {
            TextsAs::Hashed | TextsAs::Redacted => None,
            TextsAs::Plain => Some(Cleaner::off()),
        };
        Self { key, cleaner, last: None }
    }

    /// Returns a text's hash, whatever becomes of texts.
    pub fn hash(&self, text: &str) -> Arc<str> {
        self.key.hash(text)
    }

    /// Returns what stands for a text of the log.
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

    /// Returns what stands for a text of the log, if there is one.
    pub fn maybe_text(&mut self, text: Option<&str>) -> Option<Arc<str>> {
        text.map(|text| self.text_value(text))
    }
}
