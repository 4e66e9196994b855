//! Logs to store: a small one that tells a story, an endless one, and random ones.

use cwl_engine::*;
use cwl_store::*;

/// A content whose payload has a hole for its text.
pub(crate) fn content(text: &str) -> Content {
    let raw = RawPayload::Around { before: r#"{"type":"text","text":"#.into(), after: "}".into() };
    Content { text: text.into(), raw }
}

pub(crate) fn message(role: Role, author: Author, kinds: Vec<BlockKind>) -> Message {
    Message {
        role,
        author,
        form: MessageForm::Plain,
        blocks: kinds
            .into_iter()
            .enumerate()
            .map(|(index, kind)| ContentBlock {
                index: index as u32,
                kind,
                images: 0,
                holds: cwl_engine::Holds::Nothing,
            })
            .collect(),
        model: None,
        usage: None,
        outcome: ReplyOutcome::Complete,
        reply: None,
    }
}

pub(crate) fn event(line: u64, body: EventBody, texts: &[&str]) -> ParsedEvent {
    let envelope = format!(r#"{{"type":"record","id":"e{line}","message":"#);
    ParsedEvent {
        event: SessionEvent {
            side: false,
            line,
            entry: EntryId::new(format!("e{line}")),
            parent: if line == 1 {
                Parent::Root
            } else {
                Parent::Entry(EntryId::new(format!("e{}", line - 1)))
            },
            at_ms: Some(1_700_000_000_000 + line as i64 * 1000),
            body,
        },
        contents: texts.iter().map(|text| content(text)).collect(),
        envelope: RawPayload::Around { before: envelope, after: "}".into() },
    }
}

pub(crate) fn call(id: &str, name: &str, mark: Option<DelimiterMark>) -> BlockKind {
    BlockKind::Call(ToolCall { id: id.into(), name: name.into(), program: None, mark })
}

pub(crate) fn result(call: &str, ok: bool) -> BlockKind {
    BlockKind::Result(ToolResult { call: call.into(), name: Some("bash".into()), ok, mark: None })
}

/// A header, a question, a reply that opens an episode, a result, a reply in two records.
pub(crate) fn story() -> Vec<ParsedEvent> {
    let open = DelimiterMark::Open {
        name: "look".into(),
        kind: DeclaredKind::Exploratory,
        dependencies: None,
        odd: vec![MarkField::Description],
    };
    let model = |kinds, reply: &str| Message {
        model: Some("m-1".into()),
        usage: Some(Usage {
            input: 10,
            output: 2,
            reasoning: 1,
            cache_read: 0,
            cache_write: u64::MAX,
            ..Usage::default()
        }),
        reply: Some(reply.into()),
        ..message(Role::Assistant, Author::Model, kinds)
    };
    let header = Header {
        session: Some(SessionId::new("s-1")),
        version: Some(3),
        cwd: Some("/home/ann/project".into()),
        parent_session: None,
        model: None,
        ..Header::default()
    };
    let long = "A long answer. ".repeat(40);
    vec![
        event(1, EventBody::Header(header), &[]),
        event(
            2,
            EventBody::Message(message(Role::User, Author::Human, vec![BlockKind::Text])),
            &["\n Why is the build red?"],
        ),
        event(
            3,
            EventBody::Message(model(vec![BlockKind::Reasoning, call("c1", "delimiter", Some(open))], "r1")),
            &["I should look.", r#"delimiter{"action":"start"}"#],
        ),
        event(4, EventBody::Message(message(Role::Tool, Author::Tool, vec![result("c1", true)])), &["ok"]),
        event(5, EventBody::Message(model(vec![BlockKind::Text], "r1")), &[&long]),
        event(6, EventBody::Title(Some("Red build".into())), &[]),
        event(7, EventBody::Message(model(vec![BlockKind::Text], "r2")), &["Done.\0"]),
    ]
}

/// Record number `seq` of an endless, deterministic log.
pub(crate) fn endless(seq: u32) -> ParsedEvent {
    let line = u64::from(seq) + 1;
    let text = format!("record {seq}: {}", "the quick brown fox ".repeat(seq as usize % 17));
    // Every fifth text is a repetition.
    let again = format!("record {}", seq / 5);
    event(
        line,
        EventBody::Message(message(Role::User, Author::Human, vec![BlockKind::Text, BlockKind::Text])),
        &[&text, &again],
    )
}

pub(crate) const RECORD_BYTES: u64 = 100;

pub(crate) fn cursor(offset: u64) -> SourceCursor {
    SourceCursor {
        offset,
        dev: u64::MAX,
        inode: 7,
        head_len: 4096,
        head_hash: u64::MAX - 1,
        tail_len: 256,
        tail_hash: offset,
    }
}

/// Stores records `from..to` of [`endless`] as one batch.
pub(crate) fn ingest_endless(
    store: &mut Store,
    source: SourceId,
    from: u32,
    to: u32,
) -> Result<IngestedRows, StoreError> {
    let events: Vec<_> = (from..to).map(endless).collect();
    let problems: Vec<_> = (from..to)
        .filter(|seq| seq % 3 == 0)
        .map(|seq| Problem { place: Place::at_line(u64::from(seq) + 1), kind: ProblemKind::LossyText })
        .collect();
    store.ingest_batch(&Ingest {
        source,
        expected_offset: u64::from(from) * RECORD_BYTES,
        events: &events,
        problems: &problems,
        counts: &[],
        cursor: &cursor(u64::from(to) * RECORD_BYTES),
        reader: format!("after {to}").as_bytes(),
        rules: 1,
    })
}

pub(crate) fn ingest(
    store: &mut Store,
    source: SourceId,
    events: &[ParsedEvent],
    problems: &[Problem],
) -> IngestedRows {
    store
        .ingest_batch(&Ingest {
            source,
            expected_offset: 0,
            events,
            problems,
            counts: &[],
            cursor: &cursor(1000),
            reader: b"state",
            rules: 1,
        })
        .unwrap()
}

pub(crate) fn store_of(events: &[ParsedEvent]) -> (Store, SourceId) {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("/logs/a.jsonl", "pi").unwrap();
    ingest(&mut store, source, events, &[]);
    (store, source)
}

pub(crate) fn read_back(read: &ReadHandle, source: SourceId) -> Vec<ParsedEvent> {
    let (log, _) = read.load_log(source).unwrap();
    log.events()
        .iter()
        .enumerate()
        .map(|(seq, event)| {
            let seq = seq as u32;
            let places: Vec<_> =
                (0..event.body.all_blocks().count() as u32).map(|part| BlockPlace { seq, part }).collect();
            ParsedEvent {
                event: event.clone(),
                contents: read
                    .block_contents(source, &places)
                    .unwrap()
                    .into_iter()
                    .map(Option::unwrap)
                    .collect(),
                envelope: read.record_envelope(source, seq).unwrap().unwrap(),
            }
        })
        .collect()
}

pub(crate) fn content_at(
    read: &ReadHandle,
    source: SourceId,
    at: BlockPlace,
) -> Result<Option<Content>, StoreError> {
    Ok(read.block_contents(source, &[at])?.swap_remove(0))
}

#[track_caller]
pub(crate) fn check_sound(store: &Store) {
    assert_eq!(store.check_integrity().unwrap(), [], "the store contradicts itself");
}

pub(crate) fn dump(store: &Store) -> String {
    let db = rusqlite::Connection::open(store.file_path()).unwrap();
    let names: Vec<String> = db
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    names.iter().map(|name| format!("## {name}\n{}", table(&db, &format!("SELECT * FROM {name}")))).collect()
}

pub(crate) fn table(db: &rusqlite::Connection, query: &str) -> String {
    use rusqlite::types::ValueRef;
    let mut statement = db.prepare(query).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut lines = Vec::new();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let cells: Vec<String> = (0..names.len())
            .map(|column| match row.get_ref(column).unwrap() {
                ValueRef::Null => "-".into(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => {
                    format!("x{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
                }
            })
            .collect();
        lines.push(cells.join(" | "));
    }
    // Tables without a defined order are compared as sets.
    lines.sort();
    format!("{}\n{}\n\n", names.join(" | "), lines.join("\n"))
}

pub(crate) fn derived<'a>(
    version: u32,
    n_events: u32,
    episodes: &'a [EpisodeRow],
    diagnostics: &'a [Problem],
) -> DerivedRows<'a> {
    DerivedRows { version, n_events, n_turns: 2, tokens: 1234, tokenizer: "o200k", episodes, diagnostics }
}
