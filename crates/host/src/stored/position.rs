//! Conversions of reading positions between follower, reader and store.

use cwl_formats::ReaderState;
use cwl_store::SourceCursor;
use cwl_tail::{Cursor, FileIdentity, Fingerprint};

pub(crate) fn cursor_of(row: &SourceCursor) -> Cursor {
    Cursor {
        offset: row.offset,
        identity: FileIdentity { dev: row.dev, inode: row.inode },
        head: stored_fingerprint(row.head_hash, row.head_len),
        tail: stored_fingerprint(row.tail_hash, row.tail_len),
    }
}

fn stored_fingerprint(hash: u64, len: u32) -> Fingerprint {
    if len == 0 { Fingerprint::EMPTY } else { Fingerprint { hash, len } }
}

pub(crate) fn source_cursor(cursor: &Cursor) -> SourceCursor {
    SourceCursor {
        offset: cursor.offset,
        dev: cursor.identity.dev,
        inode: cursor.identity.inode,
        head_len: cursor.head.len,
        head_hash: cursor.head.hash,
        tail_len: cursor.tail.len,
        tail_hash: cursor.tail.hash,
    }
}

/// Formats a reader's state as `1 LINE OFFSET VERSION RECORDS`, or `none` for a log read from its start.
pub(crate) fn write_state(state: Option<ReaderState>) -> String {
    match state {
        Some(ReaderState { line, offset, version, records }) => {
            format!("1 {line} {offset} {version} {records}")
        }
        None => "none".into(),
    }
}

pub(crate) fn read_state(bytes: &[u8]) -> Option<ReaderState> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut numbers = text.strip_prefix("1 ")?.split(' ').map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    let (line, offset, version, records) = (next()?, next()?, next()?, next()?);
    Some(ReaderState { line, offset, version: u32::try_from(version).ok()?, records })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_read_back() {
        let mut cursor = Cursor::at_start(FileIdentity { dev: 1, inode: u64::MAX });
        assert_eq!(cursor_of(&source_cursor(&cursor)), cursor, "nothing was read yet");
        cursor.advance(b"some bytes");
        assert_eq!(cursor_of(&source_cursor(&cursor)), cursor);
        assert_eq!(cursor_of(&SourceCursor::default()), Cursor::at_start(FileIdentity::UNKNOWN));
    }

    #[test]
    fn reader_states_read_back() {
        let state = ReaderState { line: 7, offset: 1 << 40, version: 3, records: 9 };
        assert_eq!(read_state(write_state(Some(state)).as_bytes()), Some(state));
        for odd in ["none", "", "2 1 1 1 1", "1 1 1 1", "1 a 1 1 1"] {
            assert_eq!(read_state(odd.as_bytes()), None, "{odd}");
        }
    }
}
