//! The engine of pages that `cwl export` writes: built into the binary, beside it, or in a file.

use std::borrow::Cow;
use std::io;
use std::path::Path;

/// The engine as WebAssembly packed with gzip. Empty if the binary was built without one.
static BUILT_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page-engine.wasm.gz"));

/// The name of an engine beside the program.
const NAME: &str = "cwl-page-engine.wasm.gz";

/// Finds the engine: in `file` if that is given, else in this binary, else beside it. `None` if there is none.
///
/// # Errors
/// If the file cannot be read.
pub fn find_engine(file: Option<&Path>) -> io::Result<Option<Cow<'static, [u8]>>> {
    if let Some(file) = file {
        return std::fs::read(file).map(|bytes| Some(Cow::Owned(bytes)));
    }
    if !BUILT_IN.is_empty() {
        return Ok(Some(Cow::Borrowed(BUILT_IN)));
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(NAME)));
    match beside.map(std::fs::read) {
        Some(Ok(bytes)) => Ok(Some(Cow::Owned(bytes))),
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(None),
    }
}
