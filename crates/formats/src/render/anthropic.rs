//! The `messages` of a request to the Anthropic Messages API.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{BlockIdx, BlockKind, MessageIdx, Role};

use super::request::{Request, Sent};
use super::source::{Frame, Wording, text, text_part};
use super::{Rendering, Repair};
use crate::json::{Kind, Value, is_json, js_json, push_text};

/// The longest call id that the API takes.
const MAX_CALL_ID: usize = 64;

/// Writes the messages in the API's form: roles alternate, the results of a reply's calls stand in the user
/// message right behind it, every call has one.
pub(super) fn render(mut request: Request<'_>) -> Rendering {
    let repairs = std::mem::take(&mut request.repairs);
    let pairs = Pairs::of(&request);
    let mut writer = Writer {
        request: &request,
        ids: call_ids(&request, &pairs),
        pairs,
        repairs,
        messages: Vec::new(),
        owed: Vec::new(),
    };
    for sent in &request.messages {
        writer.message(sent);
    }
    writer.finish()
}

/// Which calls and results go out together.
struct Pairs {
    /// Result by call, both in the request and the call first.
    result_of: BTreeMap<BlockIdx, BlockIdx>,
    results: BTreeSet<BlockIdx>,
}

impl Pairs {
    fn of(request: &Request<'_>) -> Self {
        let mut calls = BTreeSet::new();
        let mut result_of = BTreeMap::new();
        for sent in &request.messages {
            let Sent::Log { blocks, .. } = sent else { continue };
            for &block in blocks {
                match request.kind(block) {
                    BlockKind::Call(_) => drop(calls.insert(block)),
                    BlockKind::Result(_) => {
                        let call = request.session.blocks[block.at()].pair;
                        if let Some(call) = call.filter(|call| calls.contains(call)) {
                            // A second result for one call would be refused.
                            result_of.entry(call).or_insert(block);
                        }
                    }
                    BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
                }
            }
        }
        let results = result_of.values().copied().collect();
        Self { result_of, results }
    }
}

