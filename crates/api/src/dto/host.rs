//! The host: what it was started with, what it says without being asked, how its store does, and stopping what takes long.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, ViewDto};

/// The session and view that the host was started with and a window opens on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DefaultsDto {
    /// A path, or the number or id of a known session.
    pub target: Option<String>,
    /// The query of the link that it was started with (`session=…&turn=…`); it says more than the other fields.
    pub link: Option<String>,
    /// The view.
    pub view: ViewDto,
    /// True when the user set the view's budget: then it is the one of every session, whatever a trace says.
    pub budget_given: bool,
    /// The cut.
    pub cut: CutDto,
    /// True plays a sample as if it were being written now.
    pub demo: bool,
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
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
        done: u64,
        /// How much there is in all.
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
    /// The marks of a session that are kept changed.
    #[serde(rename_all = "camelCase")]
    Marks {
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

/// Asks whether the store can be used.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreRequest {
    /// True tries it again first.
    #[serde(default)]
    pub retry: bool,
}

/// Whether the store can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreDto {
    /// The trouble of the store; `null` when it has none.
    pub trouble: Option<StoreTroubleDto>,
}

/// Trouble of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreTroubleDto {
    /// Of which kind.
    pub kind: TroubleKindDto,
    /// The trouble, as a sentence without its capital and its end; so are the next two.
    pub what: String,
    /// The consequences for the window, until the trouble is over.
    pub effect: String,
    /// The way out.
    pub hint: String,
    /// The exact failure, for a report.
    pub detail: String,
    /// The file or folder.
    pub path: String,
    /// True when the store could not be opened at all: then everything is in memory.
    pub in_memory: bool,
}

/// Kinds of trouble with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TroubleKindDto {
    /// There is no room.
    Full,
    /// Another program keeps it locked.
    Locked,
    /// It may not be written to.
    ReadOnly,
    /// It does not hold what this program writes there.
    Damaged,
    /// Another release of this program made it.
    Newer,
    /// Its folder or file cannot be made or opened.
    Unreachable,
}

/// Whether there was a first index, a sweep or an export of a session to stop. What was read is kept, and opening the
/// session again goes on from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CancelDto {
    /// False where that log is not being read (any more) and no sweep is under way. Else `open` or `sweep` fails as
    /// `cancelled`.
    pub stopped: bool,
}
