//! Wire types: the only types with a TypeScript twin.
//!
//! Engine types never cross the wire. Numbers cross as JSON numbers. Each `…Dto` answers one question of a pane, so the
//! page recomputes nothing.
//!
//! Conventions, unless a field says otherwise: block ids are `ENTRY:INDEX`; lines, turns and steps count from 1, other
//! indices from 0; an `episode` is an index into [`GraphDto::episodes`]; sizes are tokens; `…_ms` is milliseconds since
//! 1970; `says` and `message` are clauses without full stop; `revision` is the session's revision at the time of the
//! answer.

mod error;
mod words;
mod annotation;
mod reader;
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
mod duel;
mod sweep;
mod frontier;
mod verdict;
mod cost;
mod overview;
mod choice;
mod trial;
mod corpus;
mod corpora;
mod search;
mod note;
mod trace;
mod export;
mod captured;
mod proxy;
mod live;
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
pub use duel::*;
pub use episode::*;
pub use error::{ApiError, ErrorCode};
pub use export::*;
pub use finding::*;
pub use first::*;
pub use frontier::*;
pub use graph::*;
pub use host::*;
pub use lint::*;
pub use list::*;
pub use live::*;
pub use note::*;
pub use overview::*;
pub use proxy::*;
pub use reader::*;
pub use reference::*;
pub use replay::*;
pub use search::*;
pub use session::*;
pub use side_by_side::*;
pub use story::*;
pub use sweep::*;
pub use trace::*;
pub use trial::*;
pub use verdict::*;
pub use words::*;

/// The visitor of all wire types that a list of commands names.
pub use ts_rs::TypeVisitor;