/// Gives every call an id that the API takes, no two alike.
fn call_ids(request: &Request<'_>, pairs: &Pairs) -> BTreeMap<BlockIdx, String> {
    let mut taken = BTreeSet::new();
    let mut n_alike: BTreeMap<String, u32> = BTreeMap::new();
    let mut ids = BTreeMap::new();
    for &block in pairs.result_of.keys() {
        let BlockKind::Call(call) = request.kind(block) else { continue };
        let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let id: String =
            call.id.as_str().chars().map(|c| if is_fine(c) { c } else { '_' }).take(MAX_CALL_ID).collect();
        let mut sent = if id.is_empty() { "_".to_owned() } else { id.clone() };
        while !taken.insert(sent.clone()) {
            let n_same = n_alike.entry(id.clone()).or_insert(1);
            *n_same += 1;
            let suffix = format!("-{n_same}");
            sent = id.chars().take(MAX_CALL_ID - suffix.len()).collect::<String>() + &suffix;
        }
        ids.insert(block, sent);
    }
    ids
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WireRole {
    User,
    Assistant,
}

/// A message as it goes out.
struct WireMessage {
    role: WireRole,
    parts: Vec<String>,
}

struct Writer<'r, 'a> {
    request: &'r Request<'a>,
    pairs: Pairs,
    ids: BTreeMap<BlockIdx, String>,
    repairs: Vec<Repair>,
    messages: Vec<WireMessage>,
    /// Results that must follow the reply written last.
    owed: Vec<BlockIdx>,
}

impl Writer<'_, '_> {
    fn message(&mut self, sent: &Sent<'_>) {
        match sent {
            Sent::Residue(text) => self.push(WireRole::User, None, vec![text_part(text)]),
            Sent::Log { idx, row, blocks } => match row.role {
                Role::Tool => self.results_in_place(blocks),
                Role::Assistant => self.reply(*idx, sent),
                Role::User | Role::System => {
                    let frame = Frame::of(self.request, row, blocks);
                    let parts: Vec<String> = match frame.wording(&row.form) {
                        Wording::Pi(text) => vec![text_part(&text)],
                        Wording::Nothing => return,
                        Wording::Log => blocks.iter().filter_map(|block| self.plain_part(*block)).collect(),
                    };
                    if parts.is_empty() {
                        self.repairs.push(Repair::EmptyLeftOut { message: *idx });
                    } else {
                        self.push(WireRole::User, Some(*idx), parts);
                    }
                }
            },
        }
    }

    /// Results are written behind their reply; here it only shows whether that is another place than their own.
    fn results_in_place(&mut self, blocks: &[BlockIdx]) {
        for &block in blocks {
            if !self.pairs.results.contains(&block) {
                self.repairs.push(Repair::ResultLeftOut { block });
            } else if !self.owed.contains(&block) {
                self.repairs.push(Repair::ResultMoved { block });
            }
        }
    }

    fn reply(&mut self, idx: MessageIdx, sent: &Sent<'_>) {
        let Sent::Log { row, blocks, .. } = sent else { return };
        let is_own = Frame::of(self.request, row, blocks).is_anthropic();
        let mut parts = Vec::new();
        let mut trailing = Vec::new();
        let mut owed: Vec<BlockIdx> = Vec::new();
        for &block in blocks {
            let part = match self.request.kind(block) {
                BlockKind::Reasoning => self.reasoning(block, is_own),
                BlockKind::Call(_) => {
                    let part = self.call(block);
                    owed.extend(self.pairs.result_of.get(&block).filter(|_| part.is_some()));
                    part.map(|part| (part, false))
                }
                _ => self.plain_part(block).map(|part| (part, false)),
            };
            let Some((part, is_reasoning)) = part else { continue };
            parts.push(part);
            if is_reasoning {
                trailing.push(block);
            } else {
                trailing.clear();
            }
        }
        // The API refuses reasoning that nothing follows.
        parts.truncate(parts.len() - trailing.len());
        self.repairs.extend(trailing.into_iter().map(|block| Repair::ReasoningLeftOut { block }));
        if parts.is_empty() {
            self.repairs.push(Repair::EmptyLeftOut { message: idx });
            return;
        }
        self.push(WireRole::Assistant, Some(idx), parts);
        self.owed.extend(owed);
    }

    /// Writes a part that stands for itself in any message.
    fn plain_part(&mut self, block: BlockIdx) -> Option<String> {
        match self.request.kind(block) {
            BlockKind::Text => {
                let text = self.request.content(block).text;
                if text.trim().is_empty() {
                    self.repairs.push(Repair::BlankLeftOut { block });
                    return None;
                }
                Some(text_part(&text))
            }
            BlockKind::Image => {
                let json = self.request.json(block);
                let image = image_part(Value::trusted(&json, 0));
                if image.is_none() {
                    self.repairs.push(Repair::PartLeftOut { block });
                }
                image
            }
            BlockKind::Opaque | BlockKind::Reasoning | BlockKind::Call(_) | BlockKind::Result(_) => {
                self.repairs.push(Repair::PartLeftOut { block });
                None
            }
        }
    }

    /// Writes reasoning; the second value tells whether it is still reasoning.
    fn reasoning(&mut self, block: BlockIdx, is_own: bool) -> Option<(String, bool)> {
        let content = self.request.content(block);
        let json = self.request.json(block);
        let [signature, redacted] = Value::trusted(&json, 0).fields(["thinkingSignature", "redacted"]);
        let is_redacted = redacted.is_some_and(|redacted| redacted.kind() == Kind::Bool(true));
        let signature = text(signature);
        let is_blank = content.text.trim().is_empty();
        if !is_own && !is_redacted && !is_blank {
            self.repairs.push(Repair::ReasoningAsText { block });
            return Some((text_part(&content.text), false));
        }
        if !is_own || signature.trim().is_empty() {
            self.repairs.push(Repair::ReasoningLeftOut { block });
            return None;
        }
        let mut part;
        if is_redacted {
            part = String::from("{\"type\":\"redacted_thinking\",\"data\":");
        } else {
            part = String::from("{\"type\":\"thinking\",\"thinking\":");
            push_text(&mut part, &content.text);
            part.push_str(",\"signature\":");
        }
        push_text(&mut part, &signature);
        part.push('}');
        Some((part, true))
    }

    fn call(&mut self, block: BlockIdx) -> Option<String> {
        let BlockKind::Call(call) = self.request.kind(block) else { return None };
        let Some(id) = self.ids.get(&block) else {
            self.repairs.push(Repair::CallLeftOut { block });
            return None;
        };
        if id != call.id.as_str() {
            self.repairs.push(Repair::CallIdChanged { block, sent: id.clone() });
        }
        let json = self.request.json(block);
        let [arguments] = Value::trusted(&json, 0).fields(["arguments"]);
        let arguments =
            arguments.filter(|arguments| arguments.kind() == Kind::Object && is_json(arguments.raw()));
        let mut part = String::from("{\"type\":\"tool_use\",\"id\":");
        push_text(&mut part, id);
        part.push_str(",\"name\":");
        push_text(&mut part, &call.name);
        part.push_str(",\"input\":");
        part.push_str(&arguments.map_or("{}".to_owned(), |arguments| js_json(arguments.raw())));
        part.push('}');
        Some(part)
    }

    /// Writes a result with its parts.
    fn result(&self, block: BlockIdx) -> String {
        let call = self.request.session.blocks[block.at()].pair;
        let id = call.and_then(|call| self.ids.get(&call)).map_or("", String::as_str);
        let is_error = matches!(self.request.kind(block), BlockKind::Result(result) if !result.ok);
        let json = self.request.json(block);
        let content = Value::trusted(&json, 0);
        let parts: Vec<String> = match content.kind() {
            Kind::Text => text_of_result(content).into_iter().collect(),
            _ => content.items().filter_map(result_part).collect(),
        };
        let mut part = String::from("{\"type\":\"tool_result\",\"tool_use_id\":");
        push_text(&mut part, id);
        if !parts.is_empty() {
            part.push_str(&format!(",\"content\":[{}]", parts.join(",")));
        }
        part.push_str(&format!(",\"is_error\":{is_error}}}"));
        part
    }

    /// Adds a message, joined with the one before where that has its role.
    fn push(&mut self, role: WireRole, message: Option<MessageIdx>, parts: Vec<String>) {
        self.pay();
        match self.messages.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.parts.extend(parts);
                self.repairs.push(Repair::MessagesMerged { message });
            }
            None => self.messages.push(WireMessage { role, parts }),
        }
    }

    /// Writes the results that must follow the last reply.
    fn pay(&mut self) {
        if self.owed.is_empty() {
            return;
        }
        self.owed.sort_unstable();
        let parts = self.owed.iter().map(|block| self.result(*block)).collect();
        self.owed.clear();
        self.messages.push(WireMessage { role: WireRole::User, parts });
    }

    fn finish(mut self) -> Rendering {
        self.pay();
        let written: Vec<String> = self
            .messages
            .iter()
            .map(|message| {
                let role = if message.role == WireRole::User { "user" } else { "assistant" };
                format!("{{\"role\":\"{role}\",\"content\":[{}]}}", message.parts.join(","))
            })
            .collect();
        Rendering { body: format!("[{}]", written.join(",")), repairs: self.repairs }
    }
}

/// Writes an image of pi with its bytes in it.
fn image_part(image: Value<'_>) -> Option<String> {
    let [data, media_type] = image.fields(["data", "mimeType"]);
    let (data, media_type) = (data?.text()?.value, media_type?.text()?.value);
    let mut part = String::from("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":");
    push_text(&mut part, &media_type);
    part.push_str(",\"data\":");
    push_text(&mut part, &data);
    part.push_str("}}");
    Some(part)
}

/// Writes one part of a result.
fn result_part(part: Value<'_>) -> Option<String> {
    let [kind, own] = part.fields(["type", "text"]);
    match text(kind).as_str() {
        "text" => text_of_result(own?),
        "image" => image_part(part),
        _ => None,
    }
}

/// Writes a text of a result; an empty one is nothing.
fn text_of_result(value: Value<'_>) -> Option<String> {
    Some(text(Some(value))).filter(|text| !text.is_empty()).map(|text| text_part(&text))
}
