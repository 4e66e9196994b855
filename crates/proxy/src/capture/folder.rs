//! The capture folder: one file per body, and one line per request in `captured.jsonl`.

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

const INDEX: &str = "captured.jsonl";
const BODIES: &str = "requests";
/// Version of the line format; raise it if a member is removed or changes its meaning.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct CapturedLine<'a> {
    version: u32,
    /// End of the answer, in UTC to the millisecond.
    at: String,
    /// Body format: `anthropic`, `openai-responses`, `openai-chat`, `gemini`.
    api: &'a str,
    session: Option<&'a str>,
    model: Option<&'a str>,
    /// File with the body as sent; `null` if it could not be kept.
    request_file: Option<String>,
    /// HTTP status; `null` without an answer.
    status: Option<u16>,
    reply_id: Option<&'a str>,
    calls: &'a [String],
    usage: &'a Map<String, Value>,
    /// As reported by the provider; `null` if the answer broke off.
    stop: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Eviction sizes; missing if the request was forwarded unchanged.
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
        // A single write keeps lines whole if several proxies share a folder.
        self.index.write_all(&line)
    }

    fn write_body(&mut self, at: Timestamp, body: &[u8]) -> io::Result<String> {
        self.n_written += 1;
        let name = format!("{BODIES}/{}-{}-{}.json", at.as_millisecond(), std::process::id(), self.n_written);
        private_file().create_new(true).write(true).open(self.path.join(&name))?.write_all(body)?;
        Ok(name)
    }
}

fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
