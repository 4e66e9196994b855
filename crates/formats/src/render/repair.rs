//! Repairs: the changes of a rendering that make a provider take it.

use std::fmt;

use cwl_engine::{BlockIdx, MessageIdx};

/// One change that a rendering made to a context, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// A reply that ended in error or was aborted is not sent.
    ReplyLeftOut {
        /// The reply.
        message: MessageIdx,
    },
    /// A result is not sent, since its call is not.
    ResultLeftOut {
        /// The result.
        block: BlockIdx,
    },
    /// A call is not sent, since it has no result in the context.
    CallLeftOut {
        /// The call.
        block: BlockIdx,
    },
    /// A result is put in for a call that has none: an error, `No result provided`.
    ResultInvented {
        /// The call.
        call: BlockIdx,
    },
    /// A result is moved to its call, which it must follow.
    ResultMoved {
        /// The result.
        block: BlockIdx,
    },
    /// A message is joined with the one before, which has its role.
    MessagesMerged {
        /// The second of the two; `None` for a residue.
        message: Option<MessageIdx>,
    },
    /// A message without content is not sent.
    EmptyLeftOut {
        /// The message.
        message: MessageIdx,
    },
    /// A text of nothing but white space is not sent.
    BlankLeftOut {
        /// The text.
        block: BlockIdx,
    },
    /// Reasoning is not sent: the provider did not sign it, or nothing follows it.
    ReasoningLeftOut {
        /// The reasoning.
        block: BlockIdx,
    },
    /// Reasoning of another provider's model is sent as text.
    ReasoningAsText {
        /// The reasoning.
        block: BlockIdx,
    },
    /// A part that the provider has no form for is not sent.
    PartLeftOut {
        /// The part.
        block: BlockIdx,
    },
    /// An image of a result is sent behind it, as the user's: the provider takes none in results.
    ImageMoved {
        /// The result.
        block: BlockIdx,
    },
    /// Instructions of the system's that came in between are sent with those at the beginning.
    SystemMoved {
        /// The message.
        message: MessageIdx,
    },
    /// A message of the user's is put in before the first message, which must be the user's: `Continue.`
    OpeningInvented {
        /// The message that was the first.
        message: MessageIdx,
    },
    /// The input of a call is no JSON object and is sent as `input` in one.
    InputWrapped {
        /// The call.
        block: BlockIdx,
    },
    /// A tool's name has characters or a length that the provider refuses.
    CallNameChanged {
        /// The call.
        block: BlockIdx,
        /// The name that is sent instead.
        sent: String,
    },
    /// A call's id has characters or a length that the provider refuses.
    CallIdChanged {
        /// The call.
        block: BlockIdx,
        /// The id that is sent instead.
        sent: String,
    },
}

impl Repair {
    /// Returns the stable name that `--json` shows.
    pub fn name(&self) -> &'static str {
        self.named().0
    }

    /// Returns the name, and the sentence that tells the repair.
    fn named(&self) -> (&'static str, &'static str) {
        match self {
            Self::ReplyLeftOut { .. } => ("reply-left-out", "a reply that did not end well is not sent"),
            Self::ResultLeftOut { .. } => ("result-left-out", "a result is not sent, since its call is not"),
            Self::CallLeftOut { .. } => ("call-left-out", "a call is not sent, since it has no result"),
            Self::ResultInvented { .. } => {
                ("result-invented", "a call without a result is answered by an error")
            }
            Self::ResultMoved { .. } => ("result-moved", "a result is moved to its call"),
            Self::MessagesMerged { .. } => {
                ("messages-merged", "joined with the message before, which has the same role")
            }
            Self::EmptyLeftOut { .. } => ("empty-left-out", "a message without content is not sent"),
            Self::BlankLeftOut { .. } => ("blank-left-out", "a text of nothing but white space is not sent"),
            Self::ReasoningLeftOut { .. } => {
                ("reasoning-left-out", "reasoning that the provider would refuse is not sent")
            }
            Self::ReasoningAsText { .. } => {
                ("reasoning-as-text", "reasoning of another provider's model is sent as text")
            }
            Self::PartLeftOut { .. } => {
                ("part-left-out", "a part that the provider has no form for is not sent")
            }
            Self::ImageMoved { .. } => {
                ("image-moved", "an image of a result is sent behind it, as the user's")
            }
            Self::SystemMoved { .. } => {
                ("system-moved", "instructions that came in between are sent at the beginning")
            }
            Self::OpeningInvented { .. } => {
                ("opening-invented", "`Continue.` of the user's is put before it, since it is the first")
            }
            Self::InputWrapped { .. } => {
                ("input-wrapped", "what the tool is called with is no JSON object and is sent as one")
            }
            Self::CallNameChanged { .. } => ("call-name-changed", "the tool's name is sent as"),
            Self::CallIdChanged { .. } => ("call-id-changed", "the call's id is sent as"),
        }
    }

    /// Returns the block that it is about, if it is about one.
    pub fn block(&self) -> Option<BlockIdx> {
        match self {
            Self::ReplyLeftOut { .. }
            | Self::MessagesMerged { .. }
            | Self::EmptyLeftOut { .. }
            | Self::SystemMoved { .. }
            | Self::OpeningInvented { .. } => None,
            Self::ResultInvented { call: block }
            | Self::ResultLeftOut { block }
            | Self::CallLeftOut { block }
            | Self::ResultMoved { block }
            | Self::BlankLeftOut { block }
            | Self::ReasoningLeftOut { block }
            | Self::ReasoningAsText { block }
            | Self::PartLeftOut { block }
            | Self::ImageMoved { block }
            | Self::InputWrapped { block }
            | Self::CallNameChanged { block, .. }
            | Self::CallIdChanged { block, .. } => Some(*block),
        }
    }

    /// Returns the message that it is about, if it is about a whole one.
    pub fn message(&self) -> Option<MessageIdx> {
        match self {
            Self::ReplyLeftOut { message }
            | Self::EmptyLeftOut { message }
            | Self::SystemMoved { message }
            | Self::OpeningInvented { message } => Some(*message),
            Self::MessagesMerged { message } => *message,
            _ => None,
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.named().1)?;
        match self {
            Self::CallNameChanged { sent, .. } | Self::CallIdChanged { sent, .. } => write!(f, " {sent}"),
            _ => Ok(()),
        }
    }
}
