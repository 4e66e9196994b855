//! The messages of a request as a provider wants them laid out, and every repair that this took.

use std::collections::BTreeMap;
use std::io::{self, Write};

use cwl_engine::{BlockIdx, BlockKind, MessageIdx, Provider, Role, SessionMessage};

use super::definition::Definition;
use super::image::Image;
use super::own::{home, is_compaction, is_mcp_call, own_json, served_result, served_result_gone};
use super::pairs::{Pairs, call_ids};
use super::part::{Answer, Call, Input, SentPart, parts_of_result};
use super::reasoning::{Reasoning, maker_of};
use super::request::{Request, Sent};
use super::rules::{Rules, SystemPlace};
use super::source::Wording;
use super::{Repair, RepairKind};
use crate::json::{Object, Value, list, quoted};

/// The answer to a call without its result, where the harness answers such calls.
const NO_RESULT: &str = "No result provided";

/// The text that stands before a request that begins with the model's words.
const OPENING: &str = "Continue.";

/// The slot that a message goes into; results go into the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    System,
    User,
    Assistant,
}

/// One message as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Laid {
    pub(super) slot: Slot,
    /// The log's message; the first of several that are joined, `None` where there is none.
    pub(super) message: Option<MessageIdx>,
    pub(super) parts: Vec<SentPart>,
}

/// A request as it is laid out, as far as it is not written yet.
#[derive(Default)]
pub(super) struct Layout {
    /// Instructions beside the messages.
    pub(super) system: Vec<String>,
    tools: Vec<Definition>,
    /// The messages that are not written yet; the last one may still be joined.
    messages: Vec<Laid>,
    repairs: Vec<Repair>,
}

impl Layout {
    /// Lays out what goes beside the messages by a provider's rules: it stands before them in some providers' requests.
    pub(super) fn beside(request: &Request<'_>, rules: Rules) -> Self {
        let is_system = |sent: &Sent<'_>| matches!(sent, Sent::Log { row, .. } if row.role == Role::System);
        let n_messages = request.messages.iter().rposition(is_system).map_or(0, |at| at + 1);
        let mut layer = Layer::of(request, rules);
        for sent in &request.messages[..n_messages] {
            layer.message(sent);
            let n_done = layer.laid.messages.len().saturating_sub(1);
            layer.laid.messages.drain(..n_done);
        }
        layer.laid
    }

    /// Joins the instructions beside the messages; `None` where there are none.
    pub(super) fn instructions(&self) -> Option<String> {
        (!self.system.is_empty()).then(|| self.system.join("\n\n"))
    }

    /// Writes the whole request: instructions and tools where there are any, and the messages under `key`. Every message is
    /// laid out, written by `write` and forgotten, so that a long request is never in memory as a whole.
    ///
    /// # Errors
    /// Those of `out`.
    pub(super) fn write(
        self,
        (request, rules): (&Request<'_>, Rules),
        system: Option<(&str, String)>,
        key: &str,
        write: &dyn Fn(&Laid) -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<Vec<Repair>> {
        let mut beside: Vec<(&str, String)> = system.into_iter().collect();
        let tools: Vec<String> = self.tools.iter().filter_map(|tool| tool.written(rules.provider)).collect();
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
        let mut items = Items::begin(out)?;
        let mut layer = Layer::of(request, rules);
        layer.laid.repairs.clone_from(&request.repairs);
        let repairs = layer.each(|laid| write(laid).iter().try_for_each(|item| items.push(item)))?;
        items.end()?;
        if !beside.is_empty() {
            out.write_all(b"}")?;
        }
        Ok(repairs)
    }
}

/// Writes a message as an object with its role and, under `key`, its parts: for providers that know two roles.
pub(super) fn by_role(laid: &Laid, model: &str, key: &str, part: fn(&SentPart) -> String) -> Vec<String> {
    let role = if laid.slot == Slot::Assistant { model } else { "user" };
    let parts: Vec<String> = laid.parts.iter().map(part).collect();
    vec![Object::new().text("role", role).json(key, &list(&parts)).done()]
}

/// A JSON array that is written item by item.
pub(super) struct Items<'w> {
    out: &'w mut dyn Write,
    is_first: bool,
}

impl<'w> Items<'w> {
    pub(super) fn begin(out: &'w mut dyn Write) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self { out, is_first: true })
    }

