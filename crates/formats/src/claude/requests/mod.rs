//! Requests as Claude Code logs them from version 2.1.28x on: hashes of the messages, the system prompt and
//! the tools.
//!
//! A message is found by its hash in a row `api-request-blob`, among the user rows, or among the replies
//! joined from their rows. Every hash is checked. A request is proved if the log holds everything its hashes
//! name.

mod hash;
mod lists;
mod parts;
mod sent;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_engine::{EntryId, ProblemKind};

use super::held::HeldRow;
use super::row::ClaudeRow;
use crate::content::parts_of;
use crate::json::{Value, is_json, owned};
use crate::notes::Notes;
use hash::Hash;
use lists::RequestLists;
use sent::SentMessage;

#[derive(Clone, Default)]
pub(super) struct LoggedRequests {
    lists: RequestLists,
    blobs: BTreeMap<Hash, LoggedJson>,
    shapes: BTreeMap<Hash, LoggedJson>,
    shape_of: BTreeMap<String, Hash>,
    shape: Option<Hash>,
    replies: BTreeSet<Hash>,
    reply: Option<ReplyRows>,
    last: Option<String>,
    answered: Option<String>,
    sent: Vec<SentMessage>,
    shape_entries: Vec<EntryId>,
    line: u64,
}

#[derive(Clone)]
struct LoggedJson {
    line: u64,
    json: Arc<str>,
}

#[derive(Clone)]
struct ReplyRows {
    id: String,
    parts: Vec<String>,
    entries: Vec<EntryId>,
    /// False for an error in place of a reply, which is never sent.
    is_sent: bool,
}

impl LoggedRequests {
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.blobs.is_empty()
    }

    pub(super) fn read(&mut self, row: &ClaudeRow<'_>, line: u64, held: &[HeldRow], notes: &mut Notes<'_>) {
        self.line = line;
        match row.kind() {
            Some("api-request-blob") => {
                let message = row.get("message").unwrap_or_default();
                let [role, content] = message.fields(["role", "content"]);
                let role = role.and_then(Value::string).unwrap_or_default();
                let made = Hash::of_message(&role, parts_of(content).map(|(_, part)| part));
                if let Some(hash) = checked(made, row.get("hash"), "message", notes) {
                    self.blobs.entry(hash).or_insert_with(|| LoggedJson { line, json: message.raw().into() });
                }
            }
            Some("api-request-shape") => {
                let shape = row.get("shape").unwrap_or_default();
                if let Some(hash) = checked(Hash::of_json(shape.raw()), row.get("shapeHash"), "shape", notes)
                {
                    self.shapes.entry(hash).or_insert_with(|| LoggedJson { line, json: shape.raw().into() });
                }
            }
            Some("api-request") => {
                self.close_reply();
                for one in held.iter().filter(|one| !one.message.is_empty()) {
                    if let Some(hash) = hash_of_row(&one.message) {
                        let logged =
                            || LoggedJson { line: one.stamp.line, json: one.message.as_str().into() };
                        self.blobs.entry(hash).or_insert_with(logged);
                    }
                }
                self.request(row, notes);
            }
            _ => {}
        }
    }

    fn request(&mut self, row: &ClaudeRow<'_>, notes: &mut Notes<'_>) {
        let id = notes.required_text(row.get("id"), "id").into_owned();
        self.last = Some(id.clone());
        let base = owned(row.get("base"));
        let n_kept = notes.count(row.get("keep"), "keep").unwrap_or(0);
        let n_kept = usize::try_from(n_kept).unwrap_or(usize::MAX);
        let names: Vec<Option<Hash>> =
            row.get("tail").into_iter().flat_map(Value::items).map(|name| Hash::read(Some(name))).collect();
        let tail: Vec<Hash> = names.iter().flatten().copied().collect();
        if tail.len() < names.len() {
            return unproved(notes, "a name in `tail` is no hash");
        }
        let is_known = |hash: Hash| self.blobs.contains_key(&hash) || self.replies.contains(&hash);
        let Some((n_unknown, n_messages)) =
            self.lists.add(id.clone(), (base.as_deref(), n_kept), &tail, is_known)
        else {
            let base = base.unwrap_or_default();
            return unproved(notes, format!("its base {base} does not hold {n_kept} messages"));
        };
        let shape = Hash::read(row.get("shapeHash"));
        match shape.filter(|shape| self.shapes.contains_key(shape)) {
            Some(shape) => {
                self.shape_of.insert(id.clone(), shape);
            }
            None => unproved(notes, "its system prompt and tools are in no row"),
        }
        if n_unknown > 0 {
            unproved(notes, format!("{n_unknown} of its {n_messages} messages are in no row"));
        }
    }

    fn is_known(&self, hash: Hash) -> bool {
        self.blobs.contains_key(&hash) || self.replies.contains(&hash)
    }

    pub(super) fn reply(&mut self, row: &ClaudeRow<'_>, entry: &EntryId) -> Option<String> {
        let message = row.get("message").and_then(Value::object).filter(|_| !self.is_empty())?;
        let id = message.text_of("id").into_owned();
        if self.reply.as_ref().is_none_or(|reply| reply.id != id) {
            self.close_reply();
            let is_sent = !row.get("isApiErrorMessage").is_some_and(Value::is_true);
            self.reply = Some(ReplyRows { id, parts: Vec::new(), entries: Vec::new(), is_sent });
        }
        if let Some(reply) = &mut self.reply {
            reply.parts.extend(parts_of(message.get("content")).map(|(_, part)| part.raw().to_owned()));
            reply.entries.push(entry.clone());
        }
        // An error in place of a reply does not name its request.
        let request = owned(row.get("requestRef")).or_else(|| self.last.clone())?;
        let is_first = self.answered.as_ref() != Some(&request);
        self.answered = Some(request.clone());
        is_first.then_some(request)
    }

    fn close_reply(&mut self) {
        let Some(reply) = self.reply.take().filter(|reply| reply.is_sent) else { return };
        let parts = reply.parts.iter().map(|part| Value::trusted(part, 0));
        if let Some(hash) = Hash::of_message("assistant", parts) {
            self.replies.insert(hash);
            self.sent.push(SentMessage { hash: Some(hash), entries: reply.entries });
        }
    }
}

