//! Captured bodies: requests that the harness kept in files as it sent them, beside a log or where a user names them.

use std::path::{Component, Path, PathBuf};

use cwl_formats::{Exchange, read_exchanges};

use crate::reading::beside::read;
use crate::{ApiError, ErrorCode};

/// The file of a folder that says which request is of which session.
const INDEX: &str = "index.jsonl";
/// The folders beside a log in which an index is looked for.
const FOLDERS: [&str; 2] = [".", "bodies"];

/// A folder of captured bodies.
pub(crate) struct CapturedFolder {
    pub(crate) path: PathBuf,
    pub(crate) exchanges: Vec<Exchange>,
    /// The number of lines of its index that were not understood in whole.
    pub(crate) n_problems: usize,
}

impl CapturedFolder {
    /// Opens the folder that a user names, else the one beside a log; `None` where there is none beside it.
    ///
    /// # Errors
    /// Where the named folder has no index, or it cannot be read.
    pub(crate) fn of(log: &Path, named: Option<&Path>) -> Result<Option<Self>, ApiError> {
        if let Some(path) = named {
            let bytes = read(&path.join(INDEX)).map_err(|error| {
                let message = format!("no captured bodies can be read in {} ({error})", path.display());
                ApiError::new(ErrorCode::BadRequest, message).hint(
                    "Claude Code writes an index.jsonl beside the bodies from 2.1.274 on, where \
                     OTEL_LOG_RAW_API_BODIES is `file:` and the folder's absolute path",
                )
            })?;
            return Ok(Some(Self::read(path.to_owned(), &bytes)));
        }
        let beside = log.parent().into_iter().flat_map(|folder| FOLDERS.map(|name| folder.join(name)));
        let found = beside.filter_map(|path| read(&path.join(INDEX)).ok().map(|bytes| (path, bytes)));
        let mut folders = found.map(|(path, bytes)| Self::read(path, &bytes));
        // Any tool may call a file `index.jsonl`; an index of bodies names some.
        Ok(folders.find(|folder| folder.exchanges.iter().any(|exchange| !exchange.request.is_empty())))
    }

    fn read(path: PathBuf, index: &[u8]) -> Self {
        let (exchanges, problems) = read_exchanges(index);
        Self { path, exchanges, n_problems: problems.len() }
    }

    /// Reads the body of a request; `None` where the file is not there any more. The index is a log's content: a name
    /// that leads out of the folder is no file of it.
    pub(crate) fn body(&self, exchange: &Exchange) -> Option<Vec<u8>> {
        let name = Path::new(&exchange.request);
        let is_plain = matches!(name.components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
        is_plain.then(|| read(&self.path.join(name)).ok()).flatten()
    }
}
