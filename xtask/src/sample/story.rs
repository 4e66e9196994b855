//! What happens in a session, in no harness's format.

use serde_json::Value;

use super::provider::tokens;

/// An event with its two times, in Unix milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timed {
    /// When it began: a reply's first byte, a tool's start.
    pub(crate) began_ms: i64,
    /// When it was complete and so logged.
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
    /// The place gets a name that a compaction or a rewind may use.
    Mark(String),
    /// Everything before a mark is replaced by a summary.
    Compaction { keep_from: String, summary: String },
    /// The human goes back to a mark; what came since stays in the log only.
    Rewind { to: String, summary: String },
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
}

/// Why a reply ended.
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

/// A request to run a tool.
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

/// What a tool did besides answering.
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
    /// Counts the tokens that the model had to write.
    pub(crate) fn tokens(&self) -> u64 {
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) | Block::Text(text) => tokens(text),
                Block::Call(call) => tokens(&call.tool) + tokens(&call.arguments.to_string()),
            })
            .sum()
    }

    /// Counts the characters that the model had to write.
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
