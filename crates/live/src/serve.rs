//! Main loop: one answer line per input line.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cwl_host::{Tools, check_mark};
use serde::Deserialize;

use crate::control::ControlSocket;
use crate::protocol::{Answer, ClientKind, DecideRequest, HelloRequest, MarkRequest, PROTOCOL, SetRequest};
use crate::{SessionLock, SteerableSession, SteeredSession};

/// Limit on a line, in bytes: a list of messages with its images.
const MAX_LINE: u64 = 256 << 20;

pub struct LiveServer {
    data_dir: PathBuf,
    tools: Tools,
    session: Option<GreetedSession>,
}

struct GreetedSession {
    steered: Arc<Mutex<SteeredSession>>,
    /// `None` if the system has no such sockets, or the folder takes none. Dropped before the lock.
    _control: Option<ControlSocket>,
    _lock: SessionLock,
}

#[derive(Deserialize)]
struct LineHead {
    r#type: ClientKind,
}

impl LiveServer {
    pub fn new(data_dir: PathBuf, tools: Tools) -> Self {
        Self { data_dir, tools, session: None }
    }

    /// Answers one line; every failure becomes [`Answer::Refused`].
    pub fn answer_line(&mut self, line: &str) -> Answer {
        self.try_line(line).unwrap_or_else(|reason| {
            if let Ok(mut steered) = self.session() {
                steered.note_refusal(&reason);
            }
            Answer::Refused { reason }
        })
    }

    fn try_line(&mut self, line: &str) -> Result<Answer, String> {
        let head: LineHead =
            serde_json::from_str(line).map_err(|error| format!("the line is not understood ({error})"))?;
        match head.r#type {
            ClientKind::Hello => self.greet(line),
            ClientKind::Mark => {
                let MarkRequest { arguments } = parse_line(line)?;
                let (ok, text) = match check_mark(&arguments) {
                    Ok(text) => (true, text),
                    Err(text) => (false, text),
                };
                Ok(Answer::Marked { text, ok })
            }
            ClientKind::Set => {
                let request: SetRequest = parse_line(line)?;
                let mut session = self.session()?;
                session.set_by_client(request).map_err(|failure| failure.reason)?;
                Ok(Answer::Ready(session.ready()))
            }
            ClientKind::Decide => {
                let request: DecideRequest<'_> = parse_line(line)?;
                Ok(self.session()?.decide(&request))
            }
        }
    }

    fn greet(&mut self, line: &str) -> Result<Answer, String> {
        #[derive(Deserialize)]
        struct Version {
            protocol: u32,
        }
        let Version { protocol } = parse_line(line)?;
        if protocol != PROTOCOL {
            let newer = if protocol < PROTOCOL { "the extension" } else { "cwl" };
            return Err(format!(
                "the extension speaks protocol {protocol} and this cwl ({}) protocol {PROTOCOL}; update {newer}",
                env!("CARGO_PKG_VERSION")
            ));
        }
        if self.session.is_some() {
            return Err("said hello before; one process is for one session".to_owned());
        }
        let hello: HelloRequest = parse_line(line)?;
        let session = hello.session.clone();
        let steered = SteeredSession::begin(hello, &self.tools).map_err(|failure| failure.reason)?;
        let lock = SessionLock::take_lock(&self.data_dir, &session).map_err(|error| error.to_string())?;
        let ready = steered.ready();
        let steered = Arc::new(Mutex::new(steered));
        // Without a socket the session goes on, and the harness alone steers it.
        let steerable: Arc<Mutex<dyn SteerableSession>> = Arc::<Mutex<SteeredSession>>::clone(&steered);
        let control = ControlSocket::listen(&self.data_dir, &session, steerable).ok();
        self.session = Some(GreetedSession { steered, _control: control, _lock: lock });
        Ok(Answer::Ready(ready))
    }

    fn session(&self) -> Result<MutexGuard<'_, SteeredSession>, String> {
        let greeted = self.session.as_ref().ok_or_else(|| "the first line is a hello".to_owned())?;
        Ok(greeted.steered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn parse_line<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| format!("the line is not understood ({error})"))
}

/// Answers lines until the input ends.
///
/// # Errors
/// Fails if input or output fail, or a line is longer than 256 MiB.
pub fn serve_lines(
    server: &mut LiveServer,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            return Err(io::Error::other("a line is longer than 256 MiB"));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match str::from_utf8(&line) {
            Ok(text) => server.answer_line(text),
            Err(_) => Answer::Refused { reason: "the line is no UTF-8".to_owned() },
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}