/// An `api-request` row, with the lengths only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Later requests name this id as their `base`.
    pub id: String,
    /// Id of the request whose messages this one begins with.
    pub base: Option<String>,
    pub n_kept: u64,
    pub n_behind: u64,
}

pub fn read_logged_request(json: &str) -> Option<LoggedRequest> {
    let row = Some(Value::trusted(json, 0)).filter(|_| is_json(json)).and_then(Value::object)?;
    let [kind, id, base, kept, tail] = row.fields(["type", "id", "base", "keep", "tail"]);
    (owned(kind)? == "api-request").then_some(LoggedRequest {
        id: owned(id)?,
        base: owned(base),
        n_kept: kept.and_then(|kept| kept.raw().parse().ok()).unwrap_or(0),
        n_behind: tail.map_or(0, |tail| tail.items().count() as u64),
    })
}

fn checked(made: Option<Hash>, named: Option<Value<'_>>, what: &str, notes: &mut Notes<'_>) -> Option<Hash> {
    let named = Hash::read(named);
    let fits = made.filter(|made| Some(*made) == named);
    if fits.is_none() {
        let named = named.map_or("–".to_owned(), |named| named.to_string());
        unproved(notes, format!("the {what} has another hash than {named}"));
    }
    fits
}

fn hash_of_row(message: &str) -> Option<Hash> {
    let [role, content] = Value::trusted(message, 0).fields(["role", "content"]);
    Hash::of_message(&role?.string()?, parts_of(content).map(|(_, part)| part))
}

fn unproved(notes: &mut Notes<'_>, why: impl Into<Box<str>>) {
    notes.note(ProblemKind::RequestUnproved { why: why.into() });
}
