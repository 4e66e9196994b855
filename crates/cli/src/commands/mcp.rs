//! `cwl mcp`: serves tools to an agent. Standard output belongs to the protocol.

use std::path::PathBuf;

use cwl_host::{AgentConfig, default_data_dir, root_of_start};
use cwl_mcp::{McpConfig, serve_client};

use super::build_runtime;
use crate::args::McpArgs;
use crate::out::{Failure, warn_user};

pub(crate) fn run(args: McpArgs) -> Result<(), Failure> {
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let mut roots = args.root;
    let start = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    match root_of_start(&start, std::env::home_dir().as_deref()) {
        Some(root) => roots.push(root),
        None if roots.is_empty() => warn_user(&format!(
            "started in {}, where all projects are: no session is within reach; --root DIR adds a folder",
            start.display()
        )),
        None => {}
    }
    let runtime = build_runtime()?;
    let desk = AgentConfig { data_dir, folders: None, roots };
    let served = runtime.block_on(serve_client(McpConfig { desk, allow_annotate: args.allow_annotate }));
    // A log's first read need not finish: every stored batch is complete.
    runtime.shutdown_background();
    served.map_err(|error| Failure::Said(error.to_string()))
}
