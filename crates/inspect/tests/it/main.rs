//! Decisions from outside: what they take, what they leave alone, and that the rest is what the inspector renders.
#![allow(clippy::unwrap_used)]

mod story;
mod decide;
mod same_as_rendered;
