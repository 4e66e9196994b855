//! Edits of a harness's own list of messages, by position.

use cwl_engine::SessionBlock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartPlace {
    pub message: usize,
    /// Part position in the message's content, from 0; 0 if the content is one text or one result.
    pub part: u32,
}

#[derive(Clone, Copy)]
pub struct MessagePlaces<'a> {
    pub n_messages: usize,
    /// `None` if the list does not hold the block.
    pub place_of: &'a dyn Fn(&SessionBlock) -> Option<PartPlace>,
}

/// One edit in a list. Positions refer to the list before any edit.
///
/// Edits are sorted by position, so a harness can apply them from last to first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageEdit {
    /// Deletes the message.
    Remove { message: usize },
    /// Deletes or replaces `parts`; all other parts stay unchanged, byte for byte.
    Change { message: usize, parts: Vec<PartEdit> },
    /// Adds a text in the user's role. If `before.part` is 0, the text becomes a new message before `before.message`;
    /// otherwise the text becomes a part in that user message, before `before.part`.
    ///
    /// `before.message` equals the list's length if the text goes to the end.
    Insert { before: PartPlace, text: String },
    /// Appends the message's remaining parts to the previous message, which has the same role: Gemini accepts a call
    /// only directly after a user turn or results.
    Join { message: usize },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartEdit {
    /// Part position in the message's content, from 0.
    pub part: u32,
    /// Placeholder for the part, or for a result's content; `None` deletes the part.
    pub replaced_by: Option<&'static str>,
}
