//! The control socket: answers the window and `cwl live status`, for this user alone.

#[cfg(unix)]
mod unix {
    use std::io::{self, BufRead, BufReader, Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::JoinHandle;
    use std::time::Duration;

    use cwl_host::api::{LiveAnswer, LiveQuestion, LiveRefusal};
    use cwl_host::{CONTROL_LINE, ask_live, control_socket, live_folder};

    use crate::SteerableSession;

    /// Longest silence of a client; the next one waits.
    const PATIENCE: Duration = Duration::from_secs(1);

    #[derive(Debug)]
    pub struct ControlSocket {
        path: PathBuf,
        is_ended: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    }

    impl ControlSocket {
        /// Begins to listen. The caller holds the session's lock, so a socket that is there belongs to no process.
        ///
        /// # Errors
        /// If the socket cannot be made or closed to other users.
        pub fn listen(
            data_dir: &Path,
            session: &str,
            steered: Arc<Mutex<dyn SteerableSession>>,
        ) -> io::Result<Self> {
            let set_mode =
                |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
            // First, so no other user can connect before the socket itself is closed to them.
            set_mode(&live_folder(data_dir), 0o700)?;
            let path = control_socket(data_dir, session);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = UnixListener::bind(&path)?;
            let mut socket = Self { path, is_ended: Arc::default(), thread: None };
            set_mode(&socket.path, 0o600)?;
            let is_ended = Arc::clone(&socket.is_ended);
            let answer = move || answer_clients(&listener, &*steered, &is_ended);
            socket.thread = Some(std::thread::Builder::new().name("control".into()).spawn(answer)?);
            Ok(socket)
        }
    }

    impl Drop for ControlSocket {
        fn drop(&mut self) {
            self.is_ended.store(true, Ordering::Release);
            if let Some(thread) = self.thread.take() {
                // Any question wakes the thread, which then ends.
                drop(ask_live(&self.path, &LiveQuestion::Status { events: 0 }));
                drop(thread.join());
            }
            drop(std::fs::remove_file(&self.path));
        }
    }

    fn answer_clients(listener: &UnixListener, steered: &Mutex<dyn SteerableSession>, is_ended: &AtomicBool) {
        for stream in listener.incoming() {
            if is_ended.load(Ordering::Acquire) {
                return;
            }
            // A client that goes away or is silent has no effect.
            match stream {
                Ok(stream) => drop(answer_client(stream, steered)),
                // No more files can be opened: the next attempt may work.
                Err(_) => std::thread::sleep(PATIENCE),
            }
        }
    }

    fn answer_client(stream: UnixStream, steered: &Mutex<dyn SteerableSession>) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut line = String::new();
        BufReader::new((&stream).take(CONTROL_LINE)).read_line(&mut line)?;
        let answer = match serde_json::from_str(&line) {
            Ok(question) => answer_question(question, steered),
            Err(error) => LiveAnswer::Refused(LiveRefusal {
                reason: format!("the question is not understood ({error})"),
                smallest_budget: None,
            }),
        };
        let answer = serde_json::to_string(&answer)?;
        (&stream).write_all(format!("{answer}\n").as_bytes())
    }

    fn answer_question(question: LiveQuestion, steered: &Mutex<dyn SteerableSession>) -> LiveAnswer {
        let mut steered = steered.lock().unwrap_or_else(PoisonError::into_inner);
        match question {
            LiveQuestion::Status { events } => LiveAnswer::Status(Box::new(steered.status(events))),
            LiveQuestion::Preview(change) => LiveAnswer::Preview(steered.preview(change)),
            LiveQuestion::Set(change) => match steered.set_by_owner(change) {
                Ok(()) => LiveAnswer::Status(Box::new(steered.status(1))),
                Err(refusal) => LiveAnswer::Refused(refusal.into()),
            },
        }
    }
}

#[cfg(unix)]
pub use unix::ControlSocket;

#[cfg(not(unix))]
/// Never made: this system has no Unix domain sockets.
#[derive(Debug)]
pub enum ControlSocket {}

#[cfg(not(unix))]
impl ControlSocket {
    /// # Errors
    /// Always.
    pub fn listen(
        _: &std::path::Path,
        _: &str,
        _: std::sync::Arc<std::sync::Mutex<dyn crate::SteerableSession>>,
    ) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
