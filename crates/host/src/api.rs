//! Requests and answers of all commands: those about one session, and those of the window alone.

pub use cwl_inspect::api::*;
pub use cwl_wire::*;
