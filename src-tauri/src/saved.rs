//! Files that users save from the page: their names, and writing them.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cwl_host::{private, ApiError, ErrorCode};

const NAME_LIMIT: usize = 120;

/// Turns a percent-encoded name from the page into one that every file system accepts.
pub(crate) fn plain_name(wanted: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(wanted).decode_utf8_lossy();
    let plain = |char: char| if char.is_alphanumeric() || "-_. ()".contains(char) { char } else { '-' };
    let name: String = decoded.chars().take(NAME_LIMIT).map(plain).collect();
    let name = name.trim_matches(['.', ' ', '-']);
    if name.is_empty() {
        "saved.txt".to_owned()
    } else {
        name.to_owned()
    }
}

pub(crate) fn extension_of(name: &str) -> &str {
    Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or("txt")
}

/// Writes a private file where the user chose, and returns its path. A path without the right extension gets
/// it appended; an existing file of that longer name is left alone, since the user did not choose it.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_file(chosen: &Path, extension: &str, bytes: &[u8]) -> Result<PathBuf, ApiError> {
    let fits = chosen.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
    let path = if fits {
        chosen.to_owned()
    } else {
        let mut name = chosen.as_os_str().to_owned();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    let mut options = private::private_options();
    if fits {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let write = |mut file: File| {
        private::tighten_file(&file).and_then(|()| file.write_all(bytes)).and_then(|()| file.sync_all())
    };
    options.open(&path).and_then(write).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::AlreadyExists => "choose another name",
            ErrorKind::StorageFull => "make room on the disk",
            _ => "choose another folder",
        };
        ApiError::new(ErrorCode::Unwritable, format!("the file cannot be written ({error})"))
            .with_hint(hint)
            .with_path(&path)
    })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        let check = |wanted: &str, expected: &str| assert_eq!(plain_name(wanted), expected, "{wanted}");
        check("graph.svg", "graph.svg");
        check("fix%20the%20retry%20(2).png", "fix the retry (2).png");
        check("gr%C3%BC%C3%9Fe.svg", "grüße.svg");
        check("../../etc/passwd", "etc-passwd");
        check("..%2F..%2Fetc%2Fpasswd", "etc-passwd");
        check("a\\b:c*d?.svg", "a-b-c-d-.svg");
        check("%zz%4.svg", "zz-4.svg");
        check("%", "saved.txt");
        check("%ff.svg", "svg");
        check("", "saved.txt");
        check("...", "saved.txt");
        assert_eq!(plain_name(&"é".repeat(500)).chars().count(), NAME_LIMIT);
    }

    #[test]
    fn a_file_is_written_where_it_was_wanted_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let check = |name: &str, expected: &str| {
            let path = write_file(&at(name), "svg", b"new").unwrap();
            assert_eq!(path, at(expected));
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
        };
        check("a.svg", "a.svg");
        check("b.SVG", "b.SVG");
        check("c", "c.svg");
        std::fs::write(at("old.svg"), "longer than the new one").unwrap();
        check("old.svg", "old.svg");
        // A log that the user points at is left as it is.
        std::fs::write(at("log.jsonl"), "{}").unwrap();
        check("log.jsonl", "log.jsonl.svg");
        assert_eq!(std::fs::read(at("log.jsonl")).unwrap(), b"{}");
        let refused = write_file(&at("log.jsonl"), "svg", b"again").unwrap_err();
        assert_eq!(
            (refused.code, refused.hint.as_deref()),
            (ErrorCode::Unwritable, Some("choose another name"))
        );
        let nowhere = write_file(&at("no/such/folder.svg"), "svg", b"").unwrap_err();
        assert_eq!(nowhere.hint.as_deref(), Some("choose another folder"));
    }
}
