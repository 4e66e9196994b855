//! The engine of exported pages: built into the program, beside it, or in a file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::session::PackedData;
use crate::{ApiError, ErrorCode};

/// The engine as WebAssembly packed with gzip. Empty if the program was built without one.
static BUILT_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page-engine.wasm.gz"));

const NAME: &str = "cwl-page-engine.wasm.gz";

/// Finds the engine: in `file` if that is given, else in this program, else beside it.
///
/// # Errors
/// If there is no engine, or the file is unreadable or something else.
pub fn find_engine(file: Option<&Path>) -> Result<PackedData, ApiError> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(NAME));
    find_among(file, BUILT_IN, beside)
}

fn find_among(file: Option<&Path>, built_in: &[u8], beside: Option<PathBuf>) -> Result<PackedData, ApiError> {
    if file.is_none() && !built_in.is_empty() {
        return PackedData::from_engine(built_in);
    }
    let Some(path) = file.map(Path::to_owned).or(beside) else { return Err(no_engine()) };
    match std::fs::read(&path) {
        Ok(bytes) => PackedData::from_engine(&bytes),
        Err(error) if file.is_none() && error.kind() == ErrorKind::NotFound => Err(no_engine()),
        Err(error) => Err(ApiError::new(
            ErrorCode::Unreadable,
            format!("cannot read the engine of the page ({error}): {}", path.display()),
        )
        .with_hint("`make page-engine` builds one")),
    }
}

fn no_engine() -> ApiError {
    ApiError::new(ErrorCode::Missing, "no page was made: this program has no engine for exported pages")
        .with_hint(format!(
            "`make page-engine` builds one: name it with `cwl export --engine FILE`, or put it beside this program as \
             `{NAME}`; a released `cwl` has it inside"
        ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_engine_is_named_or_built_in_or_beside_the_program_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            folder.path().join(name)
        };
        let [named, beside, other] =
            [write("named", b"\x1f\x8bnamed"), write(NAME, b"\x1f\x8bbeside"), write("other", b"<html>")];
        let gone = folder.path().join("gone");
        let check =
            |file: Option<&Path>, built_in: &[u8], beside: Option<&Path>, expected: Result<&[u8], &str>| {
                let found = find_among(file, built_in, beside.map(Path::to_owned));
                match expected {
                    Ok(bytes) => assert_eq!(found.unwrap(), PackedData::from_engine(bytes).unwrap()),
                    Err(message) => {
                        let error = found.unwrap_err();
                        assert!(error.message.contains(message), "{}", error.message);
                        assert!(error.hint.unwrap().contains("make page-engine"));
                    }
                }
            };
        check(Some(&named), b"\x1f\x8bin", Some(&beside), Ok(b"\x1f\x8bnamed"));
        check(None, b"\x1f\x8bin", Some(&beside), Ok(b"\x1f\x8bin"));
        check(None, b"", Some(&beside), Ok(b"\x1f\x8bbeside"));
        check(None, b"", Some(&gone), Err("no engine for exported pages"));
        check(None, b"", None, Err("no engine for exported pages"));
        check(Some(&gone), b"\x1f\x8bin", None, Err("cannot read the engine of the page"));
        check(Some(&other), b"", None, Err("no engine of a page"));
    }
}
