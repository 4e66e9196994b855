//! One file per table, or per small family of tables read together.

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

pub(crate) fn to_signed(number: u64) -> i64 {
    number.cast_signed()
}

pub(crate) fn to_unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

pub(crate) fn to_u32(number: usize) -> Result<u32, Fault> {
    match u32::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => Err(Fault::TooLarge),
    }
}
