//! Tables `mark` and `mark_dependency`: delimiter marks come back unchanged.

use cwl_engine::*;

use crate::common::*;

#[track_caller]
fn check(mark: DelimiterMark) {
    // On a call, on its result, and beside a call without a mark.
    let answer =
        BlockKind::Result(ToolResult { call: "c".into(), name: None, ok: true, mark: Some(mark.clone()) });
    let kinds = vec![call("c", "delimiter", Some(mark.clone())), call("d", "bash", None), answer];
    let events =
        [event(1, EventBody::Message(message(Role::Assistant, Author::Model, kinds)), &["", "", ""])];
    let (store, source) = store_of(&events);
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events);
}

#[test]
fn every_mark() {
    let fields = [
        MarkField::Action,
        MarkField::Name,
        MarkField::Type,
        MarkField::Dependencies,
        MarkField::Description,
    ];
    for field in fields {
        check(DelimiterMark::Malformed { field, name: None, is_act: true, dependencies: None });
    }
    for dependencies in [None, Some(vec![]), Some(vec!["b".into(), "".into()])] {
        let (field, name) = (MarkField::Type, Some("a".into()));
        check(DelimiterMark::Malformed { field, name, is_act: false, dependencies });
    }
    for kind in [DeclaredKind::Exploratory, DeclaredKind::Action] {
        for dependencies in
            [None, Some(vec![]), Some(vec!["b".into(), "a".into(), "b".into(), "".into(), ",\0".into()])]
        {
            for odd in [vec![], vec![MarkField::Description], fields.to_vec()] {
                check(DelimiterMark::Open {
                    name: "a".into(),
                    kind,
                    dependencies: dependencies.clone(),
                    odd,
                });
            }
        }
    }
    for name in [None, Some("".into())] {
        for description in [None, Some("".into()), Some("learned\nmuch".into())] {
            check(DelimiterMark::Close {
                name: name.clone(),
                description,
                odd: vec![MarkField::Dependencies],
            });
        }
    }
}
