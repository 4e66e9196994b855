//! Captured bodies: requests that the harness kept in files as it sent them, beside a log or where a user names them.

use std::path::{Component, Path, PathBuf};

use cwl_formats::{Exchange, Format, TracedCall, read_exchanges, read_trace};

use crate::reading::beside::read_file;
use crate::reading::traced;
use crate::{ApiError, ErrorCode};

/// The file of a folder of Claude Code that says which request is of which session.
const INDEX: &str = "index.jsonl";
/// The file of a folder of Codex that does.
const TRACE: &str = "trace.jsonl";
/// The folders beside a log in which these files are looked for.
const FOLDERS: [&str; 3] = [".", "bodies", "trace"];

/// A folder of captured bodies.
pub(crate) struct CapturedFolder {
    pub(crate) path: PathBuf,
    requests: CapturedRequests,
    /// The number of lines of its index that were not understood in whole.
    pub(crate) n_problems: usize,
}

/// The answered requests a folder names, by the program that wrote it.
enum CapturedRequests {
    ClaudeCode(Vec<Exchange>),
    Codex(Vec<TracedCall>),
}

/// The mark by which the reply to a request is found in the log.
pub(crate) enum ReplyMark {
    /// The id of its message.
    Message(String),
    /// The ids of its tool calls; a reply without any follows the one before it.
    Calls(Vec<String>),
}

impl CapturedFolder {
    /// Opens the folder a user names, else the one beside a log; `None` if there is none beside it.
    ///
    /// # Errors
    /// If the named folder has no index, or it cannot be read.
    pub(crate) fn open(log: &Path, named: Option<&Path>) -> Result<Option<Self>, ApiError> {
        if let Some(path) = named {
            return Self::open_folder(path.to_owned()).map(Some).map_err(|error| {
                let message = format!("no captured bodies can be read in {} ({error})", path.display());
                ApiError::new(ErrorCode::BadRequest, message).with_hint(
                    "Claude Code writes an index.jsonl beside the bodies from 2.1.274 on, where \
                     OTEL_LOG_RAW_API_BODIES is `file:` and the folder's absolute path; bodies without an index are not \
                     read, as no documentation says of which request each of them is; Codex writes a folder with a \
                     trace.jsonl for each session below CODEX_ROLLOUT_TRACE_ROOT",
                )
            });
        }
        let beside = log.parent().into_iter().flat_map(|folder| FOLDERS.map(|name| folder.join(name)));
        let mut folders = beside.filter_map(|path| Self::open_folder(path).ok());
        // Any tool may call a file `index.jsonl`; an index of bodies names some.
        Ok(folders.find(|folder| (0..folder.len()).any(|at| !folder.file_name(at).is_empty())))
    }

    fn open_folder(path: PathBuf) -> std::io::Result<Self> {
        let (requests, problems) = match read_file(&path.join(TRACE)) {
            Ok(events) => {
                let (calls, problems) = read_trace(&events);
                (CapturedRequests::Codex(calls), problems)
            }
            Err(_) => {
                let (exchanges, problems) = read_exchanges(&read_file(&path.join(INDEX))?);
                (CapturedRequests::ClaudeCode(exchanges), problems)
            }
        };
        Ok(Self { path, requests, n_problems: problems.len() })
    }

    /// Returns how many answered requests the folder names.
    pub(crate) fn len(&self) -> usize {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => exchanges.len(),
            CapturedRequests::Codex(calls) => calls.len(),
        }
    }

    /// Returns the session's id, or of the subagent, that sent a request.
    pub(crate) fn session_id(&self, at: usize) -> &str {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => &exchanges[at].session,
            CapturedRequests::Codex(calls) => &calls[at].thread,
        }
    }

    pub(crate) fn file_name(&self, at: usize) -> &str {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => &exchanges[at].request,
            CapturedRequests::Codex(calls) => &calls[at].request,
        }
    }

    /// Returns the mark of a request's reply; `None` if its file cannot be read.
    pub(crate) fn reply_mark(&self, at: usize) -> Option<ReplyMark> {
        Some(match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => ReplyMark::Message(exchanges[at].message.clone()),
            CapturedRequests::Codex(calls) => ReplyMark::Calls(
                traced::payload_items(&|path| self.read_payload(path), &calls[at].output)?.calls,
            ),
        })
    }

    /// Reads a request's body; `None` if a file it needs is not there any more.
    pub(crate) fn read_body(&self, at: usize) -> Option<Vec<u8>> {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => self.read_payload(&exchanges[at].request),
            CapturedRequests::Codex(calls) => {
                traced::request_body(&|path| self.read_payload(path), calls, at)
            }
        }
    }

    pub(crate) fn body_format(&self) -> Format {
        match self.requests {
            CapturedRequests::ClaudeCode(_) => Format::Anthropic,
            CapturedRequests::Codex(_) => Format::OpenaiResponses,
        }
    }

    /// Reads a file of the folder. The index is a log's content: a name that leads out of the folder is no file of it.
    fn read_payload(&self, name: &str) -> Option<Vec<u8>> {
        let name = Path::new(name);
        let mut parts = name.components().peekable();
        let is_inside = parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
        is_inside.then(|| read_file(&self.path.join(name)).ok()).flatten()
    }
}
