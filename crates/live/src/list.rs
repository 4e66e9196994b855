//! A harness's list of messages, kept as records of the harness's own log.

use cwl_engine::{Content, ContentBlock, Problem, ProblemKind, SessionBlock};
use cwl_inspect::{PartPlace, SessionHistory};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListChange {
    Grew,
    Changed,
    /// As `Changed`, and the history begins again with its first event.
    Restarted,
    /// `digest` does not match the known messages before `from`: the client must send all messages.
    Unknown,
}

pub(crate) trait MessageList: Send {
    fn n_places(&self) -> usize;

    /// First message not fully understood: its position and the adapter's problem.
    fn first_unread(&self) -> Option<(usize, &str)>;

    /// `None` if the block's message is not in the list.
    fn place_of(&self, row: &SessionBlock) -> Option<PartPlace>;

    /// Replaces all messages from position `from` on, if `digest` matches the messages before; adds the new events to
    /// `history`.
    fn advance(
        &mut self,
        from: usize,
        digest: &str,
        messages: &[&RawValue],
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> ListChange;

    fn clear(&mut self);
}

/// True if the problem means a message was not fully understood.
pub(crate) fn is_unread(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::UnknownRecord { .. } | ProblemKind::UnknownPart { .. } | ProblemKind::NotJson { .. }
    )
}

/// True if `digest` identifies the messages before position `from`; `digest_at` returns the chained digest of a message.
pub(crate) fn matches_digest<'a>(
    from: usize,
    digest: &str,
    digest_at: impl FnOnce(usize) -> Option<&'a str>,
) -> bool {
    from.checked_sub(1).map_or(Some(""), digest_at) == Some(digest)
}

/// SHA-256 in hex over the digest `before` and the next message's `json`.
pub(crate) fn chain_digest(before: &str, json: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(json);
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
