//! Token counts of texts.
//!
//! A [`Tokenizer`] says how a text is turned into *units*: BPE tokens of one of two public vocabularies, or UTF-16 code
//! units. [`count_units`] gives the units of one text, [`count_all`] of many over the cores, and a [`CountCache`] remembers
//! them under the text's [`ContentHash`], so nothing is counted twice.
//!
//! Each vocabulary can be counted by two crates. `o200k` and `cl100k` use the fast one; `o200k-ref` and `cl100k-ref` use
//! the reference the fast one is proven against. Both have inputs that they cannot take whole (the fast one slows down with
//! the square of the length, the reference panics), so a text is always cut first into small pieces, at places where a cut
//! provably changes no count: see `pieces.rs`.
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
