//! Wire types: the only types that are serialised and that have a TypeScript twin.
//!
//! They are not the engine's types. Numbers cross as JSON numbers; each `Dto` is what one screen question
//! needs, so that the ui never works out again what the engine decided.

mod words;
mod annotation;
mod first;
mod host;
mod session;
mod reference;
mod replay;
mod graph;
mod episode;
mod list;
mod block;
mod finding;
mod story;
mod lint;
mod compaction;
mod compare;
mod side_by_side;
mod sweep;
mod frontier;
mod cost;
mod choice;
mod corpus;
mod corpora;
mod search;
mod note;
mod trace;
mod export;
mod captured;
mod proxy;
mod document;

pub use annotation::*;
pub use block::*;
pub use captured::*;
pub use choice::*;
pub use compaction::*;
pub use compare::*;
pub use corpora::*;
pub use corpus::*;
pub use cost::*;
pub use document::*;
pub use episode::*;
pub use export::*;
pub use finding::*;
pub use first::*;
pub use frontier::*;
pub use graph::*;
pub use host::*;
pub use lint::*;
pub use list::*;
pub use note::*;
pub use proxy::*;
pub use reference::*;
pub use replay::*;
pub use search::*;
pub use session::*;
pub use side_by_side::*;
pub use story::*;
pub use sweep::*;
pub use trace::*;
pub use words::*;
