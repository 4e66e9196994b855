//! Captured bodies: requests that the harness saved as files, beside the log or in a folder named by the
//! user.

use std::path::{Component, Path, PathBuf};

use cwl_formats::{Exchange, Format, TracedCall, read_exchanges, read_trace};

use crate::reading::beside::read_file;
use crate::reading::traced;
use crate::{ApiError, ErrorCode};

/// Claude Code's index file: which request belongs to which session.
const INDEX: &str = "index.jsonl";
/// Codex's counterpart to [`INDEX`].
const TRACE: &str = "trace.jsonl";
/// Folders that are searched, relative to the folder with the log.
const FOLDERS: [&str; 3] = [".", "bodies", "trace"];

pub(crate) struct CapturedFolder {
    pub(crate) path: PathBuf,
    requests: CapturedRequests,
    /// Index lines that were not fully understood.
    pub(crate) n_problems: usize,
}

enum CapturedRequests {
    ClaudeCode(Vec<Exchange>),
    Codex(Vec<TracedCall>),
}

/// How the reply to a request is recognised in the log.
pub(crate) enum ReplyMark {
    /// A message id.
    Message(String),
    /// The reply's tool call ids. A reply without calls follows the reply before it.
    Calls(Vec<String>),
}

impl CapturedFolder {
    /// Opens the folder `named` by the user, otherwise one beside `log`. `None` if `log` has none.
    ///
    /// # Errors
    /// If the named folder has no index, or the index cannot be read.
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
        // Any tool may name a file `index.jsonl`; an index of bodies has at least one file name in it.
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

    pub(crate) fn len(&self) -> usize {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => exchanges.len(),
            CapturedRequests::Codex(calls) => calls.len(),
        }
    }

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

    /// `None` if the reply's file cannot be read.
    pub(crate) fn reply_mark(&self, at: usize) -> Option<ReplyMark> {
        Some(match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => ReplyMark::Message(exchanges[at].message.clone()),
            CapturedRequests::Codex(calls) => ReplyMark::Calls(
                traced::payload_items(&|path| self.read_payload(path), &calls[at].output)?.calls,
            ),
        })
    }

    /// `None` if a file that the body needs is gone.
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

    /// Reads a file in the folder. The index, and with it `name`, is untrusted: a name that leads out of the
    /// folder is refused.
    fn read_payload(&self, name: &str) -> Option<Vec<u8>> {
        let name = Path::new(name);
        let mut parts = name.components().peekable();
        let is_inside = parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
        is_inside.then(|| read_file(&self.path.join(name)).ok()).flatten()
    }
}
