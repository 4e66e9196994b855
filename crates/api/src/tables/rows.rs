//! Rows of a table that have names: a user's file goes over those that come with the program, row by row.

use serde::de::DeserializeOwned;
use toml::Value;

use crate::tables::patterns::normalize_model;
use crate::tables::tools::document_of;

/// A row of such a table.
pub(crate) trait NamedRow: DeserializeOwned {
    /// Returns its name: a row of the user's takes the place of the one with the same name.
    fn row_name(&self) -> &str;

    /// Says why it is left out, if it cannot be used.
    fn row_fault(&self) -> Option<String>;

    fn model_patterns(&mut self) -> &mut [String];
}

/// Reads `[[key]]` rows out of the text of a table of `what`; beside them come sentences about what is odd.
pub(crate) fn read_rows<R: NamedRow>(text: &str, key: &str, what: &str) -> (Vec<R>, Vec<String>) {
    let document = match document_of(text, what) {
        Ok(document) => document,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (found, value) in document {
        match value {
            Value::Array(listed) if found == key => {
                for (number, listed) in (1..).zip(listed) {
                    let read = listed.try_into::<R>().map_err(|why| why.message().to_owned());
                    match read.and_then(|row| row.row_fault().map_or(Ok(row), Err)) {
                        Ok(mut row) => {
                            row.model_patterns()
                                .iter_mut()
                                .for_each(|pattern| *pattern = normalize_model(pattern));
                            rows.push(row);
                        }
                        Err(why) => problems.push(format!("{key} {number} is left out: {why}")),
                    }
                }
            }
            _ => problems.push(format!("`{found}` is not known; write `[[{key}]]`")),
        }
    }
    (rows, problems)
}

/// Returns the user's rows, then those of the program whose names the user's do not have.
pub(crate) fn put_over<R: NamedRow>(mut own: Vec<R>, builtin: Vec<R>) -> Vec<R> {
    let n_own = own.len();
    for row in builtin {
        if own[..n_own].iter().all(|known| known.row_name() != row.row_name()) {
            own.push(row);
        }
    }
    own
}
