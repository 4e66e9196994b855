//! A trial of rows from any machine: three tables of Arrow, compared as `cwl trial` compares its own.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatchReader};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{ArrowError, DataType};
use cwl_corpus::{
    ColumnValues, CorpusTable, NoTrial, ReadTable, TrialTables, compare_policies, write_trial_page,
};
use cwl_host::api::Document;
use cwl_host::{ApiError, ErrorCode};
use pyo3::intern;
use pyo3::prelude::*;

use crate::error::{answer_unlocked, raise_error};

/// Compares the policies in rows of the tables `runs`, `turns` and `sessions`, as `cwl trial` does. The rows may come in any
/// order and from any machine, with one key. `page` is a file for the HTML page.
#[pyfunction]
#[pyo3(signature = (runs, turns, sessions, page = None))]
pub(crate) fn trial<'py>(
    runs: &Bound<'py, PyAny>,
    turns: &Bound<'py, PyAny>,
    sessions: &Bound<'py, PyAny>,
    page: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = runs.py();
    let read = |table: &CorpusTable, names: &[&'static str]| {
        let given = match table.name {
            "runs" => runs,
            "turns" => turns,
            _ => sessions,
        };
        read_stream(given, table, names)
    };
    let tables = TrialTables::read_with(read)?;
    answer_unlocked(py, || {
        let trial = compare_policies(&tables, 0).map_err(describe_refusal)?;
        if let Some(page) = page {
            write_page(&page, &write_trial_page(&trial, None))?;
        }
        Ok(Document::new(trial))
    })
}

/// Reads the named columns of a table that another program made; other columns may be there and are not looked at.
fn read_stream(given: &Bound<'_, PyAny>, table: &CorpusTable, names: &[&'static str]) -> PyResult<ReadTable> {
    let py = given.py();
    if !given.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let kind = given.get_type().name()?;
        let error = bad_request(format!("the table `{}` is no table of Arrow but {kind}", table.name));
        return Err(raise_error(
            py,
            error.with_hint(
                "give one that has `__arrow_c_stream__`, such as `pyarrow.Table` or `polars.DataFrame`",
            ),
        ));
    }
    let stream = RecordBatchStreamReader::from_pyarrow_bound(given)?;
    py.detach(|| read_batches(stream, table, names)).map_err(|error| raise_error(py, error))
}

fn read_batches(
    stream: RecordBatchStreamReader,
    table: &CorpusTable,
    names: &[&'static str],
) -> Result<ReadTable, ApiError> {
    let schema = stream.schema();
    let mut columns = Vec::with_capacity(names.len());
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let found = schema.column_with_name(name);
        let known = table.columns.iter().find(|column| column.name == *name);
        let (Some((place, _)), Some(known)) = (found, known) else {
            let error = bad_request(format!("the table `{}` has no column `{name}`", table.name));
            return Err(
                error.with_hint(format!("make it by `cwl.tables(…)[\"{}\"]` of this version", table.name))
            );
        };
        places.push(place);
        columns.push((*name, ColumnValues::empty(known.kind)));
    }
    let mut n_rows = 0;
    for batch in stream {
        let batch = batch.map_err(|error| broken_stream(table, &error))?;
        n_rows += batch.num_rows();
        for ((name, values), place) in columns.iter_mut().zip(&places) {
            append_array(values, batch.column(*place)).map_err(|expected| {
                let kind = batch.column(*place).data_type();
                let error =
                    bad_request(format!("the column `{name}` of the table `{}` is {kind}", table.name));
                error.with_hint(format!("cast it to {expected}"))
            })?;
        }
    }
    Ok(ReadTable::from_columns(columns, n_rows))
}

/// Appends a part of a column; a value of another type than the column's is an error with the type to cast it to.
fn append_array(values: &mut ColumnValues, array: &dyn Array) -> Result<(), &'static str> {
    match (values, array.data_type()) {
        (values, DataType::Null) => append_nulls(values, array.len()),
        (ColumnValues::Numbers(values), DataType::Int64) => values.extend(array.as_primitive::<Int64Type>()),
        (ColumnValues::Reals(values), DataType::Float64) => {
            values.extend(array.as_primitive::<Float64Type>())
        }
        (ColumnValues::Flags(values), DataType::Boolean) => values.extend(array.as_boolean()),
        (ColumnValues::Texts(values), DataType::Utf8) => {
            values.extend(array.as_string::<i32>().iter().map(|text| text.map(Into::into)));
        }
        (ColumnValues::Texts(values), DataType::LargeUtf8) => {
            values.extend(array.as_string::<i64>().iter().map(|text| text.map(Into::into)));
        }
        (ColumnValues::Texts(values), DataType::Utf8View) => {
            values.extend(array.as_string_view().iter().map(|text| text.map(Into::into)));
        }
        (ColumnValues::Numbers(_), _) => return Err("int64"),
        (ColumnValues::Reals(_), _) => return Err("float64"),
        (ColumnValues::Flags(_), _) => return Err("bool"),
        (ColumnValues::Texts(_), _) => return Err("string"),
    }
    Ok(())
}

/// Appends values of a column that has no value at all, to which some programs give no type.
fn append_nulls(values: &mut ColumnValues, n: usize) {
    for _ in 0..n {
        values.push_cell(cwl_corpus::Cell::Null);
    }
}

fn describe_refusal(why: NoTrial) -> ApiError {
    let hint = match why {
        NoTrial::NoRuns | NoTrial::NoReference => {
            "make the table of runs with `runs=[\"cwl,mask,none@40k..160k:40k\"]`, and give the rows of all logs"
        }
        NoTrial::StrangeLog { .. } => "make all three tables of the same paths with the same `key`",
    };
    bad_request(format!("there is nothing to compare ({why})")).with_hint(hint)
}

fn broken_stream(table: &CorpusTable, error: &ArrowError) -> ApiError {
    ApiError::new(ErrorCode::Unreadable, format!("the table `{}` cannot be read ({error})", table.name))
}

fn write_page(path: &Path, page: &[u8]) -> Result<(), ApiError> {
    std::fs::write(path, page).map_err(|error| {
        ApiError::new(ErrorCode::Unwritable, format!("the page cannot be written ({error})")).with_path(path)
    })
}

fn bad_request(message: String) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}
