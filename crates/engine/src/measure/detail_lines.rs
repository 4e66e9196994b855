//! Details that are whole lines of the digest, and what counts as a need of a detail.

use super::{DetailKind, Saying};
use crate::material::digest::speaks_of_trouble;
use crate::{BlockKind, DigestLine, DigestRule, Role, Session};

/// Returns the detail that a line of the digest is, without the name of the tool that failed; `None` for other lines.
pub(super) fn detail_of_line<'a>(session: &Session, line: &'a DigestLine) -> Option<(DetailKind, &'a str)> {
    let text = own_text(session, line);
    let kind = match line.rule? {
        // A refusal by the human is no error.
        DigestRule::Failed if session.blocks[line.block.at()].is_with_words => None,
        DigestRule::Failed => speaks_of_trouble(text).then_some(DetailKind::Error),
        DigestRule::Decided => Some(DetailKind::Decision),
        DigestRule::Ruled if session.message_of(line.block).is_typed() => Some(DetailKind::Constraint),
        DigestRule::Planned | DigestRule::Asked => Some(DetailKind::OpenItem),
        _ => None,
    };
    Some((kind?, text))
}

pub(super) fn is_need(session: &Session, saying: &Saying) -> bool {
    let message = session.message_of(saying.block);
    saying.is_named && message.role == Role::Assistant && !message.added
}

fn own_text<'a>(session: &Session, line: &'a DigestLine) -> &'a str {
    if line.rule != Some(DigestRule::Failed) {
        return &line.text;
    }
    let row = &session.blocks[line.block.at()];
    let name = match (&row.kind, row.pair.map(|pair| &session.blocks[pair.at()].kind)) {
        (_, Some(BlockKind::Call(call))) => Some(&*call.name),
        (BlockKind::Result(result), _) => result.name.as_deref(),
        _ => None,
    };
    let after_name = name.and_then(|name| line.text.strip_prefix(name)?.strip_prefix(": "));
    after_name.unwrap_or(&line.text)
}
