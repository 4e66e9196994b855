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
    /// What is the matter with it; `null` when nothing is.
    pub trouble: Option<StoreTroubleDto>,
}

/// What is the matter with the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct StoreTroubleDto {
    /// Of which kind.
    pub kind: TroubleKindDto,
    /// What, a sentence without its capital and its end, as are the next two.
    pub what: String,
    /// What works and what does not, until it is over.
    pub effect: String,
    /// What to do about it.
    pub hint: String,
    /// What exactly failed, for a report.
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
