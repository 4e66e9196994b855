//! Damaged, foreign and newer files are refused or reported, and left unchanged.

use cwl_store::*;
use rusqlite::Connection;

use crate::common::*;

fn check_open(change: impl FnOnce(&Connection), expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &story(), &[]);
    let path = store.file_path();
    drop(store);
    change(&Connection::open(&path).unwrap());
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(dir.path()).err().expect("refused");
    let shown = error.to_string();
    let (message, place) = shown.rsplit_once(": ").unwrap();
    assert_eq!(message, expected);
    assert_eq!(place, path.display().to_string(), "the path comes last");
    assert_eq!(std::fs::read(&path).unwrap(), before, "a refused store is left alone");
}

#[test]
fn refused_stores() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/sessions");
    let n_known = std::fs::read_dir(folder).unwrap().count();
    check_open(
        |db| assert_eq!(db.execute("UPDATE migration SET checksum = 'x' WHERE number = 2", []).unwrap(), 1),
        "the migration 0002_create_derived.sql is not the one that made this store",
    );
    check_open(
        |db| {
            assert_eq!(
                db.execute("INSERT INTO migration VALUES (900, '0900_add_moon.sql', 'x')", []).unwrap(),
                1
            )
        },
        &format!("the store was changed by a newer program (migration 900, this one knows {n_known})"),
    );
    check_open(
        |db| db.execute_batch("DROP TABLE migration").unwrap(),
        "not a store of this program, left alone",
    );
}

#[test]
fn not_a_database() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.sqlite");
    std::fs::write(&path, "a text of some length. ".repeat(1000)).unwrap();
    let error = Store::open(dir.path()).err().expect("refused");
    assert!(matches!(error.fault, Fault::Corrupt(_)), "{error:?}");
    assert!(std::fs::read(&path).unwrap().starts_with(b"a text"), "it is left alone");
}

#[test]
fn a_file_where_the_folder_should_be() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x"), "").unwrap();
    let error = Store::open(&dir.path().join("x")).err().expect("refused");
    assert!(matches!(error.fault, Fault::Folder(_)), "{error:?}");
    let folder = dir.path().join("y");
    std::fs::create_dir_all(folder.join("sessions.sqlite")).unwrap();
    let error = Store::open(&folder).err().expect("refused");
    assert!(matches!(error.fault, Fault::Unopened(_)), "{error:?}");
}

/// Changes rows directly; both loading and the integrity check must name them.
fn check_rows(change: &str, load_says: &str, check_says: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &story(), &[]);
    let db = Connection::open(store.file_path()).unwrap();
    db.execute_batch(&format!("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; {change}"))
        .unwrap();
    let read = store.read_handle().unwrap();
    let says = |error: StoreError| error.to_string().rsplit_once(": ").unwrap().0.to_owned();
    let loaded = (|| {
        let (log, _) = read.load_log(source)?;
        for (seq, event) in (0..).zip(log.events()) {
            read.record_envelope(source, seq)?;
            for part in 0..event.body.all_blocks().count() as u32 {
                content_at(&read, source, BlockPlace { seq, part })?;
            }
        }
        Ok(())
    })();
    assert_eq!(loaded.map_or_else(says, |()| String::new()), load_says, "{change}");
    let findings: Vec<String> =
        store.check_integrity().unwrap().iter().map(StoreInconsistency::to_string).collect();
    assert_eq!(findings.join(" / "), check_says, "{change}");
}

