//! The branches of a log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BranchesAnswer {
    pub branches: Vec<BranchRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchRow {
    pub leaf: String,
    pub line: u64,
    pub n_messages: u32,
    pub current: bool,
    /// True for a subagent's conversation inside its caller's log.
    pub subagent: bool,
    pub text: String,
}
