//! The control socket of `cwl live`: a Unix domain socket beside the session's lock file, for this user alone.
//!
//! A connection is one question and its answer, a line of JSON each.

use std::path::{Path, PathBuf};

use crate::api::{LiveAnswer, LiveProcessRow, LiveQuestion, LiveRefusal};
use crate::{ApiError, ErrorCode};

/// Longest line on a socket, in bytes.
pub const CONTROL_LINE: u64 = 1 << 20;

pub fn live_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("live")
}

/// Returns the socket of the process that decides for `session`, whether one runs or not.
pub fn control_socket(data_dir: &Path, session: &str) -> PathBuf {
    live_folder(data_dir).join(live_name(session) + ".sock")
}

/// Returns the name of a session's files in [`live_folder`]: short, as the path of a socket has at most 103 bytes.
pub fn live_name(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex()[..16].to_owned()
}

/// Returns a name for a session whose requests carry no id, from a text of its human. Texts that begin with `<` are a
/// harness's own and give none.
pub fn session_of_prompt(text: &str) -> Option<String> {
    let text = text.trim();
    let is_prompt = !text.is_empty() && !text.starts_with('<');
    is_prompt.then(|| format!("prompt-{}", &blake3::hash(text.as_bytes()).to_hex()[..16]))
}

/// Asks the process behind a socket. `None` if no process listens.
///
/// # Errors
/// If the process does not answer, or the system has no such sockets.
pub fn ask_live(socket: &Path, question: &LiveQuestion) -> Result<Option<LiveAnswer>, ApiError> {
    let Some(line) = exchange_lines(socket, question)? else { return Ok(None) };
    serde_json::from_str(&line).map(Some).map_err(|error| {
        let message = format!("the live process answers as another version does ({error})");
        ApiError::new(ErrorCode::Refused, message).with_hint("start the agent again with this version of cwl")
    })
}

/// Lists the status of every running process, with up to `events` events each, by session.
///
/// # Errors
/// If the system has no such sockets, or the folder cannot be read.
pub fn list_live(data_dir: &Path, events: usize) -> Result<Vec<LiveProcessRow>, ApiError> {
    check_sockets()?;
    let folder = live_folder(data_dir);
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| crate::error::unreadable_file(&folder, &error))?,
    };
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let mut found = Vec::new();
    for socket in entries.flatten().map(|entry| entry.path()).filter(is_socket) {
        match ask_live(&socket, &LiveQuestion::Status { events }) {
            Ok(Some(LiveAnswer::Status(process))) => found.push(*process),
            Ok(_) => {}
            // One process that hangs hides no other.
            Err(error) => tracing::warn!(%error, socket = %socket.display(), "a live process is not listed"),
        }
    }
    found.sort_by(|one, other| one.session.cmp(&other.session));
    Ok(found)
}

pub(crate) fn refusal_error(refusal: LiveRefusal) -> ApiError {
    ApiError::new(ErrorCode::Refused, refusal.reason)
}

/// Fails on a system without Unix domain sockets.
///
/// # Errors
/// There.
pub fn check_sockets() -> Result<(), ApiError> {
    if cfg!(unix) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::Refused, "a live process has a control socket only on Unix")
        .with_hint("steer it from the harness, as with /cwl in pi"))
}

#[cfg(unix)]
fn exchange_lines(socket: &Path, question: &LiveQuestion) -> Result<Option<String>, ApiError> {
    use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    /// A decision about a long session takes milliseconds.
    const PATIENCE: Duration = Duration::from_secs(5);

    let ask = || -> std::io::Result<String> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(format!("{}\n", serde_json::to_string(question)?).as_bytes())?;
        let mut line = String::new();
        BufReader::new(stream).take(CONTROL_LINE).read_line(&mut line)?;
        Ok(line)
    };
    match ask() {
        Ok(line) if line.ends_with('\n') => Ok(Some(line)),
        // The process ended before it answered.
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            // No process, one that was killed and left its socket, or a path that is too long for any.
            ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::InvalidInput => Ok(None),
            ErrorKind::PermissionDenied => {
                Err(ApiError::new(ErrorCode::NoAccess, "the live process belongs to another user")
                    .with_path(socket))
            }
            _ => Err(ApiError::new(ErrorCode::Busy, format!("the live process does not answer ({error})"))
                .with_hint("ask again in a moment")
                .with_path(socket)),
        },
    }
}

#[cfg(not(unix))]
fn exchange_lines(_: &Path, _: &LiveQuestion) -> Result<Option<String>, ApiError> {
    check_sockets().map(|()| None)
}
