//! Counts by both implementations: equal, and never slow or fatal.

#![allow(clippy::unwrap_used)]

mod text;
mod equality;
mod worst_cases;
