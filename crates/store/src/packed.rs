//! Events made ready for the writer: hashed and packed by other threads.

use cwl_engine::{ParsedEvent, RawPayload};

use crate::error::{Fault, StoreError};
use crate::table::payload;
use crate::text::{Codec, Packer, TextHash};

/// The texts and payloads of one event, hashed, and packed where that was asked for.
///
/// A writer is alone with its transaction, while hashing and packing take as long as everything else it does.
/// So they are done ahead on other threads ([`PackedEvent::new`], [`PackedEvent::pack_event`]) and handed over with
/// the events ([`crate::Store::ingest_packed`]).
#[derive(Debug, Clone)]
pub struct PackedEvent {
    pub(crate) envelope: PackedPayload,
    pub(crate) blocks: Vec<PackedBlock>,
}

/// One block.
#[derive(Debug, Clone)]
pub(crate) struct PackedBlock {
    n_bytes: usize,
    pub(crate) text: PackedText,
    pub(crate) raw: PackedPayload,
}

/// A text by its name, with the bytes a row of it would hold.
#[derive(Debug, Clone)]
pub(crate) struct PackedText {
    pub(crate) hash: TextHash,
    pub(crate) form: PackedForm,
}

/// A payload: one that is stored by its hash, or a short one.
#[derive(Debug, Clone)]
pub(crate) enum PackedPayload {
    Shared(PackedText),
    Here(PackedForm),
}

/// The form in which a row holds some bytes.
#[derive(Debug, Clone)]
pub(crate) enum PackedForm {
    /// Not made ready; the writer packs them if it has to.
    Unpacked,
    /// The bytes themselves, because a frame would not be shorter.
    Raw,
    /// A zstd frame.
    Frame(Box<[u8]>),
}

impl PackedForm {
    /// Packs some bytes; an `Unpacked` comes back as something else.
    pub(crate) fn pack(bytes: &[u8], packer: &mut Packer) -> Result<Self, Fault> {
        Ok(match packer.pack(bytes)? {
            (Codec::Raw, _) => Self::Raw,
            (Codec::Zstd, frame) => Self::Frame(frame.into()),
        })
    }

    /// Returns what a row of `bytes` holds.
    pub(crate) fn row_data<'a>(
        &'a self,
        bytes: &'a [u8],
        packer: &'a mut Packer,
    ) -> Result<(Codec, &'a [u8]), Fault> {
        match self {
            Self::Unpacked => packer.pack(bytes),
            Self::Raw => Ok((Codec::Raw, bytes)),
            Self::Frame(frame) => Ok((Codec::Zstd, frame)),
        }
    }
}

impl PackedEvent {
    /// Hashes what an event says; nothing is packed yet.
    pub fn new(parsed: &ParsedEvent) -> Self {
        let blocks = parsed.contents.iter().map(|content| PackedBlock {
            n_bytes: content.text.len(),
            text: PackedText { hash: TextHash::from_text(&content.text), form: PackedForm::Unpacked },
            raw: PackedPayload::new(&content.raw),
        });
        Self { envelope: PackedPayload::new(&parsed.envelope), blocks: blocks.collect() }
    }

    /// Tells whether this can have been made of an event.
    pub(crate) fn could_be_from(&self, parsed: &ParsedEvent) -> bool {
        let fits = |packed: &PackedPayload, raw: &RawPayload| {
            matches!(packed, PackedPayload::Here(_)) == (payload::n_bytes(raw) < payload::SHARE_FROM_BYTES)
        };
        self.blocks.len() == parsed.contents.len()
            && fits(&self.envelope, &parsed.envelope)
            && self
                .blocks
                .iter()
                .zip(&parsed.contents)
                .all(|(block, content)| block.n_bytes == content.text.len() && fits(&block.raw, &content.raw))
    }

    /// Returns the hash of every block's text, in order.
    pub fn text_hashes(&self) -> impl ExactSizeIterator<Item = TextHash> {
        self.blocks.iter().map(|block| block.text.hash)
    }

    /// Returns the hashes of everything stored by its hash: texts of blocks and long payloads.
    pub fn all_hashes(&self) -> impl Iterator<Item = TextHash> {
        let of_blocks = self.blocks.iter().flat_map(|block| [Some(block.text.hash), block.raw.hash()]);
        [self.envelope.hash()].into_iter().chain(of_blocks).flatten()
    }

    /// Packs what `is_stored` does not know; `parsed` is the event that this was made of.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] and [`Fault::Codec`], without a path.
    pub fn pack_event(
        &mut self,
        parsed: &ParsedEvent,
        packer: &mut Packer,
        is_stored: impl Fn(TextHash) -> bool,
    ) -> Result<(), StoreError> {
        let mut pack = || {
            self.envelope.pack_payload(&parsed.envelope, packer, &is_stored)?;
            for (block, content) in self.blocks.iter_mut().zip(&parsed.contents) {
                if !is_stored(block.text.hash) {
                    block.text.form = PackedForm::pack(content.text.as_bytes(), packer)?;
                }
                block.raw.pack_payload(&content.raw, packer, &is_stored)?;
            }
            Ok(())
        };
        pack().map_err(|fault: Fault| fault.with_context("pack what was read", "".as_ref()))
    }
}

impl PackedPayload {
    fn new(raw: &RawPayload) -> Self {
        match raw {
            _ if payload::n_bytes(raw) < payload::SHARE_FROM_BYTES => Self::Here(PackedForm::Unpacked),
            RawPayload::Whole(text) => Self::shared(TextHash::from_text(text)),
            RawPayload::Around { before, after } => Self::shared(TextHash::of_joined(before, after)),
        }
    }

    fn hash(&self) -> Option<TextHash> {
        match self {
            Self::Shared(text) => Some(text.hash),
            Self::Here(_) => None,
        }
    }

    fn shared(hash: TextHash) -> Self {
        Self::Shared(PackedText { hash, form: PackedForm::Unpacked })
    }

    fn pack_payload(
        &mut self,
        raw: &RawPayload,
        packer: &mut Packer,
        is_stored: &impl Fn(TextHash) -> bool,
    ) -> Result<(), Fault> {
        match self {
            Self::Shared(text) if is_stored(text.hash) => {}
            Self::Shared(PackedText { form, .. }) | Self::Here(form) => {
                *form = PackedForm::pack(payload::join_payload(raw).as_bytes(), packer)?;
            }
        }
        Ok(())
    }
}
