//! Measures: how good a replay was, told from the session's own later turns; no policy reads them.

mod arguments;
mod names;
mod normal;
mod prefix_cache;
mod prefix_sums;
mod request_diff;
mod shell;
mod words;

pub use names::*;
pub use prefix_cache::*;
