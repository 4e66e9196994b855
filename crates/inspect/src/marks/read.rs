//! Reads files of marks.

use crate::api::MarksFile;
use crate::{ApiError, ErrorCode};

/// Maximum size of a file of marks, bytes. A thousand episodes need far less.
pub const MOST_BYTES: u64 = 8 << 20;
pub(super) const MOST_MARKS: usize = 10_000;
pub const FORM: &str = r#"marks are JSON: {"made_by": "…", "episodes": [{"name": "…", "type": "expl" or "act", "first": LINE, "last": LINE (none while it goes on), "dependencies": ["…"]}]}"#;

/// Parses marks from JSON. Unknown members are ignored.
///
/// # Errors
/// If `bytes` is not JSON in the format of marks; the message names line and column.
pub fn read_marks(bytes: &[u8]) -> Result<MarksFile, ApiError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let marks: MarksFile = serde_json::from_slice(bytes).map_err(|error| {
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
    use super::super::NamedMarks;
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
            let marks = MarksFile { made_by: made_by.map(str::to_owned), ..marks.clone() };
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
}
