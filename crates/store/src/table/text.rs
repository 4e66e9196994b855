//! Table `text`: block texts and long payloads, each stored once.

use rusqlite::{Connection, Row, params};

use crate::error::Fault;
use crate::packed::{PackedForm, PackedText};
use crate::sql;
use crate::text::{Codec, Packer, TextHash, TextUnpacker, short_beginning};

/// Columns for [`unpack_row`], with `text` aliased as `t`.
pub(crate) const COLUMNS: &str = "t.codec, t.n_bytes, t.data";

pub(crate) fn find_or_save(
    db: &Connection,
    packer: &mut Packer,
    packed: &PackedText,
    text: &str,
) -> Result<(i64, bool), Fault> {
    // A text compressed ahead is most likely new, so looking it up first would be wasted.
    if matches!(packed.form, PackedForm::Unpacked)
        && let Some(id) = find_text(db, packed.hash)?
    {
        return Ok((id, false));
    }
    let (codec, data) = packed.form.row_data(text.as_bytes(), packer)?;
    let preview = match codec {
        Codec::Raw => None,
        Codec::Zstd => Some(short_beginning(text)),
    };
    let sql = "INSERT INTO text (hash, n_bytes, codec, preview, data) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (hash) DO NOTHING RETURNING id";
    let row = params![packed.hash.as_bytes(), text.len() as i64, codec as i64, preview, data];
    if let Some(id) = sql::first_row(db, sql, row, |row| Ok(row.get(0)?))? {
        return Ok((id, true));
    }
    let known = find_text(db, packed.hash)?;
    Ok((known.ok_or_else(|| Fault::damaged("a text is in its index and not in its table"))?, false))
}

pub(crate) fn find_text(db: &Connection, hash: TextHash) -> Result<Option<i64>, Fault> {
    sql::first_row(db, "SELECT id FROM text WHERE hash = ?1", [hash.as_bytes()], |row| Ok(row.get(0)?))
}

pub(crate) fn unpack_row(row: &Row<'_>, first: usize, unpacker: &mut TextUnpacker) -> Result<String, Fault> {
    let codec = Codec::from_code(row.get(first)?)?;
    let n_bytes: i64 = row.get(first + 1)?;
    let data = row.get_ref(first + 2)?.as_blob()?;
    unpacker.unpack(codec, n_bytes.cast_unsigned(), data)
}
