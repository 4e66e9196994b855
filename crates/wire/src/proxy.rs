//! The proxy, as a script that starts it reads of it.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyStatus {
    pub address: String,
    pub port: u16,
    pub upstream: String,
    /// The folder in which requests are kept; `null` where none are.
    pub capture: Option<String>,
    pub policy: String,
    pub budget: Option<u64>,
}
