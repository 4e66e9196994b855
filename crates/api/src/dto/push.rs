//! Pushes: what the loop says without being asked. Each carries a revision; a gap means: ask again.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::StoreTroubleDto;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PushDto {
    /// A session has new content.
    #[serde(rename_all = "camelCase")]
    Session {
        /// The session.
        session: u32,
        /// Its revision now; one more than the last push of this session, else something was missed.
        revision: u32,
        /// Requests to the model now, `now` included.
        n_turns: u32,
        /// Episodes now.
        n_episodes: u32,
        /// True when everything read so far was void (truncated or replaced log).
        restarted: bool,
        /// True when the log is not there any more.
        gone: bool,
    },
    /// The list of sessions changed.
    Sessions,
    /// Long work: how much of it is done.
    #[serde(rename_all = "camelCase")]
    Progress {
        /// The session.
        session: u32,
        /// How much is done: bytes of a log, or budgets of a sweep.
        #[ts(type = "number")]
        done: u64,
        /// How much there is in all.
        #[ts(type = "number")]
        total: u64,
    },
    /// The channel lost some pushes: ask for everything again.
    Missed,
    /// The notes or bookmarks of a session changed.
    #[serde(rename_all = "camelCase")]
    Notes {
        /// The session.
        session: u32,
    },
    /// The store fails, or can be used again.
    Store {
        /// The trouble of the store; `null` when it has none.
        trouble: Option<StoreTroubleDto>,
    },
    /// A log could not be read; it is tried again on its next change.
    Trouble {
        /// One message: the trouble, its place and the way out.
        message: String,
    },
}
