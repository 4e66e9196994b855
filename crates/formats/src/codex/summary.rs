//! The reply to a summary request: Codex logs it like any reply, and the following compaction repeats its
//! text.

use cwl_engine::{
    Author, BlockKind, Content, EventBody, Keep, Message, MessageForm, Parent, ParsedEvent, Role, Usage,
    UsageReport,
};

use crate::adapter::Batch;

/// The events of a text-only reply, held until the next record shows whether the reply is a summary.
#[derive(Clone, Default)]
pub(super) struct SummaryReply {
    events: Vec<ParsedEvent>,
}

impl SummaryReply {
    pub(super) fn pass(&mut self, mut new: Vec<ParsedEvent>, out: &mut Batch) {
        let reply = new.iter().find_map(words_of);
        if self.is_repeated(&new) {
            self.hand_over_to(&mut new);
        } else if reply.is_some() {
            let is_other = reply.is_some_and(|(reply, _)| {
                self.events.iter().find_map(words_of).is_some_and(|(known, _)| known.reply != reply.reply)
            });
            if !is_other {
                return self.events.append(&mut new);
            }
            out.events.append(&mut self.events);
            return self.events.append(&mut new);
        } else if !self.events.is_empty() && new.iter().all(tells_tokens) {
            return self.events.append(&mut new);
        }
        out.events.append(&mut self.events);
        out.events.append(&mut new);
    }

    pub(super) fn waiting(&self, out: &mut Batch) {
        out.events.extend(self.events.iter().cloned());
    }

    fn is_repeated(&self, new: &[ParsedEvent]) -> bool {
        let texts = self.events.iter().filter_map(words_of).flat_map(|(message, contents)| {
            let blocks = message.blocks.iter().zip(contents);
            blocks
                .filter(|(block, _)| matches!(block.kind, BlockKind::Text))
                .map(|(_, content)| &content.text)
        });
        let said = texts.map(String::as_str).collect::<String>();
        let said = said.trim();
        let is_summary = |event: &ParsedEvent| {
            let EventBody::Compaction(_) = &event.event.body else { return false };
            let mut contents = event.contents.iter();
            event.event.body.all_messages().any(|message| {
                let own: Vec<&Content> = contents.by_ref().take(message.blocks.len()).collect();
                let ends = own.iter().any(|content| ends_with(&content.text, said));
                ends && message.form == MessageForm::Summary
            })
        };
        !said.is_empty() && new.iter().any(is_summary)
    }

    fn hand_over_to(&mut self, new: &mut [ParsedEvent]) {
        let mut used: Option<Usage> = None;
        for event in &mut self.events {
            let (usage, window) = match &event.event.body {
                EventBody::Message(message) => (message.usage, None),
                EventBody::Usage(report) => (report.usage, report.window),
                _ => continue,
            };
            used = usage.or(used);
            event.contents.clear();
            event.event.body = match window {
                Some(_) => EventBody::Usage(UsageReport { window, ..UsageReport::default() }),
                None => EventBody::Quiet { record: "summary".into() },
            };
            if window.is_none() {
                event.event.parent = Parent::Outside;
            }
        }
        for event in new {
            let EventBody::Compaction(compaction) = &mut event.event.body else { continue };
            let Keep::Retained(messages) = &mut compaction.keep else { continue };
            let summary = messages.iter_mut().find(|message| message.form == MessageForm::Summary);
            summary.into_iter().for_each(|summary| summary.usage = used);
        }
    }
}

fn ends_with(text: &str, lines: &str) -> bool {
    text.trim_end().strip_suffix(lines).is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}

fn words_of(event: &ParsedEvent) -> Option<(&Message, &[Content])> {
    let EventBody::Message(message) = &event.event.body else { return None };
    let is_said = message.role == Role::Assistant && message.author == Author::Model;
    let is_words = |kind: &BlockKind| matches!(kind, BlockKind::Text | BlockKind::Reasoning);
    let is_bare = message.blocks.iter().all(|block| is_words(&block.kind));
    (is_said && is_bare).then_some((message, &event.contents))
}

fn tells_tokens(event: &ParsedEvent) -> bool {
    match &event.event.body {
        EventBody::Usage(_) => true,
        EventBody::Quiet { record } => {
            matches!(&**record, "token_count" | "token_usage_record" | "item_completed")
        }
        _ => false,
    }
}
