//! Edits (pi from 0.87 on): a record that removes an earlier message from the context, or changes its
//! content.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    BlockKind, Change, EntryId, EventBody, Message, ReplacementCause, Rewrite, RewriteTarget, Role,
    ToolCallId,
};

use super::message::{AllowedParts, push_content, tool_result_of};
use crate::blocks::Blocks;
use crate::event::EventDraft;
use crate::json::Fields;
use crate::notes::Notes;

/// Messages that edits may change: an edit provides new content for them, everything else stays.
#[derive(Clone, Default)]
pub(super) struct Frames {
    by_entry: BTreeMap<EntryId, EditFrame>,
}

#[derive(Clone)]
struct EditFrame {
    message: Message,
    answers: Option<(ToolCallId, Option<Arc<str>>, bool)>,
}

impl Frames {
    pub(super) fn note_frame(&mut self, entry: &EntryId, body: &EventBody) {
        let EventBody::Message(message) = body else { return };
        let answers = message.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Result(result) => Some((result.call.clone(), result.name.clone(), result.ok)),
            _ => None,
        });
        let frame = Message { blocks: Vec::new(), usage: None, ..message.clone() };
        self.by_entry.insert(entry.clone(), EditFrame { message: frame, answers });
    }

    pub(super) fn read_edit(&self, fields: &Fields<'_>, notes: &mut Notes<'_>) -> EventDraft {
        let target = EntryId::new(notes.required_text(fields.get("targetId"), "targetId"));
        let replacement = fields.get("replacement").filter(|replacement| !replacement.is_null());
        let content = replacement.and_then(|replacement| replacement.get("content"));
        let mut contents = Vec::new();
        let mut replaced_by = Vec::new();
        match (replacement, self.by_entry.get(&target)) {
            (None, _) => {}
            (Some(replacement), Some(frame)) => {
                let mut blocks = Blocks::new(0, notes);
                match &frame.answers {
                    Some(answers) => {
                        tool_result_of(answers.clone(), replacement, content, &mut blocks);
                    }
                    None if frame.message.role == Role::Assistant => {
                        push_content(&mut blocks, content, AllowedParts::Reply);
                    }
                    None => push_content(&mut blocks, content, AllowedParts::Plain),
                }
                let read = blocks.into_message(frame.message.clone());
                contents = read.contents;
                replaced_by.push(read.message);
            }
            // The content's author and role are unknown.
            (Some(_), None) => notes.odd("targetId"),
        }
        let changes = vec![Change { target: RewriteTarget::Entry(target), replaced_by }];
        let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes });
        EventDraft { contents, ..EventDraft::whole(body, fields.value) }
    }
}
