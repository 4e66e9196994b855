//! The folder of captured requests: a file for each body, and `captured.jsonl`, a line for each request.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cwl_formats::{AnswerMarks, read_answer_marks, read_ask_names};
use jiff::{Timestamp, Unit};
use serde::Serialize;
use serde_json::{Map, Value};

use super::record::RequestRecord;
use super::unpack::unpack_body;
use crate::evict::EvictionFigures;

/// The file that says which request is of which session.
const INDEX: &str = "captured.jsonl";
/// The folder of the bodies in it.
const BODIES: &str = "requests";
/// The version of a line: a member that goes or means something else raises it.
const VERSION: u32 = 1;

/// A line of the index.
#[derive(Serialize)]
struct CapturedLine<'a> {
    version: u32,
    /// When the answer ended.
    at: String,
    /// The form of the body: `anthropic`, `openai-responses`, `openai-chat`, `gemini`.
    api: &'a str,
    session: Option<&'a str>,
    model: Option<&'a str>,
    /// The name of the file with the body as it was sent; `null` where it could not be kept.
    request_file: Option<String>,
    /// The status of the answer; `null` without one.
    status: Option<u16>,
    /// The provider's id of the answer.
    reply_id: Option<&'a str>,
    /// The ids of the calls of tools in the answer.
    calls: &'a [String],
    /// The tokens that the answer used, as the provider wrote them.
    usage: &'a Map<String, Value>,
    /// The reason why the answer ended, as the provider wrote it; `null` where it broke off.
    stop: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The figures of what was taken out of the request; missing where it went on as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    evicted: Option<EvictionFigures>,
}

pub(super) struct CaptureFolder {
    path: PathBuf,
    index: File,
    n_written: u64,
}

impl CaptureFolder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        make_private_folder(&path.join(BODIES))?;
        let index = private_file().create(true).append(true).open(path.join(INDEX))?;
        Ok(Self { path: path.to_owned(), index, n_written: 0 })
    }

    pub(super) fn write_record(&mut self, record: RequestRecord) -> io::Result<()> {
        let RequestRecord { format, path, request, status, answer, mut note, evicted } = record;
        let at = Timestamp::now();
        let unpacked = |body: &super::record::GatheredBody| {
            let bytes = body.bytes().ok_or_else(|| io::Error::other("it is too long"))?;
            unpack_body(bytes, body.encoding.as_deref())
        };
        let body = unpacked(&request);
        let request_file = match &body {
            Ok(body) => Some(self.write_body(at, body)?),
            Err(error) => {
                note = Some(format!("the body was not kept: {error}"));
                None
            }
        };
        let names = body.ok().and_then(|body| read_ask_names(&path, &body)).unwrap_or_default();
        let AnswerMarks { id, calls, usage, stop } =
            unpacked(&answer).map(|answer| read_answer_marks(format, &answer)).unwrap_or_default();
        let line = CapturedLine {
            version: VERSION,
            at: at.round(Unit::Millisecond).unwrap_or(at).to_string(),
            api: format.name(),
            session: names.session.as_deref(),
            model: names.model.as_deref(),
            request_file,
            status,
            reply_id: id.as_deref(),
            calls: &calls,
            usage: &usage,
            stop: stop.as_deref(),
            note,
            evicted,
        };
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        // One write: the lines of several proxies in one folder stand one after the other.
        self.index.write_all(&line)
    }

    /// Writes a body into a file of its own, and returns its name.
    fn write_body(&mut self, at: Timestamp, body: &[u8]) -> io::Result<String> {
        self.n_written += 1;
        let name = format!("{BODIES}/{}-{}-{}.json", at.as_millisecond(), std::process::id(), self.n_written);
        private_file().create_new(true).write(true).open(self.path.join(&name))?.write_all(body)?;
        Ok(name)
    }
}

/// Makes a folder, and those above it that are missing, for its owner alone.
fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns the way to open a file that only its owner may read.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
