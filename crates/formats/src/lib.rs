//! Turns agents' session logs into engine events, and rendered contexts into request JSON.
//!
//! This crate uses no files, clock or environment. [`detect_format`] finds a log's [`Format`]. A
//! [`LogReader`] takes the bytes of one log in any pieces and returns [`cwl_engine::ParsedEvent`]s and
//! problems; [`parse_log`] does so for a whole log. Nothing in a log is an error: anything odd becomes a
//! [`cwl_engine::Problem`] with its place, and the record is kept.
//!
//! [`render`] writes the opposite way: the context left by a policy, as the JSON that a client would send.
//!
//! A new format is one adapter and one row in `format.rs`.

// In layers: code in a folder uses only folders above it in this list (checked by `cargo xtask tidy`).
mod json;
mod known;
mod todo;
mod tools;
mod words;
mod call;
mod adapter;
mod bounds;
mod notes;
mod payload;
mod mark;
mod time;
mod index;
mod document;
mod blocks;
mod event;
mod usage;
mod content;
mod wrapped;
mod decision;
mod pi;
mod gemini;
mod qwen;
mod bodies;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod hermes;
mod kimi;
mod vscode;
mod antigravity;
mod opencode;
mod atif;
mod swe;
mod mini;
mod cache_trace;
mod format;
mod lookalike;
mod lines;
mod values;
mod compressed;
mod detect;
mod reader;
mod proxied;
pub mod layout;
pub mod title;
pub mod render;

pub use adapter::Batch;
pub use call::read_call;
pub use claude::automatic_compaction;
pub use claude::exchanges::{Exchange, read_exchanges};
pub use claude::requests::{LoggedRequest, read_logged_request};
pub use codex::trace::{TracedCall, TracedInput, TracedItems, read_trace, traced_items, traced_request};
pub use compressed::{Compression, HEAD, LogUnpacker, plain_beginning};
pub use content::overflow::refusing_window;
pub use decision::{LoggedDecision, read_logged_decision};
pub use detect::{DetectFailure, detect_format};
pub use format::{Format, UnknownFormat};
pub use hermes::{
    HERMES_MESSAGE_COLUMNS, HERMES_SESSION_COLUMNS, HermesRow, HermesRows, HermesValue, hermes_export,
};
pub use json::js_json;
pub use known::{ListSource, known_sources};
pub use lookalike::{Lookalike, list_lookalikes};
pub use opencode::{OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession, opencode_export};
pub use payload::{block_json, fill_hole};
pub use pi::REDACTED_REASONING;
pub use pi::cwl_trace::{Cleanup, EvictedChunk, EvictedStep, PiCwlTrace, read_cwl_trace};
pub use proxied::answer::{AnswerMarks, read_answer_marks};
pub use proxied::ask::{AskNames, asked_format, read_ask_names};
pub use proxied::edit::{
    BodyEdit, BodyEditRefusal, BodyPlace, count_body_messages, edit_body, place_in_body,
};
pub use proxied::index::{ProxiedRequest, read_proxied_requests};
pub use reader::{LogReader, ReaderState, parse_log};
pub use todo::{TodoCall, follow_todos, keeps_todos};
pub use tools::{default_tool_sources, default_tools, parse_tools, tool_sources};
