//! Table `source`: found by path, and a list's row needs no other table.

use cwl_engine::*;
use cwl_store::*;

use crate::common::*;

#[test]
fn found_or_created() {
    let mut store = Store::open_in_memory().unwrap();
    let a = store.source("a", "pi").unwrap();
    let b = store.source("b", "codex").unwrap();
    assert_ne!(a, b);
    assert_eq!(store.source("a", "codex").unwrap(), a, "a path is one log");
    let read = store.read_handle().unwrap();
    assert_eq!(read.source(a).unwrap().format, "codex", "nothing was read yet, so the format may change");
    ingest(&mut store, a, &story(), &[]);
    store.source("a", "claude-code").unwrap();
    assert_eq!(read.source(a).unwrap().format, "codex", "it was read as that");
    assert_eq!(read.find_source("b").unwrap().unwrap().id, b);
    assert_eq!(read.find_source("c").unwrap(), None);
    assert!(matches!(read.source(SourceId::new(77)).unwrap_err().fault, Fault::UnknownSource(77)));
    assert!(matches!(read.load_log(SourceId::new(77)).unwrap_err().fault, Fault::UnknownSource(_)));
    assert!(matches!(store.restart_log(SourceId::new(77)).unwrap_err().fault, Fault::UnknownSource(_)));
}

#[test]
fn list_row_of_the_story() {
    let (mut store, source) = store_of(&story());
    store.source_gone(source, true).unwrap();
    insta::assert_debug_snapshot!(store.read_handle().unwrap().all_sources().unwrap());
    store.source_gone(source, false).unwrap();
    assert!(!store.read_handle().unwrap().source(source).unwrap().gone);
}

#[test]
fn the_latest_log_comes_first() {
    let mut store = Store::open_in_memory().unwrap();
    for (path, at_ms) in [("old", Some(1)), ("none", None), ("new", Some(3)), ("also none", None)] {
        let source = store.source(path, "pi").unwrap();
        let mut record = event(1, EventBody::Quiet { record: "x".into() }, &[]);
        record.event.at_ms = at_ms;
        ingest(&mut store, source, &[record], &[]);
    }
    let paths: Vec<_> =
        store.read_handle().unwrap().all_sources().unwrap().into_iter().map(|row| row.path).collect();
    assert_eq!(paths, ["new", "old", "also none", "none"]);
}

#[track_caller]
fn check_row(bodies: Vec<(EventBody, &[&str])>, expected: &str) {
    let events: Vec<_> = (1..).zip(bodies).map(|(line, (body, texts))| event(line, body, texts)).collect();
    let (store, source) = store_of(&events);
    let row = store.read_handle().unwrap().source(source).unwrap();
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let line = format!(
        "{} {} {} {} {} turns={} marks={}",
        shown(row.session),
        shown(row.title),
        shown(row.opening),
        shown(row.cwd),
        shown(row.model),
        row.n_turns,
        row.n_marks
    );
    assert_eq!(line, expected);
}

#[test]
fn what_a_list_shows() {
    let header = |session: &str, cwd: Option<&str>, model: Option<&str>| {
        EventBody::Header(Header {
            session: Some(SessionId::new(session)),
            cwd: cwd.map(Into::into),
            model: model.map(Into::into),
            ..Header::default()
        })
    };
    let reply = |reply: Option<&str>, model: Option<&str>| {
        EventBody::Message(Message {
            reply: reply.map(Into::into),
            model: model.map(Into::into),
            ..message(Role::Assistant, Author::Model, vec![])
        })
    };
    let user = |author, form| {
        EventBody::Message(Message { form, ..message(Role::User, author, vec![BlockKind::Text]) })
    };
    check_row(vec![], "- - - - - turns=0 marks=0");
    check_row(
        vec![(header("s1", None, Some("m1")), &[]), (header("s2", Some("/x"), None), &[])],
        "s1 - - /x m1 turns=0 marks=0",
    );
    check_row(
        vec![(EventBody::Title(Some("a".into())), &[]), (EventBody::Title(Some("b".into())), &[])],
        "- b - - - turns=0 marks=0",
    );
    check_row(
        vec![(EventBody::Title(Some("a".into())), &[]), (EventBody::Title(None), &[])],
        "- - - - - turns=0 marks=0",
    );
    // A reply in parts, even with a result between them, is one turn; replies without an id are one turn
    // each.
    check_row(
        vec![
            (reply(Some("r1"), Some("m1")), &[]),
            (EventBody::Message(message(Role::Tool, Author::Tool, vec![])), &[]),
            (reply(Some("r1"), None), &[]),
            (reply(Some("r2"), Some("m2")), &[]),
            (reply(None, None), &[]),
            (reply(None, None), &[]),
        ],
        "- - - - m2 turns=4 marks=0",
    );
    check_row(
        vec![
            (user(Author::Harness, MessageForm::Plain), &["reminder"]),
            (user(Author::Human, MessageForm::HumanShell { excluded: false }), &["ls"]),
            (user(Author::Human, MessageForm::Plain), &["  \n"]),
            (user(Author::Human, MessageForm::Plain), &["\n Fix it."]),
            (user(Author::Human, MessageForm::Plain), &["And that."]),
        ],
        "- - Fix it. - - turns=0 marks=0",
    );
    check_row(vec![(EventBody::ModelChange { model: "m3".into() }, &[])], "- - - - m3 turns=0 marks=0");
    let malformed =
        DelimiterMark::Malformed { field: MarkField::Name, name: None, is_act: false, dependencies: None };
    let marks = message(
        Role::Assistant,
        Author::Model,
        vec![call("1", "delimiter", Some(malformed)), call("2", "bash", None)],
    );
    check_row(vec![(EventBody::Message(marks), &["", ""])], "- - - - - turns=1 marks=1");
}
