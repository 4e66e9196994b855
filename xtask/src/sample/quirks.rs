//! Damage that real logs show, done to a log that was written well.

use anyhow::{Context as _, Result};

/// One kind of damage; rows count from 0 and include the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirk {
    /// A row and the next one share a line: a writer died before its newline.
    Glued { row: usize },
    /// A record that no version of the format describes stands after the row.
    UnknownRecord { row: usize },
    /// An empty line stands after the row.
    BlankLine { row: usize },
    /// The last row ends in the middle, without a newline.
    TornTail,
}

/// Applies every quirk to a log of one row per line.
pub(crate) fn damaged(log: &str, quirks: &[Quirk]) -> Result<String> {
    let rows: Vec<&str> = log.lines().collect();
    let mut out = String::with_capacity(log.len());
    for (at, row) in rows.iter().enumerate() {
        if at + 1 == rows.len() && quirks.contains(&Quirk::TornTail) {
            let cut = (0..=row.len() * 3 / 5).rev().find(|cut| row.is_char_boundary(*cut)).unwrap_or(0);
            out.push_str(&row[..cut]);
            break;
        }
        out.push_str(row);
        if !quirks.contains(&Quirk::Glued { row: at }) {
            out.push('\n');
        }
        if quirks.contains(&Quirk::UnknownRecord { row: at }) {
            out.push_str("{\"type\":\"window_title\",\"title\":\"tidewater: next poll\"}\n");
        }
        if quirks.contains(&Quirk::BlankLine { row: at }) {
            out.push('\n');
        }
    }
    let last = quirks.iter().filter_map(|quirk| quirk.row()).max();
    last.is_none_or(|last| last + 1 < rows.len())
        .then_some(out)
        .context("a quirk lies behind the end of the log")
}

impl Quirk {
    fn row(self) -> Option<usize> {
        match self {
            Self::Glued { row } | Self::UnknownRecord { row } | Self::BlankLine { row } => Some(row),
            Self::TornTail => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[track_caller]
    fn check(quirk: Quirk, expected: &str) {
        assert_eq!(damaged("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n", &[quirk]).unwrap(), expected);
    }

    #[test]
    fn each_kind() {
        check(Quirk::Glued { row: 0 }, "{\"a\":1}{\"b\":2}\n{\"c\":3}\n");
        check(Quirk::BlankLine { row: 1 }, "{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n");
        check(Quirk::TornTail, "{\"a\":1}\n{\"b\":2}\n{\"c\"");
        assert!(damaged("{}\n", &[Quirk::Glued { row: 0 }]).is_err());
    }
}
