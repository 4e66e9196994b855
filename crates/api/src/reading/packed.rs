//! Packed logs: what a reader gets of a file whose bytes are compressed.
//!
//! Such a file is read whole: a position in what is unpacked says nothing of a position in the file.

use cwl_engine::{Place, Problem};
use cwl_formats::{Batch, Compression, Reader, Unpacker};

/// The bytes of one packed log on their way to its reader.
#[derive(Debug)]
pub(crate) struct Packed {
    unpacker: Unpacker,
    /// That it is damaged is told once.
    told: bool,
}

impl Packed {
    /// Looks at the first bytes of a file; `None` where it is not packed.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let unpacker = Unpacker::new(Compression::of(head)?);
        Some(Self { unpacker, told: false })
    }

    /// Returns the problem that the log has if no more bytes come and which was not told.
    pub(crate) fn end(mut self) -> Option<Problem> {
        let kind = if self.told { None } else { self.unpacker.end() };
        kind.map(|kind| Problem { place: Place::default(), kind })
    }

    /// Takes bytes of the file off the front until `limit` bytes of the log have come out of them, or all are taken;
    /// returns what the lines hold that they complete, and how many bytes came out.
    ///
    /// At least one byte is taken where there is any, so the piece may be larger by what one byte unpacks to.
    pub(crate) fn feed(&mut self, reader: &mut Reader, bytes: &mut &[u8], limit: usize) -> (Batch, usize) {
        let mut batch = Batch::default();
        let (n_given, mut n_out) = (bytes.len(), 0);
        loop {
            let Some(piece) = self.unpacker.unpack(bytes) else {
                // Bytes behind a damage are of no use.
                *bytes = &[];
                break;
            };
            n_out += piece.len();
            let more = reader.feed(piece);
            batch.events.extend(more.events);
            batch.problems.extend(more.problems);
            if n_out >= limit && bytes.len() < n_given && !bytes.is_empty() {
                break;
            }
        }
        if let Some(kind) = self.unpacker.damage()
            && !std::mem::replace(&mut self.told, true)
        {
            batch.problems.push(Problem { place: Place::default(), kind: kind.clone() });
        }
        (batch, n_out)
    }
}
