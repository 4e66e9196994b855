//! The host: start options, pushes, the store's health, cancellation.

use cwl_inspect::api::{ViewCut, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The session and view `cwl` was started with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct DefaultsAnswer {
    /// A value for [`OpenRequest::target`](super::OpenRequest::target).
    pub target: Option<String>,
    /// A link's query (`session=…&turn=…`). The query takes precedence over other fields.
    pub link: Option<String>,
    pub view: ViewSettings,
    /// True if the user set `view.budget`, which then applies to every session, even one with a recorded budget.
    pub budget_given: bool,
    /// True if the user set `view.policy` or an option of it. Otherwise a session without marks opens as it happened.
    pub policy_given: bool,
    pub cut: ViewCut,
    /// Plays a sample as if it were being written now.
    pub demo: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Push {
    #[serde(rename_all = "camelCase")]
    Session {
        session: u32,
        /// One more than in the session's last push; otherwise a push was lost.
        revision: u32,
        n_turns: u32,
        n_episodes: u32,
        /// True if earlier content is void because the log was truncated or replaced.
        restarted: bool,
        gone: bool,
    },
    Sessions,
    #[serde(rename_all = "camelCase")]
    Progress {
        session: u32,
        /// Bytes of a log, or budgets of a sweep.
        done: u64,
        total: u64,
    },
    /// Some pushes were dropped. The page must reload everything.
    Missed,
    #[serde(rename_all = "camelCase")]
    Notes {
        session: u32,
    },
    #[serde(rename_all = "camelCase")]
    Marks {
        session: u32,
    },
    /// A reader's command was given a prompt. Parts and attempts count from 1.
    #[serde(rename_all = "camelCase")]
    Reader {
        session: u32,
        part: u32,
        n_parts: u32,
        attempt: u32,
        n_attempts: u32,
    },
    Store {
        trouble: Option<StoreTroubleReport>,
    },
    /// A log could not be read. The host tries again on its next change.
    Trouble {
        message: String,
    },
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreRequest {
    #[serde(default)]
    pub retry: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreAnswer {
    pub trouble: Option<StoreTroubleReport>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct StoreTroubleReport {
    pub kind: StoreTroubleKind,
    /// A clause without initial capital and full stop, as are `effect` and `hint`.
    pub what: String,
    pub effect: String,
    pub hint: String,
    pub detail: String,
    pub path: String,
    /// True if the store at `path` could not be opened. All data is then only in memory.
    pub in_memory: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StoreTroubleKind {
    Full,
    Locked,
    ReadOnly,
    Damaged,
    Newer,
    Unreachable,
}

/// The result of cancelling an indexing run, sweep or export. The store keeps indexed data; `open` continues from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CancelAnswer {
    /// False if nothing was running. Otherwise `open`, `sweep` or the export fails with `cancelled`.
    pub stopped: bool,
}
