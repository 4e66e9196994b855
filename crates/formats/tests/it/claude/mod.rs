//! Claude Code: samples as events, rows of every kind, and what the model would see of them.

mod log;
mod requests;
mod rows;
mod samples;
mod trees;
mod viewers;
mod voices;
