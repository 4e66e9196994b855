//! Readers: marking a session by the command that the user's settings name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The reader that the user's settings name, and what it would get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReaderPlanAnswer {
    /// `null` if the settings name no reader.
    pub plan: Option<ReaderPlanSummary>,
    /// The path of the settings, also if there is no such file; `null` for a user without a home.
    pub settings: Option<String>,
    pub example: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ReaderPlanSummary {
    /// The command, quoted as for a shell.
    pub command: String,
    pub name: String,
    /// True if marks have this name already. The new ones are written over them.
    pub replaces: bool,
    /// Sentences on the prompt and on what the command may do with it: the words of `cwl annotate --dry-run`.
    pub says: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkWithReaderRequest {
    pub session: u32,
    /// [`ReaderPlanSummary::command`], to which the user agreed. The host starts nothing if the settings name another one
    /// now.
    pub command: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReaderOutcome {
    Saved {
        name: String,
        n_episodes: u32,
        n_calls: u32,
        n_covered: u32,
    },
    NotSaved {
        why: String,
        /// Problems of the reader's last answer, a line each.
        problems: Vec<String>,
        /// The path of the last answer; `null` if there was none.
        draft: Option<String>,
    },
}
