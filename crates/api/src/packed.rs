//! Packed logs: what a reader gets of a file whose bytes are compressed.
//!
//! Such a file is read whole: a position in what is unpacked says nothing of a position in the file.

use std::borrow::Cow;

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

    /// Takes the next bytes of the file; returns what the lines hold that they complete.
    pub(crate) fn feed(&mut self, reader: &mut Reader, mut bytes: &[u8]) -> Batch {
        let mut batch = Batch::default();
        while let Some(piece) = self.unpacker.unpack(&mut bytes) {
            let more = reader.feed(piece);
            batch.events.extend(more.events);
            batch.problems.extend(more.problems);
        }
        if let Some(kind) = self.unpacker.damage()
            && !std::mem::replace(&mut self.told, true)
        {
            batch.problems.push(Problem { place: Place::default(), kind: kind.clone() });
        }
        batch
    }
}

/// Returns the first bytes of a log, at most `limit` where they come out of a packed file.
pub(crate) fn plain(bytes: &[u8], limit: usize) -> Cow<'_, [u8]> {
    let Some(mut packed) = Packed::of(bytes) else { return Cow::Borrowed(bytes) };
    let mut log = Vec::new();
    let mut rest = bytes;
    while let Some(more) = packed.unpacker.unpack(&mut rest).filter(|_| log.len() < limit) {
        log.extend_from_slice(more);
    }
    log.truncate(limit);
    Cow::Owned(log)
}
