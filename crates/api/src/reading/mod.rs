//! From the bytes of a log to an opened session: once into memory, or into the store and on as the log grows.

pub(crate) mod derive;
pub(crate) mod ingest;
pub(crate) mod lately;
pub(crate) mod live;
pub(crate) mod load;
pub(crate) mod packed;
pub(crate) mod recorded;
pub(crate) mod captured;
mod traced;
pub(crate) mod beside;
