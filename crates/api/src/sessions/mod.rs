//! The list of sessions: what the store holds, what the folders hold beside it, and what people noted.

pub(crate) mod rows;
pub(crate) mod list;
pub(crate) mod made;
pub(crate) mod names;
pub(crate) mod wanted;
pub(crate) mod glance;
pub(crate) mod first;

#[cfg(test)]
mod tests;
