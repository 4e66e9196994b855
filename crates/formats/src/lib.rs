//! Agent session logs to engine events, and rendered contexts to request JSON.
//!
//! Bytes in, events out: this crate knows no file, clock or environment. A [`Format`] is found by
//! [`detect`]; a [`Reader`] takes the bytes of one log in any pieces and gives [`cwl_engine::ParsedEvent`]s
//! and problems; [`parse`] does it for a whole log at once. Nothing in a log is an error: what is odd comes
//! back as a [`cwl_engine::Problem`] with its place, and the record that holds it is kept.
//!
//! The way back is [`render`]: what a policy left of a context, as the JSON that a client would post.
//!
//! A new format is one adapter and one row in `format.rs`.
#![deny(missing_docs)]

mod atif;
mod blocks;
mod bodies;
mod call;
mod claude;
mod codex;
mod compressed;
mod detect;
mod document;
mod format;
mod gemini;
mod json;
mod lines;
mod mark;
mod mini;
mod notes;
mod opencode;
mod payload;
mod pi;
mod reader;
pub mod render;
mod swe;
mod time;
mod todo;
mod tools;
mod values;

pub use call::read_call;
pub use compressed::{Compression, Unpacker};
pub use detect::{Undetected, detect};
pub use format::{Format, UnknownFormat};
pub use json::js_json;
pub use opencode::{OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession, opencode_export};
pub use payload::{block_json, fill};
pub use pi::cwl_trace::{Cleanup, EvictedChunk, EvictedStep, Trace, read_cwl_trace};
pub use reader::{Batch, Reader, ReaderState, parse};
pub use todo::{TodoCall, keeps_todos, todos};
pub use tools::{ToolsProblem, default_tools, parse_tools};
