//! Repairs: the changes of a rendering that make a provider take it.

use std::fmt;

use cwl_engine::{BlockIdx, MessageIdx};

/// One change that a rendering made to a context, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The sort of change.
    pub kind: RepairKind,
    /// The block that it is about, if it is about one.
    pub block: Option<BlockIdx>,
    /// The message that it is about, if it is about a whole one.
    pub message: Option<MessageIdx>,
    /// The name or the id that is sent instead, if one is.
    pub sent: Option<String>,
}

/// The sorts of change that make a provider take a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairKind {
    /// A reply that ended in error or was aborted is not sent.
    ReplyLeftOut,
    /// A result is not sent, since its call is not.
    ResultLeftOut,
    /// A call is not sent, since it has no result in the context.
    CallLeftOut,
    /// A result is put in for a call that has none: an error, `No result provided`.
    ResultInvented,
    /// A result is moved to its call, which it must follow.
    ResultMoved,
    /// A message is joined with the one before, which has its role; it is no message of the log for a residue.
    MessagesMerged,
    /// A message without content is not sent.
    EmptyLeftOut,
    /// A text of nothing but white space is not sent.
    BlankLeftOut,
    /// Reasoning is not sent: the provider did not sign it, or nothing follows it.
    ReasoningLeftOut,
    /// Reasoning of another provider's model is sent as text.
    ReasoningAsText,
    /// A part the provider has no form for is not sent.
    PartLeftOut,
    /// An image of a result is sent behind it, as the user's: the provider takes none in results.
    ImageMoved,
    /// Instructions of the system's that came in between are sent with those at the beginning.
    SystemMoved,
    /// A message of the user's, `Continue.`, is put in before a first reply with calls, which must follow one.
    OpeningInvented,
    /// The input of a call is no JSON object and is sent as `input` in one.
    InputWrapped,
    /// A tool's name has characters or a length the provider refuses.
    CallNameChanged,
    /// A call's id has characters or a length the provider refuses.
    CallIdChanged,
}

impl RepairKind {
    pub(super) fn at_block(self, block: BlockIdx) -> Repair {
        Repair { kind: self, block: Some(block), message: None, sent: None }
    }

    /// Makes a repair that is about a whole message, which a residue is not.
    pub(super) fn of_message(self, message: Option<MessageIdx>) -> Repair {
        Repair { kind: self, block: None, message, sent: None }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::ReplyLeftOut => "a reply that did not end well is not sent",
            Self::ResultLeftOut => "a result is not sent, since its call is not",
            Self::CallLeftOut => "a call is not sent, since it has no result",
            Self::ResultInvented => "a call without a result is answered by an error",
            Self::ResultMoved => "a result is moved to its call",
            Self::MessagesMerged => "joined with the message before, which has the same role",
            Self::EmptyLeftOut => "a message without content is not sent",
            Self::BlankLeftOut => "a text of nothing but white space is not sent",
            Self::ReasoningLeftOut => "reasoning that the provider would refuse is not sent",
            Self::ReasoningAsText => "reasoning of another provider's model is sent as text",
            Self::PartLeftOut => "a part that the provider has no form for is not sent",
            Self::ImageMoved => "an image of a result is sent behind it, as the user's",
            Self::SystemMoved => "instructions that came in between are sent at the beginning",
            Self::OpeningInvented => {
                "`Continue.` of the user's is put before it, since a call must follow the user's turn"
            }
            Self::InputWrapped => "what the tool is called with is no JSON object and is sent as one",
            Self::CallNameChanged => "the tool's name is sent as",
            Self::CallIdChanged => "the call's id is sent as",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.sentence())?;
        self.sent.iter().try_for_each(|sent| write!(f, " {sent}"))
    }
}
