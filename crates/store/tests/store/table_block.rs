//! Table `block`: every kind comes back, and texts are found by place.

use cwl_engine::*;
use cwl_store::*;

use crate::common::*;

#[test]
fn every_kind() {
    let with_program = BlockKind::Call(ToolCall {
        id: "".into(),
        name: "".into(),
        program: Some("git grep".into()),
        mark: None,
    });
    let unnamed = BlockKind::Result(ToolResult { call: "c".into(), name: None, ok: false, mark: None });
    let kinds = vec![
        BlockKind::Text,
        BlockKind::Reasoning,
        call("c", "bash", None),
        with_program,
        result("c", true),
        unnamed,
        BlockKind::Image,
        BlockKind::Opaque,
    ];
    let mut said = message(Role::Assistant, Author::Model, kinds);
    // Indices in the record's own array: parts without meaning were skipped, and one was read twice.
    for (block, index) in said.blocks.iter_mut().zip([0, 2, 2, u32::MAX, 1, 9, 8, 7]) {
        (block.index, block.images) = (index, index);
    }
    let events = [event(1, EventBody::Message(said), &["a", "b", "c", "d", "e", "f", "g", "h"])];
    let (store, source) = store_of(&events);
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events);
}

#[test]
fn texts_by_place() {
    let (store, source) = store_of(&story());
    let read = store.read_handle().unwrap();
    let place = |seq, part| BlockPlace { seq, part };
    let text = |at| content_at(&read, source, at).unwrap().map(|content| content.text);
    assert_eq!(text(place(2, 0)).as_deref(), Some("I should look."));
    assert_eq!(text(place(2, 1)).as_deref(), Some(r#"delimiter{"action":"start"}"#));
    assert_eq!(text(place(6, 0)).as_deref(), Some("Done.\0"));
    assert_eq!(text(place(2, 2)), None);
    assert_eq!(text(place(u32::MAX, u32::MAX)), None);
    assert_eq!(content_at(&read, SourceId::new(9), place(2, 0)).unwrap(), None);
    let several = read.block_contents(source, &[place(6, 0), place(0, 0), place(3, 0), place(6, 0)]).unwrap();
    let texts: Vec<_> =
        several.iter().map(|content| content.as_ref().map(|content| &*content.text)).collect();
    assert_eq!(texts, [Some("Done.\0"), None, Some("ok"), Some("Done.\0")]);
}

#[test]
fn a_scan_goes_over_all_texts_in_log_order() {
    let (store, source) = store_of(&story());
    let mut places = Vec::new();
    let read = store.read_handle().unwrap();
    read.scan_texts(source, |at, text| places.push((at.seq, at.part, text.len()))).unwrap();
    assert_eq!(places, [(1, 0, 23), (2, 0, 14), (2, 1, 27), (3, 0, 2), (4, 0, 600), (6, 0, 6)]);
}

#[test]
fn a_text_that_several_blocks_say_is_read_once() {
    use std::ops::ControlFlow;
    let (store, source) = store_of(&story());
    let read = store.read_handle().unwrap();
    let of_blocks = read.text_ids(source).unwrap();
    assert_eq!(of_blocks.len(), 6, "one for each block, in log order");
    assert!(of_blocks.is_sorted_by_key(|(at, _)| *at));
    let mut ids: Vec<_> = of_blocks.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut seen = vec![None; ids.len()];
    read.visit_texts(&ids, |at, text| {
        seen[at] = Some(text.to_owned());
        ControlFlow::Continue(())
    })
    .unwrap();
    for (at, id) in &of_blocks {
        let number = ids.binary_search(id).unwrap();
        let content = content_at(&read, source, *at).unwrap();
        assert_eq!(seen[number], content.map(|content| content.text), "{at:?}");
    }
    let mut n_seen = 0;
    read.visit_texts(&ids, |_, _| {
        n_seen += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(n_seen, 1, "it breaks off");
}
