//! Stopping what takes long.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks to stop the reading of a session's log that `open` waits for. What was read is kept, and opening the
/// session again goes on from there. A sweep of the session is stopped as well.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CancelRequest {
    /// The session, as the progress names it.
    pub session: u32,
}

/// Whether there was anything to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CancelDto {
    /// False where that log is not being read (any more) and no sweep is under way. Else `open` or `sweep` fails as
    /// `cancelled`.
    pub stopped: bool,
}
