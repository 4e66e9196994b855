//! Reads files of marks.

use std::io::Read;
use std::path::Path;

use super::NamedMarks;
use crate::dto::MarksFileDto;
use crate::{ApiError, ErrorCode};

/// Maximum size of a file of marks, bytes. A thousand episodes need far less.
pub(super) const MOST_BYTES: u64 = 8 << 20;
pub(super) const MOST_MARKS: usize = 10_000;
const FORM: &str = r#"marks are JSON: {"made_by": "…", "episodes": [{"name": "…", "type": "expl" or "act", "first": LINE, "last": LINE (none while it goes on), "dependencies": ["…"]}]}"#;

pub(crate) fn read_file(path: &Path) -> Result<NamedMarks, ApiError> {
    let unreadable = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::Missing,
            _ => ErrorCode::Unreadable,
        };
        ApiError::new(code, format!("the marks cannot be read ({error})")).with_path(path)
    };
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(ApiError::new(ErrorCode::NotAFile, "the marks are in no file")
            .with_hint(FORM)
            .with_path(path));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("more than {} MiB are no marks of a session", MOST_BYTES >> 20);
        return Err(ApiError::new(ErrorCode::BadView, message).with_hint(FORM).with_path(path));
    }
    let marks = read_marks(&bytes).map_err(|error| error.with_path(path))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(NamedMarks { name, marks })
}

/// Parses marks from JSON. Unknown members are ignored.
///
/// # Errors
/// If `bytes` is not JSON in the format of marks; the message names line and column.
pub(crate) fn read_marks(bytes: &[u8]) -> Result<MarksFileDto, ApiError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let marks: MarksFileDto = serde_json::from_slice(bytes).map_err(|error| {
        let what =
            if error.is_data() { "the marks are not of the known form" } else { "the marks are no JSON" };
        ApiError::new(ErrorCode::BadView, format!("{what}: {error}")).with_hint(FORM)
    })?;
    if marks.episodes.len() > MOST_MARKS {
        let message = format!("{} marks are more than a session has episodes", marks.episodes.len());
        return Err(
            ApiError::new(ErrorCode::BadView, message).with_hint(format!("{MOST_MARKS} are the most"))
        );
    }
    Ok(marks)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn marks_are_read_with_what_they_leave_out() {
        let text = r#"{"session": "x", "reader": " A ", "turns": [[1, 2]], "episodes": [
            {"name": "look", "type": "expl", "first": 3, "last": 9},
            {"name": "fix", "type": "act", "first": 10, "last": 12, "dependencies": ["look"], "description": null}]}"#;
        let marks = read_marks(text.as_bytes()).unwrap();
        assert_eq!(marks.episodes.len(), 2);
        assert_eq!(marks.episodes[1].dependencies, ["look"]);
        let by = |made_by: Option<&str>| {
            let marks = MarksFileDto { made_by: made_by.map(str::to_owned), ..marks.clone() };
            NamedMarks { name: "n".into(), marks }.author_name().map(str::to_owned)
        };
        assert_eq!(by(None).as_deref(), Some("A"));
        assert_eq!(by(Some("a model")).as_deref(), Some("a model"));
        assert_eq!(by(Some(" ")), None);
    }

    #[test]
    fn another_form_is_an_error_with_a_place() {
        let check = |text: &str, says: &str| {
            let error = read_marks(text.as_bytes()).unwrap_err();
            assert!(error.message.contains(says), "{text}: {}", error.message);
            assert!(error.hint.unwrap().starts_with("marks are JSON: "), "{text}");
        };
        check("", "no JSON: EOF");
        check("{\"episodes\": []}\n{}", "no JSON: trailing characters at line 2");
        check("[1, 2]", "not of the known form: invalid type: integer `1`");
        check("{}", "not of the known form: missing field `episodes`");
        check("{\"episodes\": [\n{\"name\": 3}]}", "expected a string at line 2");
    }

    #[test]
    fn files_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let code = |path: &Path| read_file(path).unwrap_err().code;
        assert_eq!(code(&folder.path().join("gone.json")), ErrorCode::Missing);
        assert_eq!(code(folder.path()), ErrorCode::NotAFile);
        let file = folder.path().join("marks.json");
        std::fs::write(&file, "\u{feff}{\"episodes\": []}").unwrap();
        assert_eq!(read_file(&file).unwrap().name, "marks.json");
        std::fs::write(&file, "x").unwrap();
        let error = read_file(&file).unwrap_err();
        assert_eq!(error.path, Some(file.display().to_string()));
    }
}
