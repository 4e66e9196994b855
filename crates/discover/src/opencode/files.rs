//! OpenCode sessions up to 1.1, with a file per session, message and part.
//!
//! One folder holds `session/<project>/<session>.json`, `message/<session>/<message>.json` and
//! `part/<message>/<part>.json`. Files are rewritten while the model answers, so a session is always read as
//! a whole.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cwl_formats::{OpencodeMessage, OpencodePart};
use cwl_tail::{TailError, is_missing, open_log};

use crate::opencode::database::{DatabaseError, MOST_BYTES};

/// A file's memory besides its content, in bytes: its name is kept.
const PER_FILE: usize = 256;

/// One session's files as texts, with replacement characters for invalid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpencodeFiles {
    pub session: String,
    /// Messages by id, which is chronological.
    pub messages: Vec<OpencodeMessage>,
    /// Parts by message, then by id.
    pub parts: Vec<OpencodePart>,
}

/// Reads a session with its messages and parts by its main file. `None` if the file is missing.
///
/// # Errors
/// If a file is unreadable, or all files together are too large.
pub fn opencode_files(session: &Path) -> Result<Option<OpencodeFiles>, DatabaseError> {
    let (Some(id), Some(storage)) = (document_id(session), session.ancestors().nth(3)) else {
        return Ok(None);
    };
    let mut reading = SessionFilesReader { session, id: &id, left: MOST_BYTES };
    let Some(text) = reading.read_text(session)? else { return Ok(None) };
    let messages = reading.read_folder(&storage.join("message").join(&id))?;
    let mut parts = Vec::new();
    for (message, _) in &messages {
        let own = reading.read_folder(&storage.join("part").join(message))?;
        parts.extend(own.into_iter().map(|(id, data)| OpencodePart { id, message: message.clone(), data }));
    }
    let messages = messages.into_iter().map(|(id, data)| OpencodeMessage { id, data }).collect();
    Ok(Some(OpencodeFiles { session: text, messages, parts }))
}

struct SessionFilesReader<'a> {
    session: &'a Path,
    id: &'a str,
    left: usize,
}

impl SessionFilesReader<'_> {
    fn read_folder(&mut self, folder: &Path) -> Result<Vec<(String, String)>, DatabaseError> {
        let entries = match fs::read_dir(folder) {
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(source) => return Err(file_error(folder, source)),
            Ok(entries) => entries,
        };
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|source| file_error(folder, source))?.path();
            // A link may lead anywhere, and a pipe never ends.
            if !fs::symlink_metadata(&path).is_ok_and(|metadata: Metadata| metadata.is_file()) {
                continue;
            }
            if let Some(id) = document_id(&path) {
                self.take_bytes(PER_FILE)?;
                files.push((id, path));
            }
        }
        files.sort();
        let mut texts = Vec::with_capacity(files.len());
        for (id, path) in files {
            // A file that disappears meanwhile was taken back.
            texts.extend(self.read_text(&path)?.map(|text| (id, text)));
        }
        Ok(texts)
    }

    fn read_text(&mut self, path: &Path) -> Result<Option<String>, DatabaseError> {
        let file = match open_log(path) {
            Ok(file) => file,
            Err(TailError::Read { source, .. }) if is_missing(&source) => return Ok(None),
            Err(TailError::Read { source, .. }) => return Err(file_error(path, source)),
            Err(error) => return Err(file_error(path, io::Error::other(error.to_string()))),
        };
        let mut bytes = Vec::new();
        let limit = self.left as u64 + 1;
        if file.metadata().is_ok_and(|metadata| metadata.len() >= limit) {
            self.take_bytes(usize::MAX)?;
        }
        file.take(limit).read_to_end(&mut bytes).map_err(|source| file_error(path, source))?;
        self.take_bytes(bytes.len())?;
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }))
    }

    fn take_bytes(&mut self, n_bytes: usize) -> Result<(), DatabaseError> {
        let too_large =
            || DatabaseError::TooLarge { path: self.session.to_owned(), session: self.id.to_owned() };
        self.left = self.left.checked_sub(n_bytes).ok_or_else(too_large)?;
        Ok(())
    }
}

fn file_error(path: &Path, source: io::Error) -> DatabaseError {
    DatabaseError::File { path: path.to_owned(), source }
}

fn document_id(path: &Path) -> Option<String> {
    let id = path.file_name()?.to_str()?.strip_suffix(".json")?;
    (!id.is_empty()).then(|| id.to_owned())
}
