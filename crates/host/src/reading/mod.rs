//! From log bytes to an opened session: either straight into memory, or into the store and onward as the log
//! grows.

pub(crate) mod derive;
pub(crate) mod ingest;
pub(crate) mod lately;
pub(crate) mod live;
pub(crate) mod load;
pub(crate) mod recorded;
pub(crate) mod captured;
mod traced;
pub(crate) mod beside;
