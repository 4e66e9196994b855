//! The user's `settings.toml`, which names the programs that the window starts: an editor, and a reader.

use std::path::{Path, PathBuf};

use cwl_host::{config_dir, ApiError, ErrorCode, ReaderCommand, ReaderSettings};
use serde::Deserialize;

/// The whole file. Each program is a list of words, so that no shell reads them.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) editor: Option<Vec<String>>,
    reader: Option<Vec<String>>,
}

impl Settings {
    /// The file of this user; `None` without a home.
    pub(crate) fn find_file() -> Option<PathBuf> {
        config_dir().map(|dir| dir.join("settings.toml"))
    }

    /// Reads a file. A missing one names nothing.
    ///
    /// # Errors
    /// If the file is unreadable or invalid, with the line.
    pub(crate) fn read_file(file: &Path) -> Result<Self, ApiError> {
        let wrong = |why: String| {
            ApiError::new(ErrorCode::BadRequest, format!("settings.toml is not understood ({why})"))
                .with_hint("write for example editor = [\"code\", \"--goto\", \"{file}:{line}\"] or reader = [\"claude\", \"-p\"]")
                .with_path(file)
        };
        match std::fs::read_to_string(file) {
            Ok(text) => Self::parse(&text).map_err(wrong),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let place = error.span().and_then(|span| text.get(..span.start));
            let line = place.map(|before| format!("line {}: ", before.matches('\n').count() + 1));
            format!("{}{}", line.unwrap_or_default(), error.message())
        })
    }
}

#[derive(Debug)]
pub(crate) struct SettingsOfUser;

impl ReaderSettings for SettingsOfUser {
    fn settings_file(&self) -> Option<PathBuf> {
        Settings::find_file()
    }

    fn find_reader(&self) -> Result<Option<ReaderCommand>, ApiError> {
        self.settings_file().map_or(Ok(None), |file| read_reader(&file))
    }
}

fn read_reader(file: &Path) -> Result<Option<ReaderCommand>, ApiError> {
    let Some(words) = Settings::read_file(file)?.reader else { return Ok(None) };
    ReaderCommand::from_words(words).map(Some).ok_or_else(|| {
        let message = "the reader in settings.toml is not understood (it names no program)";
        ApiError::new(ErrorCode::BadRequest, message)
            .with_hint("write for example reader = [\"claude\", \"-p\"]")
            .with_path(file)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_reader_is_a_program_and_words() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.toml");
        assert_eq!(read_reader(&file).unwrap(), None, "there need be no file");
        let check = |text: &str, expected: Result<Option<&str>, &str>| {
            std::fs::write(&file, text).unwrap();
            let found = read_reader(&file).map(|reader| reader.map(|reader| reader.text().to_owned()));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.as_deref(), expected, "{text}"),
                (Err(error), Err(part)) => {
                    assert!(error.message.contains(part), "{text}: {error}");
                    assert!(error.hint.as_ref().unwrap().contains("reader = ["), "{text}: {error}");
                    assert_eq!(error.path.as_deref(), file.to_str(), "{text}");
                }
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        check("", Ok(None));
        check("editor = ['vi', '{file}']", Ok(None));
        check("reader = ['claude', '-p']", Ok(Some("claude -p")));
        check("reader = ['/opt/a b/x', '$(y)']", Ok(Some("'/opt/a b/x' '$(y)'")));
        check("reader = []", Err("no program"));
        check("reader = ['', '-p']", Err("no program"));
        check("\nreader = 'claude -p'", Err("(line 2: invalid type: string"));
        check("editor = ['vi', '{file}']\nraeder = ['claude']", Err("(line 2: unknown field `raeder`"));
        check("reader = [", Err("(line 1: "));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(read_reader(&file).unwrap_err().message.contains("not understood"));
    }
}