    pub(super) fn push(&mut self, item: &str) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(item.as_bytes())
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(b"]")
    }
}

/// An answer that a call of the reply laid last is owed.
#[derive(Clone, Copy)]
struct Owed {
    call: BlockIdx,
    /// The result; `None` where an error answers the call.
    result: Option<BlockIdx>,
}

struct Layer<'r, 'a> {
    request: &'r Request<'a>,
    rules: Rules,
    pairs: Pairs,
    ids: BTreeMap<BlockIdx, String>,
    /// True where the log is in the form of the provider that it goes to.
    is_home: bool,
    /// Answers that must follow the reply laid last.
    owed: Vec<Owed>,
    laid: Layout,
}

impl<'r, 'a> Layer<'r, 'a> {
    fn of(request: &'r Request<'a>, rules: Rules) -> Self {
        let pairs = Pairs::of(request);
        Self {
            ids: call_ids(request, &pairs, rules),
            is_home: home(request) == Some(rules.provider),
            request,
            rules,
            pairs,
            owed: Vec::new(),
            laid: Layout::default(),
        }
    }

    /// Lays all messages out and hands over each as soon as nothing can be joined with it; returns the repairs.
    fn each(mut self, mut write: impl FnMut(&Laid) -> io::Result<()>) -> io::Result<Vec<Repair>> {
        let needs_user = self.rules.provider.calls_follow_user();
        let mut has_begun = false;
        let mut opening = None;
        let mut hand_over = |laid: &mut Layout, n_kept: usize| {
            let n_done = laid.messages.len().saturating_sub(n_kept);
            for message in laid.messages.drain(..n_done) {
                if message.slot != Slot::System && !std::mem::replace(&mut has_begun, true) {
                    opening = needs_user.then(|| opened_by(&message)).flatten();
                    if opening.is_some() {
                        let parts = vec![SentPart::Text(OPENING.to_owned())];
                        write(&Laid { slot: Slot::User, message: None, parts })?;
                    }
                }
                write(&message)?;
            }
            Ok::<_, io::Error>(())
        };
        for sent in &self.request.messages {
            self.message(sent);
            hand_over(&mut self.laid, 1)?;
        }
        self.pay();
        hand_over(&mut self.laid, 0)?;
        let invented = opening.map(|message| RepairKind::OpeningInvented.of_message(Some(message)));
        self.laid.repairs.extend(invented);
        Ok(self.laid.repairs)
    }

    fn repair(&mut self, repair: Repair) {
        self.laid.repairs.push(repair);
    }

    /// Notes that a block does not go out, and why.
    fn left_out(&mut self, why: RepairKind, block: BlockIdx) -> Option<SentPart> {
        self.repair(why.of(block));
        None
    }

    fn message(&mut self, sent: &Sent<'_>) {
        match sent {
            Sent::Residue(text) => self.push(Slot::User, None, vec![SentPart::Text((*text).to_owned())]),
            Sent::Refused => {}
            Sent::Log { idx, row, blocks } => match row.role {
                Role::System => self.system(*idx, blocks),
                Role::Assistant => self.reply(*idx, row, blocks),
                Role::User | Role::Tool => self.said(*idx, row, blocks),
            },
        }
    }

