//! One table as a Parquet file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use cwl_host::private;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::cell::{ColumnKind, ColumnValues};
use crate::table::{CorpusColumn, CorpusTable, VERSION};

const ROWS_TOGETHER: usize = 100_000;

/// Writes a table's rows into a file that only its user may read.
pub(crate) fn write_table(
    path: &Path,
    table: &CorpusTable,
    columns: &[ColumnValues],
    n_rows: usize,
) -> Result<(), ParquetError> {
    let file = private::private_options().write(true).create(true).truncate(true).open(path)?;
    let mut writer: SerializedFileWriter<File> =
        SerializedFileWriter::new(file, parquet_schema(table)?, Arc::new(writer_properties(table)?))?;
    for from in (0..n_rows).step_by(ROWS_TOGETHER) {
        let to = (from + ROWS_TOGETHER).min(n_rows);
        let mut group = writer.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = group.next_column()? {
            if let (Some(values), Some(of)) = (columns.get(number), table.columns.get(number)) {
                write_column(&mut column, of.kind, values, from..to)?;
            }
            column.close()?;
            number += 1;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn parquet_schema(table: &CorpusTable) -> Result<TypePtr, ParquetError> {
    let fields: Vec<TypePtr> =
        table.columns.iter().map(|column| parquet_field(column).map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?))
}

fn parquet_field(column: &CorpusColumn) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnKind::Key | ColumnKind::Text | ColumnKind::Word => {
            (Physical::BYTE_ARRAY, Some(LogicalType::String))
        }
        ColumnKind::Ratio => (Physical::DOUBLE, None),
        ColumnKind::Flag => (Physical::BOOLEAN, None),
        ColumnKind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        _ => (Physical::INT64, None),
    };
    let repetition = if column.kind == ColumnKind::Key { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
}

fn writer_properties(table: &CorpusTable) -> Result<WriterProperties, ParquetError> {
    let facts = [("cwl.table", table.name.to_owned()), ("cwl.version", VERSION.to_string())];
    let facts = facts.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
    Ok(WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("cwl-corpus {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(facts))
        .build())
}

fn write_column(
    column: &mut SerializedColumnWriter<'_>,
    kind: ColumnKind,
    values: &ColumnValues,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    // A definition level per row says whether there is a value; a key always has one and needs no level.
    let levels = |some: &mut dyn Iterator<Item = bool>| -> Option<Vec<i16>> {
        (kind != ColumnKind::Key).then(|| some.map(i16::from).collect())
    };
    match values {
        ColumnValues::Numbers(values) => {
            let values = values.get(rows).unwrap_or_default();
            let levels = levels(&mut values.iter().map(Option::is_some));
            let there: Vec<i64> = values.iter().flatten().copied().collect();
            column.typed::<Int64Type>().write_batch(&there, levels.as_deref(), None)?;
        }
        ColumnValues::Reals(values) => {
            let values = values.get(rows).unwrap_or_default();
            let levels = levels(&mut values.iter().map(Option::is_some));
            let there: Vec<f64> = values.iter().flatten().copied().collect();
            column.typed::<DoubleType>().write_batch(&there, levels.as_deref(), None)?;
        }
        ColumnValues::Flags(values) => {
            let values = values.get(rows).unwrap_or_default();
            let levels = levels(&mut values.iter().map(Option::is_some));
            let there: Vec<bool> = values.iter().flatten().copied().collect();
            column.typed::<BoolType>().write_batch(&there, levels.as_deref(), None)?;
        }
        ColumnValues::Texts(values) => {
            let values = values.get(rows).unwrap_or_default();
            let levels = levels(&mut values.iter().map(Option::is_some));
            let mut there: Vec<ByteArray> = Vec::with_capacity(values.len());
            let mut last: Option<&Arc<str>> = None;
            for text in values.iter().flatten() {
                // A log's rows share its hash, and here also its bytes.
                let same =
                    last.replace(text).filter(|last| Arc::ptr_eq(last, text)).and_then(|_| there.last());
                let bytes = same.cloned().unwrap_or_else(|| ByteArray::from(text.as_bytes().to_vec()));
                there.push(bytes);
            }
            column.typed::<ByteArrayType>().write_batch(&there, levels.as_deref(), None)?;
        }
    }
    Ok(())
}
