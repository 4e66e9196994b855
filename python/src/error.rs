//! Converts answers and errors to Python.

use cwl_host::ApiError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::intern;
use pyo3::prelude::*;
use serde::Serialize;

create_exception!(
    cwl,
    CwlError,
    PyException,
    "An error in the words of the program; `code` is its kind, `hint` the way out where there is one."
);

/// Makes an exception with the error's message, and its code and hint as attributes.
pub(crate) fn raise_error(py: Python<'_>, error: ApiError) -> PyErr {
    let exception = CwlError::new_err(error.to_string());
    let value = exception.value(py);
    let code = serde_json::to_value(error.code).ok();
    let code = code.as_ref().and_then(|code| code.as_str());
    let told = value
        .setattr(intern!(py, "code"), code)
        .and_then(|()| value.setattr(intern!(py, "hint"), error.hint.as_deref()));
    told.err().unwrap_or(exception)
}

/// Computes without the interpreter's lock, and converts the answer's JSON form to Python values.
pub(crate) fn answer_unlocked<'py, T: Serialize>(
    py: Python<'py>,
    ask: impl FnOnce() -> Result<T, ApiError> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let json = py.detach(|| {
        let answer = ask()?;
        serde_json::to_string(&answer)
            .map_err(|error| ApiError::new(cwl_host::ErrorCode::Internal, error.to_string()))
    });
    load_json(py, &json.map_err(|error| raise_error(py, error))?)
}

pub(crate) fn load_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (json,))
}
