//! The editor that opens a log at a line: named in the user's `settings.toml`, and nowhere else.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use cwl_host::{ApiError, ErrorCode};

use crate::settings::Settings;

const FILE: &str = "{file}";
const LINE: &str = "{line}";

/// Log extensions without text lines: compressed files and databases.
const WITHOUT_LINES: &[&str] = &["gz", "zst", "db", "sqlite"];

/// A program and its arguments, with `{file}` and `{line}` as placeholders.
///
/// The page sends a session and a line, never a program: only the user's own file decides what runs. No shell
/// interprets the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Editor {
    program: String,
    arguments: Vec<String>,
}

impl Editor {
    /// Reads the editor from the user's `settings.toml`. `None` if it names none, which is the default.
    ///
    /// # Errors
    /// If the file is unreadable or invalid.
    pub(crate) fn of_user() -> Result<Option<Self>, ApiError> {
        Settings::find_file().map_or(Ok(None), |file| Self::of_file(&file))
    }

    fn of_file(file: &Path) -> Result<Option<Self>, ApiError> {
        let wrong = |why: String| {
            ApiError::new(
                ErrorCode::BadRequest,
                format!("the editor in settings.toml is not understood ({why})"),
            )
            .with_hint(format!("write for example editor = [\"code\", \"--goto\", \"{FILE}:{LINE}\"]"))
            .with_path(file)
        };
        let words = Settings::read_file(file)?.editor;
        words.map_or(Ok(None), |words| Self::from_words(&words).map(Some).map_err(wrong))
    }

    fn from_words(words: &[String]) -> Result<Self, String> {
        let Some((program, arguments)) = words.split_first().filter(|(program, _)| !program.is_empty())
        else {
            return Err("it names no program".into());
        };
        if program.contains(FILE) || program.contains(LINE) {
            return Err("the program is the first word, and a place stands in those after it".into());
        }
        if !arguments.iter().any(|argument| argument.contains(FILE)) {
            return Err(format!("no word has {FILE}"));
        }
        Ok(Self { program: program.clone(), arguments: arguments.to_vec() })
    }

    /// Arguments for a place. The file name is used literally, whatever characters it has.
    fn arguments_for_place(&self, file: &Path, line: u64) -> Vec<OsString> {
        let line = line.to_string();
        let filled = |argument: &String| {
            let mut whole = OsString::new();
            for (nth, part) in argument.split(FILE).enumerate() {
                if nth > 0 {
                    whole.push(file);
                }
                whole.push(part.replace(LINE, &line));
            }
            whole
        };
        self.arguments.iter().map(filled).collect()
    }

    /// Starts the editor at a line in a log, counted from 1, without waiting for it.
    ///
    /// # Errors
    /// If the log has no text lines, or the program does not start.
    pub(crate) fn open_at_line(&self, log: &Path, line: u64) -> Result<(), ApiError> {
        let ending = log.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if WITHOUT_LINES.contains(&ending) || !log.is_file() {
            return Err(ApiError::new(ErrorCode::NotAFile, "an editor finds no lines in this log")
                .with_hint("show the block's raw record instead")
                .with_path(log));
        }
        let mut command = Command::new(&self.program);
        command.args(self.arguments_for_place(log, line));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.map_err(|error| {
            ApiError::new(ErrorCode::Missing, format!("the editor {} does not start ({error})", self.program))
                .with_hint("check the line editor in settings.toml")
        })?;
        // Reaps the editor's process when it ends.
        std::thread::spawn(move || drop(child.wait()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_editor_is_a_program_and_words() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.toml");
        let check = |text: &str, expected: Result<Option<&[&str]>, &str>| {
            std::fs::write(&file, text).unwrap();
            let found = Editor::of_file(&file)
                .map(|editor| editor.map(|editor| [vec![editor.program], editor.arguments].concat()));
            match expected {
                Ok(expected) => {
                    let expected = expected.map(|words| words.iter().map(ToString::to_string).collect());
                    assert_eq!(found, Ok(expected), "{text}");
                }
                Err(part) => assert!(found.clone().unwrap_err().message.contains(part), "{text}: {found:?}"),
            }
        };
        check("", Ok(None));
        check("reader = ['claude', '-p']", Ok(None));
        check("other = 1", Err("(line 1: unknown field `other`"));
        check("editor = ['vi', '+{line}', '{file}']", Ok(Some(&["vi", "+{line}", "{file}"])));
        check("editor = []", Err("no program"));
        check("editor = ['', '{file}']", Err("no program"));
        check("editor = ['vi']", Err("no word has {file}"));
        check("editor = ['{file}', '{file}']", Err("first word"));
        check("editor = 'vi {file}'", Err("expected"));
        check("editor = [", Err(""));
    }

    #[test]
    fn the_settings_of_every_release_are_understood() {
        let releases = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/host/tests/releases");
        for release in std::fs::read_dir(releases).unwrap() {
            let file = release.unwrap().path().join("config/settings.toml");
            let editor = Editor::of_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert!(editor.is_some(), "{} names an editor", file.display());
        }
    }

    #[test]
    fn places_stand_where_they_are_asked_for_and_are_read_by_no_shell() {
        let check = |words: &[&str], file: &str, expected: &[&str]| {
            let editor =
                Editor { program: "x".into(), arguments: words.iter().map(ToString::to_string).collect() };
            assert_eq!(editor.arguments_for_place(Path::new(file), 12), expected);
        };
        check(&["--goto", "{file}:{line}"], "/a b/c.jsonl", &["--goto", "/a b/c.jsonl:12"]);
        check(&["+{line}", "--", "{file}"], "/$(x)`y`;z", &["+12", "--", "/$(x)`y`;z"]);
        check(&["{file}"], "/{line}/{file}", &["/{line}/{file}"]);
        check(&["{line}{file}{line}"], "/a", &["12/a12"]);
    }

    #[test]
    fn packed_logs_and_missing_ones_have_no_lines() {
        let editor = Editor { program: "never-started".into(), arguments: vec![FILE.into()] };
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.jsonl.gz", "opencode.db", "missing.jsonl"] {
            let log = dir.path().join(name);
            if name != "missing.jsonl" {
                std::fs::write(&log, "x").unwrap();
            }
            assert_eq!(editor.open_at_line(&log, 1).unwrap_err().code, ErrorCode::NotAFile, "{name}");
        }
        let log = dir.path().join("a.jsonl");
        std::fs::write(&log, "x").unwrap();
        assert_eq!(editor.open_at_line(&log, 1).unwrap_err().code, ErrorCode::Missing);
    }
}
