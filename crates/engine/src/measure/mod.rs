//! Measures: how good a replay was, told from the session's own later turns; no policy reads them.

mod arguments;
mod names;
mod normal;
mod shell;
mod words;

pub use names::*;
