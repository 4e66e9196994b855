//! Events: the records of a log as an adapter understood them, in file order.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{Change, DelimiterMark, EntryId, Holds, Rewrite, SessionId, ToolCallId};

/// One record of a log, understood.
///
/// Texts are not in here: an adapter gives them beside the event, one [`Content`] per block, so a session can be replayed
/// from its metadata alone.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEvent {
    /// The record's line, from 1.
    pub line: u64,
    /// The record's id, or `L<line>`.
    pub entry: EntryId,
    /// The record it continues.
    pub parent: Parent,
    /// Milliseconds since 1970 by the log's own clock; may go back.
    pub at_ms: Option<i64>,
    /// True when it belongs to a subagent's own conversation, which is kept in its parent's log.
    pub side: bool,
    /// The content, understood.
    pub body: EventBody,
}

/// The record that this one continues: its parent in the log's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    /// Nothing: the root of a tree.
    Root,
    /// The record of that id.
    Entry(EntryId),
    /// The record of that id, in a tree that is torn where calls ran side by side: a branch also holds the other
    /// parts of its replies and the results of its calls, wherever they hang (Claude Code).
    Woven(EntryId),
    /// The record before it in the file (logs without a tree).
    Previous,
    /// The record stands outside the tree (headers, titles, unknown records).
    Outside,
}

/// A record's content.
#[derive(Debug, Clone, PartialEq)]
pub enum EventBody {
    /// The session's own data.
    Header(Header),
    /// A message the model saw or wrote.
    Message(Message),
    /// The harness replaced older content by a summary.
    Compaction(Compaction),
    /// The harness or the human changed the history without a summary.
    Rewrite(Rewrite),
    /// The provider's report of the last reply, or of a request beside the conversation, in a record of its own.
    Usage(UsageReport),
    /// The model was changed.
    ModelChange {
        /// Provider and model as the log names them.
        model: Box<str>,
    },
    /// The session was named; `None` takes the name away.
    Title(Option<Box<str>>),
    /// A bookmark on another record; `None` takes it away.
    Label {
        /// The record that is marked.
        target: EntryId,
        /// The mark.
        label: Option<Box<str>>,
    },
    /// A known record the model never sees (settings, state of extensions).
    Quiet {
        /// The record's type as the log names it.
        record: Box<str>,
    },
    /// A record of unknown type, kept as it is; a problem says so.
    Opaque {
        /// The record's type as the log names it, or what it is instead.
        record: Box<str>,
    },
}

/// The session's own data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The session's id.
    pub session: Option<SessionId>,
    /// The format's version as the log states it.
    pub version: Option<u32>,
    /// The working directory: shown, never touched.
    pub cwd: Option<Box<str>>,
    /// The log that this one continues, as the log names it.
    pub parent_session: Option<Box<str>>,
    /// The model at the start.
    pub model: Option<Box<str>>,
    /// The size of the model's window, tokens.
    pub window: Option<u64>,
    /// The subagent's own name or id, where the log is a subagent's; its parent is then the one that called it.
    pub subagent: Option<Box<str>>,
}

/// The role on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// System prompt, tool definitions, recorded instructions.
    System,
    /// The user's slot: filled by the human or by the harness.
    User,
    /// The model.
    Assistant,
    /// Results of tools.
    Tool,
}

/// A message's author, which its role does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Author {
    /// The person at the keyboard.
    Human,
    /// The program around the model.
    Harness,
    /// The model.
    Model,
    /// A tool.
    Tool,
}

/// The form of a message beyond [`Role`] and [`Author`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageForm {
    /// An ordinary message.
    Plain,
    /// A shell command the human ran; `excluded` ones never reach the model.
    HumanShell {
        /// True when the log keeps it out of the context.
        excluded: bool,
    },
    /// Put in by an extension of the harness.
    Custom {
        /// The extension's own type name.
        name: Box<str>,
    },
    /// A summary the harness recorded, of a compaction or of a branch.
    Summary,
}

impl MessageForm {
    /// The type name of the messages that show the command of a loop, which their harness never sends.
    const SHOWN_ONLY: &str = "loop_command";

    /// Tells whether such a message reaches the model at all: not where the log keeps it out of the context.
    pub fn is_sent(&self) -> bool {
        match self {
            Self::Plain | Self::Summary => true,
            Self::HumanShell { excluded } => !excluded,
            Self::Custom { name } => **name != *Self::SHOWN_ONLY,
        }
    }
}

/// How a reply of the model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReplyOutcome {
    /// The reply ended by itself.
    Complete,
    /// The reply ended in an error: counted, never sent to a provider again.
    Error,
    /// The provider refused the request as longer than the model's window; else as [`Self::Error`].
    Overflow,
    /// The reply was stopped: counted, never sent to a provider again.
    Aborted,
}

/// Token usage as the provider reported it for one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Fresh prompt tokens.
    pub input: u64,
    /// Tokens of the reply, its reasoning among them.
    pub output: u64,
    /// Tokens of the reply's reasoning, where they are reported apart; else 0.
    pub reasoning: u64,
    /// Prompt tokens read from the provider's cache.
    pub cache_read: u64,
    /// Prompt tokens written to the provider's cache.
    pub cache_write: u64,
    /// The written tokens the provider keeps for an hour, at a price of its own; 0 if the log does not tell.
    pub cache_write_hour: u64,
    /// Prompt tokens of earlier rounds of the reply, in which the provider ran tools of its own: billed, and no part of the
    /// prompt. Those that are neither read from the cache nor written to it.
    pub beside_input: u64,
    /// Tokens of such rounds read from the cache.
    pub beside_cache_read: u64,
    /// Tokens of such rounds written to the cache.
    pub beside_cache_write: u64,
    /// The cost the harness itself states, millionths of a dollar; `None` if it states none.
    pub stated_cost: Option<u64>,
    /// True for a request copied from another log, in which it was paid for.
    pub copied: bool,
}

