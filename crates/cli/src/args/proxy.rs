//! Arguments of `cwl proxy`.

use std::path::PathBuf;

use clap::Args;

use super::known;

#[derive(Debug, Args)]
pub(crate) struct ProxyArgs {
    /// The provider's address, to which all requests go: https://api.anthropic.com
    #[allow(rustdoc::bare_urls, reason = "the help prints the text as it is")]
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
    /// Evict from requests by this policy and the marks of the agent; the window and `cwl live set` change it for a session. `none` evicts nothing until then; without this argument no session can be steered
    #[arg(long, value_name = "NAME", value_parser = known::known_policies(), hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Token budget of a request, system prompt and tools counted in: 80000, 80k
    #[arg(long, value_name = "TOKENS", default_value = "80k", allow_hyphen_values = true)]
    pub(crate) budget: String,
    /// An option of the policy, as `cwl policies NAME` lists them; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The tokenizer that counts
    #[arg(long, value_name = "NAME", default_value = "o200k", value_parser = known::known_tokenizers())]
    pub(crate) tokenizer: String,
    /// Print the address as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
