//! The server for one client.

use std::sync::Arc;

use cwl_host::{AgentMarks, AgentQueries, ApiError, GUIDE, GoneAsked, RecallAsked, check_mark};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use crate::arguments::ToolArguments;
use crate::tools;

/// How long a client may cache the list of tools, in milliseconds: the list never changes while the process
/// runs.
const LIST_KEPT_MS: u64 = 3_600_000;

const GUIDE_URI: &str = "cwl://guide";
const GUIDE_FORM: &str = "text/markdown";

/// Calls processed at once; the others wait.
const AT_ONCE: usize = 8;

pub(crate) struct McpServer {
    desk: Arc<AgentQueries>,
    tools: Vec<Tool>,
    turns: Semaphore,
}

impl McpServer {
    pub(crate) fn new(desk: Arc<AgentQueries>, allow_annotate: bool) -> Self {
        let mut tools = tools::all_tools();
        if allow_annotate {
            tools.extend(tools::annotate_tools());
        }
        Self { desk, tools, turns: Semaphore::new(AT_ONCE) }
    }

    async fn answer_call(&self, name: &str, arguments: &JsonObject) -> Option<Result<String, String>> {
        let answer = match name {
            tools::DELIMITER => check_mark(arguments),
            tools::SESSIONS => self.list_sessions(ToolArguments(arguments)).await,
            tools::TRANSCRIPT => self.read_transcript(ToolArguments(arguments)).await,
            tools::STATUS => self.context_status(ToolArguments(arguments)).await,
            tools::EVICTED => self.list_evicted(ToolArguments(arguments)).await,
            tools::RECALL => self.recall_block(ToolArguments(arguments)).await,
            _ if self.tools.iter().all(|tool| tool.name != name) => return None,
            tools::ANNOTATE => self.annotate_session(ToolArguments(arguments)).await,
            tools::MARKS => self.list_marks(ToolArguments(arguments)).await,
            tools::DELETE_MARKS => self.delete_marks(ToolArguments(arguments)).await,
            _ => return None,
        };
        Some(answer)
    }

    async fn list_sessions(&self, given: ToolArguments<'_>) -> Result<String, String> {
        error_sentence(self.desk.list_sessions(given.text_argument("query")?.as_deref()).await)
    }

    async fn read_transcript(&self, given: ToolArguments<'_>) -> Result<String, String> {
        let page = given.number_argument("page")?.unwrap_or(1);
        error_sentence(
            self.desk.read_transcript(given.text_argument("session")?.as_deref(), page as usize).await,
        )
    }

    async fn context_status(&self, given: ToolArguments<'_>) -> Result<String, String> {
        error_sentence(
            self.desk
                .context_status(
                    given.text_argument("session")?.as_deref(),
                    given.text_argument("budget")?.as_deref(),
                )
                .await,
        )
    }

    async fn list_evicted(&self, given: ToolArguments<'_>) -> Result<String, String> {
        let asked = GoneAsked {
            budget: given.text_argument("budget")?,
            query: given.text_argument("query")?,
            offset: given.number_argument("offset")?.unwrap_or(0),
        };
        error_sentence(self.desk.list_evicted(given.text_argument("session")?.as_deref(), asked).await)
    }

    async fn annotate_session(&self, given: ToolArguments<'_>) -> Result<String, String> {
        let only_check = given.flag_argument("check")?;
        let (name, by) = (given.text_argument("name")?, given.text_argument("by")?);
        let missing = [
            ("episodes", "the list of marks", given.0.contains_key("episodes")),
            ("name", "a short name to save them under", only_check || name.is_some()),
            ("by", "who made them, your model for example", only_check || by.is_some()),
        ];
        let missing = missing.iter().filter(|(.., is_given)| !is_given);
        let missing: Vec<String> =
            missing.map(|(key, what, _)| format!("`{key}` is missing: {what}")).collect();
        if !missing.is_empty() {
            return Err(missing.join("; "));
        }
        let episodes = given.0.get("episodes");
        let asked = AgentMarks {
            marks: serde_json::json!({ "episodes": episodes }).to_string(),
            name: name.unwrap_or_default(),
            by: by.unwrap_or_default(),
            only_check,
            partial: given.flag_argument("partial")?,
            replace: given.flag_argument("replace")?,
        };
        error_sentence(self.desk.annotate_session(given.text_argument("session")?.as_deref(), asked).await)
    }

    async fn list_marks(&self, given: ToolArguments<'_>) -> Result<String, String> {
        error_sentence(self.desk.list_marks(given.text_argument("session")?.as_deref()).await)
    }

    async fn delete_marks(&self, given: ToolArguments<'_>) -> Result<String, String> {
        let name = given.text_argument("name")?.ok_or("`name` is missing")?;
        error_sentence(self.desk.delete_marks(given.text_argument("session")?.as_deref(), name).await)
    }

    async fn recall_block(&self, given: ToolArguments<'_>) -> Result<String, String> {
        let asked = RecallAsked {
            budget: given.text_argument("budget")?,
            block: given.text_argument("block")?,
            query: given.text_argument("query")?,
            offset: given.number_argument("offset")?.unwrap_or(0),
        };
        error_sentence(self.desk.recall_block(given.text_argument("session")?.as_deref(), asked).await)
    }
}

fn error_sentence(answer: Result<String, ApiError>) -> Result<String, String> {
    answer.map_err(|error| error.to_string())
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("cwl", env!("CARGO_PKG_VERSION")).with_title("CWL Inspector");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(about)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.tools.clone());
        Ok(list.with_ttl_ms(LIST_KEPT_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let guide = Resource::new(GUIDE_URI, "guide")
            .with_title("How to mark episodes")
            .with_description("The guide for a reader who marks the episodes of a session with cwl_annotate")
            .with_mime_type(GUIDE_FORM);
        let list = ListResourcesResult::with_all_items(vec![guide]);
        Ok(list.with_ttl_ms(LIST_KEPT_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != GUIDE_URI {
            let message = format!("no resource `{}`; there is {GUIDE_URI}", request.uri);
            return Err(ErrorData::resource_not_found(message, None));
        }
        let guide = ResourceContents::text(GUIDE, GUIDE_URI).with_mime_type(GUIDE_FORM);
        Ok(ReadResourceResult::new(vec![guide])
            .with_ttl_ms(LIST_KEPT_MS)
            .with_cache_scope(CacheScope::Private)
            .into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _turn = tokio::select! {
            turn = self.turns.acquire() => turn,
            // The client no longer waits for an answer.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was called off", None)),
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.answer_call(&request.name, &arguments).await {
            Some(Ok(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
            // The model reads a refusal and can call again; it would never see a protocol error.
            Some(Err(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
            None => {
                let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
                let message = format!("no tool `{}`; there are {}", request.name, names.join(", "));
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(result.into())
    }
}