impl Usage {
    /// Tells whether it reports nothing: all its numbers are 0, as in the last row of some replies.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the prompt's size: fresh, read and written tokens together.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// A report of usage that is no part of a reply's own record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageReport {
    /// The request it reports.
    pub of: UsageScope,
    /// The request's tokens; `None` if the record gives only the window.
    pub usage: Option<Usage>,
    /// The size of the model's window, tokens.
    pub window: Option<u64>,
    /// The model that was asked, where the record names one.
    pub model: Option<Arc<str>>,
    /// The tokens of system prompt and tool definitions in each request, as the harness counts them.
    pub unlogged: Option<u64>,
}

/// The request, or the requests, that a report of usage is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum UsageScope {
    /// The last reply: its usage is that of the report.
    #[default]
    Reply,
    /// All requests of the session so far: the last such report counts, and adds nothing to the rest.
    Session,
    /// All requests of one model since the program was started: such reports add up, and add nothing to the rest.
    Run,
}

/// A message: an ordered list of content blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The role on the wire.
    pub role: Role,
    /// The author.
    pub author: Author,
    /// The sort.
    pub form: MessageForm,
    /// The blocks in order.
    pub blocks: Vec<ContentBlock>,
    /// The model that wrote it.
    pub model: Option<Arc<str>>,
    /// The usage the provider reported: of a summary that of the call which made it.
    pub usage: Option<Usage>,
    /// How it ended (replies of the model; else `Complete`).
    pub outcome: ReplyOutcome,
    /// Records of one value are one reply written in parts; `None` stands alone.
    pub reply: Option<Arc<str>>,
}

/// The harness replaced older content by a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// The summary, as a message of the harness in the user's slot; `None` if it is not readable.
    pub summary: Option<Message>,
    /// The part of the history before it that stays.
    pub keep: Keep,
    /// The size of the context before it as the log states it, tokens.
    pub tokens_before: Option<u64>,
}

/// The part of the history before a compaction that stays.
#[derive(Debug, Clone, PartialEq)]
pub enum Keep {
    /// Everything from that record on.
    From(EntryId),
    /// These records, wherever they stand in it.
    Entries(Vec<EntryId>),
    /// Nothing but these messages, which the record itself holds.
    Retained(Vec<Message>),
    /// Nothing.
    Nothing,
}

/// One part of a message: the unit that is counted, stripped and shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentBlock {
    /// The position in the record's own content array, unknown parts included.
    pub index: u32,
    /// The kind.
    pub kind: BlockKind,
    /// How many images count towards its size.
    pub images: u32,
    /// Human words or a signature beside its text. Words in a result that succeeded are the human's if its tool asks the human.
    pub holds: Holds,
}

/// The kinds of content blocks: text, reasoning, calls, results, images, opaque JSON.
#[derive(Debug, Clone, PartialEq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum BlockKind {
    /// Text.
    Text,
    /// Private reasoning; only its readable text is counted.
    Reasoning,
    /// A tool call, as the providers have it.
    Call(ToolCall),
    /// The result of a [`ToolCall`].
    Result(ToolResult),
    /// An image outside a tool result.
    Image,
    /// A part of unknown type: no size, kept as it is.
    Opaque,
}

impl BlockKind {
    /// Returns the name on the wire: `text`, `reasoning`, `call`, `result`, `image`, `opaque`.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// A tool call, as the providers have it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id, which the result names.
    pub id: ToolCallId,
    /// The tool's name as the log writes it.
    pub name: Arc<str>,
    /// The first program of a shell command (`rg`, `git grep`), for classification.
    pub program: Option<Arc<str>>,
    /// The mark in its arguments, when the tool is the delimiter.
    pub mark: Option<DelimiterMark>,
}

/// The result of a [`ToolCall`].
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call it answers.
    pub call: ToolCallId,
    /// The tool's name where the log repeats it.
    pub name: Option<Arc<str>>,
    /// False when the tool failed.
    pub ok: bool,
    /// The delimiter event the harness recorded with the result; it wins over the arguments.
    pub mark: Option<DelimiterMark>,
}

/// The texts of one block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The text that is counted, searched and shown.
    pub text: String,
    /// The bytes of the log's own JSON for this block.
    pub raw: RawPayload,
}

/// The JSON of a block or of the message around the blocks, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawPayload {
    /// The JSON as it stands.
    Whole(String),
    /// The JSON with a hole: for a block its counted text as a JSON string, for a message its content array.
    Around {
        /// Before the hole.
        before: String,
        /// After the hole.
        after: String,
    },
}

impl Default for RawPayload {
    fn default() -> Self {
        Self::Whole(String::new())
    }
}

/// An event with its texts, as an adapter gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedEvent {
    /// The event.
    pub event: SessionEvent,
    /// One content per block, in the order of [`EventBody::all_blocks`].
    pub contents: Vec<Content>,
    /// The record around its blocks.
    pub envelope: RawPayload,
}

impl EventBody {
    /// Returns the messages the record brings, in order: none, one, a summary and what it retains, or the those that a
    /// rewrite puts in place of others.
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

    /// Marks the usage the record reports as copied from another log, in which it was paid for.
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

    /// Returns every block the record brings, in order.
    pub fn all_blocks(&self) -> impl Iterator<Item = &ContentBlock> {
        self.all_messages().flat_map(|message| &message.blocks)
    }
}
