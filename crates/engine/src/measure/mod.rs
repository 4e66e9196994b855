//! Measures: a replay's quality, judged by the session's own later turns. No policy reads them.

mod absence;
mod alignment;
mod compaction;
mod cache_entries;
mod cache_miss;
mod cost;
mod frontier;
mod frontier_gap;
mod counterfactual;
mod summary_calls;
mod look_back;
mod mentions;
mod names;
mod normal;
mod numbers;
mod oracle;
mod prefix_cache;
mod prefix_sums;
mod request_diff;
mod regret;
mod words;
mod work;
mod worth;

pub(crate) use normal::normal_path;
pub(crate) use prefix_cache::request_times;
pub(crate) use words::{each_patched, each_path, each_symbol};

pub use absence::*;
pub use alignment::*;
pub use cache_miss::*;
pub use compaction::*;
pub use cost::*;
pub use counterfactual::*;
pub use frontier::*;
pub use frontier_gap::*;
pub use look_back::*;
pub use mentions::*;
pub use names::*;
pub use numbers::*;
pub use oracle::*;
pub use prefix_cache::*;
pub use regret::*;
pub use summary_calls::*;
pub use work::*;
pub use worth::*;
