//! The store for its users: open files, a log's texts, and their counts.

pub(crate) mod library;
pub(crate) mod marks;
pub(crate) mod position;
pub(crate) mod stores;
pub(crate) mod texts;
pub(crate) mod upkeep;
