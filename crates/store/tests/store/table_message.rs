//! Table `message`: every role, author, form, outcome and usage comes back.

use cwl_engine::*;

use crate::common::*;

#[track_caller]
fn check(change: impl FnOnce(&mut Message)) {
    let mut said = message(Role::User, Author::Human, vec![BlockKind::Text]);
    change(&mut said);
    let events = [event(1, EventBody::Message(said), &["text"])];
    let (store, source) = store_of(&events);
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events);
}

#[test]
fn every_field() {
    for role in [Role::System, Role::User, Role::Assistant, Role::Tool] {
        for author in [Author::Human, Author::Harness, Author::Model, Author::Tool] {
            check(|said| (said.role, said.author) = (role, author));
        }
    }
    for form in [
        MessageForm::Plain,
        MessageForm::HumanShell { excluded: false },
        MessageForm::HumanShell { excluded: true },
        MessageForm::Custom { name: "".into() },
        MessageForm::Custom { name: "ext".into() },
        MessageForm::Summary,
    ] {
        check(|said| said.form = form);
    }
    for outcome in
        [ReplyOutcome::Complete, ReplyOutcome::Error, ReplyOutcome::Overflow, ReplyOutcome::Aborted]
    {
        check(|said| said.outcome = outcome);
    }
    check(|said| said.usage = Some(Usage::default()));
    check(|said| {
        said.usage = Some(Usage {
            input: u64::MAX,
            output: 1 << 63,
            reasoning: 1 << 62,
            cache_read: i64::MAX as u64,
            cache_write: 1,
            cache_write_hour: 1,
            beside_input: 5,
            beside_cache_read: 6,
            beside_cache_write: 7,
            stated_cost: Some(0),
            copied: true,
        });
    });
    check(|said| said.model = Some("".into()));
    check(|said| said.reply = Some("msg_1".into()));
}

#[test]
fn names_of_models_are_held_once() {
    use std::sync::Arc;
    let (store, source) = store_of(&story());
    let (log, _) = store.read_handle().unwrap().load_log(source).unwrap();
    let models: Vec<_> = log
        .events()
        .iter()
        .flat_map(|event| event.body.all_messages())
        .filter_map(|said| said.model.clone())
        .collect();
    assert_eq!(models.len(), 3);
    assert!(models.iter().all(|model| Arc::ptr_eq(model, &models[0])), "10,000 messages share one name");
}
