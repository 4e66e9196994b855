//! Composition: from bytes on disk to answers on a wire.
pub mod dto;
