//! The messages of a request as a provider wants them laid out, and every repair that this took.

mod answer;
mod items;
mod reply;
mod said;

use std::collections::BTreeMap;
use std::io::{self, Write};

use cwl_engine::{BlockIdx, MessageIdx, Provider, Role};

use self::answer::Owed;
pub(super) use self::items::{Items, by_role};
use super::definition::Definition;
use super::own::{home, own_json};
use super::pairs::{Pairs, call_ids};
use super::part::SentPart;
use super::request::{Request, Sent};
use super::rules::Rules;
use super::{Repair, RepairKind};
use crate::json::{Object, list, quoted};

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

/// Lays a request out message by message: the user's and the system's in `said`, the model's in `reply`, results in `answer`.
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

    /// Notes that something goes out in another form than the log's.
    fn repair(&mut self, repair: Repair) {
        self.laid.repairs.push(repair);
    }

    /// Notes that a block does not go out, and why.
    fn left_out(&mut self, why: RepairKind, block: BlockIdx) -> Option<SentPart> {
        self.repair(why.of(block));
        None
    }

    /// Lays one message of the request.
    fn message(&mut self, sent: &Sent<'_>) {
        match sent {
            Sent::Residue(text) => self.push(Slot::User, None, vec![SentPart::Text((*text).to_owned())]),
            Sent::Refused => {}
            Sent::Log { idx, row, blocks } => match row.role {
                Role::System => self.system(*idx, row, blocks),
                Role::Assistant => self.reply(*idx, row, blocks),
                Role::User | Role::Tool => self.said(*idx, row, blocks),
            },
        }
    }

    /// Makes a part of what only the provider that it goes to has a form for.
    fn own(&self, block: BlockIdx, is_model: bool) -> Option<SentPart> {
        let json = || own_json(self.rules.provider, &self.request.content(block), is_model);
        self.is_home.then(json).flatten().map(SentPart::Own)
    }

    /// Spells a tool's name as the provider takes it.
    fn name(&self, name: &str) -> String {
        self.rules.spelling.map_or_else(|| name.to_owned(), |spelling| spelling.name(name))
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
}

/// Returns the message that a request begins with, where that calls a tool: then a message of the user must stand before it.
fn opened_by(first: &Laid) -> Option<MessageIdx> {
    let is_call = |part: &SentPart| matches!(part, SentPart::Call(_));
    first.message.filter(|_| first.slot == Slot::Assistant && first.parts.iter().any(is_call))
}
