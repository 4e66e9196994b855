//! `cwl live`: decides for a running agent. Standard output belongs to the protocol.

use cwl_api::{Tools, default_data_dir};
use cwl_live::{LiveServer, serve_lines};

use crate::args::LiveArgs;
use crate::out::{Failure, warn_user};

pub(crate) fn run(args: LiveArgs) -> Result<(), Failure> {
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let tools = Tools::of_user();
    tools.problems.iter().for_each(|problem| warn_user(problem));
    let mut server = LiveServer::new(data_dir, tools);
    let served = serve_lines(&mut server, &mut std::io::stdin().lock(), &mut std::io::stdout().lock());
    served.map_err(|error| Failure::Said(format!("the client is gone ({error})")))
}