    /// Lays a message of the user's slot: its results, then its words.
    fn said(&mut self, idx: MessageIdx, row: &SessionMessage, blocks: &[BlockIdx]) {
        let is_result = |block: &BlockIdx| matches!(self.request.kind(*block), BlockKind::Result(_));
        let (results, others): (Vec<BlockIdx>, Vec<BlockIdx>) = blocks.iter().copied().partition(is_result);
        for &block in &results {
            self.result_in_place(idx, block);
        }
        if others.is_empty() && (row.role == Role::Tool || !results.is_empty()) {
            return;
        }
        let wording = self.request.frame(row, blocks).map(|frame| frame.wording(&row.form));
        let parts: Vec<SentPart> = match wording {
            Some(Wording::Pi(text)) => vec![SentPart::Text(text)],
            Some(Wording::Nothing) => return,
            Some(Wording::Log) | None => {
                others.into_iter().filter_map(|block| self.plain_part(block, Slot::User)).collect()
            }
        };
        if parts.is_empty() {
            self.repair(RepairKind::EmptyLeftOut.of_message(Some(idx)));
        } else {
            self.push(Slot::User, Some(idx), parts);
        }
    }

    /// Lays a result where it stands, or only tells that it is laid behind its reply, which is another place.
    fn result_in_place(&mut self, idx: MessageIdx, block: BlockIdx) {
        if !self.pairs.call_of.contains_key(&block) {
            self.repair(RepairKind::ResultLeftOut.of(block));
        } else if self.is_in_item(block) {
            // Its call goes out as an item that holds it.
        } else if !self.rules.results_follow {
            let parts = vec![SentPart::Answer(self.answer(block))];
            self.push(Slot::User, Some(idx), parts);
        } else if !self.owed.iter().any(|owed| owed.result == Some(block)) {
            self.repair(RepairKind::ResultMoved.of(block));
        }
    }

    fn is_in_item(&self, result: BlockIdx) -> bool {
        self.pairs.call_of.get(&result).is_some_and(|call| self.item(*call).is_some())
    }

    /// Makes an item of a call that its provider answers itself. The item holds the result, so that the log has no
    /// text of it; a result with a text was put there by the harness.
    fn item(&self, call: BlockIdx) -> Option<SentPart> {
        let result = *self.pairs.result_of.get(&call).filter(|_| !self.rules.results_follow)?;
        self.own(call, true).filter(|_| self.request.content(result).text.is_empty())
    }

    fn system(&mut self, idx: MessageIdx, blocks: &[BlockIdx]) {
        let mut parts = Vec::new();
        for &block in blocks {
            let tools = Definition::of(&self.request.content(block));
            if !tools.is_empty() {
                let n_tools = tools.len();
                let known = tools.into_iter().filter(|tool| tool.written(self.rules.provider).is_some());
                let known: Vec<Definition> = known.collect();
                if known.len() < n_tools {
                    self.repair(RepairKind::PartLeftOut.of(block));
                }
                self.laid.tools.extend(known);
            } else {
                let part = self.plain_part(block, Slot::System);
                parts.extend(part);
            }
        }
        let texts = || parts.iter().filter_map(SentPart::text).map(str::to_owned);
        let is_first = self.laid.messages.is_empty();
        match self.rules.system {
            _ if parts.is_empty() => {}
            SystemPlace::FirstBeside if is_first && self.laid.system.is_empty() => {
                self.laid.system.extend(texts());
            }
            SystemPlace::Beside => {
                self.laid.system.extend(texts());
                if !is_first {
                    self.repair(RepairKind::SystemMoved.of_message(Some(idx)));
                }
            }
            SystemPlace::Among | SystemPlace::FirstBeside => self.push(Slot::System, Some(idx), parts),
        }
    }

