//! Last stage of a decision: turns a rendered context into edits of the harness's list.

use std::collections::BTreeSet;

use cwl_engine::{
    BlockIdx, Fate, GoneReason, GraphTimeline, MessageIdx, MessageOrigin, RenderedContext, RenderedItem,
    Role, Session, TokenTable,
};

use crate::live_decision::decide::name_of;
use crate::live_decision::{
    EvictedPart, EvictionReason, MessageEdit, MessagePlaces, PartEdit, PartPlace, PassThroughReason,
};

pub(crate) struct HarnessList<'a> {
    pub(crate) places: &'a MessagePlaces<'a>,
    /// Reasoning evicted because nothing follows it in its reply.
    pub(crate) apart: &'a BTreeSet<BlockIdx>,
    pub(crate) joined: &'a BTreeSet<MessageIdx>,
}

#[derive(Clone, Default)]
struct ListedMessage {
    is_user: bool,
    is_joined: bool,
    /// Position of the first part with a block: a harness may have other parts before.
    first_part: Option<u32>,
    n_kept: u32,
}

/// Text to insert. `of` names the evicted episode, or `a span`.
struct IncomingText {
    before: PartPlace,
    of: String,
    text: String,
}

/// Returns the edits and every part left out, both sorted by list position.
pub(crate) fn lower_context(
    session: &Session,
    growth: &GraphTimeline,
    table: &TokenTable,
    context: &RenderedContext,
    list: &HarnessList<'_>,
) -> Result<(Vec<MessageEdit>, Vec<EvictedPart>), PassThroughReason> {
    let MessagePlaces { n_messages, place_of } = *list.places;
    let mut listed: Vec<ListedMessage> = vec![ListedMessage::default(); n_messages];
    let mut texts: Vec<IncomingText> = Vec::new();
    let mut waiting: Vec<(String, String)> = Vec::new();
    let mut part_edits: Vec<(usize, PartEdit)> = Vec::new();
    let mut evicted = Vec::new();
    for message in &context.messages {
        let idx = match &message.origin {
            MessageOrigin::Residue { episode, text } => {
                waiting.push((growth.graph.episode(*episode).name.to_string(), text.clone()));
                continue;
            }
            MessageOrigin::Summary { text, .. } => {
                waiting.push((String::from("a span"), text.clone()));
                continue;
            }
            MessageOrigin::Log(idx) => *idx,
        };
        for item in &message.items {
            let row = &session.blocks[item.block.at()];
            let fate = part_fate(list, item);
            let place = place_of(row).filter(|place| place.message < n_messages);
            let Some(place) = place else {
                // The list has no place for a part the harness itself left out.
                if matches!(fate, PartFate::Absent) {
                    continue;
                }
                return Err(PassThroughReason::UnknownPlace { block: name_of(session, item.block) });
            };
            texts.extend(waiting.drain(..).map(|(of, text)| IncomingText { before: place, of, text }));
            let known = &mut listed[place.message];
            known.first_part = Some(known.first_part.map_or(place.part, |first| first.min(place.part)));
            known.is_user |= matches!(session.messages[idx.at()].role, Role::User | Role::Tool);
            known.is_joined |= list.joined.contains(&idx);
            let (replaced_by, reason) = match fate {
                PartFate::Absent | PartFate::Kept => {
                    known.n_kept += 1;
                    continue;
                }
                PartFate::Gone(reason) => (None, reason),
                PartFate::Replaced(text, reason) => {
                    known.n_kept += 1;
                    (Some(text), reason)
                }
            };
            if !session.class_of(item.block).is_evictable() {
                return Err(PassThroughReason::Protected { block: name_of(session, item.block) });
            }
            part_edits.push((place.message, PartEdit { part: place.part, replaced_by }));
            evicted.push(EvictedPart {
                place,
                tokens: table.tokens_from_units(table.units(item.block)),
                episode: item.episode.map(|episode| growth.graph.episode(episode).name.clone()),
                reason,
            });
        }
    }
    let end = PartPlace { message: n_messages, part: 0 };
    texts.extend(waiting.into_iter().map(|(of, text)| IncomingText { before: end, of, text }));
    evicted.sort_by_key(|part| part.place);
    part_edits.sort_by_key(|(message, edit)| (*message, edit.part));
    Ok((list_edits(listed, part_edits, texts)?, evicted))
}

/// Lists the edits by position: `part_edits` are sorted by message and part. Inserts come before other edits of the
/// same message.
fn list_edits(
    listed: Vec<ListedMessage>,
    part_edits: Vec<(usize, PartEdit)>,
    mut texts: Vec<IncomingText>,
) -> Result<Vec<MessageEdit>, PassThroughReason> {
    texts.sort_by_key(|text| text.before);
    let mut texts = texts.into_iter().peekable();
    let mut part_edits = part_edits.into_iter().peekable();
    let mut edits = Vec::new();
    for (message, ListedMessage { is_user, is_joined, first_part, n_kept }) in listed.into_iter().enumerate()
    {
        while let Some(IncomingText { mut before, of, text }) =
            texts.next_if(|text| text.before.message == message)
        {
            if Some(before.part) <= first_part {
                before.part = 0;
            }
            if before.part > 0 && !is_user {
                return Err(PassThroughReason::NoPlaceForText { episode: of, message });
            }
            edits.push(MessageEdit::Insert { before, text });
        }
        let mut next_part = || part_edits.next_if(|(edited, _)| *edited == message).map(|(_, edit)| edit);
        if let Some(first) = next_part() {
            let others = core::iter::from_fn(next_part);
            if n_kept == 0 {
                others.for_each(drop);
                edits.push(MessageEdit::Remove { message });
                continue;
            }
            let parts = core::iter::once(first).chain(others).collect();
            edits.push(MessageEdit::Change { message, parts });
        }
        if is_joined {
            edits.push(MessageEdit::Join { message });
        }
    }
    edits.extend(texts.map(|IncomingText { before, text, .. }| MessageEdit::Insert { before, text }));
    Ok(edits)
}

enum PartFate {
    Kept,
    Absent,
    Gone(EvictionReason),
    Replaced(&'static str, EvictionReason),
}

fn part_fate(list: &HarnessList<'_>, item: &RenderedItem) -> PartFate {
    if list.apart.contains(&item.block) {
        return PartFate::Gone(EvictionReason::ReasoningApart);
    }
    match &item.fate {
        Fate::Kept(_) => PartFate::Kept,
        Fate::Gone(reason) => reason_of(reason).map_or(PartFate::Absent, PartFate::Gone),
        Fate::Masked(placeholder, reason) => reason_of(reason)
            .map_or(PartFate::Absent, |reason| PartFate::Replaced(placeholder.text(), reason)),
    }
}

fn reason_of(reason: &GoneReason) -> Option<EvictionReason> {
    match reason {
        GoneReason::Evicted { action, turn, step, .. } => {
            Some(EvictionReason::Step { action: *action, turn: *turn, number: *step })
        }
        GoneReason::ArrivedStripped { level } => Some(EvictionReason::ArrivedStripped { level: *level }),
        GoneReason::Harness { .. } | GoneReason::Excluded => None,
    }
}
