//! Corpora. This crate knows the questions; a reader supplied by the program knows the table format.

use std::fmt;
use std::path::Path;

use cwl_discover::real_path;

use crate::api::{CorpusOverview, CorpusRequest, CorpusRowsAnswer, CorpusRowsRequest};
use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode};

pub trait Corpora: fmt::Debug + Send + Sync {
    /// Opens the corpus in a folder, or refreshes it.
    ///
    /// # Errors
    /// If the folder is no corpus, or a table is unreadable.
    fn open_corpus(&self, request: &CorpusRequest) -> Result<CorpusOverview, ApiError>;

    /// Returns rows of a corpus, which is opened if needed.
    ///
    /// # Errors
    /// Like [`Self::open_corpus`], and if a column does not exist.
    fn read_rows(&self, request: &CorpusRowsRequest) -> Result<CorpusRowsAnswer, ApiError>;
}

impl Inspector {
    pub(crate) fn corpus(&self, request: CorpusRequest) -> Result<CorpusOverview, ApiError> {
        self.reader_of_corpora()?.open_corpus(&request)
    }

    pub(crate) fn corpus_rows(&self, request: CorpusRowsRequest) -> Result<CorpusRowsAnswer, ApiError> {
        self.reader_of_corpora()?.read_rows(&request)
    }

    fn reader_of_corpora(&self) -> Result<&dyn Corpora, ApiError> {
        self.corpora.as_deref().ok_or_else(|| {
            ApiError::new(ErrorCode::BadRequest, "this program opens no corpus")
                .with_hint("open it with `cwl-inspector` or `cwl serve`")
        })
    }
}

pub fn is_corpus(place: &Path) -> bool {
    place.join("corpus.json").is_file() && place.join("sessions").is_dir()
}

/// Error for a corpus named as a session; the window reacts by showing the table.
pub(crate) fn a_corpus(place: &Path) -> ApiError {
    ApiError::new(ErrorCode::Corpus, "this folder is a corpus, and no session")
        .with_hint("`cwl-inspector DIR` and `cwl serve DIR` show its table, and `cwl corpus report DIR` writes a page of it")
        .with_path(&real_path(place))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{OpenOnce, Tools, open_once};

    #[test]
    fn a_corpus_is_told_from_a_session_and_from_another_folder() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools::builtin_tables();
        let check = |expected: ErrorCode| {
            let once = OpenOnce {
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
