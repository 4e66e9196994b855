//! Table `message`: the messages that records bring.

use std::sync::Arc;

use cwl_engine::{Message, MessageForm, Usage};
use rusqlite::{Connection, Row, params};

use super::source::SourceId;
use super::{bits, block, small};
use crate::error::Fault;
use crate::shared::SharedTexts;
use crate::sql;

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
    let (form, form_name) = match &message.form {
        MessageForm::Plain => ("plain", None),
        MessageForm::HumanShell { excluded: false } => ("human_shell", None),
        MessageForm::HumanShell { excluded: true } => ("human_shell_excluded", None),
        MessageForm::Custom { name } => ("custom", Some(&**name)),
        MessageForm::Summary => ("summary", None),
    };
    let [
        input,
        output,
        cache_read,
        cache_write,
        reasoning,
        hour,
        beside,
        beside_read,
        beside_write,
        cost,
        copied,
    ] = usage_columns(message.usage.as_ref());
    sql::run(
        db,
        "INSERT INTO message (source_id, seq, place, role, author, form, form_name, model, input_tokens,
           output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens,
           beside_input_tokens, beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied, outcome,
           reply, n_blocks)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
        params![
            source.0,
            seq,
            place,
            <&str>::from(message.role),
            <&str>::from(message.author),
            form,
            form_name,
            message.model.as_deref(),
            input,
            output,
            cache_read,
            cache_write,
            reasoning,
            hour,
            beside,
            beside_read,
            beside_write,
            cost,
            copied,
            <&str>::from(message.outcome),
            message.reply.as_deref(),
            small(message.blocks.len())?,
        ],
    )
}

/// Returns the columns of a usage, in the order of its fields in a row.
pub(crate) fn usage_columns(usage: Option<&Usage>) -> [Option<i64>; 11] {
    let Some(usage) = usage else { return [None; 11] };
    let tokens = [
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        usage.reasoning,
        usage.cache_write_hour,
        usage.beside_input,
        usage.beside_cache_read,
        usage.beside_cache_write,
    ];
    let [input, output, cache_read, cache_write, reasoning, hour, beside, beside_read, beside_write] =
        tokens.map(|amount| Some(bits(amount)));
    let cost = usage.stated_cost.map(bits);
    let copied = Some(i64::from(usage.copied));
    [input, output, cache_read, cache_write, reasoning, hour, beside, beside_read, beside_write, cost, copied]
}

/// Reads the columns of a usage from `first` on; `None` where they are null. A log that was stored before the later of them
/// came has none there.
pub(crate) fn usage(row: &Row<'_>, first: usize) -> Result<Option<Usage>, Fault> {
    let amount = |nth| sql::amount(row, first + nth);
    let later = |nth| Ok::<u64, Fault>(amount(nth)?.unwrap_or(0));
    Ok(match (amount(0)?, amount(1)?, amount(2)?, amount(3)?) {
        (Some(input), Some(output), Some(cache_read), Some(cache_write)) => Some(Usage {
            input,
            output,
            reasoning: later(4)?,
            cache_read,
            cache_write,
            cache_write_hour: later(5)?,
            beside_input: later(6)?,
            beside_cache_read: later(7)?,
            beside_cache_write: later(8)?,
            stated_cost: amount(9)?,
            copied: later(10)? > 0,
        }),
        _ => None,
    })
}

/// Returns all messages of a log with their blocks, in log order.
pub(crate) fn load(db: &Connection, source: SourceId) -> Result<Vec<MessageRow>, Fault> {
    let mut shared = SharedTexts::default();
    let mut blocks = block::load(db, source, &mut shared)?.into_iter().peekable();
    let sql = "SELECT seq, place, role, author, form, form_name, model, input_tokens, output_tokens,
                 cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens, beside_input_tokens,
                 beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied, outcome, reply, n_blocks
               FROM message
               WHERE source_id = ?1 ORDER BY seq, place";
    let messages = sql::all(db, sql, [source.0], |row| {
        let mut found = message(row, source, &mut shared)?;
        // Not reserved from `n_blocks`: a damaged row must not choose how much is allocated.
        while let Some(block) = blocks.next_if(|block| (block.seq, block.message) == (found.seq, found.place))
        {
            found.message.blocks.push(block.block);
        }
        // Most messages have one block, and a list that grows starts with room for four.
        found.message.blocks.shrink_to_fit();
        let n_blocks: u32 = row.get(20)?;
        if found.message.blocks.len() != n_blocks as usize {
            let (seq, place, n_found) = (found.seq, found.place, found.message.blocks.len());
            let what = format!("message {seq}.{place} of log {}: {n_found} blocks, not {n_blocks}", source.0);
            return Err(Fault::Damaged(what));
        }
        Ok(found)
    })?;
    match blocks.next() {
        Some(block) => {
            Err(Fault::Damaged(format!("block {}.{} of log {}: no message", block.seq, block.part, source.0)))
        }
        None => Ok(messages),
    }
}

fn message(row: &Row<'_>, source: SourceId, shared: &mut SharedTexts) -> Result<MessageRow, Fault> {
    let (seq, place): (u32, u32) = (row.get(0)?, row.get(1)?);
    let damaged = |what: &str| Fault::Damaged(format!("message {seq}.{place} of log {}: {what}", source.0));
    let form = match row.get_ref(4)?.as_str()? {
        "plain" => MessageForm::Plain,
        "human_shell" => MessageForm::HumanShell { excluded: false },
        "human_shell_excluded" => MessageForm::HumanShell { excluded: true },
        "custom" => MessageForm::Custom { name: row.get(5)? },
        "summary" => MessageForm::Summary,
        _ => return Err(damaged("an unknown form")),
    };
    let message = Message {
        role: sql::word(row, 2)?.ok_or_else(|| damaged("an unknown role"))?,
        author: sql::word(row, 3)?.ok_or_else(|| damaged("an unknown author"))?,
        form,
        blocks: Vec::new(),
        model: shared.read(row, 6)?,
        usage: usage(row, 7)?,
        outcome: sql::word(row, 18)?.ok_or_else(|| damaged("an unknown outcome"))?,
        reply: row.get::<_, Option<Arc<str>>>(19)?,
    };
    Ok(MessageRow { seq, place, message })
}
