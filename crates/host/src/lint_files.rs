//! Files of lint: its settings and baselines.

use std::path::Path;

use cwl_inspect::lint::{Baseline, FILE, LintConfig};

use crate::error::unreadable_file;
use crate::{ApiError, ErrorCode};

/// Reads the `named` file, else `cwl.toml` in `folder`, else returns the defaults.
///
/// # Errors
/// If the file is unreadable or invalid; the message names the line.
pub fn find_lint_config(named: Option<&Path>, folder: &Path) -> Result<LintConfig, ApiError> {
    let of_folder = folder.join(FILE);
    let path = named.unwrap_or(&of_folder);
    match std::fs::read_to_string(path) {
        Ok(text) => LintConfig::parse_file(&text, path),
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            Ok(LintConfig::default())
        }
        Err(error) => Err(unreadable_file(path, &error)),
    }
}

/// Reads a baseline file.
///
/// # Errors
/// If the file is unreadable or no baseline.
pub fn read_baseline(path: &Path) -> Result<Baseline, ApiError> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable_file(path, &error))?;
    Baseline::parse_file(&text, path)
}

/// Writes a baseline file.
///
/// # Errors
/// If the file cannot be written.
pub fn write_baseline(baseline: &Baseline, path: &Path) -> Result<(), ApiError> {
    std::fs::write(path, baseline.to_text()?).map_err(|error| {
        ApiError::new(ErrorCode::Unwritable, format!("the baseline cannot be written ({error})"))
            .with_hint("name a file in a folder that you may write to")
            .with_path(path)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn without_a_file_everything_is_as_it_comes() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(find_lint_config(None, dir.path()).unwrap(), LintConfig::default());
        let missing = find_lint_config(Some(&dir.path().join("mine.toml")), dir.path()).unwrap_err();
        assert_eq!(missing.code, ErrorCode::Missing);
    }

    #[test]
    fn a_baseline_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("known.json");
        assert_eq!(read_baseline(&file).unwrap_err().code, ErrorCode::Missing);
        write_baseline(&Baseline::default(), &file).unwrap();
        assert_eq!(read_baseline(&file).unwrap(), Baseline::default());
        assert_eq!(write_baseline(&Baseline::default(), dir.path()).unwrap_err().code, ErrorCode::Unwritable);
    }
}
