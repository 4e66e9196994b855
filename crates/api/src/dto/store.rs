//! The store: whether it can be used.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks whether the store can be used.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct StoreRequest {
    /// True tries it again first.
    #[serde(default)]
    pub retry: bool,
}

/// Whether the store can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct StoreDto {
    /// The trouble of the store; `null` when it has none.
    pub trouble: Option<StoreTroubleDto>,
}

/// Trouble of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
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
