//! The proxy, as a script that starts it reads of it.

use schemars::JsonSchema;
use serde::Serialize;

/// A proxy that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyStatus {
    /// The address for the harness's base URL.
    pub address: String,
    /// The port of this machine.
    pub port: u16,
    /// The address that requests go to.
    pub upstream: String,
    /// The folder in which requests are kept; `null` where none are.
    pub capture: Option<String>,
    /// The policy; `none` lets every request through as it is.
    pub policy: String,
    /// The token budget of a request; `null` with `none`.
    pub budget: Option<u64>,
}
