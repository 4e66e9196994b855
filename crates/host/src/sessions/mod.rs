//! The session list: logs in the store, logs in folders, and the user's pins and notes.

pub(crate) mod rows;
pub(crate) mod list;
pub(crate) mod made;
pub(crate) mod names;
pub(crate) mod wanted;
pub(crate) mod glance;
pub(crate) mod first;

#[cfg(test)]
mod tests;
