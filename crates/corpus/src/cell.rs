//! Table cells and columns.

use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A hash that names a log in all tables; never null.
    Key,
    /// Text from a log, wholly or partly: a keyed hash unless texts are requested.
    Text,
    /// A word that this program uses, such as `cwl` or `expl`.
    Word,
    Count,
    Tokens,
    Bytes,
    /// Millionths of a US dollar.
    Money,
    /// A turn's number, from 1.
    Turn,
    /// A line number in the log, from 1.
    Line,
    /// An episode's index in its graph, from 0.
    Place,
    /// A share, in per mille.
    PerMille,
    Ratio,
    Time,
    Flag,
}

impl ColumnKind {
    pub fn sql_type(self) -> &'static str {
        match self {
            Self::Key | Self::Text | Self::Word => "VARCHAR",
            Self::Ratio => "DOUBLE",
            Self::Time => "TIMESTAMP",
            Self::Flag => "BOOLEAN",
            _ => "BIGINT",
        }
    }

    /// The displayed unit; empty without one.
    pub fn unit_name(self) -> &'static str {
        match self {
            Self::Key => "hash",
            Self::Text => "text or hash",
            Self::Word => "word",
            Self::Count => "number",
            Self::Tokens => "tokens",
            Self::Bytes => "bytes",
            Self::Money => "millionths of a US dollar",
            Self::Turn => "turn, from 1",
            Self::Line => "line, from 1",
            Self::Place => "place in the graph, from 0",
            Self::PerMille => "per mille",
            Self::Ratio => "",
            Self::Time => "UTC, milliseconds",
            Self::Flag => "",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Number(i64),
    Real(f64),
    Flag(bool),
    Text(Arc<str>),
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u16> for Cell {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Arc<str>> for Cell {
    fn from(text: Arc<str>) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    Numbers(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<Arc<str>>>),
}

impl ColumnValues {
    pub fn empty(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Key | ColumnKind::Text | ColumnKind::Word => Self::Texts(Vec::new()),
            ColumnKind::Ratio => Self::Reals(Vec::new()),
            ColumnKind::Flag => Self::Flags(Vec::new()),
            _ => Self::Numbers(Vec::new()),
        }
    }

    pub(crate) fn reserve_rows(&mut self, n: usize) {
        match self {
            Self::Numbers(values) => values.reserve(n),
            Self::Reals(values) => values.reserve(n),
            Self::Flags(values) => values.reserve(n),
            Self::Texts(values) => values.reserve(n),
        }
    }

    /// If the value has another type, null is appended instead.
    pub fn push_cell(&mut self, cell: Cell) {
        debug_assert!(self.takes_cell(&cell), "{cell:?} is of another type than its column");
        match (self, cell) {
            (Self::Numbers(values), Cell::Number(number)) => values.push(Some(number)),
            (Self::Numbers(values), _) => values.push(None),
            (Self::Reals(values), Cell::Real(number)) => values.push(Some(number)),
            (Self::Reals(values), _) => values.push(None),
            (Self::Flags(values), Cell::Flag(flag)) => values.push(Some(flag)),
            (Self::Flags(values), _) => values.push(None),
            (Self::Texts(values), Cell::Text(text)) => values.push(Some(text)),
            (Self::Texts(values), _) => values.push(None),
        }
    }

    fn takes_cell(&self, cell: &Cell) -> bool {
        matches!(
            (self, cell),
            (_, Cell::Null)
                | (Self::Numbers(_), Cell::Number(_))
                | (Self::Reals(_), Cell::Real(_))
                | (Self::Flags(_), Cell::Flag(_))
                | (Self::Texts(_), Cell::Text(_))
        )
    }

    pub fn append_column(&mut self, other: Self) {
        match (self, other) {
            (Self::Numbers(values), Self::Numbers(more)) => values.extend(more),
            (Self::Reals(values), Self::Reals(more)) => values.extend(more),
            (Self::Flags(values), Self::Flags(more)) => values.extend(more),
            (Self::Texts(values), Self::Texts(more)) => values.extend(more),
            // A table's columns each have one kind.
            _ => {}
        }
    }

    pub fn cell_at(&self, row: usize) -> Cell {
        match self {
            Self::Numbers(values) => values.get(row).copied().flatten().into(),
            Self::Reals(values) => values.get(row).copied().flatten().into(),
            Self::Flags(values) => values.get(row).copied().flatten().into(),
            Self::Texts(values) => values.get(row).cloned().flatten().into(),
        }
    }
}
