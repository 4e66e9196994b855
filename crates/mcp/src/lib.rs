//! `cwl mcp`: tools for agents, by the Model Context Protocol over standard input and output.
//!
//! Any harness that runs MCP servers can so mark its episodes live: `delimiter` takes the marks, and the harness's own log
//! keeps the calls, from which the rest of the program reads them. Beside it stand tools that read sessions: a list, a
//! transcript in pages, the status under a budget, what is gone, and its recall. What they answer is worked out by
//! `cwl-api`; here is the protocol, in both of its eras, the list of tools, and how arguments are read.
#![deny(missing_docs)]

mod arguments;
mod lines;
mod server;
mod tools;

use cwl_api::{AgentConfig, AgentQueries};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use lines::ClientLines;
use server::McpServer;

/// A server's settings.
#[derive(Debug, Clone)]
pub struct McpConfig {
    /// Which sessions are answered about, and where they are kept.
    pub desk: AgentConfig,
    /// Whether agents may save marks of a session.
    pub allow_annotate: bool,
}

/// The reason why a server ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The first message was none of the protocol.
    #[error(
        "the client does not speak the Model Context Protocol ({0}); start `cwl mcp` from an agent's list of MCP servers"
    )]
    Begin(String),
    /// The server itself failed.
    #[error("the server failed ({0})")]
    Failed(String),
}

/// Serves one client over standard input and output, until its end closes.
///
/// # Errors
/// If the client speaks something else.
pub async fn serve_client(config: McpConfig) -> Result<(), McpError> {
    let server = McpServer::new(AgentQueries::new(config.desk), config.allow_annotate);
    let (input, output) = stdio();
    let running = match server.serve(ClientLines::new(input, output)).await {
        Ok(running) => running,
        // The client went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Begin(error.to_string())),
    };
    running.waiting().await.map_err(|error| McpError::Failed(error.to_string()))?;
    Ok(())
}
