//! The events of a session, in the format of no harness.

use serde_json::Value;

use super::provider::tokens;

/// An event with its two times, in Unix milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timed {
    /// When the event began: the request of a reply, the start of a tool.
    pub(crate) began_ms: i64,
    /// When the event was complete and written to the log.
    pub(crate) at_ms: i64,
    pub(crate) event: Event,
}

/// One thing that a session log may record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// The session starts in a folder.
    Begin { cwd: String },
    /// The human or the harness chooses another model.
    Model { provider: String, model: String },
    /// The session gets a name.
    Named(String),
    /// The last human message gets a label.
    Labelled(String),
    /// The human writes.
    Human(String),
    /// The human runs a command in the agent's shell.
    HumanShell { command: String, output: String, exit_code: i32 },
    /// The harness puts a text into the human's slot.
    Injected { kind: String, text: String },
    /// The model answers.
    Reply(Reply),
    /// A tool answers the model.
    Result(ToolResult),
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
}

/// The reason why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    ToolUse,
    Finished,
    Failed(String),
    Aborted,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Reasoning(String),
    Text(String),
    Call(ToolCall),
}

/// A tool call, as the providers have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// The answer to one [`ToolCall`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolResult {
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) text: String,
    pub(crate) image: Option<Image>,
    pub(crate) failed: bool,
    pub(crate) effect: Option<Effect>,
}

/// An image in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) mime_type: &'static str,
    pub(crate) data: &'static str,
}

/// An effect of a tool besides its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Opened(Episode),
    Closed { episode: Episode, description: Option<String> },
    Edited { diff: String, first_changed_line: usize },
}

/// A unit of work as the agent annotates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Episode {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) dependencies: Vec<String>,
}

impl Reply {
    /// Counts the tokens the model had to write.
    pub(crate) fn tokens(&self) -> u64 {
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) | Block::Text(text) => tokens(text),
                Block::Call(call) => tokens(&call.tool) + tokens(&call.arguments.to_string()),
            })
            .sum()
    }

    /// Counts the characters the model had to write.
    pub(crate) fn n_chars(&self) -> usize {
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) | Block::Text(text) => text.len(),
                Block::Call(call) => call.tool.len() + call.arguments.to_string().len(),
            })
            .sum()
    }
}
