//! The engine of a page without a host: the same page asks the same commands. On a web server a person drops a log; a page that
//! `cwl export` writes has its session in it, and an engine without the feature `logs`: no readers of logs, no vocabularies.
//!
//! A worker of the page runs this crate as WebAssembly (`ui/src/lib/ipc/wasm`). [`PageEngine`] holds the one session; `exports.rs`
//! hands bytes over. The exports are plain functions with one buffer for each direction: eight of them need no tool at build time
//! and no `unsafe` block, where `wasm-bindgen` needs its own program in exactly the version of the crate.

mod engine;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(feature = "logs")]
mod logs;

pub use engine::PageEngine;
