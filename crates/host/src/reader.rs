//! The command of a reader who marks a session: a prompt goes to its standard input, its standard output is the answer.
//!
//! The command comes from the arguments of `cwl annotate --reader`, or from the user's `settings.toml` in the window. No
//! shell reads it; its working directory is new and empty.

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{ApiError, ErrorCode};

/// Longest answer; what comes after it is dropped, and the answer then holds no whole JSON.
const MOST_ANSWER: usize = 8 << 20;
/// Longest part of standard error that is shown, in bytes.
const MOST_SAID: usize = 2000;
const EVERY: Duration = Duration::from_millis(20);
/// How long the rest of the output may take once the command itself has ended.
const AFTER_END: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderCommand {
    program: String,
    arguments: Vec<String>,
    text: String,
}

/// The user's settings, which name the reader of a window.
pub trait ReaderSettings: fmt::Debug + Send + Sync {
    /// The file, also if it does not exist; `None` for a user without a home.
    fn settings_file(&self) -> Option<PathBuf>;

    /// Reads the file. `None` if it names no reader, which is the default.
    ///
    /// # Errors
    /// If the file is unreadable or invalid.
    fn find_reader(&self) -> Result<Option<ReaderCommand>, ApiError>;
}

#[derive(Debug)]
pub enum NoAnswer {
    TooLong,
    Stopped,
    /// The reader failed; the end of its output.
    Failed(String),
}

pub type ReaderAnswer = Result<String, NoAnswer>;

impl ReaderCommand {
    /// Splits a command into words as a POSIX shell does, with quotes and backslashes but without variables, patterns
    /// and pipes.
    ///
    /// # Errors
    /// If a quote is open, or there is no word.
    pub fn parse_words(text: &str) -> Result<Self, ApiError> {
        let wrong = |why: &str| {
            ApiError::new(ErrorCode::BadRequest, format!("the reader `{text}` is no command: {why}"))
        };
        let words = shlex::split(text).ok_or_else(|| wrong("a quote or a backslash has no end"))?;
        let command = Self::from_words(words).ok_or_else(|| wrong("it is empty"))?;
        Ok(Self { text: text.to_owned(), ..command })
    }

    /// Takes words that are split already. `None` if they name no program.
    pub fn from_words(words: Vec<String>) -> Option<Self> {
        let text = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty())?;
        Some(Self { program, arguments: words.collect(), text })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program's name without folder and ending, under which its marks are saved.
    pub fn name(&self) -> String {
        let stem = Path::new(&self.program).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        stem.unwrap_or_else(|| self.program.clone())
    }

    /// Runs the command on a prompt and returns what it writes. The command ends early once `stopped` is set.
    ///
    /// # Errors
    /// [`ApiError`] if the command does not start, [`NoAnswer`] if there is no answer within `limit`.
    pub fn answer_prompt(
        &self,
        prompt: &str,
        limit: Duration,
        stopped: &AtomicBool,
    ) -> Result<ReaderAnswer, ApiError> {
        let folder = tempfile::Builder::new().prefix("cwl-reader-").tempdir().map_err(|error| {
            let message = format!("no empty folder for the reader can be made ({error})");
            ApiError::new(ErrorCode::Unreadable, message)
                .with_hint("make room in the folder for temporary files")
        })?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that everything that the command starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|error| {
            let message = format!("the reader {} does not start ({error})", self.program);
            ApiError::new(ErrorCode::Missing, message).with_hint("name a program on PATH, or its full path")
        })?;
        Ok(ReaderProcess::begin(child, prompt).wait_for_answer(Instant::now() + limit, stopped))
    }
}

struct PipeReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: thread::JoinHandle<()>,
}

impl PipeReader {
    fn follow(mut pipe: impl Read + Send + 'static, most: usize, keeps_end: bool) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&bytes);
        let thread = thread::spawn(move || {
            let mut part = [0; 16 << 10];
            while let Ok(n) = pipe.read(&mut part) {
                if n == 0 {
                    return;
                }
                let mut all = to.lock().unwrap_or_else(PoisonError::into_inner);
                all.extend_from_slice(&part[..n]);
                let n_over = all.len().saturating_sub(most);
                if keeps_end {
                    all.drain(..n_over);
                } else {
                    all.truncate(most);
                }
            }
        });
        Self { bytes, thread }
    }

    fn take_text(&self) -> String {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

struct ReaderProcess {
    child: Child,
    output: Option<PipeReader>,
    said: Option<PipeReader>,
}

impl ReaderProcess {
    fn begin(mut child: Child, prompt: &str) -> Self {
        let output = child.stdout.take().map(|pipe| PipeReader::follow(pipe, MOST_ANSWER, false));
        let said = child.stderr.take().map(|pipe| PipeReader::follow(pipe, MOST_SAID, true));
        if let Some(mut input) = child.stdin.take() {
            let prompt = prompt.as_bytes().to_vec();
            // A command that answers without reading to the end is as good as another.
            thread::spawn(move || input.write_all(&prompt).ok());
        }
        Self { child, output, said }
    }

    fn wait_for_answer(mut self, deadline: Instant, stopped: &AtomicBool) -> Result<String, NoAnswer> {
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => {
                    self.end_group();
                    return Err(NoAnswer::Failed(error.to_string()));
                }
            }
            if stopped.load(Ordering::Relaxed) {
                self.end_group();
                return Err(NoAnswer::Stopped);
            }
            if Instant::now() > deadline {
                self.end_group();
                return Err(NoAnswer::TooLong);
            }
            thread::sleep(EVERY);
        };
        let until = Instant::now() + AFTER_END;
        let pipes = [&self.output, &self.said];
        while pipes.iter().any(|pipe| pipe.as_ref().is_some_and(|pipe| !pipe.thread.is_finished())) {
            if Instant::now() > until {
                break;
            }
            thread::sleep(EVERY);
        }
        // Programs that the command left running have no more to say.
        self.end_group();
        let take = |pipe: &Option<PipeReader>| pipe.as_ref().map(PipeReader::take_text).unwrap_or_default();
        let (answer, said) = (take(&self.output), take(&self.said));
        if status.success() {
            Ok(answer)
        } else {
            Err(NoAnswer::Failed(describe_failure(status, &said, &answer)))
        }
    }

    fn end_group(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // The group may be gone already.
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn describe_failure(status: ExitStatus, said: &str, answer: &str) -> String {
    let words = if said.trim().is_empty() { answer } else { said };
    let n_chars = words.trim().chars().count();
    let end: String = words.trim().chars().skip(n_chars.saturating_sub(MOST_SAID / 4)).collect();
    if end.is_empty() { status.to_string() } else { format!("{status}: {end}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_into_words_by_no_shell() {
        let check = |text: &str, words: &[&str]| {
            let command =
                ReaderCommand::parse_words(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!([vec![command.program], command.arguments].concat(), words, "{text}");
        };
        check("claude -p", &["claude", "-p"]);
        check("  codex exec   - ", &["codex", "exec", "-"]);
        check("llm -m 'a model' \"b c\" d\\ e", &["llm", "-m", "a model", "b c", "d e"]);
        check("x $HOME * | y > z; w", &["x", "$HOME", "*", "|", "y", ">", "z;", "w"]);
        for text in ["", "  ", "''", "x 'y", "x \\"] {
            assert!(ReaderCommand::parse_words(text).is_err(), "{text}");
        }
        let name = |text: &str| ReaderCommand::parse_words(text).map(|command| command.name()).ok();
        assert_eq!(name("/opt/bin/claude.exe -p").as_deref(), Some("claude"));
    }
}
