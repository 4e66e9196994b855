//! Mappings: where the parts of a text that was rewritten stand in the text it was made of.

use std::ops::Range;

/// The source range of each part of a rewritten text.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    /// The start of the piece in the rewritten text.
    at: usize,
    from: Range<usize>,
    /// True when the piece is written as it stood; else it is one sign written in another way.
    is_same: bool,
}

impl Mapping {
    /// Notes that what begins at `at` in the rewritten text was written as it stood in `from`.
    pub(crate) fn same(&mut self, at: usize, from: Range<usize>) {
        if !from.is_empty() {
            self.pieces.push(Piece { at, from, is_same: true });
        }
    }

    /// Notes that what begins at `at` in the rewritten text stands for all of `from`.
    pub(crate) fn instead(&mut self, at: usize, from: Range<usize>) {
        self.pieces.push(Piece { at, from, is_same: false });
    }

    /// Tells whether the text has more than one piece.
    pub(crate) fn is_torn(&self) -> bool {
        self.pieces.len() > 1
    }

    /// Returns the range of the original text a range of the rewritten one stands for.
    pub(crate) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.pieces.partition_point(|piece| piece.at <= range.start).checked_sub(1);
        let last = self.pieces.partition_point(|piece| piece.at < range.end).checked_sub(1);
        let place = |piece: &Piece, at: usize, end: usize| {
            if piece.is_same { piece.from.start + (at - piece.at) } else { end }
        };
        let start =
            first.map(|at| &self.pieces[at]).map_or(0, |piece| place(piece, range.start, piece.from.start));
        let end =
            last.map(|at| &self.pieces[at]).map_or(start, |piece| place(piece, range.end, piece.from.end));
        start..end.max(start)
    }

    /// Returns the last place inside a range of the rewritten text at which a piece begins.
    pub(crate) fn last_seam_in(&self, range: &Range<usize>) -> Option<usize> {
        let behind = self.pieces.partition_point(|piece| piece.at < range.end);
        let piece = self.pieces.get(behind.checked_sub(1)?)?;
        (piece.at > range.start).then_some(piece.at)
    }
}
