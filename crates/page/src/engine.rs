//! One session in memory, and the commands about it.

use std::sync::Arc;

use cwl_inspect::api::{InSession, SweepRequest};
use cwl_inspect::commands::{frontier, sweep};
use cwl_inspect::load::bundle::SessionBundle;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::router::{CommandAnswer, dispatch_snapshot, json, read_args};
use cwl_inspect::{ApiError, ErrorCode, commands};

/// The session of the page, and a log that is being read. A log that cannot be read leaves the session as it was.
#[derive(Default)]
pub struct PageEngine {
    #[cfg(feature = "logs")]
    pub(crate) reading: Option<crate::logs::LogInProgress>,
    opened: Option<Arc<SessionSnapshot>>,
    n_opened: u32,
}

impl PageEngine {
    /// Opens the session of an exported page, which takes the place of the one before it, and answers as the command
    /// `session` does.
    ///
    /// # Errors
    /// If the bytes are no session that this engine reads.
    pub fn open_bundle(&mut self, bytes: &[u8]) -> Result<CommandAnswer, ApiError> {
        self.take_snapshot(SessionBundle::read_json(bytes)?.open()?)
    }

    pub(crate) fn take_snapshot(&mut self, mut opened: SessionSnapshot) -> Result<CommandAnswer, ApiError> {
        self.n_opened += 1;
        // A late answer about the session before is never taken for one about this session.
        opened.about.session = self.n_opened;
        let opened = self.opened.insert(Arc::new(opened));
        json(commands::session(opened)?)
    }

    /// Answers a command by name with JSON arguments, as a host does.
    ///
    /// # Errors
    /// If the command fails, needs more than the log, or does not accept the arguments.
    pub fn call_command(&self, name: &str, args: &[u8]) -> Result<CommandAnswer, ApiError> {
        let args: serde_json::Value = serde_json::from_slice(args)
            .map_err(|error| ApiError::new(ErrorCode::BadRequest, format!("no JSON ({error})")))?;
        match name {
            "sweep" => {
                let InSession::<SweepRequest> { session, request } = read_args(name, args)?;
                json(sweep(&*self.find_session(session)?, &request)?)
            }
            "frontier" => json(frontier(&read_args(name, args)?)),
            _ => match dispatch_snapshot(name, args, |session| self.find_session(session)) {
                Some(answer) => Ok(answer?.encode_whole()),
                None => {
                    Err(ApiError::new(ErrorCode::BadRequest, "this page answers only what its session tells")
                        .with_hint(format!("`{name}` needs the program: open the log with `cwl serve`")))
                }
            },
        }
    }

    fn find_session(&self, session: u32) -> Result<Arc<SessionSnapshot>, ApiError> {
        self.opened.clone().filter(|opened| opened.session() == session).ok_or_else(|| {
            ApiError::new(ErrorCode::UnknownSession, format!("no session {session}"))
                .with_hint("open it in the page again")
        })
    }
}

#[cfg(all(test, feature = "logs"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use cwl_inspect::load::load_log;
    use cwl_inspect::tables::tools::Tools;

    use super::*;

    const SAMPLE: &[u8] = include_bytes!("../../../samples/pi/quickstart/input.jsonl");

    #[test]
    fn the_session_of_an_exported_page_answers_as_its_log() {
        let opened = load_log(SAMPLE, None, "a.jsonl".as_ref(), &Tools::builtin_tables()).unwrap();
        let bundle = SessionBundle::make_bundle(&opened, &["auto"], |_| Ok(None)).unwrap();
        let mut dropped = PageEngine::default();
        dropped.begin_log("a.jsonl");
        dropped.feed_bytes(SAMPLE).unwrap();
        let mut exported = PageEngine::default();
        let session = exported.open_bundle(&serde_json::to_vec(&bundle).unwrap()).unwrap();
        assert_eq!(session, dropped.finish_log().unwrap());
        for (name, args) in [
            ("overview", r#"{"session":1,"view":{"policy":"cwl","budget":"9000"}}"#),
            ("trace", r#"{"session":1,"view":{"policy":"summary","budget":"6000"}}"#),
            ("sweep", r#"{"session":1,"view":{"policy":"cwl+","budget":"6000"},"budgets":["6000","9000"]}"#),
        ] {
            let answer = exported.call_command(name, args.as_bytes()).unwrap();
            assert_eq!(answer, dropped.call_command(name, args.as_bytes()).unwrap(), "{name}");
        }
        let refused = exported.open_bundle(b"{}").unwrap_err();
        assert_eq!(refused.code, ErrorCode::BadRequest);
        assert!(exported.call_command("session", br#"{"session":1}"#).is_ok(), "the session stays");
    }
}
