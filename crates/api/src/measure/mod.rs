//! Results computed from one log at one moment: branches, sizes, replays, findings, costs.

pub(crate) mod branch;
mod breakpoints;
pub(crate) mod causes;
pub(crate) mod calibration;
pub(crate) mod compactions;
pub(crate) mod findings;
pub(crate) mod hidden_gain;
pub(crate) mod hidden_loss;
mod hidden_reply;
pub(crate) mod inferred;
pub(crate) mod harness_window;
pub(crate) mod material;
pub(crate) mod measured;
pub(crate) mod media;
pub(crate) mod misses;
pub(crate) mod spent;
pub(crate) mod moment;
pub(crate) mod opened;
pub(crate) mod record_order;
pub(crate) mod decided;
pub(crate) mod proved;
pub(crate) mod provider_unit;
pub(crate) mod run;
pub(crate) mod sizes;
pub(crate) mod work;
pub(crate) mod worth;

#[cfg(test)]
mod cache_model_tests;
