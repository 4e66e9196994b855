//! Tests of live decisions: what is evicted, what is protected, and agreement with the inspector's rendering.
#![allow(clippy::unwrap_used)]

mod story;
mod decide;
mod same_as_rendered;
