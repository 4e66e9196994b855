//! Columns: an answer whose series are sent as bytes behind a JSON header, and whose long lists are sent as rows.
//!
//! The layout is the header's length (four bytes), the header, and the columns in the header's order. A
//! column has little-endian 4-byte words, or bytes. Header and columns are padded to multiples of four bytes,
//! so a page can use typed arrays without copying. In the header's `answer`, each series and each list is empty at
//! its path. A page that holds an earlier answer gets what differs from it: the end of each series behind the part that
//! both have, and the rows that are new or changed.

use serde::Serialize;

use crate::ApiError;
use crate::figures::saturate_u32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnAnswer {
    answer: String,
    columns: Vec<(String, Column)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
    Rows(JsonRows),
}

impl Column {
    /// Takes a series of tokens. Values that do not fit in four bytes saturate.
    pub fn take_tokens(tokens: &mut Vec<u64>) -> Self {
        Self::Words(std::mem::take(tokens).into_iter().map(saturate_u32).collect())
    }

    /// Takes a list whose rows are sent one by one.
    ///
    /// # Errors
    /// If a row cannot be serialised.
    pub fn take_rows<T: Serialize>(rows: &mut Vec<T>) -> Result<Self, ApiError> {
        let mut json = JsonRows::default();
        for row in std::mem::take(rows) {
            serde_json::to_writer(&mut json.text, &row).map_err(ApiError::from_internal)?;
            json.ends.push(json.text.len());
        }
        Ok(Self::Rows(json))
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Words(words) => words.len(),
            Self::Rows(rows) => rows.ends.len(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonRows {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl JsonRows {
    fn row(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }
}

pub trait InColumns: Serialize {
    /// Takes the series and lists out of an answer, each with its path.
    ///
    /// # Errors
    /// If a row cannot be serialised.
    fn take_columns(&mut self) -> Result<Vec<(String, Column)>, ApiError>;
}

#[derive(Debug, Clone, Copy)]
pub struct AnswerBase<'a> {
    pub number: u32,
    pub answer: &'a ColumnAnswer,
}

impl ColumnAnswer {
    /// Splits `answer` into JSON and columns.
    ///
    /// # Errors
    /// If the answer cannot be serialised.
    pub fn split(mut answer: impl InColumns) -> Result<Self, ApiError> {
        let columns = answer.take_columns()?;
        Ok(Self { answer: serde_json::to_string(&answer).map_err(ApiError::from_internal)?, columns })
    }

    /// Writes the answer, without what the reader has in `base`. A reader that is to hold the answer gets its `number`.
    pub fn encode(&self, number: Option<u32>, base: Option<AnswerBase<'_>>) -> Vec<u8> {
        let mut header = Vec::with_capacity(self.answer.len() + 64 * self.columns.len());
        let mut series = Vec::new();
        let json = |value: Option<u32>| value.map_or("null".to_owned(), |value| value.to_string());
        let base_number = json(base.map(|base| base.number));
        header
            .extend(format!(r#"{{"number":{},"base":{base_number},"columns":["#, json(number)).into_bytes());
        for (at, (path, column)) in self.columns.iter().enumerate() {
            let held = base.and_then(|base| base.answer.column(path));
            header.extend(if at == 0 { &b"["[..] } else { &b",["[..] });
            header.extend(format!("{path:?},").into_bytes());
            write_column(column, held, &mut header, &mut series);
            header.push(b']');
        }
        header.extend(br#"],"answer":"#);
        header.extend(self.answer.as_bytes());
        header.push(b'}');
        header.resize(header.len().next_multiple_of(4), b' ');
        let mut packed = Vec::with_capacity(4 + header.len() + series.len());
        packed.extend(saturate_u32(header.len()).to_le_bytes());
        packed.extend(header);
        packed.extend(series);
        packed
    }

    fn column(&self, wanted: &str) -> Option<&Column> {
        self.columns.iter().find(|(path, _)| path == wanted).map(|(_, column)| column)
    }
}

/// Writes a column's head, behind its path: bytes per number (0 for rows), how many numbers or rows, and how many of them at its
/// beginning the reader holds. Rows follow at once: changed ones with their position, then those behind the held ones.
fn write_column(column: &Column, held: Option<&Column>, header: &mut Vec<u8>, series: &mut Vec<u8>) {
    let n = column.len();
    match (column, held) {
        (Column::Bytes(bytes), held) => {
            let n_held = match held {
                Some(Column::Bytes(held)) => common_prefix(bytes, held),
                _ => 0,
            };
            header.extend(format!("1,{n},{n_held}").into_bytes());
            series.extend(&bytes[n_held..]);
        }
        (Column::Words(words), held) => {
            let n_held = match held {
                Some(Column::Words(held)) => common_prefix(words, held),
                _ => 0,
            };
            header.extend(format!("4,{n},{n_held}").into_bytes());
            series.reserve(4 * (n - n_held));
            words[n_held..].iter().for_each(|word| series.extend(word.to_le_bytes()));
        }
        (Column::Rows(rows), held) => {
            let none = JsonRows::default();
            let held = match held {
                Some(Column::Rows(held)) => held,
                _ => &none,
            };
            let n_held = held.ends.len().min(n);
            header.extend(format!("0,{n},{n_held},[").into_bytes());
            let changed = (0..n_held).filter(|at| rows.row(*at) != held.row(*at));
            for (written, at) in changed.enumerate() {
                header.extend(if written == 0 { format!("[{at},") } else { format!(",[{at},") }.into_bytes());
                header.extend(rows.row(at));
                header.push(b']');
            }
            header.extend(b"],[");
            for at in n_held..n {
                if at > n_held {
                    header.push(b',');
                }
                header.extend(rows.row(at));
            }
            header.push(b']');
        }
    }
    series.resize(series.len().next_multiple_of(4), 0);
}

fn common_prefix<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Serialize)]
    struct Sample {
        name: &'static str,
        small: Vec<u8>,
        large: Vec<u64>,
        rows: Vec<&'static str>,
    }

    impl InColumns for Sample {
        fn take_columns(&mut self) -> Result<Vec<(String, Column)>, ApiError> {
            Ok(vec![
                ("small".to_owned(), Column::Bytes(std::mem::take(&mut self.small))),
                ("large".to_owned(), Column::take_tokens(&mut self.large)),
                ("rows".to_owned(), Column::take_rows(&mut self.rows)?),
            ])
        }
    }

    fn split(small: &[u8], large: &[u64], rows: &[&'static str]) -> ColumnAnswer {
        let (small, large, rows) = (small.to_vec(), large.to_vec(), rows.to_vec());
        ColumnAnswer::split(Sample { name: "τ", small, large, rows }).unwrap()
    }

    /// Checks the columns of the header, and the bytes behind it.
    fn check(packed: &[u8], number: Value, base: Value, columns: Value, series: &[u8]) {
        let length = u32::from_le_bytes(packed[..4].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&packed[4..4 + length]).unwrap();
        let answer = json!({ "name": "τ", "small": [], "large": [], "rows": [] });
        assert_eq!(header, json!({ "number": number, "base": base, "columns": columns, "answer": answer }));
        assert_eq!(length % 4, 0);
        assert_eq!(&packed[4 + length..], series);
    }

    #[test]
    fn columns_stand_behind_the_header_at_multiples_of_four() {
        check(
            &split(&[7; 5], &[1, u64::MAX], &["a", "b"]).encode(None, None),
            Value::Null,
            Value::Null,
            json!([["small", 1, 5, 0], ["large", 4, 2, 0], ["rows", 0, 2, 0, [], ["a", "b"]]]),
            &[7, 7, 7, 7, 7, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255],
        );
    }

    #[test]
    fn a_reader_gets_what_it_does_not_hold() {
        let held = split(&[7, 8, 9], &[1, 2], &["a", "b", "c"]);
        let base = || Some(AnswerBase { number: 5, answer: &held });
        check(
            &split(&[7, 8, 1, 2], &[1, 2, 3], &["a", "x", "c", "d"]).encode(Some(6), base()),
            json!(6),
            json!(5),
            json!([["small", 1, 4, 2], ["large", 4, 3, 2], ["rows", 0, 4, 3, [[1, "x"]], ["d"]]]),
            &[1, 2, 0, 0, 3, 0, 0, 0],
        );
        check(
            &split(&[], &[1], &["a"]).encode(Some(6), base()),
            json!(6),
            json!(5),
            json!([["small", 1, 0, 0], ["large", 4, 1, 1], ["rows", 0, 1, 1, [], []]]),
            &[],
        );
    }
}
