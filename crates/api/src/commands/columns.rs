//! Columns: an answer whose series travel as numbers in bytes behind a header of JSON.
//!
//! The form is: the length of the header in four bytes, the header, and the columns in the order in which the header
//! names them, each of 4-byte words with the low byte first, or of bytes. Header and columns each end on a multiple of
//! four bytes, so that a page can lay typed arrays over them without a copy. In the header's `answer` each series is an
//! empty list, at the path that its column has.

use serde::Serialize;

use crate::ApiError;
use crate::figures::small;

/// A series of an answer that is sent as a column; it is taken out of the answer.
pub(crate) enum Column<'a> {
    /// Numbers of one byte each.
    Bytes(&'a mut Vec<u8>),
    /// Numbers of four bytes each.
    Words(&'a mut Vec<u32>),
    /// Tokens, four bytes each: more than four bytes hold is sent as the most that they hold.
    Tokens(&'a mut Vec<u64>),
}

/// An answer that has columns.
pub(crate) trait InColumns: Serialize {
    /// Lists the columns, each with its path in the answer.
    fn columns(&mut self) -> Vec<(String, Column<'_>)>;
}

#[derive(Serialize)]
struct Header<'a, T> {
    answer: &'a T,
    columns: Vec<ColumnHead>,
}

/// The name of a column, the bytes of each of its numbers, and how many numbers it has.
#[derive(Serialize)]
struct ColumnHead(String, u8, usize);

/// Writes an answer in bytes.
///
/// # Errors
/// Where the header cannot be written as JSON.
pub(crate) fn pack(mut answer: impl InColumns) -> Result<Vec<u8>, ApiError> {
    let mut columns = Vec::new();
    let mut series = Vec::new();
    for (path, column) in answer.columns() {
        let (width, n) = match column {
            Column::Bytes(bytes) => {
                let n = bytes.len();
                series.append(bytes);
                (1, n)
            }
            Column::Words(words) => (4, take_words(words, &mut series, |word| word)),
            Column::Tokens(tokens) => (4, take_words(tokens, &mut series, small)),
        };
        series.resize(series.len().next_multiple_of(4), 0);
        columns.push(ColumnHead(path, width, n));
    }
    let mut header = serde_json::to_vec(&Header { answer: &answer, columns }).map_err(ApiError::internal)?;
    header.resize(header.len().next_multiple_of(4), b' ');
    let length = u32::try_from(header.len()).map_err(ApiError::internal)?;
    let mut packed = Vec::with_capacity(4 + header.len() + series.len());
    packed.extend(length.to_le_bytes());
    packed.extend(header);
    packed.extend(series);
    Ok(packed)
}

fn take_words<T>(numbers: &mut Vec<T>, series: &mut Vec<u8>, word: impl Fn(T) -> u32) -> usize {
    let n = numbers.len();
    series.reserve(4 * n);
    for number in std::mem::take(numbers) {
        series.extend(word(number).to_le_bytes());
    }
    n
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Sample {
        name: &'static str,
        small: Vec<u8>,
        large: Vec<u64>,
    }

    impl InColumns for Sample {
        fn columns(&mut self) -> Vec<(String, Column<'_>)> {
            vec![
                ("small".to_owned(), Column::Bytes(&mut self.small)),
                ("large".to_owned(), Column::Tokens(&mut self.large)),
            ]
        }
    }

    #[test]
    fn columns_stand_behind_the_header_at_multiples_of_four() {
        let packed = pack(Sample { name: "τ", small: vec![7; 5], large: vec![1, u64::MAX] }).unwrap();
        let length = u32::from_le_bytes(packed[..4].try_into().unwrap()) as usize;
        let header: serde_json::Value = serde_json::from_slice(&packed[4..4 + length]).unwrap();
        assert_eq!(
            header,
            serde_json::json!({
                "answer": { "name": "τ", "small": [], "large": [] },
                "columns": [["small", 1, 5], ["large", 4, 2]],
            })
        );
        assert_eq!(length % 4, 0);
        assert_eq!(packed[4 + length..], [7, 7, 7, 7, 7, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255]);
    }
}
