//! The bodies of the commands: one file per question of a screen. `router.rs` declares them.

pub(crate) mod body;
pub(crate) mod columns;
mod compare;
pub(crate) mod context;
mod diff;
pub(crate) mod episode;
mod evicted;
mod find;
mod findings;
mod graph;
mod image;
mod notes;
mod open;
mod regrets;
pub(crate) mod replay;
mod saved;
pub(crate) mod search;
pub(crate) mod session;
mod store;
pub(crate) mod sweep;
mod undeclared;

pub use body::{block, body, compact_body};
pub use compare::{compare, compare_blocks};
pub use context::{context, context_in_full, context_text};
pub use diff::diff;
pub use episode::episode;
pub use evicted::{evicted, evicted_in_full};
pub use find::{find, marks, place};
pub use findings::findings;
pub use graph::graph;
pub use image::image;
pub use regrets::regrets;
pub use replay::{frame, history, kept, replay, steps};
pub use session::session;
pub use sweep::sweep;
pub use undeclared::undeclared;
