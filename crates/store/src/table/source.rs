//! Table `source`: log files, how far each was read, and its row in a list. Table `reader`.

use cwl_engine::{Author, BlockKind, EventBody, MessageForm, ParsedEvent, Role};
use rusqlite::{Connection, Row, params};

use super::{to_signed, to_unsigned};
use crate::error::Fault;
use crate::sql;
use crate::text::short_beginning;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub(crate) i64);

impl SourceId {
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    pub fn number(self) -> i64 {
        self.0
    }
}

/// How far a file was read, and how it is recognised later.
///
/// The file's reader decides which hash function is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceCursor {
    pub offset: u64,
    /// Device, or 0 if unknown.
    pub dev: u64,
    /// Inode, or 0 if unknown.
    pub inode: u64,
    /// Number of hashed bytes at the file's beginning.
    pub head_len: u32,
    pub head_hash: u64,
    /// Number of hashed bytes directly before `offset`.
    pub tail_len: u32,
    pub tail_hash: u64,
}

/// A log file in a list. Counts cover the whole file, all branches together; `path` is unique.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceRow {
    pub id: SourceId,
    pub path: String,
    pub format: String,
    pub gone: bool,
    /// How often everything read became invalid.
    pub generation: u32,
    pub rules: u32,
    /// `offset` is the file's known size.
    pub cursor: SourceCursor,
    pub session: Option<String>,
    pub title: Option<String>,
    /// Beginning of the human's first text, at most 120 characters.
    pub opening: Option<String>,
    pub cwd: Option<String>,
    pub model: Option<String>,
    /// Session that this one continues, as stated in the log.
    pub parent_session: Option<String>,
    pub n_events: u32,
    pub n_messages: u64,
    pub n_blocks: u64,
    pub n_turns: u64,
    pub n_marks: u64,
    pub n_problems: u64,
    /// Bytes of all block texts.
    pub n_bytes: u64,
    /// Earliest time in the log, in milliseconds since 1970.
    pub first_ms: Option<i64>,
    pub last_ms: Option<i64>,
    /// Id of the last reply, which the next record may continue.
    pub(crate) last_reply: Option<String>,
}

const COLUMNS: &str = "id, path, format, gone, generation, read_to, dev, inode, head_len, head_hash, tail_len, \
     tail_hash, session, title, opening, cwd, model, parent_session, n_events, n_messages, n_blocks, n_turns, \
     n_marks, n_problems, n_bytes, first_ms, last_ms, last_reply, rules";

fn read_row(row: &Row<'_>) -> Result<SourceRow, Fault> {
    let bits_of = |column: &str| row.get(column).map(to_unsigned);
    Ok(SourceRow {
        id: SourceId(row.get("id")?),
        path: row.get("path")?,
        format: row.get("format")?,
        gone: row.get("gone")?,
        generation: row.get("generation")?,
        rules: row.get("rules")?,
        cursor: SourceCursor {
            offset: bits_of("read_to")?,
            dev: bits_of("dev")?,
            inode: bits_of("inode")?,
            head_len: row.get("head_len")?,
            head_hash: bits_of("head_hash")?,
            tail_len: row.get("tail_len")?,
            tail_hash: bits_of("tail_hash")?,
        },
        session: row.get("session")?,
        title: row.get("title")?,
        opening: row.get("opening")?,
        cwd: row.get("cwd")?,
        model: row.get("model")?,
        parent_session: row.get("parent_session")?,
        n_events: row.get("n_events")?,
        n_messages: bits_of("n_messages")?,
        n_blocks: bits_of("n_blocks")?,
        n_turns: bits_of("n_turns")?,
        n_marks: bits_of("n_marks")?,
        n_problems: bits_of("n_problems")?,
        n_bytes: bits_of("n_bytes")?,
        first_ms: row.get("first_ms")?,
        last_ms: row.get("last_ms")?,
        last_reply: row.get("last_reply")?,
    })
}

pub(crate) fn find_or_create(db: &Connection, path: &str, format: &str) -> Result<SourceId, Fault> {
    let sql = "INSERT INTO source (path, format) VALUES (?1, ?2)
               ON CONFLICT (path) DO UPDATE SET format = excluded.format WHERE n_events = 0";
    sql::run_statement(db, sql, [path, format])?;
    find_source(db, path)?.ok_or_else(|| Fault::damaged("a log that was written is not there"))
}

pub(crate) fn find_source(db: &Connection, path: &str) -> Result<Option<SourceId>, Fault> {
    sql::first_row(db, "SELECT id FROM source WHERE path = ?1", [path], |row| Ok(SourceId(row.get(0)?)))
}

pub(crate) fn get_source(db: &Connection, source: SourceId) -> Result<SourceRow, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM source WHERE id = ?1");
    sql::first_row(db, &sql, [source.0], read_row)?.ok_or(Fault::UnknownSource(source.0))
}

pub(crate) fn all_sources(db: &Connection) -> Result<Vec<SourceRow>, Fault> {
    sql::collect_rows(
        db,
        &format!("SELECT {COLUMNS} FROM source ORDER BY last_ms DESC NULLS LAST, path"),
        [],
        read_row,
    )
}

