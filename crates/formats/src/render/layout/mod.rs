//! Arranges a request's messages by a provider's rules, and records every repair.

mod answer;
mod items;
mod reply;
mod said;

use std::collections::BTreeMap;
use std::io::{self, Write};

use cwl_engine::{BlockIdx, MessageIdx, Provider, Role};

use self::answer::OwedAnswer;
pub(super) use self::items::{Items, by_role};
use super::definition::Definition;
use super::own::{home_provider, own_json};
use super::pairs::{Pairs, call_ids};
use super::part::SentPart;
use super::request::{ProviderRequest, RequestMessage};
use super::rules::ProviderRules;
use super::{Repair, RepairKind};
use crate::json::{Object, list, quoted};

/// Opens a request that would begin with a model's call.
const OPENING: &str = "Continue.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageSlot {
    System,
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageLayout {
    pub(super) slot: MessageSlot,
    /// Message of the log, the first if several were merged; `None` for invented messages.
    pub(super) message: Option<MessageIdx>,
    pub(super) parts: Vec<SentPart>,
}

#[derive(Default)]
pub(super) struct RequestLayout {
    pub(super) system: Vec<String>,
    tools: Vec<Definition>,
    /// Messages not yet written; another one may still be merged into the last.
    messages: Vec<MessageLayout>,
    repairs: Vec<Repair>,
}

impl RequestLayout {
    /// Arranges instructions and tools, which some providers expect before the messages.
    pub(super) fn lay_beside(request: &ProviderRequest<'_>, rules: ProviderRules) -> Self {
        let is_system = |sent: &RequestMessage<'_>| matches!(sent, RequestMessage::Log { row, .. } if row.role == Role::System);
        let n_messages = request.messages.iter().rposition(is_system).map_or(0, |at| at + 1);
        let mut layer = Layer::new(request, rules);
        for sent in &request.messages[..n_messages] {
            layer.lay_message(sent);
            let n_done = layer.laid.messages.len().saturating_sub(1);
            layer.laid.messages.drain(..n_done);
        }
        layer.laid
    }

    pub(super) fn join_instructions(&self) -> Option<String> {
        (!self.system.is_empty()).then(|| self.system.join("\n\n"))
    }

