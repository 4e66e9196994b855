//! Events hashed and compressed ahead by other threads.

use cwl_engine::{ParsedEvent, RawPayload};

use crate::error::{Fault, StoreError};
use crate::table::payload;
use crate::text::{Codec, Packer, TextHash};

/// One event's texts and payloads, hashed and optionally compressed.
///
/// The writer is alone with its transaction, and hashing and compressing take as long as all its other work.
/// Other threads therefore do both ahead ([`PackedEvent::new`], [`PackedEvent::pack_event`]), and
/// [`crate::Store::ingest_packed`] takes the result.
#[derive(Debug, Clone)]
pub struct PackedEvent {
    pub(crate) envelope: PackedPayload,
    pub(crate) blocks: Vec<PackedBlock>,
}

#[derive(Debug, Clone)]
pub(crate) struct PackedBlock {
    n_bytes: usize,
    pub(crate) text: PackedText,
    pub(crate) raw: PackedPayload,
}

#[derive(Debug, Clone)]
pub(crate) struct PackedText {
    pub(crate) hash: TextHash,
    pub(crate) form: PackedForm,
}

#[derive(Debug, Clone)]
pub(crate) enum PackedPayload {
    Shared(PackedText),
    Here(PackedForm),
}

#[derive(Debug, Clone)]
pub(crate) enum PackedForm {
    Unpacked,
    /// Uncompressed, because a frame would not be shorter.
    Raw,
    Frame(Box<[u8]>),
}

impl PackedForm {
    pub(crate) fn pack(bytes: &[u8], packer: &mut Packer) -> Result<Self, Fault> {
        Ok(match packer.pack(bytes)? {
            (Codec::Raw, _) => Self::Raw,
            (Codec::Zstd, frame) => Self::Frame(frame.into()),
        })
    }

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
    /// Hashes all texts and long payloads without compressing them.
    pub fn new(parsed: &ParsedEvent) -> Self {
        let blocks = parsed.contents.iter().map(|content| PackedBlock {
            n_bytes: content.text.len(),
            text: PackedText { hash: TextHash::from_text(&content.text), form: PackedForm::Unpacked },
            raw: PackedPayload::new(&content.raw),
        });
        Self { envelope: PackedPayload::new(&parsed.envelope), blocks: blocks.collect() }
    }

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

    pub fn text_hashes(&self) -> impl ExactSizeIterator<Item = TextHash> {
        self.blocks.iter().map(|block| block.text.hash)
    }

    /// Block texts and long payloads alike.
    pub fn all_hashes(&self) -> impl Iterator<Item = TextHash> {
        let of_blocks = self.blocks.iter().flat_map(|block| [Some(block.text.hash), block.raw.hash()]);
        [self.envelope.hash()].into_iter().chain(of_blocks).flatten()
    }

    /// Compresses everything for which `is_stored` is false; `parsed` must be the event this was made from.
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
