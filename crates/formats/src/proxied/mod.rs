//! Requests that pass a proxy: the API that each asks, the marks of its answer, the index of captured requests,
//! and edits of bodies.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod edit;
#[cfg(test)]
mod edit_tests;
pub(crate) mod index;
mod rewrite;
