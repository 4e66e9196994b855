//! `cwl mcp`: serves tools to an agent. Standard output belongs to the protocol.

use std::path::PathBuf;

use cwl_api::{DeskConfig, default_data_dir};
use cwl_mcp::{McpConfig, serve};

use super::runtime;
use crate::args::McpArgs;
use crate::out::Failure;

pub(crate) fn run(args: McpArgs) -> Result<(), Failure> {
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let mut roots = args.root;
    roots.push(PathBuf::from("."));
    let runtime = runtime()?;
    let desk = DeskConfig { data_dir, folders: None, roots };
    let served = runtime.block_on(serve(McpConfig { desk, allow_annotate: args.allow_annotate }));
    // The end does not wait for a log that is read for the first time: every stored batch of it is whole.
    runtime.shutdown_background();
    served.map_err(|error| Failure::Said(error.to_string()))
}