    fn reply(&mut self, idx: MessageIdx, row: &SessionMessage, blocks: &[BlockIdx]) {
        let frame = self.request.frame(row, blocks);
        let maker = maker_of(self.request, row, frame.as_ref());
        let mut parts = Vec::new();
        let mut trailing = Vec::new();
        let mut owed: Vec<Owed> = Vec::new();
        let mut has_other = false;
        for &block in blocks {
            let own = self.served(block, blocks);
            let part = match self.request.kind(block) {
                _ if own.is_some() => own,
                BlockKind::Reasoning => self.reasoning(block, maker),
                BlockKind::Call(_) => {
                    let call = self.call(block, maker);
                    let result = self.pairs.result_of.get(&block).copied();
                    let is_owed = result.is_some() || self.pairs.invented.contains(&block);
                    owed.extend((is_owed && call.is_some()).then_some(Owed { call: block, result }));
                    call
                }
                _ => self.plain_part(block, Slot::Assistant),
            };
            let Some(part) = part else { continue };
            match &part {
                SentPart::Reasoning(_) => trailing.push((parts.len(), block)),
                // A provider may compact while it answers; reasoning leads to the words behind that.
                SentPart::Own(json) if is_compaction(json) => {}
                _ => {
                    trailing.clear();
                    has_other = true;
                }
            }
            parts.push(part);
        }
        // No provider takes a message of nothing but reasoning.
        if self.rules.reasoning_leads || !has_other {
            for (n_removed, (at, block)) in trailing.into_iter().enumerate() {
                parts.remove(at - n_removed);
                self.repair(RepairKind::ReasoningLeftOut.of(block));
            }
        }
        if parts.is_empty() {
            self.repair(RepairKind::EmptyLeftOut.of_message(Some(idx)));
            return;
        }
        self.push(Slot::Assistant, Some(idx), parts);
        if self.rules.results_follow {
            self.owed.extend(owed);
            return;
        }
        // Results stay where they are; answers that are made up stand right behind.
        let made_up: Vec<SentPart> = owed
            .into_iter()
            .filter(|owed| owed.result.is_none())
            .map(|owed| SentPart::Answer(self.invented(owed.call)))
            .collect();
        if !made_up.is_empty() {
            self.push(Slot::User, None, made_up);
        }
    }

    /// Makes the error that answers a call without its result.
    fn invented(&mut self, call: BlockIdx) -> Answer {
        self.repair(RepairKind::ResultInvented.of(call));
        let parts = vec![SentPart::Text(NO_RESULT.to_owned())];
        Answer { ok: false, parts, ..self.answer_to(call) }
    }

    /// Makes a part of what only the provider that it goes to has a form for.
    fn own(&self, block: BlockIdx, is_model: bool) -> Option<SentPart> {
        let json = || own_json(self.rules.provider, &self.request.content(block), is_model);
        self.is_home.then(json).flatten().map(SentPart::Own)
    }

    /// Makes such a part of a call or a result of a tool that the provider runs itself, if both of them are there.
    fn served(&mut self, block: BlockIdx, blocks: &[BlockIdx]) -> Option<SentPart> {
        let pair_of = |block: BlockIdx| self.request.session.blocks[block.at()].pair;
        // Of several results for one call, the first; a call in the place of another has the other's result.
        let pair = pair_of(block).filter(|pair| blocks.contains(pair) && pair_of(*pair) == Some(block));
        match self.request.kind(block) {
            BlockKind::Call(_) if !self.rules.results_follow => self.item(block),
            BlockKind::Call(_) => {
                let own = self.own(block, true).filter(|_| pair.is_some_and(|result| block < result))?;
                // It has its result beside it, so that a result in another message would be a second one.
                if let Some(result) = self.pairs.result_of.remove(&block) {
                    self.pairs.call_of.remove(&result);
                }
                Some(own)
            }
            BlockKind::Result(result) if self.rules.results_follow => {
                let call = pair.filter(|call| *call < block)?;
                let SentPart::Own(call) = self.own(call, true)? else { return None };
                if self.request.placeholder(block).is_some() && !is_mcp_call(&call) {
                    self.repair(RepairKind::PartLeftOut.of(block));
                    return Some(SentPart::Own(served_result_gone(&call, &self.request.logged(block))));
                }
                Some(SentPart::Own(served_result(&call, &self.request.content(block), result.ok)))
            }
            _ => None,
        }
    }

