//! Corpora opened by the window: the table of sessions, sorted and filtered, a few rows at a time.
//!
//! A column is read on first use, so a large corpus takes no more memory than its displayed columns.

mod columns;
mod opened;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cwl_host::api::{CorpusOverview, CorpusRequest, CorpusRowsAnswer, CorpusRowsRequest};
use cwl_host::{ApiError, Corpora, ErrorCode};

use crate::make::{CorpusError, lock_unpoisoned};
use opened::CorpusSnapshot;

/// Maximum number of open corpora: as many as a user has windows or tabs.
const MOST_OPEN: usize = 4;

type SharedCorpus = Arc<Mutex<CorpusSnapshot>>;

#[derive(Debug, Default)]
pub struct CorpusCache {
    open: Mutex<Vec<(PathBuf, SharedCorpus)>>,
}

impl CorpusCache {
    /// Returns the corpus of `folder`, and reads it if it is not open, or if `anew` is set and it was
    /// rewritten.
    fn open_corpus(&self, folder: &str, anew: bool) -> Result<SharedCorpus, ApiError> {
        let place = std::fs::canonicalize(folder).unwrap_or_else(|_gone| PathBuf::from(folder));
        let known = {
            let mut open = lock_unpoisoned(&self.open);
            let at = open.iter().position(|(of, _)| *of == place);
            at.map(|at| {
                let one = open.remove(at);
                let shared = Arc::clone(&one.1);
                open.insert(0, one);
                shared
            })
        };
        if let Some(known) = known
            && !(anew && lock_unpoisoned(&known).is_stale())
        {
            return Ok(known);
        }
        let read = Arc::new(Mutex::new(
            CorpusSnapshot::read_corpus(&place).map_err(|error| of_page(&error, &place))?,
        ));
        let mut open = lock_unpoisoned(&self.open);
        open.retain(|(of, _)| *of != place);
        open.insert(0, (place, Arc::clone(&read)));
        open.truncate(MOST_OPEN);
        Ok(read)
    }
}

impl Corpora for CorpusCache {
    fn open_corpus(&self, request: &CorpusRequest) -> Result<CorpusOverview, ApiError> {
        Ok(lock_unpoisoned(&*self.open_corpus(&request.folder, true)?).corpus_view())
    }

    fn read_rows(&self, request: &CorpusRowsRequest) -> Result<CorpusRowsAnswer, ApiError> {
        let corpus = self.open_corpus(&request.folder, false)?;
        let mut corpus = lock_unpoisoned(&corpus);
        let wanted = request.columns.iter().chain(&request.sort).map(String::as_str);
        match corpus.load_columns(wanted) {
            // The corpus was rewritten after it was opened.
            Ok(false) => {
                *corpus = CorpusSnapshot::read_corpus(corpus.folder_path())
                    .map_err(|error| of_page(&error, Path::new(&request.folder)))?;
                let wanted = request.columns.iter().chain(&request.sort).map(String::as_str);
                corpus.load_columns(wanted).map_err(|error| of_page(&error, Path::new(&request.folder)))?;
            }
            Ok(true) => {}
            Err(error) => return Err(of_page(&error, Path::new(&request.folder))),
        }
        Ok(corpus.page_rows(request))
    }
}

fn of_page(error: &CorpusError, folder: &Path) -> ApiError {
    let (message, hint, path) = match error {
        CorpusError::Asked(error) => return error.clone(),
        CorpusError::NoCorpus { path, why } => (
            format!("this folder is no corpus of this program ({why})"),
            "`cwl corpus PATH… --out DIR` makes one",
            path.as_path(),
        ),
        CorpusError::Unread { path, source } => (
            format!("cannot read this table of a corpus ({source})"),
            "make the corpus again with --fresh",
            path.as_path(),
        ),
        other => (other.to_string(), "make the corpus again with --fresh", folder),
    };
    ApiError::new(ErrorCode::NoCorpus, message).with_hint(hint).with_path(path)
}
