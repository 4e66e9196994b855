//! Table `message`: the messages that records bring.

use std::sync::Arc;

use cwl_engine::{Author, Message, MessageForm, ReplyOutcome, Role, Usage};
use rusqlite::{Connection, Row, params};

use super::source::SourceId;
use super::{bits, block, small, unbits};
use crate::error::Fault;
use crate::shared::SharedTexts;

/// A message and where it stands.
pub(crate) struct MessageRow {
    pub(crate) seq: u32,
    pub(crate) place: u32,
    pub(crate) message: Message,
}

/// Writes a message without its blocks.
pub(crate) fn save(
    db: &Connection,
    source: SourceId,
    seq: u32,
    place: u32,
    message: &Message,
) -> Result<(), Fault> {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let author = match message.author {
        Author::Human => "human",
        Author::Harness => "harness",
        Author::Model => "model",
        Author::Tool => "tool",
    };
    let (form, form_name) = match &message.form {
        MessageForm::Plain => ("plain", None),
        MessageForm::HumanShell { excluded: false } => ("human_shell", None),
        MessageForm::HumanShell { excluded: true } => ("human_shell_excluded", None),
        MessageForm::Custom { name } => ("custom", Some(&**name)),
        MessageForm::Summary => ("summary", None),
    };
    let outcome = match message.outcome {
        ReplyOutcome::Complete => "complete",
        ReplyOutcome::Error => "error",
        ReplyOutcome::Aborted => "aborted",
    };
    let usage = message.usage.as_ref();
    db.prepare_cached(
        "INSERT INTO message (source_id, seq, place, role, author, form, form_name, model, input_tokens,
           output_tokens, cache_read_tokens, cache_write_tokens, outcome, reply, n_blocks)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?
    .execute(params![
        source.0,
        seq,
        place,
        role,
        author,
        form,
        form_name,
        message.model.as_deref(),
        usage.map(|usage| bits(usage.input)),
        usage.map(|usage| bits(usage.output)),
        usage.map(|usage| bits(usage.cache_read)),
        usage.map(|usage| bits(usage.cache_write)),
        outcome,
        message.reply.as_deref(),
        small(message.blocks.len())?,
    ])?;
    Ok(())
}

/// Returns all messages of a log with their blocks, in log order.
pub(crate) fn load(db: &Connection, source: SourceId) -> Result<Vec<MessageRow>, Fault> {
    let mut shared = SharedTexts::default();
    let mut blocks = block::load(db, source, &mut shared)?.into_iter().peekable();
    let mut statement = db.prepare_cached(
        "SELECT seq, place, role, author, form, form_name, model, input_tokens, output_tokens,
           cache_read_tokens, cache_write_tokens, outcome, reply, n_blocks FROM message
         WHERE source_id = ?1 ORDER BY seq, place",
    )?;
    let mut rows = statement.query([source.0])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        let mut found = message(row, source, &mut shared)?;
        // Not reserved from `n_blocks`: a damaged row must not choose how much is allocated.
        while let Some(block) = blocks.next_if(|block| (block.seq, block.message) == (found.seq, found.place))
        {
            found.message.blocks.push(block.block);
        }
        // Most messages have one block, and a list that grows starts with room for four.
        found.message.blocks.shrink_to_fit();
        let n_blocks: u32 = row.get(13)?;
        if found.message.blocks.len() != n_blocks as usize {
            let (seq, place, n_found) = (found.seq, found.place, found.message.blocks.len());
            let what = format!("message {seq}.{place} of log {}: {n_found} blocks, not {n_blocks}", source.0);
            return Err(Fault::Damaged(what));
        }
        messages.push(found);
    }
    match blocks.next() {
        Some(block) => {
            Err(Fault::Damaged(format!("block {}.{} of log {}: no message", block.seq, block.part, source.0)))
        }
        None => Ok(messages),
    }
}

fn message(row: &Row<'_>, source: SourceId, shared: &mut SharedTexts) -> Result<MessageRow, Fault> {
    let (seq, place): (u32, u32) = (row.get(0)?, row.get(1)?);
    let text = |column: usize| -> Result<&str, Fault> {
        Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
    };
    let damaged = |what: &str| Fault::Damaged(format!("message {seq}.{place} of log {}: {what}", source.0));
    let role = match text(2)? {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return Err(damaged("an unknown role")),
    };
    let author = match text(3)? {
        "human" => Author::Human,
        "harness" => Author::Harness,
        "model" => Author::Model,
        "tool" => Author::Tool,
        _ => return Err(damaged("an unknown author")),
    };
    let form = match text(4)? {
        "plain" => MessageForm::Plain,
        "human_shell" => MessageForm::HumanShell { excluded: false },
        "human_shell_excluded" => MessageForm::HumanShell { excluded: true },
        "custom" => MessageForm::Custom { name: text(5)?.into() },
        "summary" => MessageForm::Summary,
        _ => return Err(damaged("an unknown form")),
    };
    let outcome = match text(11)? {
        "complete" => ReplyOutcome::Complete,
        "error" => ReplyOutcome::Error,
        "aborted" => ReplyOutcome::Aborted,
        _ => return Err(damaged("an unknown outcome")),
    };
    let usage = match row.get::<_, Option<i64>>(7)? {
        None => None,
        Some(input) => Some(Usage {
            input: unbits(input),
            output: unbits(row.get(8)?),
            cache_read: unbits(row.get(9)?),
            cache_write: unbits(row.get(10)?),
        }),
    };
    let message = Message {
        role,
        author,
        form,
        blocks: Vec::new(),
        model: shared.read(row, 6)?,
        usage,
        outcome,
        reply: row.get::<_, Option<Arc<str>>>(12)?,
    };
    Ok(MessageRow { seq, place, message })
}
