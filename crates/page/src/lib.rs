//! The engine of a page without a host, for any web server: a person drops a log, and the same page asks the same commands.
//!
//! A worker of the page runs this crate as WebAssembly (`ui/src/lib/ipc/wasm`). [`PageEngine`] holds the one log; `exports.rs`
//! hands bytes over. The exports are plain functions with one buffer for each direction: seven of them need no tool at build time
//! and no `unsafe` block, where `wasm-bindgen` needs its own program in exactly the version of the crate.

mod engine;
#[cfg(target_arch = "wasm32")]
mod exports;

pub use engine::PageEngine;
