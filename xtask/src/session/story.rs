//! Session events, in no harness's format.

use serde_json::Value;

use super::provider::tokens;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timed {
    /// The event's start: a reply's request, or a tool's start.
    pub(crate) began_ms: i64,
    /// Time at which the event was complete and written to the log.
    pub(crate) at_ms: i64,
    pub(crate) event: Event,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    Begin { cwd: String },
    Human(String),
    Reply(Reply),
    Result(ToolResult),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    ToolUse,
    Finished,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Reasoning(String),
    Text(String),
    Call(ToolCall),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolResult {
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) text: String,
    pub(crate) effect: Option<Effect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Opened(Episode),
    Closed { episode: Episode, description: Option<String> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Episode {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) dependencies: Vec<String>,
}

impl Reply {
    pub(crate) fn tokens(&self) -> u64 {
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) | Block::Text(text) => tokens(text),
                Block::Call(call) => tokens(&call.tool) + tokens(&call.arguments.to_string()),
            })
            .sum()
    }
}
