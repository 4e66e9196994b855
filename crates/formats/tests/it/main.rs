//! Tests of the crate's public API, in one binary because each binary costs a link.
#![allow(clippy::unwrap_used)]

mod show;
mod told;
mod bounded;
mod damaged;
mod detect;
mod document_lines;
mod lines;
mod pieces;
mod samples;
mod sample_events;
mod js_json;
mod tools;
mod doors;
mod droid;
mod pi_records;
mod pi_messages;
mod claude;
mod codex;
mod codex_bytes;
mod copilot;
mod gemini;
mod kimi;
mod qwen;
mod opencode;
mod bodies;
mod bodies_history;
mod bodies_samples;
mod atif;
mod swe;
mod render_log;
mod render;
mod render_any;
mod render_forms;
mod render_samples;
mod render_stand_ins;
