//! Edits of a request's body: removes messages and parts, or replaces them by a text. Every other byte stays.
//!
//! A place is the one that the readers of bodies ([`crate::bodies`]) give to a block: the number of the message
//! in the body's list, and of the part in the message.

use std::collections::{BTreeMap, BTreeSet};

use super::rewrite::{has_results, join_messages, rewrite_message, text_message};
use crate::format::Format;
use crate::json::{Value, is_json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyPlace {
    pub message: usize,
    pub part: u32,
}

/// One edit of a body. Places are those before any edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyEdit {
    Remove(usize),
    RemovePart(BodyPlace),
    ReplacePart(BodyPlace, String),
    /// Inserts a text in the user's role before a place. Between calls and their results, which providers
    /// refuse, the text goes behind the results.
    Insert(BodyPlace, String),
    /// Moves the message's parts to the end of the message before it.
    Join(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyEditRefusal {
    #[error("the body has no list of messages")]
    NoList,
    #[error("message {} has no part {}", .0.message, .0.part)]
    NoPart(BodyPlace),
    #[error("nothing can stand in place of part {} of message {}", .0.part, .0.message)]
    NoResult(BodyPlace),
    #[error("message {0} cannot be joined to the one before it")]
    NotJoined(usize),
}

#[derive(Default)]
pub(super) struct MessageEdits<'e> {
    pub(super) removed: BTreeSet<u32>,
    pub(super) replaced: BTreeMap<u32, &'e str>,
    /// Texts inserted before a part; with a number beyond the last part, behind it.
    pub(super) inserted: Vec<(u32, &'e str)>,
}

/// Returns a block's place in the body, by the id of its record and its index there; `None` for the system
/// prompt and for tools.
pub fn place_in_body(entry: &str, index: u32) -> Option<BodyPlace> {
    let message = entry.split('/').nth(1)?.parse().ok()?;
    Some(BodyPlace { message, part: index })
}

/// `None` if the body is no JSON, or has no list of messages.
pub fn count_body_messages(format: Format, body: &str) -> Option<usize> {
    list_of_messages(format, body).map(|(_, list)| list.items().count())
}

fn list_of_messages(format: Format, body: &str) -> Option<(Value<'_>, Value<'_>)> {
    let key = match format {
        Format::OpenaiResponses => "input",
        Format::Gemini => "contents",
        _ => "messages",
    };
    let text = body.trim();
    let whole = Some(Value::trusted(text, 0)).filter(|_| is_json(text))?;
    Some((whole, whole.get(key)?.list()?))
}

/// Applies `edits` to a body in `format`.
///
/// # Errors
/// If any edit cannot be applied. The other edits are then dropped, too.
pub fn edit_body(format: Format, body: &str, edits: &[BodyEdit]) -> Result<String, BodyEditRefusal> {
    let (whole, list) = list_of_messages(format, body).ok_or(BodyEditRefusal::NoList)?;
    if edits.is_empty() {
        return Ok(body.to_owned());
    }
    let messages: Vec<Value<'_>> = list.items().collect();
    let found = |place: BodyPlace| messages.get(place.message).copied().ok_or(BodyEditRefusal::NoPart(place));
    let mut removed = BTreeSet::new();
    let mut joined = BTreeSet::new();
    let mut changed: BTreeMap<usize, MessageEdits<'_>> = BTreeMap::new();
    let mut texts: Vec<(BodyPlace, &str)> = Vec::new();
    for edit in edits {
        match edit {
            BodyEdit::Remove(message) => {
                found(BodyPlace { message: *message, part: 0 })?;
                removed.insert(*message);
            }
            BodyEdit::RemovePart(place) => {
                found(*place)?;
                changed.entry(place.message).or_default().removed.insert(place.part);
            }
            BodyEdit::ReplacePart(place, by) => {
                found(*place)?;
                changed.entry(place.message).or_default().replaced.insert(place.part, by);
            }
            BodyEdit::Insert(place, text) => texts.push((*place, text)),
            BodyEdit::Join(message) => _ = joined.insert(*message),
        }
    }
    let mut before: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (place, text) in texts {
        let is_kept_result = |at: &usize| {
            !removed.contains(at) && messages.get(*at).is_some_and(|message| has_results(format, *message))
        };
        let in_message = matches!(format, Format::Anthropic | Format::Gemini);
        if in_message && is_kept_result(&place.message) {
            changed.entry(place.message).or_default().inserted.push((u32::MAX, text));
        } else if place.part > 0 && !removed.contains(&place.message) && place.message < messages.len() {
            changed.entry(place.message).or_default().inserted.push((place.part, text));
        } else {
            let behind = (place.message..messages.len()).find(|at| !is_kept_result(at));
            before.entry(behind.unwrap_or(messages.len())).or_default().push(text);
        }
    }
    let mut items: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        items.extend(before.remove(&at).into_iter().flatten().map(|text| text_message(format, text)));
        if removed.contains(&at) {
            continue;
        }
        let item = match changed.get(&at) {
            None => Some(message.raw().to_owned()),
            Some(edits) => rewrite_message(format, *message, at, edits)?,
        };
        let Some(item) = item else { continue };
        if joined.contains(&at) {
            let last = items.last_mut().ok_or(BodyEditRefusal::NotJoined(at))?;
            *last = join_messages(format, last, &item).ok_or(BodyEditRefusal::NotJoined(at))?;
        } else {
            items.push(item);
        }
    }
    items.extend(before.into_values().flatten().map(|text| text_message(format, text)));
    let (head, tail) = whole.around(list).ok_or(BodyEditRefusal::NoList)?;
    Ok(format!("{head}[{}]{tail}", items.join(",")))
}
