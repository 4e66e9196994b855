//! Wire types: the only types that are serialised and that have a TypeScript twin.
//!
//! They are not the engine's types. Numbers cross as JSON numbers; each `Dto` is what one screen question
//! needs, so that the ui never works out again what the engine decided.

mod cancel;
mod compare;
mod context;
mod defaults;
mod diff;
mod episode;
mod export;
mod find;
mod finding;
mod frame;
mod graph;
mod image;
mod note;
mod push;
mod regret;
mod replay;
mod search;
mod session;
mod store;
mod sweep;
mod trace;
mod undeclared;
mod words;

pub use cancel::*;
pub use compare::*;
pub use context::*;
pub use defaults::*;
pub use diff::*;
pub use episode::*;
pub use export::*;
pub use find::*;
pub use finding::*;
pub use frame::*;
pub use graph::*;
pub use image::*;
pub use note::*;
pub use push::*;
pub use regret::*;
pub use replay::*;
pub use search::*;
pub use session::*;
pub use store::*;
pub use sweep::*;
pub use trace::*;
pub use undeclared::*;
pub use words::*;
