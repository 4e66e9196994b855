//! Table `payload`: the log's own JSON, byte for byte.

use std::borrow::Cow;

use cwl_engine::RawPayload;
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::text;
use crate::error::Fault;
use crate::packed::PackedPayload;
use crate::sql;
use crate::text::{Codec, Packer, TextUnpacker};

/// Length from which a payload is stored under its hash. Shorter ones are ids and times, which never repeat:
/// hash and index would cost more than they save.
pub(crate) const SHARE_FROM_BYTES: usize = 1024;

/// The `part` of a record's envelope; blocks have parts from 0.
pub(crate) const ENVELOPE: i64 = -1;

pub(crate) fn n_bytes(payload: &RawPayload) -> usize {
    match payload {
        RawPayload::Whole(text) => text.len(),
        RawPayload::Around { before, after } => before.len() + after.len(),
    }
}

pub(crate) fn join_payload(payload: &RawPayload) -> Cow<'_, str> {
    match payload {
        RawPayload::Whole(text) => text.into(),
        RawPayload::Around { before, after } => [before.as_str(), after].concat().into(),
    }
}

pub(crate) fn save_payload(
    db: &Connection,
    packer: &mut Packer,
    source: SourceId,
    (seq, part): (u32, i64),
    payload: &RawPayload,
    packed: &PackedPayload,
) -> Result<(), Fault> {
    let n_before = match payload {
        RawPayload::Whole(_) => None,
        RawPayload::Around { before, .. } => Some(before.len() as i64),
    };
    let n_bytes = n_bytes(payload) as i64;
    let joined = join_payload(payload);
    let (codec, data, text_id) = match packed {
        PackedPayload::Here(form) => {
            let (codec, data) = form.row_data(joined.as_bytes(), packer)?;
            (Some(codec as i64), Some(data), None)
        }
        PackedPayload::Shared(packed) => {
            let (text_id, _) = text::find_or_save(db, packer, packed, &joined)?;
            (None, None, Some(text_id))
        }
    };
    sql::run_statement(
        db,
        "INSERT INTO payload (source_id, seq, part, n_before, n_bytes, codec, data, text_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![source.0, seq, part, n_before, n_bytes, codec, data, text_id],
    )
}

pub(crate) fn load_payload(
    db: &Connection,
    unpacker: &mut TextUnpacker,
    source: SourceId,
    seq: u32,
    part: i64,
) -> Result<Option<RawPayload>, Fault> {
    let sql = "SELECT p.n_before, p.n_bytes, coalesce(p.codec, t.codec), coalesce(p.data, t.data)
               FROM payload AS p LEFT JOIN text AS t ON t.id = p.text_id
               WHERE p.source_id = ?1 AND p.seq = ?2 AND p.part = ?3";
    let found = sql::first_row(db, sql, params![source.0, seq, part], |row| {
        let (n_bytes, codec): (i64, i64) = (row.get(1)?, row.get(2)?);
        let data = row.get_ref(3)?.as_blob()?;
        let text = unpacker.unpack(Codec::from_code(codec)?, n_bytes.cast_unsigned(), data)?;
        Ok((row.get::<_, Option<i64>>(0)?, text))
    })?;
    let Some((n_before, mut text)) = found else {
        return Ok(None);
    };
    Ok(Some(match n_before {
        None => RawPayload::Whole(text),
        Some(n_before) => {
            let hole = usize::try_from(n_before).ok().filter(|&hole| text.is_char_boundary(hole));
            let Some(hole) = hole else {
                let what = format!("payload {seq}.{part} of log {}: a hole at byte {n_before}", source.0);
                return Err(Fault::Damaged(what));
            };
            let after = text.split_off(hole);
            RawPayload::Around { before: text, after }
        }
    }))
}