    /// Makes a part that stands for itself in any message.
    fn plain_part(&mut self, block: BlockIdx, slot: Slot) -> Option<SentPart> {
        let is_model = slot == Slot::Assistant;
        let takes_images = slot == Slot::User || (is_model && self.rules.model_images);
        match self.request.kind(block) {
            BlockKind::Text | BlockKind::Image | BlockKind::Opaque
                if slot != Slot::System
                    && let Some(own) = self.own(block, is_model) =>
            {
                Some(own)
            }
            BlockKind::Text => {
                let text = self.request.content(block).text;
                if text.is_empty() || (self.rules.blank_refused && text.trim().is_empty()) {
                    return self.left_out(RepairKind::BlankLeftOut, block);
                }
                Some(SentPart::Text(text))
            }
            BlockKind::Image if takes_images => {
                let json = self.request.json(block);
                let image = Image::of(Value::trusted(&json, 0)).filter(|image| self.takes(image));
                match image {
                    Some(image) => Some(SentPart::Image(image)),
                    None => self.left_out(RepairKind::PartLeftOut, block),
                }
            }
            _ => self.left_out(RepairKind::PartLeftOut, block),
        }
    }

    /// Only pi must have an image's bytes.
    fn takes(&self, image: &Image) -> bool {
        self.rules.provider != Provider::Pi || matches!(image, Image::Data(_))
    }

    /// Makes reasoning of a block that its provider takes back, else text of its readable part.
    fn reasoning(&mut self, block: BlockIdx, maker: Option<Provider>) -> Option<SentPart> {
        let is_pi = self.request.format == crate::Format::Pi;
        let reasoning = Reasoning::of(&self.request.content(block), maker, is_pi);
        // pi takes the reasoning of all makers, proven or not.
        let to_pi = self.rules.provider == Provider::Pi;
        let is_own = to_pi || reasoning.maker == Some(self.rules.provider);
        let is_sent = reasoning.is_provable() || (to_pi && reasoning.is_readable());
        if is_own && is_sent {
            return Some(SentPart::Reasoning(reasoning));
        }
        if !is_own && reasoning.is_readable() {
            self.repair(RepairKind::ReasoningAsText.of(block));
            return Some(SentPart::Text(reasoning.text));
        }
        self.left_out(RepairKind::ReasoningLeftOut, block)
    }

    fn call(&mut self, block: BlockIdx, maker: Option<Provider>) -> Option<SentPart> {
        let BlockKind::Call(of_block) = self.request.kind(block) else { return None };
        let Some(id) = self.ids.get(&block).cloned() else {
            return self.left_out(RepairKind::CallLeftOut, block);
        };
        let is_pi = self.request.format == crate::Format::Pi;
        let mut call = Call::of(of_block, &self.request.content(block), maker, is_pi);
        if self.goes_without_id(&call) {
            call.id = String::new();
        } else {
            if call.has_id && id != call.id {
                self.repair(Repair { sent: Some(id.clone()), ..RepairKind::CallIdChanged.of(block) });
            }
            call.id = id;
        }
        let name = self.name(&call.name);
        if name != call.name {
            self.repair(Repair { sent: Some(name.clone()), ..RepairKind::CallNameChanged.of(block) });
            call.name = name;
        }
        let is_refused = match &call.input {
            Input::Object(_) => false,
            Input::Broken(_) => true,
            Input::Free(_) => !self.rules.free_input,
        };
        if is_refused {
            self.repair(RepairKind::InputWrapped.of(block));
        }
        Some(SentPart::Call(call))
    }

    fn goes_without_id(&self, call: &Call) -> bool {
        self.rules.ids_optional && !call.has_id
    }

    fn name(&self, name: &str) -> String {
        self.rules.spelling.map_or_else(|| name.to_owned(), |spelling| spelling.name(name))
    }

