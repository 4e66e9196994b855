//! Tables hold no text of a log unless requested, and never its secrets.

use std::collections::BTreeSet;

use cwl_corpus::{Cell, ColumnKind, ColumnValues, LogRows, TABLES, TextsAs, rows_of_log};
use cwl_host::commands;

use crate::common::{asked, of_session, open, opened};

/// A text up to this length reveals nothing about a log: it is a word such as `read`.
const SAYS_NOTHING: usize = 12;

fn each_text(rows: &LogRows, mut see: impl FnMut(&str, &str, ColumnKind, &str)) {
    for (place, table) in TABLES.iter().enumerate() {
        for (column, values) in table.columns.iter().zip(rows.table_columns(place).0) {
            if let ColumnValues::Texts(values) = values {
                values.iter().flatten().for_each(|text| see(table.name, column.name, column.kind, text));
            }
        }
    }
}

#[test]
fn no_text_of_a_log_is_in_a_table() {
    // Names of prices and formats come from this program's tables, and logs contain such words.
    let mut own: BTreeSet<String> =
        commands::models(None).models.into_iter().map(|model| model.name).collect();
    own.extend(commands::formats().formats.into_iter().map(|format| format.name));
    let mut n_hashes = 0;
    for (place, log) in opened() {
        let name = place.name.display().to_string();
        let text = std::fs::read_to_string(&place.name).unwrap_or_default();
        let rows = rows_of_log(&log, &name, 1, None, &asked("cwl@8k", TextsAs::Hashed)).unwrap();
        let mut words = BTreeSet::new();
        each_text(&rows, |table, column, kind, value| {
            if kind == ColumnKind::Word {
                words.insert(value.to_owned());
                return;
            }
            let is_hash = value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash, "{name}: {table}.{column} is `{value}`");
            n_hashes += 1;
        });
        for word in words.iter().filter(|word| word.len() > SAYS_NOTHING && !own.contains(*word)) {
            assert!(!text.contains(word), "{name} has `{word}`, which is in a table");
        }
    }
    assert!(n_hashes > 1000, "{n_hashes}");
}

#[test]
fn hashes_depend_on_the_key_and_on_nothing_else() {
    let (place, log) = opened().next().unwrap();
    let name = place.name.display().to_string();
    let title = |key: u8| {
        let asked =
            cwl_corpus::LogAsked { key: cwl_corpus::CorpusKey([key; 32]), ..asked("", TextsAs::Hashed) };
        of_session(&rows_of_log(&log, &name, 1, None, &asked).unwrap(), "title")
    };
    assert_eq!(title(1), title(1));
    assert_ne!(title(1), title(2));
}

#[test]
fn texts_that_are_asked_for_are_redacted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session.jsonl");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let lines = [
        serde_json::json!({"type": "session", "version": 3, "id": "s-1", "cwd": "/home/ada/shop"}),
        serde_json::json!({"type": "message", "id": "00000001", "parentId": null, "timestamp": "2026-01-02T03:04:05.000Z",
            "message": {"role": "user", "content": [{"type": "text", "text": format!("Push with {secret} please.")}]}}),
        serde_json::json!({"type": "message", "id": "00000002", "parentId": "00000001", "timestamp": "2026-01-02T03:04:06.000Z",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop", "provider": "p", "model": "m"}}),
    ];
    std::fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let log = open(&path).unwrap();
    let title =
        |texts: TextsAs| of_session(&rows_of_log(&log, "x", 1, None, &asked("", texts)).unwrap(), "title");
    assert_eq!(title(TextsAs::Plain), Cell::from(format!("Push with {secret} please.")));
    let Cell::Text(redacted) = title(TextsAs::Redacted) else { panic!("a session has a title") };
    assert!(redacted.starts_with("Push with [redacted:"), "{redacted}");
    assert!(!redacted.contains(secret), "{redacted}");
}
