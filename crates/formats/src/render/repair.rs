//! Repairs: changes to a rendered context without which a provider would refuse it.

use std::fmt;

use cwl_engine::{BlockIdx, MessageIdx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    pub kind: RepairKind,
    pub block: Option<BlockIdx>,
    pub message: Option<MessageIdx>,
    /// The new name or id, if the change is a renaming.
    pub sent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairKind {
    /// A failed or aborted reply is not sent.
    ReplyLeftOut,
    ResultLeftOut,
    /// A call is not sent because the context has no result for it.
    CallLeftOut,
    /// A call without a result gets the error `No result provided`.
    ResultInvented,
    /// A result moves directly behind its reply.
    ResultMoved,
    /// A message is merged into the one before, which has the same role. A residue has no `message`.
    MessagesMerged,
    EmptyLeftOut,
    BlankLeftOut,
    /// Reasoning is not sent: it lacks the provider's signature, or nothing follows it.
    ReasoningLeftOut,
    /// Reasoning from another provider's model is sent as text.
    ReasoningAsText,
    /// A part unknown to the provider is not sent.
    PartLeftOut,
    /// A result's image is sent as the user's, because the provider allows none in results.
    ImageMoved,
    /// A later system message is sent with the first instructions.
    SystemMoved,
    /// A user message `Continue.` is put before a first reply with calls, which must follow one.
    OpeningInvented,
    /// A call's input that is not a JSON object is sent as the member `input`.
    InputWrapped,
    /// A tool's name has characters or a length that the provider refuses.
    CallNameChanged,
    /// A call's id has characters or a length that the provider refuses.
    CallIdChanged,
}

impl RepairKind {
    pub(super) fn at_block(self, block: BlockIdx) -> Repair {
        Repair { kind: self, block: Some(block), message: None, sent: None }
    }

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