    /// Makes the answer to a call that is sent.
    fn answer(&mut self, block: BlockIdx) -> Answer {
        let ok = matches!(self.request.kind(block), BlockKind::Result(result) if result.ok);
        let n_images = self.request.n_images(block);
        let mut parts = parts_of_result(&self.request.content(block), n_images);
        parts.retain(|part| !matches!(part, SentPart::Image(image) if !self.takes(image)));
        let n_found = parts.iter().filter(|part| matches!(part, SentPart::Image(_))).count();
        if n_found < n_images as usize {
            self.repair(RepairKind::PartLeftOut.of(block));
        }
        match self.pairs.call_of.get(&block) {
            Some(call) => Answer { ok, parts, ..self.answer_to(*call) },
            None => Answer { ok, parts, id: String::new(), name: self.name(""), free: false },
        }
    }

    /// Makes an answer to a call, without what it says.
    fn answer_to(&self, call: BlockIdx) -> Answer {
        let own_id = self.ids.get(&call).cloned().unwrap_or_default();
        let of_call = match self.request.kind(call) {
            BlockKind::Call(of_block) => Some(Call::of(of_block, &self.request.content(call), None, false)),
            _ => None,
        };
        let has_id = !of_call.as_ref().is_some_and(|call| self.goes_without_id(call));
        Answer {
            id: if has_id { own_id } else { String::new() },
            name: self.name(of_call.as_ref().map_or("", |call| call.name.as_str())),
            ok: true,
            free: of_call.as_ref().is_some_and(|call| matches!(call.input, Input::Free(_))),
            parts: Vec::new(),
        }
    }

    /// Adds a message, joined with the one before where that has its slot and the provider joins such messages.
    fn push(&mut self, slot: Slot, message: Option<MessageIdx>, parts: Vec<SentPart>) {
        self.pay();
        match self.laid.messages.last_mut().filter(|last| self.rules.joins && last.slot == slot) {
            Some(last) => {
                last.parts.extend(parts);
                self.repair(RepairKind::MessagesMerged.of_message(message));
            }
            None => self.laid.messages.push(Laid { slot, message, parts }),
        }
    }

    /// Lays the results that must follow the last reply; images that they may not hold behind them.
    fn pay(&mut self) {
        if self.owed.is_empty() {
            return;
        }
        let mut owed = std::mem::take(&mut self.owed);
        if self.rules.ids_optional {
            owed.sort_unstable_by_key(|owed| owed.call);
        } else {
            // Answers that are made up stand behind those of the log.
            let place = |owed: &Owed| match owed.result {
                Some(result) => (self.pairs.order.get(&result).copied().unwrap_or(usize::MAX), owed.call),
                None => (usize::MAX, owed.call),
            };
            owed.sort_unstable_by_key(place);
        }
        let first = owed.iter().find_map(|owed| owed.result);
        let message = first.map(|block| self.request.session.blocks[block.at()].message);
        let mut parts = Vec::new();
        let mut images = Vec::new();
        for Owed { call, result } in owed {
            let Some(block) = result else {
                let made_up = self.invented(call);
                parts.push(SentPart::Answer(made_up));
                continue;
            };
            let mut answer = self.answer(block);
            if !self.rules.result_images {
                let n_before = images.len();
                let (moved, kept): (Vec<SentPart>, Vec<SentPart>) =
                    answer.parts.into_iter().partition(|part| matches!(part, SentPart::Image(_)));
                answer.parts = kept;
                images.extend(moved);
                if images.len() > n_before {
                    self.repair(RepairKind::ImageMoved.of(block));
                }
            }
            parts.push(SentPart::Answer(answer));
        }
        parts.extend(images);
        self.laid.messages.push(Laid { slot: Slot::User, message, parts });
    }
}

/// Returns the message that a request begins with, where that calls a tool: then a message of the user must stand before it.
fn opened_by(first: &Laid) -> Option<MessageIdx> {
    let is_call = |part: &SentPart| matches!(part, SentPart::Call(_));
    first.message.filter(|_| first.slot == Slot::Assistant && first.parts.iter().any(is_call))
}
