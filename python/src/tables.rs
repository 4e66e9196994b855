//! A corpus's tables as Arrow data, passed to readers through the C data interface without a copy.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, RecordBatchOptions,
    StringArray, TimestampMillisecondArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use cwl_corpus::{
    ColumnKind, ColumnValues, CorpusColumn, CorpusTable, LogRows, TABLES, VERSION, rows_of_place,
};
use cwl_host::api::ViewSettings;
use cwl_host::{ApiError, ErrorCode, SessionPlace, check_view, tools_of_user};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::asked::{BudgetAsked, log_asked, options_of};
use crate::error::raise_error;

/// One table for any Arrow reader (`pyarrow.table`, `polars.DataFrame`, `pandas.DataFrame.from_arrow`).
#[pyclass(name = "Table", frozen, module = "cwl")]
pub(crate) struct ArrowTable {
    name: &'static str,
    batch: RecordBatch,
}

/// All tables about some sessions, by name.
#[pyclass(name = "Tables", frozen, mapping, module = "cwl")]
pub(crate) struct SessionTables {
    tables: Vec<Py<ArrowTable>>,
    n_unread: u32,
}

/// Makes the tables for some logs, in their order; an unreadable log is a row in `sessions` with its problem.
/// Each log is a pair: its name in the tables, and its place.
#[pyfunction]
#[pyo3(signature = (logs, *, policy = "cwl", budget = None, runs = Vec::new(), texts = "hashed", key = None, **options))]
#[allow(clippy::too_many_arguments)] // keywords of Python
pub(crate) fn tables(
    py: Python<'_>,
    logs: Vec<(OsString, PathBuf)>,
    policy: &str,
    budget: Option<BudgetAsked>,
    runs: Vec<String>,
    texts: &str,
    key: Option<&[u8]>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<SessionTables> {
    let view = ViewSettings {
        policy: policy.to_owned(),
        options: options_of(options)?,
        ..ViewSettings::counted("o200k")
    };
    let asked = log_asked(py, view, budget, &runs, texts, key)?;
    let made = py.detach(|| {
        check_view(&asked.view)?;
        let tools = tools_of_user();
        let mut rows = LogRows::default();
        for (name, place) in logs {
            rows.append_log(rows_of_place(
                &SessionPlace { name: place },
                &name.to_string_lossy(),
                &tools,
                &asked,
            ));
        }
        SessionTables::from_rows(rows)
    });
    made.map_err(|error| raise_error(py, error))
}

#[pymethods]
impl ArrowTable {
    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    /// The column names.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<cwl.Table {}: {} rows, {} columns>", self.name, self.__len__(), self.batch.num_columns())
    }

    /// The rows as a stream of the C data interface. A requested schema is ignored; the types are the table's
    /// own.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    /// The column types, through the C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref());
        let schema = schema.map_err(|error| raise_error(py, internal_error(&error)))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

#[pymethods]
impl SessionTables {
    /// How many logs are unreadable.
    #[getter]
    fn n_unread(&self) -> u32 {
        self.n_unread
    }

    /// The table names.
    fn keys(&self) -> Vec<&'static str> {
        self.tables.iter().map(|table| table.get().name).collect()
    }

    fn __len__(&self) -> usize {
        self.tables.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.tables.iter().any(|table| table.get().name == name)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.keys().into_pyobject(py)?.call_method0("__iter__")
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<ArrowTable>> {
        let found = self.tables.iter().find(|table| table.get().name == name);
        let found = found.map(|table| table.clone_ref(py));
        found.ok_or_else(|| {
            PyKeyError::new_err(format!("no table `{name}`; there are {}", self.keys().join(", ")))
        })
    }

    fn __repr__(&self) -> String {
        format!("<cwl.Tables: {}>", self.keys().join(", "))
    }
}

impl SessionTables {
    /// Makes Arrow columns from `rows`. Called without the interpreter's lock, and takes it for the last
    /// step.
    pub(crate) fn from_rows(rows: LogRows) -> Result<Self, ApiError> {
        let n_unread = rows.n_unread;
        let batches: Vec<ArrowTable> = TABLES
            .iter()
            .enumerate()
            .map(|(place, table)| {
                let (columns, n_rows) = rows.table_columns(place);
                let batch = batch_of(table, columns, n_rows).map_err(|error| internal_error(&error))?;
                Ok(ArrowTable { name: table.name, batch })
            })
            .collect::<Result<_, ApiError>>()?;
        let tables =
            Python::attach(|py| batches.into_iter().map(|table| Py::new(py, table)).collect::<PyResult<_>>());
        Ok(Self { tables: tables.map_err(|error| internal_error(&error))?, n_unread })
    }
}

fn internal_error(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, error.to_string())
}

fn batch_of(table: &CorpusTable, columns: &[ColumnValues], n_rows: usize) -> Result<RecordBatch, ArrowError> {
    let arrays =
        table.columns.iter().zip(columns).map(|(column, values)| array_of(column.kind, values)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    RecordBatch::try_new_with_options(schema_of(table), arrays, &options)
}

/// The table's Arrow schema, with each column's unit and meaning as in docs/corpus.md.
fn schema_of(table: &CorpusTable) -> SchemaRef {
    let facts = [("cwl.table", table.name.to_owned()), ("cwl.version", VERSION.to_string())];
    let facts = HashMap::from(facts.map(|(key, value)| (key.to_owned(), value)));
    let fields: Vec<Field> = table.columns.iter().map(field_of).collect();
    Arc::new(Schema::new_with_metadata(fields, facts))
}

fn field_of(column: &CorpusColumn) -> Field {
    let kind = match column.kind {
        ColumnKind::Key | ColumnKind::Text | ColumnKind::Word => DataType::Utf8,
        ColumnKind::Ratio => DataType::Float64,
        ColumnKind::Flag => DataType::Boolean,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        _ => DataType::Int64,
    };
    let facts = [("unit", column.kind.unit_name()), ("about", column.about)];
    let facts = HashMap::from(facts.map(|(key, value)| (key.to_owned(), value.to_owned())));
    Field::new(column.name, kind, column.kind != ColumnKind::Key).with_metadata(facts)
}

fn array_of(kind: ColumnKind, values: &ColumnValues) -> ArrayRef {
    match values {
        ColumnValues::Numbers(values) if kind == ColumnKind::Time => {
            Arc::new(TimestampMillisecondArray::from_iter(values.iter().copied()).with_timezone("UTC"))
        }
        ColumnValues::Numbers(values) => Arc::new(Int64Array::from_iter(values.iter().copied())),
        ColumnValues::Reals(values) => Arc::new(Float64Array::from_iter(values.iter().copied())),
        ColumnValues::Flags(values) => Arc::new(BooleanArray::from_iter(values.iter().copied())),
        ColumnValues::Texts(values) => Arc::new(StringArray::from_iter(values.iter().map(Option::as_deref))),
    }
}
