//! `cwl mcp`: tools for agents, by the Model Context Protocol over standard input and output.
//!
//! Any harness with MCP servers can mark its episodes live: `delimiter` accepts the marks, and the harness's
//! own log keeps the calls, from which the rest of the program reads them. Further tools read sessions: a
//! list, a transcript in pages, the status under a budget, evicted blocks, and their recall. `cwl-host`
//! computes the answers; this crate has the protocol in both of its versions, the list of tools, and the
//! parsing of arguments.

mod arguments;
mod lines;
mod server;
mod tools;

use cwl_host::{AgentConfig, AgentQueries};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use lines::ClientLines;
use server::McpServer;

#[derive(Debug, Clone)]
pub struct McpConfig {
    pub desk: AgentConfig,
    pub allow_annotate: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error(
        "the client does not speak the Model Context Protocol ({0}); start `cwl mcp` from an agent's list of MCP servers"
    )]
    Begin(String),
    #[error("the server failed ({0})")]
    Failed(String),
}

/// Serves one client until standard input closes.
///
/// # Errors
/// [`McpError`] if the client does not speak the protocol, or the server fails.
pub async fn serve_client(config: McpConfig) -> Result<(), McpError> {
    let server = McpServer::new(AgentQueries::new(config.desk), config.allow_annotate);
    let (input, output) = stdio();
    let running = match server.serve(ClientLines::new(input, output)).await {
        Ok(running) => running,
        // The client went away before its first message.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Begin(error.to_string())),
    };
    running.waiting().await.map_err(|error| McpError::Failed(error.to_string()))?;
    Ok(())
}