pub(crate) fn save_source(db: &Connection, source: &SourceRow) -> Result<(), Fault> {
    let cursor = &source.cursor;
    sql::run_statement(
        db,
        "UPDATE source SET read_to = ?2, dev = ?3, inode = ?4, head_len = ?5, head_hash = ?6, tail_len = ?7,
           tail_hash = ?8, session = ?9, title = ?10, opening = ?11, cwd = ?12, model = ?13, parent_session = ?14,
           n_events = ?15, n_messages = ?16, n_blocks = ?17, n_turns = ?18, n_marks = ?19, n_problems = ?20,
           n_bytes = ?21, first_ms = ?22, last_ms = ?23, last_reply = ?24, generation = ?25, gone = ?26,
           rules = ?27
         WHERE id = ?1",
        params![
            source.id.0,
            to_signed(cursor.offset),
            to_signed(cursor.dev),
            to_signed(cursor.inode),
            cursor.head_len,
            to_signed(cursor.head_hash),
            cursor.tail_len,
            to_signed(cursor.tail_hash),
            source.session,
            source.title,
            source.opening,
            source.cwd,
            source.model,
            source.parent_session,
            source.n_events,
            to_signed(source.n_messages),
            to_signed(source.n_blocks),
            to_signed(source.n_turns),
            to_signed(source.n_marks),
            to_signed(source.n_problems),
            to_signed(source.n_bytes),
            source.first_ms,
            source.last_ms,
            source.last_reply,
            source.generation,
            source.gone,
            source.rules,
        ],
    )
}

pub(crate) fn save_reader(db: &Connection, source: SourceId, state: &[u8]) -> Result<(), Fault> {
    let sql = "INSERT INTO reader (source_id, state) VALUES (?1, ?2)
               ON CONFLICT (source_id) DO UPDATE SET state = excluded.state";
    sql::run_statement(db, sql, params![source.0, state])
}

pub(crate) fn load_reader(db: &Connection, source: SourceId) -> Result<Option<Vec<u8>>, Fault> {
    sql::first_row(db, "SELECT state FROM reader WHERE source_id = ?1", [source.0], |row| Ok(row.get(0)?))
}

impl SourceRow {
    pub(crate) fn emptied(self) -> Self {
        let Self { id, path, format, generation, .. } = self;
        Self { id, path, format, generation: generation.saturating_add(1), ..Self::default() }
    }

    pub(crate) fn add_record(&mut self, parsed: &ParsedEvent) {
        let event = &parsed.event;
        // Saturating, because a damaged row may hold any number.
        self.n_events = self.n_events.saturating_add(1);
        if let Some(at_ms) = event.at_ms {
            self.first_ms = Some(self.first_ms.map_or(at_ms, |first| first.min(at_ms)));
            self.last_ms = Some(self.last_ms.map_or(at_ms, |last| last.max(at_ms)));
        }
        match &event.body {
            EventBody::Header(header) => {
                let first = |kept: &mut Option<String>, new: Option<&str>| {
                    if kept.is_none() {
                        *kept = new.map(str::to_owned);
                    }
                };
                first(&mut self.session, header.session.as_ref().map(|session| session.as_str()));
                first(&mut self.cwd, header.cwd.as_deref());
                first(&mut self.parent_session, header.parent_session.as_deref());
                if let Some(model) = &header.model {
                    self.model = Some(model.as_ref().to_owned());
                }
            }
            EventBody::ModelChange { model } => self.model = Some(model.as_ref().to_owned()),
            EventBody::Title(title) => self.title = title.as_deref().map(str::to_owned),
            EventBody::Message(message) if message.role == Role::Assistant => {
                let goes_on =
                    message.reply.is_some() && message.reply.as_deref() == self.last_reply.as_deref();
                if !goes_on {
                    self.n_turns = self.n_turns.saturating_add(1);
                    self.last_reply = message.reply.as_deref().map(str::to_owned);
                }
                if let Some(model) =
                    message.model.as_deref().filter(|model| Some(*model) != self.model.as_deref())
                {
                    self.model = Some(model.to_owned());
                }
            }
            EventBody::Message(_)
            | EventBody::Compaction(_)
            | EventBody::Rewrite(_)
            | EventBody::Usage(_)
            | EventBody::Label { .. }
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => {}
        }
        let mut contents = parsed.contents.iter();
        for message in event.body.all_messages() {
            self.n_messages = self.n_messages.saturating_add(1);
            let by_human = message.author == Author::Human && message.form == MessageForm::Plain;
            for (block, content) in message.blocks.iter().zip(&mut contents) {
                self.n_blocks = self.n_blocks.saturating_add(1);
                self.n_bytes = self.n_bytes.saturating_add(content.text.len() as u64);
                match &block.kind {
                    BlockKind::Call(call) if call.mark.is_some() => {
                        self.n_marks = self.n_marks.saturating_add(1);
                    }
                    BlockKind::Text if by_human && self.opening.is_none() => {
                        let text = content.text.trim_start();
                        self.opening = (!text.is_empty()).then(|| short_beginning(text).to_owned());
                    }
                    _ => {}
                }
            }
        }
    }
}
