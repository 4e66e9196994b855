//! Claude Code: samples as events, rows of every kind, and the model's context.

mod log;
mod requests;
mod rows;
mod samples;
mod trees;
mod viewers;
mod voices;
