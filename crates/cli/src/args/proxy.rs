//! Arguments of `cwl proxy`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ProxyArgs {
    /// The provider's address, to which all requests go: https://api.anthropic.com
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: String,
    /// The port; 0 is any free one
    #[arg(long, value_name = "N", default_value = "4358")]
    pub(crate) port: u16,
    /// Also send keys and texts without encryption over a network: http:// to another machine
    #[arg(long)]
    pub(crate) insecure_upstream: bool,
    /// Keep the bodies of the requests that ask a model, for this user alone, and what their answers used; `cwl` shows them beside their sessions [default folder: `captured` in that of the store]
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub(crate) capture: Option<Option<PathBuf>>,
    /// Print the address as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
