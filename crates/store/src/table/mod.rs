//! One file per table (or per small family that is always read together): rows, read and write functions.

pub(crate) mod block;
pub(crate) mod count;
pub(crate) mod episode;
pub(crate) mod event;
pub(crate) mod mark;
pub(crate) mod message;
pub(crate) mod note;
pub(crate) mod overlay;
pub(crate) mod payload;
pub(crate) mod problem;
pub(crate) mod rewrite;
pub(crate) mod saved_view;
pub(crate) mod source;
pub(crate) mod text;
pub(crate) mod usage;

use crate::error::Fault;

/// The bits of an unsigned number as the signed one that SQLite holds.
pub(crate) fn to_signed(number: u64) -> i64 {
    number.cast_signed()
}

/// The other way round.
pub(crate) fn to_unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

/// A length or position as SQLite holds it.
pub(crate) fn to_u32(number: usize) -> Result<u32, Fault> {
    match u32::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => Err(Fault::TooLarge),
    }
}
