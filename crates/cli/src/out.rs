//! Output: data through one writer on standard output, messages on standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cwl_host::{ApiError, reveal_hidden, with_commas, write_json};
use owo_colors::{OwoColorize, Stream, Style};

#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of standard output has gone away, as in `cwl … | head`.
    Closed,
    Said(String),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Said(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Said(format!("cannot write the output ({error})")),
        }
    }
}

pub(crate) struct Stdout {
    writer: BufWriter<StdoutLock<'static>>,
}

impl Stdout {
    pub(crate) fn lock_stdout() -> Self {
        Self { writer: BufWriter::with_capacity(64 << 10, io::stdout().lock()) }
    }

    /// Writes `line`. Text from a log must have passed [`clean_text`].
    pub(crate) fn write_line(&mut self, line: impl Display) -> Result<(), Failure> {
        writeln!(self.writer, "{line}")?;
        Ok(())
    }

    pub(crate) fn writer(&mut self) -> &mut impl Write {
        &mut self.writer
    }

    pub(crate) fn write_json(&mut self, value: &impl serde::Serialize) -> Result<(), Failure> {
        write_json(value, &mut self.writer)?;
        self.write_line("")
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.writer.flush()?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal that shows colours, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

static QUIET: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_up(color: ColorChoice, quiet: bool) {
    match color {
        ColorChoice::Auto => {}
        ColorChoice::Always => owo_colors::set_override(true),
        ColorChoice::Never => owo_colors::set_override(false),
    }
    QUIET.store(quiet, Ordering::Relaxed);
}

pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes `message` to standard error, unless the user wants quiet. A closed standard error is ignored.
pub(crate) fn warn_user(message: &str) {
    if !is_quiet() {
        report_failure(message);
    }
}

const SAID: usize = 20;

/// Writes up to [`SAID`] messages to standard error, then the number of others. `all` names their kind and
/// where to find all.
pub(crate) fn say_first(messages: impl IntoIterator<Item = String>, all: &str) {
    let mut messages = messages.into_iter();
    messages.by_ref().take(SAID).for_each(|message| warn_user(&message));
    let n_more = messages.count();
    if n_more > 0 {
        warn_user(&format!("and {} more{all}", with_commas(n_more as u64)));
    }
}

pub(crate) fn report_failure(message: &str) {
    let line = format!("cwl: {}\n", clean_text(message).replace('\n', " "));
    drop(io::stderr().lock().write_all(line.as_bytes()));
}

/// Truncates a list and returns how many rows it drops. `None` keeps all.
pub(crate) fn keep_first<T>(rows: &mut Vec<T>, limit: Option<usize>) {
    let n_all = rows.len();
    rows.truncate(limit.unwrap_or(n_all));
    let n_more = n_all - rows.len();
    if n_more > 0 {
        warn_user(&format!("and {} more", with_commas(n_more as u64)));
    }
}

/// Maximum number of warnings, unless `CWL_LOG` asks for more.
const WARNINGS: usize = 20;
static N_WARNINGS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn warning_writer() -> Box<dyn Write> {
    let n_before = N_WARNINGS.fetch_add(1, Ordering::Relaxed);
    if n_before < WARNINGS || std::env::var_os("CWL_LOG").is_some() {
        Box::new(io::stderr())
    } else {
        Box::new(io::sink())
    }
}

pub(crate) fn say_more_warnings() {
    let n_more = N_WARNINGS.load(Ordering::Relaxed).saturating_sub(WARNINGS);
    if n_more > 0 && std::env::var_os("CWL_LOG").is_none() {
        warn_user(&format!("and {} more warnings; CWL_LOG=warn writes all", with_commas(n_more as u64)));
    }
}

/// Colours a text if standard output is a terminal with colours.
pub(crate) fn paint_text(text: impl Display, style: Style) -> String {
    text.if_supports_color(Stream::Stdout, |text| text.style(style)).to_string()
}

pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Makes a log's text safe for a terminal: control and invisible characters become visible.
pub(crate) fn clean_text(text: &str) -> String {
    reveal_hidden(text)
        .chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            '\x7f' => '\u{2421}',
            '\u{80}'..='\u{9f}' => '\u{fffd}',
            c => c,
        })
        .collect()
}

pub(crate) fn one_line(text: &str, n_chars: usize) -> String {
    let mut words = String::new();
    let mut n_taken = 0;
    for word in text.split_whitespace() {
        if n_taken > n_chars {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().take(n_chars + 1 - n_taken.min(n_chars)));
        n_taken = words.chars().count();
    }
    let words = clean_text(&words);
    match words.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_text_cannot_steer_a_terminal() {
        assert_eq!(clean_text("a\u{1b}[31mb\r\nc\t\u{7f}\u{9b}\u{202e}"), "a␛[31mb␍\nc\t␡\u{fffd}[U+202E]");
    }

    #[test]
    fn one_line_is_short() {
        assert_eq!(one_line("  two\n words ", 20), "two words");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("ab cd ef", 5), "ab cd…");
        assert_eq!(one_line(&"x".repeat(1 << 20), 2), "xx…");
        assert_eq!(one_line("", 3), "");
    }
}
