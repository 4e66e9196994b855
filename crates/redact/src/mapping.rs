//! Maps positions in a rewritten text to the original text.

use std::ops::Range;

#[derive(Debug, Default)]
pub(crate) struct Mapping {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    at: usize,
    from: Range<usize>,
    /// False if one character replaces all in `from`.
    is_same: bool,
}

impl Mapping {
    pub(crate) fn same(&mut self, at: usize, from: Range<usize>) {
        if !from.is_empty() {
            self.pieces.push(Piece { at, from, is_same: true });
        }
    }

    pub(crate) fn instead(&mut self, at: usize, from: Range<usize>) {
        self.pieces.push(Piece { at, from, is_same: false });
    }

    pub(crate) fn is_torn(&self) -> bool {
        self.pieces.len() > 1
    }

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

    pub(crate) fn last_seam_in(&self, range: &Range<usize>) -> Option<usize> {
        let behind = self.pieces.partition_point(|piece| piece.at < range.end);
        let piece = self.pieces.get(behind.checked_sub(1)?)?;
        (piece.at > range.start).then_some(piece.at)
    }
}
