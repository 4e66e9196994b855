//! The engine as the Python module `cwl._cwl`, inside the package `python/cwl`.
//!
//! A thin layer: `session` answers from one log by the commands of window and command line, `tables` passes a
//! corpus's columns to readers of Arrow without a copy, `trial` compares policies in columns that come back from them,
//! `asked` parses arguments, and `error` turns errors into exceptions with the same words. Long work runs without the interpreter's lock.

mod error;
mod asked;
mod tables;
mod session;
mod trial;

use std::ffi::OsString;
use std::path::PathBuf;

use cwl_host::commands;
use cwl_host::places_of_sessions;
use pyo3::prelude::*;

use crate::error::{CwlError, answer_unlocked, raise_error};

/// Lists the sessions in some logs, folders and databases, each by the name that opens it; without a path,
/// the sessions in the harnesses' folders.
#[pyfunction]
#[pyo3(signature = (paths = Vec::new()))]
fn sessions(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<OsString>> {
    let places = py.detach(|| places_of_sessions(&paths)).map_err(|error| raise_error(py, error))?;
    Ok(places.into_iter().map(|place| place.name.into_os_string()).collect())
}

/// Lists the policies with their options.
#[pyfunction]
fn policies(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    answer_unlocked(py, || commands::policies(None).map(|found| found.policies))
}

#[pymodule]
fn _cwl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CwlError", module.py().get_type::<CwlError>())?;
    module.add_class::<session::PySession>()?;
    module.add_class::<tables::ArrowTable>()?;
    module.add_class::<tables::SessionTables>()?;
    module.add_function(wrap_pyfunction!(session::open, module)?)?;
    module.add_function(wrap_pyfunction!(tables::tables, module)?)?;
    module.add_function(wrap_pyfunction!(trial::trial, module)?)?;
    module.add_function(wrap_pyfunction!(sessions, module)?)?;
    module.add_function(wrap_pyfunction!(policies, module)?)
}
