//! Tables `event`, `header` and `compaction`: every body comes back.

use cwl_engine::*;

use crate::common::*;

#[track_caller]
fn check(body: EventBody, texts: &[&str]) {
    let mut events = vec![event(1, EventBody::Quiet { record: "before".into() }, &[])];
    for (line, parent) in
        (2..).zip([Parent::Root, Parent::Entry("x\0y".into()), Parent::Previous, Parent::Outside])
    {
        let mut record = event(line, body.clone(), texts);
        record.event.parent = parent;
        events.push(record);
    }
    let (store, source) = store_of(&events);
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events);
    check_sound(&store);
}

#[test]
fn every_body() {
    check(EventBody::Header(Header::default()), &[]);
    check(EventBody::ModelChange { model: "".into() }, &[]);
    check(EventBody::Title(None), &[]);
    check(EventBody::Title(Some("\0".into())), &[]);
    check(EventBody::Label { target: "".into(), label: None }, &[]);
    check(EventBody::Label { target: "e1".into(), label: Some("".into()) }, &[]);
    check(EventBody::Quiet { record: "settings".into() }, &[]);
    check(EventBody::Opaque { record: "moon".into() }, &[]);
    check(EventBody::Message(message(Role::User, Author::Human, vec![])), &[]);
}

#[test]
fn every_compaction() {
    let said = |n| message(Role::User, Author::Harness, vec![BlockKind::Text; n]);
    let body = |summary, keep| EventBody::Compaction(Compaction { summary, keep, tokens_before: None });
    check(body(None, Keep::Nothing), &[]);
    check(body(Some(said(1)), Keep::Nothing), &["sum"]);
    check(body(Some(said(1)), Keep::From("e1".into())), &["sum"]);
    check(body(Some(said(1)), Keep::Entries(vec!["e1".into(), "e3".into(), "e1".into()])), &["sum"]);
    check(body(None, Keep::Entries(vec![])), &[]);
    check(body(None, Keep::Retained(vec![])), &[]);
    check(body(None, Keep::Retained(vec![said(1)])), &["kept"]);
    check(body(Some(said(0)), Keep::Retained(vec![said(2), said(0), said(1)])), &["a", "b", "c"]);
    check(body(Some(said(2)), Keep::Retained(vec![said(1)])), &["a", "b", "c"]);
    check(
        EventBody::Compaction(Compaction {
            summary: None,
            keep: Keep::Nothing,
            tokens_before: Some(u64::MAX),
        }),
        &[],
    );
}

/// Records are found by their ids as in the original log.
#[test]
fn a_loaded_log_is_a_log() {
    let (store, source) = store_of(&story());
    let (log, problems) = store.read_handle().unwrap().load_log(source).unwrap();
    assert_eq!(problems, []);
    assert_eq!(log.find_record(&"e3".into()).map(EventIdx::at), Some(2));
    assert_eq!(log.header().session, Some(SessionId::new("s-1")));
    assert_eq!(log.title(), Some("Red build"));
    assert_eq!(log.leaf().map(EventIdx::at), Some(6));
}
