//! Edits of a harness's own list of messages, by position.

use cwl_engine::SessionBlock;

/// The place of a part in a harness's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartPlace {
    /// The message, by its position in the list.
    pub message: usize,
    /// The part, by its position in the message's own content; 0 where the content is one text, or one result.
    pub part: u32,
}

/// The places of a session's blocks in a harness's list.
#[derive(Clone, Copy)]
pub struct MessagePlaces<'a> {
    /// The number of messages in the list.
    pub n_messages: usize,
    /// Returns the place of a block; `None` of a block that the list does not hold.
    pub place_of: &'a dyn Fn(&SessionBlock) -> Option<PartPlace>,
}

/// One edit of a list of messages. Positions are those of the list before any edit.
///
/// A decision lists its edits in the order of the list, so that they can be applied from the last to the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageEdit {
    /// The message goes, whole.
    Remove {
        /// The message.
        message: usize,
    },
    /// Parts of the message go or are replaced; the others stay to the byte.
    Change {
        /// The message.
        message: usize,
        /// The parts, in order.
        parts: Vec<PartEdit>,
    },
    /// A text of the harness comes in, in the user's role: as a message of its own before `before.message` where
    /// `before.part` is 0, else as a text part of that message, which is the user's, before that part.
    ///
    /// At the end of the list `before.message` is the list's length.
    Insert {
        /// The place before which the text comes.
        before: PartPlace,
        /// The text.
        text: String,
    },
    /// The rest of the message goes to the end of the message before it, which has its role: Gemini
    /// takes a call only behind the user's turn or results.
    Join {
        /// The message.
        message: usize,
    },
}

/// The edit of one part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartEdit {
    /// The part, by its position in the message's own content.
    pub part: u32,
    /// The text that stands in its place; of a result in place of its content. `None` if the part goes.
    pub replaced_by: Option<String>,
}
