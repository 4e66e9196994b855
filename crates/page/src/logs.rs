//! The log that a person dropped, piece by piece.

use std::path::PathBuf;
use std::sync::Arc;

use cwl_inspect::access::NoHost;
use cwl_inspect::load::LogLoader;
use cwl_inspect::router::CommandAnswer;
use cwl_inspect::tables::tools::Tools;
use cwl_inspect::{ApiError, ErrorCode};

use crate::PageEngine;

/// The first bytes of an SQLite database, in which OpenCode keeps its sessions.
const DATABASE: &[u8] = b"SQLite format 3\0";
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

pub(crate) struct LogInProgress {
    name: PathBuf,
    loading: LogLoader,
    is_first: bool,
}

impl PageEngine {
    /// Begins to read a log; `name` stands for it in messages.
    pub fn begin_log(&mut self, name: &str) {
        self.reading =
            Some(LogInProgress { name: PathBuf::from(name), loading: LogLoader::new(None), is_first: true });
    }

    /// Reads the next bytes of the log. The first call needs a whole chunk or the whole log.
    ///
    /// # Errors
    /// If the bytes are no log that a page can read. The log is given up then.
    pub fn feed_bytes(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        let Some(reading) = &mut self.reading else { return Err(no_log()) };
        let refusal = if std::mem::take(&mut reading.is_first) { refuse_beginning(bytes) } else { None };
        let fed = match refusal {
            Some(refusal) => Err(refusal.with_path(&reading.name)),
            None => reading.loading.feed_bytes(bytes, &reading.name),
        };
        if fed.is_err() {
            self.reading = None;
        }
        fed
    }

    /// Ends the log, which takes the place of the one before it, and answers as the command `session` does.
    ///
    /// # Errors
    /// If the log is empty.
    pub fn finish_log(&mut self) -> Result<CommandAnswer, ApiError> {
        let LogInProgress { name, loading, .. } = self.reading.take().ok_or_else(no_log)?;
        let opened = loading.finish_log(&name, &Tools::builtin_tables(), Arc::new(NoHost))?;
        self.take_snapshot(opened)
    }
}

fn no_log() -> ApiError {
    ApiError::from_internal("no log is being read")
}

fn refuse_beginning(bytes: &[u8]) -> Option<ApiError> {
    let (message, hint) = if bytes.starts_with(DATABASE) {
        (
            "this is a database, and a page in a browser reads logs only",
            "drop what `opencode export` prints of a session, or open the database with `cwl serve`",
        )
    } else if bytes.starts_with(ZSTD) {
        (
            "the log is packed with zstd, which a page in a browser cannot unpack",
            "unpack it with `zstd -d` and drop the result, or open it with `cwl serve`; gzip is read",
        )
    } else {
        return None;
    };
    Some(ApiError::new(ErrorCode::Binary, message).with_hint(hint))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    const SAMPLE: &[u8] = include_bytes!("../../../samples/pi/quickstart/input.jsonl");

    fn open(page: &mut PageEngine, name: &str, bytes: &[u8]) -> Result<Value, ApiError> {
        page.begin_log(name);
        for piece in bytes.chunks(64 << 10) {
            page.feed_bytes(piece)?;
        }
        page.finish_log().map(read_answer)
    }

    fn read_answer(answer: CommandAnswer) -> Value {
        let CommandAnswer::Json(text) = answer else { panic!("no JSON") };
        serde_json::from_str(&text).unwrap()
    }

    fn call(page: &PageEngine, name: &str, args: &Value) -> Result<CommandAnswer, ApiError> {
        page.call_command(name, args.to_string().as_bytes())
    }

    #[test]
    fn a_dropped_log_answers_the_commands_about_it() {
        let mut page = PageEngine::default();
        let session = open(&mut page, "a.jsonl", SAMPLE).unwrap();
        assert_eq!((session["session"].as_u64(), session["path"].as_str()), (Some(1), Some("a.jsonl")));
        let view = json!({"policy": "cwl", "budget": "9000"});
        for (name, more) in [
            ("overview", json!({})),
            ("page", json!({"list": {"type": "context", "ghosts": true}, "offset": 0, "limit": 10})),
            ("compare", json!({"views": [view, {"policy": "none"}]})),
            ("sweep", json!({"budgets": ["9000"]})),
            ("session", json!({})),
        ] {
            let mut args = json!({"session": 1, "view": view, "cut": {}});
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert!(read_answer(call(&page, name, &args).unwrap()).is_object(), "{name}");
        }
        let frame = call(&page, "frame", &json!({"session": 1, "view": view, "cut": {}})).unwrap();
        assert!(matches!(frame, CommandAnswer::Bytes(_)));
    }

    #[test]
    fn a_log_that_cannot_be_read_leaves_the_other_one_open() {
        let mut page = PageEngine::default();
        open(&mut page, "a.jsonl", SAMPLE).unwrap();
        let check = |page: &mut PageEngine, bytes: &[u8], code: ErrorCode, what: &str| {
            let error = open(page, "b", bytes).unwrap_err();
            assert_eq!((error.code, error.path.as_deref()), (code, Some("b")), "{error:?}");
            assert!(error.message.contains(what), "{}", error.message);
            assert!(call(page, "session", &json!({"session": 1})).is_ok());
        };
        check(&mut page, b"SQLite format 3\0\x10\0", ErrorCode::Binary, "a database");
        check(&mut page, b"\x28\xb5\x2f\xfd\0\0", ErrorCode::Binary, "zstd");
        check(&mut page, b"", ErrorCode::Empty, "nothing in it");
        check(&mut page, b"no log\n", ErrorCode::UnknownFormat, "no known log");
        assert_eq!(open(&mut page, "c", SAMPLE).unwrap()["session"], 2);
        let gone = call(&page, "session", &json!({"session": 1})).unwrap_err();
        assert_eq!(gone.code, ErrorCode::UnknownSession, "its place was taken");
    }

    #[test]
    fn a_command_that_needs_a_host_is_refused_in_words() {
        let mut page = PageEngine::default();
        open(&mut page, "a.jsonl", SAMPLE).unwrap();
        for name in ["sessions", "notes", "export", "save_marks", "live_status", "nonsense"] {
            let refused = call(&page, name, &json!({"session": 1})).unwrap_err();
            assert_eq!(refused.message, "this page answers only what its session tells", "{name}");
        }
        assert_eq!(page.call_command("session", b"{").unwrap_err().code, ErrorCode::BadRequest);
    }
}
