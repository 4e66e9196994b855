//! Results computed from one log at one moment: branches, sizes, replays, findings, costs.

pub mod branch;
mod breakpoints;
pub mod causes;
pub mod calibration;
pub mod compactions;
pub mod findings;
pub mod hidden_gain;
pub mod hidden_loss;
mod hidden_reply;
pub mod inferred;
pub mod harness_window;
pub mod material;
pub mod measured;
pub mod media;
pub mod misses;
pub mod spent;
pub mod moment;
pub mod opened;
pub mod record_order;
pub mod decided;
pub mod diagnostics;
pub mod proved;
pub mod provider_unit;
pub mod run;
pub mod sizes;
pub(crate) mod survival;
pub mod work;
pub mod worth;

#[cfg(test)]
mod cache_model_tests;