#[test]
fn damaged_rows() {
    check_rows("", "", "");
    check_rows(
        "DELETE FROM event WHERE seq = 3",
        "cannot load a log: the store is damaged: event 4 of log 1: a gap before it",
        "a record is missing: 1: 7 records, 6 rows",
    );
    check_rows(
        "DELETE FROM message WHERE seq = 6",
        "cannot load a log: the store is damaged: block 6.0 of log 1: no message",
        "a list row miscounts messages: 1 / a block has no message: 1:6.0",
    );
    check_rows(
        "DELETE FROM block WHERE seq = 2 AND part = 1",
        "cannot load a log: the store is damaged: message 2.0 of log 1: 1 blocks, not 2",
        "a list row miscounts blocks: 1 / a message misses blocks: 1:2.0",
    );
    check_rows(
        "UPDATE block SET kind = 'moon' WHERE seq = 2 AND part = 0",
        "cannot load a log: the store is damaged: block 2.0 of log 1: unknown kind",
        "the file is damaged: CHECK constraint failed in block",
    );
    check_rows(
        "UPDATE event SET body = 'header' WHERE seq = 1",
        "cannot load a log: the store is damaged: event 1 of log 1: no row in `header`",
        "",
    );
    check_rows(
        "UPDATE mark SET odd = 'moon'",
        "cannot load a log: the store is damaged: mark 2.1 of log 1",
        "",
    );
    check_rows(
        "DELETE FROM payload WHERE seq = 1 AND part = 0",
        "cannot load texts: the store is damaged: block 1.0 of log 1: no row in `payload`",
        "a block has no payload: 1:1.0",
    );
    check_rows(
        "UPDATE payload SET n_before = 10000 WHERE seq = 1 AND part = 0",
        "cannot load texts: the store is damaged: payload 1.0 of log 1: a hole at byte 10000",
        "",
    );
    check_rows(
        "UPDATE text SET data = x'00' WHERE codec = 1",
        "cannot load texts: a text does not unpack",
        "a text does not unpack: 5",
    );
    check_rows(
        "UPDATE text SET data = CAST('OK' AS BLOB) WHERE data = CAST('ok' AS BLOB)",
        "",
        "a text is not the one that its hash names: 4",
    );
    check_rows("DELETE FROM text WHERE id = 1", "", "a row names another that is not there: block -> text");
    check_rows("UPDATE event SET line = 1 WHERE seq = 4", "", "a line goes back: 1:4");
    check_rows("DELETE FROM reader", "", "a log has records but no reader state: 1");
}

/// Bytes flipped at many places cause an error or a wrong text, never a panic.
#[test]
fn flipped_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest_endless(&mut store, source, 0, 300).unwrap();
    let path = store.file_path();
    drop(store);
    let sound = std::fs::read(&path).unwrap();
    let mut n_noticed = 0;
    for round in 0..40 {
        let mut bytes = sound.clone();
        for flip in 0..20 {
            let at = (round * 7919 + flip * 104_729) % bytes.len();
            bytes[at] ^= 0xa5;
        }
        std::fs::write(&path, &bytes).unwrap();
        let noticed = Store::open(dir.path()).and_then(|store| {
            let read = store.read_handle()?;
            let (log, _) = read.load_log(source)?;
            for seq in 0..log.events().len() as u32 {
                content_at(&read, source, BlockPlace { seq, part: 0 })?;
                read.record_envelope(source, seq)?;
            }
            Ok(!store.check_integrity()?.is_empty())
        });
        n_noticed += usize::from(noticed.unwrap_or(true));
    }
    assert!(n_noticed > 20, "damage is mostly noticed, here {n_noticed} of 40 times");
}

/// Numbers impossible in a log are noticed if they have an effect, and nothing overflows.
#[test]
fn damaged_numbers() {
    let check = |column: &str, value: i64, noticed: bool| {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let source = store.source("a", "pi").unwrap();
        ingest_endless(&mut store, source, 0, 3).unwrap();
        let db = Connection::open(store.file_path()).unwrap();
        assert_eq!(db.execute(&format!("UPDATE source SET {column} = ?1"), [value]).unwrap(), 1);
        let refused = ingest_endless(&mut store, source, 3, 5).is_err();
        let found = !store.check_integrity().map_or(true, |findings| findings.is_empty());
        assert_eq!(refused || found, noticed, "{column} = {value}");
    };
    check("n_blocks", -1, true);
    check("n_messages", -1, true);
    check("n_problems", -1, true);
    check("n_events", -1, true);
    check("n_events", i64::from(u32::MAX), true);
    check("read_to", -1, true);
    // Only shown in a list, without further effect.
    check("n_turns", -1, false);
    check("n_marks", -1, false);
    check("n_bytes", -1, false);
    check("generation", i64::from(u32::MAX), false);
}