    /// Writes the whole request: instructions and tools, if any, and the messages under `key`.
    ///
    /// Each message is arranged, written by `write` and dropped, so a long request is never held in memory.
    ///
    /// # Errors
    /// If `out` fails.
    pub(super) fn write_request(
        self,
        (request, rules): (&ProviderRequest<'_>, ProviderRules),
        system: Option<(&str, String)>,
        key: &str,
        write: &dyn Fn(&MessageLayout) -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<Vec<Repair>> {
        let mut beside: Vec<(&str, String)> = system.into_iter().collect();
        let tools: Vec<String> =
            self.tools.iter().filter_map(|tool| tool.for_provider(rules.provider)).collect();
        if !tools.is_empty() {
            let tools = list(&tools);
            let declared = || list(&[Object::new().json("functionDeclarations", &tools).done()]);
            beside.push(("tools", if rules.provider == Provider::Gemini { declared() } else { tools }));
        }
        for (at, (name, json)) in beside.iter().enumerate() {
            let begin = if at == 0 { '{' } else { ',' };
            write!(out, "{begin}{}:{json}", quoted(name))?;
        }
        if !beside.is_empty() {
            write!(out, ",{}:", quoted(key))?;
        }
        let mut items = Items::begin_array(out)?;
        let mut layer = Layer::new(request, rules);
        layer.laid.repairs.clone_from(&request.repairs);
        let repairs =
            layer.each_message(|laid| write(laid).iter().try_for_each(|item| items.push_item(item)))?;
        items.end_array()?;
        if !beside.is_empty() {
            out.write_all(b"}")?;
        }
        Ok(repairs)
    }
}

/// Arranges a request message by message. The submodule `said` handles user and system messages, `reply` the
/// model's, `answer` results.
struct Layer<'r, 'a> {
    request: &'r ProviderRequest<'a>,
    rules: ProviderRules,
    pairs: Pairs,
    ids: BTreeMap<BlockIdx, String>,
    is_home: bool,
    owed: Vec<OwedAnswer>,
    laid: RequestLayout,
}

impl<'r, 'a> Layer<'r, 'a> {
    fn new(request: &'r ProviderRequest<'a>, rules: ProviderRules) -> Self {
        let pairs = Pairs::from_request(request);
        Self {
            ids: call_ids(request, &pairs, rules),
            is_home: home_provider(request) == Some(rules.provider),
            request,
            rules,
            pairs,
            owed: Vec::new(),
            laid: RequestLayout::default(),
        }
    }

    /// Arranges all messages and passes each to `write` once nothing can be merged into it; returns the
    /// repairs.
    fn each_message(
        mut self,
        mut write: impl FnMut(&MessageLayout) -> io::Result<()>,
    ) -> io::Result<Vec<Repair>> {
        let needs_user = self.rules.provider.calls_follow_user();
        let mut has_begun = false;
        let mut opening = None;
        let mut hand_over = |laid: &mut RequestLayout, n_kept: usize| {
            let n_done = laid.messages.len().saturating_sub(n_kept);
            for message in laid.messages.drain(..n_done) {
                if message.slot != MessageSlot::System && !std::mem::replace(&mut has_begun, true) {
                    opening = needs_user.then(|| opened_by(&message)).flatten();
                    if opening.is_some() {
                        let parts = vec![SentPart::Text(OPENING.to_owned())];
                        write(&MessageLayout { slot: MessageSlot::User, message: None, parts })?;
                    }
                }
                write(&message)?;
            }
            Ok::<_, io::Error>(())
        };
        for sent in &self.request.messages {
            self.lay_message(sent);
            hand_over(&mut self.laid, 1)?;
        }
        self.lay_answers();
        hand_over(&mut self.laid, 0)?;
        let invented = opening.map(|message| RepairKind::OpeningInvented.of_message(Some(message)));
        self.laid.repairs.extend(invented);
        Ok(self.laid.repairs)
    }

    fn note_repair(&mut self, repair: Repair) {
        self.laid.repairs.push(repair);
    }

    fn left_out(&mut self, why: RepairKind, block: BlockIdx) -> Option<SentPart> {
        self.note_repair(why.at_block(block));
        None
    }

    fn lay_message(&mut self, sent: &RequestMessage<'_>) {
        match sent {
            RequestMessage::Residue(text) => {
                self.push_parts(MessageSlot::User, None, vec![SentPart::Text((*text).to_owned())])
            }
            RequestMessage::Refused => {}
            RequestMessage::Log { idx, row, blocks } => match row.role {
                Role::System => self.lay_system(*idx, row, blocks),
                Role::Assistant => self.lay_reply(*idx, row, blocks),
                Role::User | Role::Tool => self.lay_user(*idx, row, blocks),
            },
        }
    }

    fn own_part(&self, block: BlockIdx, is_model: bool) -> Option<SentPart> {
        let json = || own_json(self.rules.provider, &self.request.sent_content(block), is_model);
        self.is_home.then(json).flatten().map(SentPart::Own)
    }

    fn spell_name(&self, name: &str) -> String {
        self.rules.spelling.map_or_else(|| name.to_owned(), |spelling| spelling.spell_name(name))
    }

    fn push_parts(&mut self, slot: MessageSlot, message: Option<MessageIdx>, parts: Vec<SentPart>) {
        self.lay_answers();
        match self.laid.messages.last_mut().filter(|last| self.rules.joins && last.slot == slot) {
            Some(last) => {
                last.parts.extend(parts);
                self.note_repair(RepairKind::MessagesMerged.of_message(message));
            }
            None => self.laid.messages.push(MessageLayout { slot, message, parts }),
        }
    }
}

/// Returns the first message if it is a reply with a call, so a user message must precede it.
fn opened_by(first: &MessageLayout) -> Option<MessageIdx> {
    let is_call = |part: &SentPart| matches!(part, SentPart::Call(_));
    first.message.filter(|_| first.slot == MessageSlot::Assistant && first.parts.iter().any(is_call))
}
