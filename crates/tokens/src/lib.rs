//! Token counts for texts.
//!
//! A [`Tokenizer`] turns a text into *units*: BPE tokens from one of two public vocabularies, or UTF-16 code
//! units. [`count_units`] counts one text, [`count_all`] many in parallel, and a [`CountCache`] remembers
//! counts under the text's [`ContentHash`].
//!
//! Each vocabulary has two implementations: `o200k` and `cl100k` use a fast crate, `o200k-ref` and
//! `cl100k-ref` the reference crate against which the fast one is tested. Both fail on some long inputs (the
//! fast one takes quadratic time, the reference panics), so texts are first cut into small pieces at places
//! where a cut provably changes no count; see `pieces.rs`.
//!
//! This crate does no I/O: the vocabularies are part of the binary.

mod cache;
mod count;
mod hash;
mod pieces;
mod reference;
mod tokenizer;

pub use cache::CountCache;
pub use count::{count_all, count_units, load_vocabulary, warm_beside};
pub use hash::ContentHash;
pub use tokenizer::{Tokenizer, UnknownTokenizer};
