//! A batch comes back unchanged, whatever the log says.

use cwl_engine::{EventLog, ParsedEvent};
use cwl_store::*;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::*;
use crate::random::{self, parsed_event, problem};

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_log(events in vec(parsed_event(), 0..12), problems in vec(problem(), 0..8), cut in 0_usize..12) {
        let mut store = Store::open_in_memory().unwrap();
        let source = store.source("a", "pi").unwrap();
        // In two batches, so places in the log differ from places in the batch.
        let cut = cut.min(events.len());
        let halves = [(&events[..cut], &problems[..0], 0, 5), (&events[cut..], &problems[..], 5, 9)];
        for (events, problems, from, to) in halves {
            store.ingest_batch(&Ingest {
                source,
                expected_offset: from,
                events,
                problems,
                counts: &[],
                cursor: &cursor(to),
                reader: b"",
                rules: 1,
            }).unwrap();
        }
        let read = store.read_handle().unwrap();
        // The log itself takes a row that repeats an earlier one out of the tree.
        let mut pushed = EventLog::default();
        events.iter().for_each(|parsed| _ = pushed.push(parsed.event.clone()));
        let expected: Vec<ParsedEvent> = events
            .iter()
            .zip(pushed.events())
            .map(|(parsed, event)| ParsedEvent { event: event.clone(), ..parsed.clone() })
            .collect();
        prop_assert_eq!(read_back(&read, source), expected);
        let (log, found) = read.load_log(source).unwrap();
        prop_assert_eq!(found, problems.clone());

        let row = read.source(source).unwrap();
        prop_assert_eq!(row.n_events as usize, events.len());
        prop_assert_eq!(row.n_problems as usize, problems.len());
        prop_assert_eq!(row.n_blocks as usize, events.iter().map(|event| event.contents.len()).sum::<usize>());
        prop_assert_eq!(row.title.as_deref(), log.title());
        prop_assert_eq!(row.cursor, cursor(9));

        // Lines of a random log may go back; all other rules must hold.
        let findings = store.check_integrity().unwrap();
        prop_assert!(findings.iter().all(|finding| finding.what == "a line goes back"), "{:?}", findings);
    }
}

#[test]
fn every_problem_kind_comes_back() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    // Enough draws to cover all codes, as the last assertion checks.
    let mut runner = TestRunner::deterministic();
    let mut problems: Vec<_> = (0..400).map(|_| problem().new_tree(&mut runner).unwrap().current()).collect();
    problems.extend(
        random::bare().into_iter().map(|kind| cwl_engine::Problem { place: Default::default(), kind }),
    );
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &[], &problems);
    assert_eq!(store.read_handle().unwrap().load_log(source).unwrap().1, problems);
    let codes: std::collections::BTreeSet<_> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(codes.len(), 39, "13 rules of the protocol and 26 oddities of logs: {codes:?}");
}

#[test]
fn huge_texts() {
    let text = format!("{}\0{}", "ä".repeat(3 << 20), " ".repeat(5 << 20));
    let mut events = story();
    events[1].contents[0].text = text.clone();
    events[1].contents[0].raw = cwl_engine::RawPayload::Whole(text.repeat(2));
    let (store, source) = store_of(&events);
    assert_eq!(read_back(&store.read_handle().unwrap(), source), events);
    check_sound(&store);
}
