//! Ingest: one batch of a log is one transaction that also stores how far the log was read.

use cwl_engine::{BlockPlace, ParsedEvent, Problem, count_problems};
use rusqlite::Connection;

use crate::error::{Fault, StoreError};
use crate::open::Store;
use crate::packed::PackedEvent;
use crate::sql;
use crate::table::count::Counter;
use crate::table::source::{SourceCursor, SourceId, SourceRow};
use crate::table::{block, count, event, message, payload, problem, source, text, to_u32};
use crate::text::{Packer, TextHash};

/// All tables with rows per log, except `source`.
const TABLES_OF_A_LOG: &str = "event header compaction kept_entry change usage_report message block mark mark_dependency \
     payload problem reader";

#[derive(Debug, Clone, Copy)]
pub struct Ingest<'a> {
    pub source: SourceId,
    /// Byte at which the batch starts: the stored offset when it was read. Prevents two processes from
    /// writing the same bytes.
    pub expected_offset: u64,
    pub events: &'a [ParsedEvent],
    pub problems: &'a [Problem],
    /// Known sizes; others follow with [`Store::save_counts`].
    pub counts: &'a [BlockCounts<'a>],
    pub cursor: &'a SourceCursor,
    /// Opaque to the store; the adapter continues from it.
    pub reader: &'a [u8],
    /// Version of the format's reading rules (`Format::rules`).
    pub rules: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct BlockCounts<'a> {
    pub counter: Counter<'a>,
    /// One per block of the batch, in log order; `None` if not counted.
    pub units: &'a [Option<u32>],
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestedRows {
    pub first_seq: u32,
    pub n_new_texts: u64,
    pub hashes: Vec<TextHash>,
}

impl Store {
    /// Adds the log at `path` if it is new.
    ///
    /// `format` replaces the stored format only if nothing of the log is stored yet.
    pub fn source(&mut self, path: &str, format: &str) -> Result<SourceId, StoreError> {
        self.write_transaction("take in a log", |tx, _| source::find_or_create(tx, path, format))
    }

    /// Writes records, blocks, texts, counts, problems, cursor and reader state, all or nothing.
    ///
    /// # Errors
    /// [`Fault::Moved`] if the stored cursor is not at `expected_offset`; [`Fault::Uneven`] if contents or
    /// counts do not match the blocks, or if the cursor goes back. Nothing is written then.
    pub fn ingest_batch(&mut self, batch: &Ingest<'_>) -> Result<IngestedRows, StoreError> {
        let packed: Vec<PackedEvent> = batch.events.iter().map(PackedEvent::new).collect();
        self.ingest_packed(batch, &packed)
    }

    /// Like [`Store::ingest_batch`], with one [`PackedEvent`] per event.
    ///
    /// # Errors
    /// As for [`Store::ingest_batch`]; also [`Fault::Uneven`] if `packed` does not match the events.
    pub fn ingest_packed(
        &mut self,
        batch: &Ingest<'_>,
        packed: &[PackedEvent],
    ) -> Result<IngestedRows, StoreError> {
        self.write_transaction("store what was read", |tx, packer| save_batch(tx, packer, batch, packed))
    }

    /// Deletes everything read from a truncated or replaced log, which is then read again from byte 0.
    ///
    /// Texts stay until [`Store::vacuum`], because most come back at once.
    pub fn restart_log(&mut self, source: SourceId) -> Result<(), StoreError> {
        self.write_transaction("start a log again", |tx, _| {
            let emptied = source::get_source(tx, source)?.emptied();
            for table in TABLES_OF_A_LOG.split(' ') {
                sql::run_statement(tx, &format!("DELETE FROM {table} WHERE source_id = ?1"), [source.0])?;
            }
            crate::rebuild::forget_derived(tx, source)?;
            source::save_source(tx, &emptied)
        })
    }

    /// Marks whether the log's file is `gone`. Everything read from it stays.
    pub fn source_gone(&mut self, source: SourceId, gone: bool) -> Result<(), StoreError> {
        self.write_transaction("mark a log as gone", |tx, _| {
            let row = SourceRow { gone, ..source::get_source(tx, source)? };
            source::save_source(tx, &row)
        })
    }

