//! Corpora: the window shows the table of one, and a reader that the program hands in reads it, as the form of the tables is no
//! concern of this crate.

use std::fmt;
use std::path::Path;

use cwl_discover::real;

use crate::dto::{CorpusRequest, CorpusRowsDto, CorpusRowsRequest, CorpusViewDto};
use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode};

/// Reads the tables of corpora.
pub trait Corpora: fmt::Debug + Send + Sync {
    /// Opens the corpus of a folder, or looks at it again.
    ///
    /// # Errors
    /// Where the folder is no corpus, and where a table cannot be read.
    fn open(&self, request: &CorpusRequest) -> Result<CorpusViewDto, ApiError>;

    /// Returns some rows of a corpus, and opens it where it is not open.
    ///
    /// # Errors
    /// As [`Self::open`], and where there is no such column.
    fn rows(&self, request: &CorpusRowsRequest) -> Result<CorpusRowsDto, ApiError>;
}

impl Inspector {
    /// Returns a corpus as the window shows it.
    pub(crate) fn corpus(&self, request: CorpusRequest) -> Result<CorpusViewDto, ApiError> {
        self.reader_of_corpora()?.open(&request)
    }

    /// Returns some rows of a corpus.
    pub(crate) fn corpus_rows(&self, request: CorpusRowsRequest) -> Result<CorpusRowsDto, ApiError> {
        self.reader_of_corpora()?.rows(&request)
    }

    fn reader_of_corpora(&self) -> Result<&dyn Corpora, ApiError> {
        self.corpora.as_deref().ok_or_else(|| {
            ApiError::new(ErrorCode::BadRequest, "this program opens no corpus")
                .hint("open it with `cwl-inspector` or `cwl serve`")
        })
    }
}

/// Tells whether a place is the folder of a corpus.
pub fn is_corpus(place: &Path) -> bool {
    place.join("corpus.json").is_file() && place.join("sessions").is_dir()
}

/// Makes the error of a corpus that was named in the place of a session; the window answers it with the table.
pub(crate) fn a_corpus(place: &Path) -> ApiError {
    ApiError::new(ErrorCode::Corpus, "this folder is a corpus, and no session")
        .hint("`cwl-inspector DIR` and `cwl serve DIR` show its table, and `cwl corpus report DIR` writes a page of it")
        .at(&real(place))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Once, Tools, open_once};

    #[test]
    fn a_corpus_is_told_from_a_session_and_from_another_folder() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools::builtin();
        let check = |expected: ErrorCode| {
            let once = Once {
                format: None,
                tools: &tools,
                data_dir: None,
                folders: Some(Vec::new()),
                progress: &|_, _| {},
            };
            let error = open_once(dir.path(), &once).err().unwrap();
            assert_eq!(error.code, expected, "{error}");
            assert_eq!(error.path.as_deref().map(Path::new), Some(dir.path()), "{error}");
        };
        check(ErrorCode::NotAFile);
        std::fs::write(dir.path().join("corpus.json"), "{}").unwrap();
        check(ErrorCode::NotAFile);
        std::fs::create_dir(dir.path().join("sessions")).unwrap();
        check(ErrorCode::Corpus);
    }
}
