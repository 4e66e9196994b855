//! Requests that a proxy sees pass: which API each asks, the marks of its answer, the index of those that it kept, and edits of
//! their bodies.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod edit;
#[cfg(test)]
mod edit_tests;
pub(crate) mod index;
mod rewrite;
