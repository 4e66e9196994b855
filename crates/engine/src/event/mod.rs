//! Events: a log's records as an adapter understood them, in file order.

pub(crate) mod ids;
pub(crate) mod delimiter;
pub(crate) mod holds;
pub(crate) mod rewrite;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::{Change, DelimiterMark, EntryId, Holds, Rewrite, SessionId, ToolCallId};

/// One parsed log record.
///
/// Texts are separate: an adapter gives one [`Content`] per block beside the event, so a session can be
/// replayed from its metadata alone.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SessionEvent {
    /// From 1.
    pub line: u64,
    /// The record's id, or `L<line>` without one.
    pub entry: EntryId,
    pub parent: Parent,
    /// Milliseconds since 1970, from the log's clock, which may go backward.
    pub at_ms: Option<i64>,
    /// True for a record from a subagent's conversation inside its parent's log.
    pub side: bool,
    pub body: EventBody,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Parent {
    Root,
    Entry(EntryId),
    /// Like [`Self::Entry`], in a tree torn by parallel calls (Claude Code): a branch also includes other
    /// parts of its replies and all results for its calls.
    Woven(EntryId),
    /// The previous record in the file, in logs without a tree.
    Previous,
    /// No place in the tree: headers, titles, unknown records.
    Outside,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventBody {
    Header(Header),
    Message(Message),
    Compaction(Compaction),
    /// The harness or the human changed the history without a summary.
    Rewrite(Rewrite),
    Usage(UsageReport),
    ModelChange {
        model: Box<str>,
    },
    /// `None` removes the title.
    Title(Option<Box<str>>),
    /// A bookmark on another record; `None` removes it.
    Label {
        target: EntryId,
        label: Option<Box<str>>,
    },
    /// A known record the model never sees: settings, an extension's state.
    Quiet {
        record: Box<str>,
    },
    /// An unknown record type, kept unchanged and reported as a problem.
    Opaque {
        record: Box<str>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Header {
    pub session: Option<SessionId>,
    pub version: Option<u32>,
    /// Shown, never accessed.
    pub cwd: Option<Box<str>>,
    /// The log continued by this one, as named in the log.
    pub parent_session: Option<Box<str>>,
    pub model: Option<Box<str>>,
    /// The model's context window, tokens.
    pub window: Option<u64>,
    /// Name or id of the subagent, if the log belongs to one; the parent session then is its caller.
    pub subagent: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// System prompt, tool definitions, recorded instructions.
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum Author {
    Human,
    Harness,
    Model,
    Tool,
}

impl Author {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MessageForm {
    Plain,
    HumanShell { excluded: bool },
    Custom { name: Box<str> },
    Summary,
}

impl MessageForm {
    const SHOWN_ONLY: &str = "loop_command";

    pub fn is_sent(&self) -> bool {
        match self {
            Self::Plain | Self::Summary => true,
            Self::HumanShell { excluded } => !excluded,
            Self::Custom { name } => **name != *Self::SHOWN_ONLY,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum ReplyOutcome {
    Complete,
    /// Ended in an error; counted, but never sent again.
    Error,
    /// Refused by the provider because the request exceeded the model's window; otherwise like
    /// [`Self::Error`].
    Overflow,
    /// Stopped; counted, but never sent again.
    Aborted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Usage {
    /// Prompt tokens outside the cache.
    pub input: u64,
    /// Tokens in the reply, reasoning included.
    pub output: u64,
    /// Reasoning tokens, if reported separately; else 0.
    pub reasoning: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Part of `cache_write` kept for an hour, at another price; 0 if unknown.
    pub cache_write_hour: u64,
    /// Prompt tokens outside the cache in the reply's earlier rounds, in which the provider ran its own
    /// tools. Billed, but no part of the prompt.
    pub beside_input: u64,
    pub beside_cache_read: u64,
    pub beside_cache_write: u64,
    /// Cost stated by the harness, millionths of a dollar.
    pub stated_cost: Option<u64>,
    /// True for a request copied from another log, where it was paid for.
    pub copied: bool,
}

impl Usage {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UsageReport {
    pub of: UsageScope,
    /// `None` if the record gives only `window`.
    pub usage: Option<Usage>,
    pub window: Option<u64>,
    pub model: Option<Arc<str>>,
    /// Tokens of system prompt and tool definitions per request, as counted by the harness.
    pub unlogged: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum UsageScope {
    #[default]
    Reply,
    /// All requests in the session so far; a later report replaces an earlier one.
    Session,
    /// All requests to one model since the program's start; reports add up.
    Run,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    pub role: Role,
    pub author: Author,
    pub form: MessageForm,
    pub blocks: Vec<ContentBlock>,
    pub model: Option<Arc<str>>,
    /// For a summary, the usage of the call that made it.
    pub usage: Option<Usage>,
    /// [`ReplyOutcome::Complete`] for messages not from the model.
    pub outcome: ReplyOutcome,
    /// Shared by all records with parts of one reply.
    pub reply: Option<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Compaction {
    /// The summary in the user's slot; `None` if it is unreadable.
    pub summary: Option<Message>,
    pub keep: Keep,
    /// Context size before the compaction, as stated by the log, tokens.
    pub tokens_before: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keep {
    From(EntryId),
    /// The listed records, wherever they are in the log.
    Entries(Vec<EntryId>),
    /// Only messages stored in the compaction's own record.
    Retained(Vec<Message>),
    Nothing,
}

/// One part of a [`Message`]: the unit for counting, eviction and display.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContentBlock {
    pub index: u32,
    pub kind: BlockKind,
    /// Number of images that count towards the size.
    pub images: u32,
    /// Human words or a signature. In a successful result, words are the human's only if the tool asks the
    /// human.
    pub holds: Holds,
}

#[derive(Debug, Clone, PartialEq, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum BlockKind {
    Text,
    /// Private reasoning; only readable text is counted.
    Reasoning,
    Call(ToolCall),
    Result(ToolResult),
    Image,
    /// An unknown part, kept unchanged without a size.
    Opaque,
}

impl BlockKind {
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ToolCall {
    pub id: ToolCallId,
    pub name: Arc<str>,
    /// The first program in a shell command (`rg`, `git grep`), for classification.
    pub program: Option<Arc<str>>,
    pub mark: Option<DelimiterMark>,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ToolResult {
    pub call: ToolCallId,
    pub name: Option<Arc<str>>,
    pub ok: bool,
    /// The delimiter event recorded with the result, which wins over the call's arguments.
    pub mark: Option<DelimiterMark>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Content {
    pub text: String,
    pub raw: RawPayload,
}

/// A block's JSON, or a message's JSON around its blocks, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RawPayload {
    Whole(String),
    /// JSON with a hole: a block's text as a JSON string, or a message's content array.
    Around {
        before: String,
        after: String,
    },
}

impl Default for RawPayload {
    fn default() -> Self {
        Self::Whole(String::new())
    }
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ParsedEvent {
    pub event: SessionEvent,
    /// One per block, in the order of [`EventBody::all_blocks`].
    pub contents: Vec<Content>,
    pub envelope: RawPayload,
}

impl EventBody {
    /// Returns the record's messages in order: a message, a summary and retained messages, or the
    /// replacements of a rewrite.
    pub fn all_messages(&self) -> impl Iterator<Item = &Message> {
        let (one, kept, changes): (Option<&Message>, &[Message], &[Change]) = match self {
            Self::Message(message) => (Some(message), &[], &[]),
            Self::Compaction(compaction) => (
                compaction.summary.as_ref(),
                match &compaction.keep {
                    Keep::Retained(messages) => messages,
                    Keep::From(_) | Keep::Entries(_) | Keep::Nothing => &[],
                },
                &[],
            ),
            Self::Rewrite(rewrite) => (None, &[], &rewrite.changes),
            Self::Header(_)
            | Self::Usage(_)
            | Self::ModelChange { .. }
            | Self::Title(_)
            | Self::Label { .. }
            | Self::Quiet { .. }
            | Self::Opaque { .. } => (None, &[], &[]),
        };
        one.into_iter().chain(kept).chain(changes.iter().flat_map(|change| &change.replaced_by))
    }

    pub fn mark_copied(&mut self) {
        let (one, kept, reported): (_, &mut [Message], _) = match self {
            Self::Message(message) => (Some(message), &mut [], None),
            Self::Compaction(Compaction { summary, keep: Keep::Retained(messages), .. }) => {
                (summary.as_mut(), messages, None)
            }
            Self::Compaction(compaction) => (compaction.summary.as_mut(), &mut [], None),
            Self::Usage(report) => (None, &mut [], report.usage.as_mut()),
            Self::Rewrite(_)
            | Self::Header(_)
            | Self::ModelChange { .. }
            | Self::Title(_)
            | Self::Label { .. }
            | Self::Quiet { .. }
            | Self::Opaque { .. } => (None, &mut [], None),
        };
        let messages = one.into_iter().chain(kept);
        for usage in messages.filter_map(|message| message.usage.as_mut()).chain(reported) {
            usage.copied = !usage.is_empty();
        }
    }

    pub fn all_blocks(&self) -> impl Iterator<Item = &ContentBlock> {
        self.all_messages().flat_map(|message| &message.blocks)
    }
}