    /// Returns how many `counts` belong to stored texts.
    pub fn save_counts(
        &mut self,
        counter: Counter<'_>,
        counts: &[(TextHash, u32)],
    ) -> Result<usize, StoreError> {
        self.write_transaction("store token counts", |tx, _| {
            let counter_id = count::find_or_save_counter(tx, &counter)?;
            let mut n_saved = 0;
            for (hash, units) in counts {
                if let Some(text_id) = text::find_text(tx, *hash)? {
                    count::save_count(tx, counter_id, text_id, *units)?;
                    n_saved += 1;
                }
            }
            Ok(n_saved)
        })
    }
}

fn save_batch(
    tx: &Connection,
    packer: &mut Packer,
    batch: &Ingest<'_>,
    packed: &[PackedEvent],
) -> Result<IngestedRows, Fault> {
    let mut row = source::get_source(tx, batch.source)?;
    check_batch(&row, batch, packed)?;
    let mut ingested = IngestedRows { first_seq: row.n_events, ..IngestedRows::default() };
    let mut text_ids = Vec::new();
    for (parsed, packed) in batch.events.iter().zip(packed) {
        let seq = row.n_events;
        if seq == u32::MAX {
            return Err(Fault::TooLarge);
        }
        event::save_event(tx, batch.source, seq, &parsed.event)?;
        let (envelope, form) = (&parsed.envelope, &packed.envelope);
        payload::save_payload(tx, packer, batch.source, (seq, payload::ENVELOPE), envelope, form)?;
        let mut contents = parsed.contents.iter().zip(&packed.blocks);
        let mut part = 0;
        for (place, message) in parsed.event.body.all_messages().enumerate() {
            let place = to_u32(place)?;
            message::save_message(tx, batch.source, seq, place, message)?;
            for (block, (content, packed)) in message.blocks.iter().zip(&mut contents) {
                let (text_id, new) = text::find_or_save(tx, packer, &packed.text, &content.text)?;
                let at = BlockPlace { seq, part };
                block::save_block(tx, batch.source, at, place, block, text_id)?;
                payload::save_payload(
                    tx,
                    packer,
                    batch.source,
                    (seq, i64::from(part)),
                    &content.raw,
                    &packed.raw,
                )?;
                ingested.n_new_texts += u64::from(new);
                ingested.hashes.push(packed.text.hash);
                text_ids.push(text_id);
                part = part.checked_add(1).ok_or(Fault::TooLarge)?;
            }
        }
        row.add_record(parsed);
    }
    for BlockCounts { counter, units } in batch.counts {
        let counter_id = count::find_or_save_counter(tx, counter)?;
        for (text_id, units) in text_ids.iter().zip(*units) {
            if let Some(units) = units {
                count::save_count(tx, counter_id, *text_id, *units)?;
            }
        }
    }
    problem::save_problems(tx, problem::OF_LOGS, batch.source.0, row.n_problems, batch.problems)?;
    row.n_problems = row.n_problems.saturating_add(count_problems(batch.problems));
    row.cursor = *batch.cursor;
    row.rules = batch.rules;
    source::save_source(tx, &row)?;
    source::save_reader(tx, batch.source, batch.reader)?;
    Ok(ingested)
}

fn check_batch(row: &SourceRow, batch: &Ingest<'_>, packed: &[PackedEvent]) -> Result<(), Fault> {
    let (expected, found) = (batch.expected_offset, row.cursor.offset);
    if expected != found {
        return Err(Fault::Moved { expected, found });
    }
    if batch.cursor.offset < found {
        return Err(Fault::Uneven(format!(
            "the cursor goes back from byte {found} to {}",
            batch.cursor.offset
        )));
    }
    let mut n_blocks = 0;
    for parsed in batch.events {
        let (n_own, n_contents) = (parsed.event.body.all_blocks().count(), parsed.contents.len());
        if n_own != n_contents {
            let line = parsed.event.line;
            return Err(Fault::Uneven(format!("line {line}: {n_own} blocks, {n_contents} contents")));
        }
        n_blocks += n_own;
    }
    let fits = packed.len() == batch.events.len()
        && batch.events.iter().zip(packed).all(|(parsed, packed)| packed.could_be_from(parsed));
    if !fits {
        return Err(Fault::Uneven("events that were packed, and others".to_owned()));
    }
    match batch.counts.iter().find(|counts| counts.units.len() != n_blocks) {
        Some(counts) => Err(Fault::Uneven(format!(
            "{} counts of {} for {n_blocks} blocks",
            counts.units.len(),
            counts.counter.tokenizer
        ))),
        None => Ok(()),
    }
}
