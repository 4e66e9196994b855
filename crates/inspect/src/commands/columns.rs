//! Columns: an answer whose series are sent as bytes behind a JSON header.
//!
//! The layout is the header's length (four bytes), the header, and the columns in the header's order. A
//! column has little-endian 4-byte words, or bytes. Header and columns are padded to multiples of four bytes,
//! so a page can use typed arrays without copying. In the header's `answer`, each series is an empty list at
//! its column's path.

use serde::Serialize;

use crate::ApiError;
use crate::figures::saturate_u32;

pub enum Column<'a> {
    Bytes(&'a mut Vec<u8>),
    Words(&'a mut Vec<u32>),
    /// Tokens, four bytes each; larger values saturate.
    Tokens(&'a mut Vec<u64>),
}

pub trait InColumns: Serialize {
    fn take_columns(&mut self) -> Vec<(String, Column<'_>)>;
}

#[derive(Serialize)]
struct ColumnsHeader<'a, T> {
    answer: &'a T,
    columns: Vec<ColumnHead>,
}

/// A column's name, bytes per number, and how many numbers.
#[derive(Serialize)]
struct ColumnHead(String, u8, usize);

/// Encodes `answer` with its columns.
///
/// # Errors
/// If the header cannot be serialised.
pub fn pack_columns(mut answer: impl InColumns) -> Result<Vec<u8>, ApiError> {
    let mut columns = Vec::new();
    let mut series = Vec::new();
    for (path, column) in answer.take_columns() {
        let (width, n) = match column {
            Column::Bytes(bytes) => {
                let n = bytes.len();
                series.append(bytes);
                (1, n)
            }
            Column::Words(words) => (4, take_words(words, &mut series, |word| word)),
            Column::Tokens(tokens) => (4, take_words(tokens, &mut series, saturate_u32)),
        };
        series.resize(series.len().next_multiple_of(4), 0);
        columns.push(ColumnHead(path, width, n));
    }
    let mut header =
        serde_json::to_vec(&ColumnsHeader { answer: &answer, columns }).map_err(ApiError::from_internal)?;
    header.resize(header.len().next_multiple_of(4), b' ');
    let length = u32::try_from(header.len()).map_err(ApiError::from_internal)?;
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
        fn take_columns(&mut self) -> Vec<(String, Column<'_>)> {
            vec![
                ("small".to_owned(), Column::Bytes(&mut self.small)),
                ("large".to_owned(), Column::Tokens(&mut self.large)),
            ]
        }
    }

    #[test]
    fn columns_stand_behind_the_header_at_multiples_of_four() {
        let packed = pack_columns(Sample { name: "τ", small: vec![7; 5], large: vec![1, u64::MAX] }).unwrap();
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
