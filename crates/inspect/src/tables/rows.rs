//! Table rows with names: a row in the user's file replaces the built-in row with the same name.

use serde::de::DeserializeOwned;
use toml::Value;

use crate::tables::patterns::normalize_model;
use crate::tables::tools::document_of;

pub trait NamedRow: DeserializeOwned {
    fn row_name(&self) -> &str;

    fn row_fault(&self) -> Option<String>;

    fn model_patterns(&mut self) -> &mut [String];
}

/// Parses `[[key]]` rows from a table's text. Problems are returned as sentences naming `what`.
pub fn read_rows<R: NamedRow>(text: &str, key: &str, what: &str) -> (Vec<R>, Vec<String>) {
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

pub(crate) fn put_over<R: NamedRow>(mut own: Vec<R>, builtin: Vec<R>) -> Vec<R> {
    let n_own = own.len();
    for row in builtin {
        if own[..n_own].iter().all(|known| known.row_name() != row.row_name()) {
            own.push(row);
        }
    }
    own
}
