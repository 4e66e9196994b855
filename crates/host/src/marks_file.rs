//! Reads files of marks.

use std::io::Read;
use std::path::Path;

use cwl_inspect::marks::NamedMarks;
use cwl_inspect::marks::read::{FORM, MOST_BYTES, read_marks};

use crate::{ApiError, ErrorCode};

pub(crate) fn read_marks_file(path: &Path) -> Result<NamedMarks, ApiError> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let code = |path: &Path| read_marks_file(path).unwrap_err().code;
        assert_eq!(code(&folder.path().join("gone.json")), ErrorCode::Missing);
        assert_eq!(code(folder.path()), ErrorCode::NotAFile);
        let file = folder.path().join("marks.json");
        std::fs::write(&file, "\u{feff}{\"episodes\": []}").unwrap();
        assert_eq!(read_marks_file(&file).unwrap().name, "marks.json");
        std::fs::write(&file, "x").unwrap();
        let error = read_marks_file(&file).unwrap_err();
        assert_eq!(error.path, Some(file.display().to_string()));
    }
}
