use std::sync::Arc;

use cwl_engine::{Message, MessageForm};
use rusqlite::{Connection, Row};

use super::source::SourceId;
use super::usage::{UsageColumns, read_usage, usage_columns, usage_parameters};
use super::{block, to_u32};
use crate::error::Fault;
use crate::shared::SharedTexts;
use crate::sql;

pub(crate) struct MessageRow {
    pub(crate) seq: u32,
    pub(crate) place: u32,
    pub(crate) message: Message,
}

pub(crate) fn save_message(
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
    let usage = UsageColumns::new(message.usage.as_ref());
    let n_blocks = to_u32(message.blocks.len())?;
    sql::run_statement(
        db,
        concat!(
            "INSERT INTO message (source_id, seq, place, role, author, form, form_name, model, outcome, reply, n_blocks, ",
            usage_columns!(),
            ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ",
            usage_parameters!(),
            ")"
        ),
        &*usage.params_after(&[
            &source.0,
            &seq,
            &place,
            &<&str>::from(message.role),
            &<&str>::from(message.author),
            &form,
            &form_name,
            &message.model.as_deref(),
            &<&str>::from(message.outcome),
            &message.reply.as_deref(),
            &n_blocks,
        ]),
    )
}

pub(crate) fn load_messages(db: &Connection, source: SourceId) -> Result<Vec<MessageRow>, Fault> {
    let mut shared = SharedTexts::default();
    let mut blocks = block::load_blocks(db, source, &mut shared)?.into_iter().peekable();
    let sql = concat!(
        "SELECT seq, place, role, author, form, form_name, model, ",
        usage_columns!(),
        ", outcome, reply, n_blocks FROM message WHERE source_id = ?1 ORDER BY seq, place"
    );
    let messages = sql::collect_rows(db, sql, [source.0], |row| {
        let mut found = read_message(row, source, &mut shared)?;
        // Not reserved from `n_blocks`: a damaged row must not decide how much is allocated.
        while let Some(block) = blocks.next_if(|block| (block.seq, block.message) == (found.seq, found.place))
        {
            found.message.blocks.push(block.block);
        }
        // Most messages have one block, and a growing `Vec` starts with room for four.
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

fn read_message(row: &Row<'_>, source: SourceId, shared: &mut SharedTexts) -> Result<MessageRow, Fault> {
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
        role: sql::read_variant(row, 2)?.ok_or_else(|| damaged("an unknown role"))?,
        author: sql::read_variant(row, 3)?.ok_or_else(|| damaged("an unknown author"))?,
        form,
        blocks: Vec::new(),
        model: shared.read_column(row, 6)?,
        usage: read_usage(row, 7)?,
        outcome: sql::read_variant(row, 18)?.ok_or_else(|| damaged("an unknown outcome"))?,
        reply: row.get::<_, Option<Arc<str>>>(19)?,
    };
    Ok(MessageRow { seq, place, message })
}
