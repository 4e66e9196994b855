//! Cells of a table, and columns of them.

use std::sync::Arc;

/// A column's kind: the type of its values, and their unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A hash that names a log in all tables; never null.
    Key,
    /// Text of a log, or made with text of a log: a keyed hash unless texts are asked for.
    Text,
    /// One of this program's own words.
    Word,
    /// A number of things.
    Count,
    /// A size, tokens.
    Tokens,
    /// A size, bytes.
    Bytes,
    /// Money, millionths of a US dollar.
    Money,
    /// A turn's number, from 1.
    Turn,
    /// A line of the log, from 1.
    Line,
    /// The place of an episode in its graph, from 0.
    Place,
    /// A share, per mille.
    PerMille,
    /// A number without a unit.
    Ratio,
    /// A moment.
    Time,
    /// True or false.
    Flag,
}

impl ColumnKind {
    /// Returns the type of the values in the words of SQL.
    pub fn sql_type(self) -> &'static str {
        match self {
            Self::Key | Self::Text | Self::Word => "VARCHAR",
            Self::Ratio => "DOUBLE",
            Self::Time => "TIMESTAMP",
            Self::Flag => "BOOLEAN",
            _ => "BIGINT",
        }
    }

    /// Returns the unit as people read it; empty if there is none.
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

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Real(f64),
    /// True or false.
    Flag(bool),
    /// A text, a hash or a word.
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

/// The values of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers.
    Numbers(Vec<Option<i64>>),
    /// Numbers with a fraction.
    Reals(Vec<Option<f64>>),
    /// True or false.
    Flags(Vec<Option<bool>>),
    /// Texts, hashes and words.
    Texts(Vec<Option<Arc<str>>>),
}

impl ColumnValues {
    /// Makes a column without values.
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

    /// Adds a value; one of another type becomes null.
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

    /// Adds all values of another column of the same kind.
    pub fn append_column(&mut self, other: Self) {
        match (self, other) {
            (Self::Numbers(values), Self::Numbers(more)) => values.extend(more),
            (Self::Reals(values), Self::Reals(more)) => values.extend(more),
            (Self::Flags(values), Self::Flags(more)) => values.extend(more),
            (Self::Texts(values), Self::Texts(more)) => values.extend(more),
            // Columns of one table have one kind each.
            _ => {}
        }
    }

    /// Returns one value.
    pub fn cell_at(&self, row: usize) -> Cell {
        match self {
            Self::Numbers(values) => values.get(row).copied().flatten().into(),
            Self::Reals(values) => values.get(row).copied().flatten().into(),
            Self::Flags(values) => values.get(row).copied().flatten().into(),
            Self::Texts(values) => values.get(row).cloned().flatten().into(),
        }
    }
}
