//! Captured bodies: requests that the harness or `cwl proxy` saved to files, beside the log, in a folder named by the user, or in
//! this program's own folder.

use std::path::{Component, Path, PathBuf};

use cwl_engine::Usage;
use cwl_formats::{
    Exchange, Format, ProxiedRequest, TracedCall, read_exchanges, read_proxied_requests, read_trace,
};

use crate::data_dir::default_data_dir;
use crate::reading::beside::read_file;
use crate::reading::traced;
use crate::{ApiError, ErrorCode};

/// Claude Code's index file: which request belongs to which session.
const INDEX: &str = "index.jsonl";
const TRACE: &str = "trace.jsonl";
const CAPTURED: &str = "captured.jsonl";
/// The store's subfolder for captures of `cwl proxy`.
const OWN_FOLDER: &str = "captured";
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
    Proxy(Vec<ProxiedRequest>),
}

pub(crate) enum ReplyMark {
    /// A message id.
    Message(String),
    /// The reply's tool call ids. A reply without calls follows the reply before it.
    Calls(Vec<String>),
    /// Everything that the proxy saw of it: the id of its message, its tool calls, the tokens that it used, and when it ended.
    Seen { message: String, calls: Vec<String>, usage: Option<Usage>, at_ms: Option<i64> },
}

/// Returns the folder in which `cwl proxy` keeps requests unless it is told another.
///
/// # Errors
/// If this user has no folder for the store.
pub fn default_capture_dir() -> Result<PathBuf, ApiError> {
    Ok(default_data_dir()?.join(OWN_FOLDER))
}

impl CapturedFolder {
    /// Opens the folder `named` by the user, otherwise every folder that may hold requests of `log`: beside it, and this
    /// program's own.
    ///
    /// # Errors
    /// If the named folder has no index, or the index cannot be read.
    pub(crate) fn open_all(log: &Path, named: Option<&Path>) -> Result<Vec<Self>, ApiError> {
        if let Some(path) = named {
            return Self::open_folder(path.to_owned()).map(|folder| vec![folder]).map_err(|error| {
                let message = format!("no captured bodies can be read in {} ({error})", path.display());
                ApiError::new(ErrorCode::BadRequest, message).with_hint(
                    "Claude Code writes an index.jsonl beside the bodies from 2.1.274 on, where \
                     OTEL_LOG_RAW_API_BODIES is `file:` and the folder's absolute path; bodies without an index are not \
                     read, as no documentation says of which request each of them is; Codex writes a folder with a \
                     trace.jsonl for each session below CODEX_ROLLOUT_TRACE_ROOT; for every harness `cwl proxy \
                     --capture` writes one",
                )
            });
        }
        let beside = log.parent().into_iter().flat_map(|folder| FOLDERS.map(|name| folder.join(name)));
        let folders = beside.chain(default_capture_dir()).filter_map(|path| Self::open_folder(path).ok());
        // Any tool may name a file `index.jsonl`; an index of bodies has at least one file name in it.
        Ok(folders.filter(|folder| (0..folder.len()).any(|at| !folder.file_name(at).is_empty())).collect())
    }

    fn open_folder(path: PathBuf) -> std::io::Result<Self> {
        let (requests, problems) = match read_file(&path.join(TRACE)) {
            Ok(events) => {
                let (calls, problems) = read_trace(&events);
                (CapturedRequests::Codex(calls), problems)
            }
            Err(_) => match read_file(&path.join(CAPTURED)) {
                Ok(index) => {
                    let (requests, problems) = read_proxied_requests(&index);
                    (CapturedRequests::Proxy(requests), problems)
                }
                Err(_) => {
                    let (exchanges, problems) = read_exchanges(&read_file(&path.join(INDEX))?);
                    (CapturedRequests::ClaudeCode(exchanges), problems)
                }
            },
        };
        Ok(Self { path, requests, n_problems: problems.len() })
    }

    /// Tells whether this is the folder of this program, which has the requests of all sessions.
    pub(crate) fn is_own(&self) -> bool {
        default_capture_dir().is_ok_and(|own| own == self.path)
    }

    pub(crate) fn len(&self) -> usize {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => exchanges.len(),
            CapturedRequests::Codex(calls) => calls.len(),
            CapturedRequests::Proxy(requests) => requests.len(),
        }
    }

    pub(crate) fn session_id(&self, at: usize) -> &str {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => &exchanges[at].session,
            CapturedRequests::Codex(calls) => &calls[at].thread,
            CapturedRequests::Proxy(requests) => &requests[at].session,
        }
    }

    pub(crate) fn file_name(&self, at: usize) -> &str {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => &exchanges[at].request,
            CapturedRequests::Codex(calls) => &calls[at].request,
            CapturedRequests::Proxy(requests) => &requests[at].request,
        }
    }

    /// `None` if the reply's file cannot be read.
    pub(crate) fn reply_mark(&self, at: usize) -> Option<ReplyMark> {
        Some(match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => ReplyMark::Message(exchanges[at].message.clone()),
            CapturedRequests::Codex(calls) => ReplyMark::Calls(
                traced::payload_items(&|path| self.read_payload(path), &calls[at].output)?.calls,
            ),
            CapturedRequests::Proxy(requests) => {
                let ProxiedRequest { reply, calls, usage, at_ms, .. } = requests[at].clone();
                ReplyMark::Seen { message: reply, calls, usage, at_ms }
            }
        })
    }

    /// `None` if a file that the body needs is gone.
    pub(crate) fn read_body(&self, at: usize) -> Option<Vec<u8>> {
        match &self.requests {
            CapturedRequests::ClaudeCode(exchanges) => self.read_payload(&exchanges[at].request),
            CapturedRequests::Codex(calls) => {
                traced::request_body(&|path| self.read_payload(path), calls, at)
            }
            CapturedRequests::Proxy(requests) => self.read_payload(&requests[at].request),
        }
    }

    pub(crate) fn body_format(&self, at: usize) -> Format {
        match &self.requests {
            CapturedRequests::ClaudeCode(_) => Format::Anthropic,
            CapturedRequests::Codex(_) => Format::OpenaiResponses,
            CapturedRequests::Proxy(requests) => requests[at].format,
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
