//! A log that is read in pieces gives the same session and graph as one read at once, whatever the next record changes.

use std::path::{Path, PathBuf};

use crate::common::random::{beat, log_with, n_cases};
use cwl_engine::testing::tools;
use cwl_engine::*;
use proptest::prelude::*;

/// An oddity of one record, by harnesses that write trees, copies and parts of replies.
#[derive(Debug, Clone)]
enum Oddity {
    Previous,
    Woven,
    /// The parent is this many records back.
    Below(usize),
    WovenBelow(usize),
    Outside,
    Unknown(bool),
    Root,
    Side,
    /// The id of the record this many records back.
    SameId(usize),
    PartOf(u8),
    Size(u64, u64),
    Report(u64),
    Total(u64),
    Empty,
    ByHarness,
    Fails,
}

fn oddity() -> impl Strategy<Value = Oddity> {
    prop_oneof![
        4 => Just(Oddity::Previous),
        8 => Just(Oddity::Woven),
        1 => (1..12usize).prop_map(Oddity::Below),
        2 => (1..12usize).prop_map(Oddity::WovenBelow),
        2 => Just(Oddity::Outside),
        1 => any::<bool>().prop_map(Oddity::Unknown),
        1 => Just(Oddity::Root),
        1 => Just(Oddity::Side),
        1 => (1..12usize).prop_map(Oddity::SameId),
        6 => (0..3u8).prop_map(Oddity::PartOf),
        3 => (0..4000u64, 0..4000u64).prop_map(|(input, cache)| Oddity::Size(input, cache)),
        2 => (0..100u64).prop_map(Oddity::Report),
        1 => (0..100u64).prop_map(Oddity::Total),
        1 => Just(Oddity::Empty),
        1 => Just(Oddity::ByHarness),
        1 => Just(Oddity::Fails),
    ]
}

fn apply_oddity(events: &[SessionEvent], event: &mut SessionEvent, odd: &Oddity) {
    let back = |n: usize| {
        events.get(events.len().wrapping_sub(n)).map_or_else(|| "later".into(), |one| one.entry.clone())
    };
    match (odd, &mut event.body) {
        (Oddity::Previous, _) => event.parent = Parent::Previous,
        (Oddity::Woven, _) => event.parent = Parent::Woven(back(1)),
        (Oddity::Below(n), _) => event.parent = Parent::Entry(back(*n)),
        (Oddity::WovenBelow(n), _) => event.parent = Parent::Woven(back(*n)),
        (Oddity::Outside, _) => event.parent = Parent::Outside,
        // Some of these ids come later.
        (Oddity::Unknown(true), _) => {
            event.parent = Parent::Woven(format!("e{}", events.len() + 5).as_str().into())
        }
        (Oddity::Unknown(false), _) => event.parent = Parent::Entry("nowhere".into()),
        (Oddity::Root, _) => event.parent = Parent::Root,
        (Oddity::Side, _) => event.side = true,
        (Oddity::SameId(n), _) => event.entry = back(*n),
        (Oddity::PartOf(reply), EventBody::Message(message)) => {
            message.reply = Some(format!("reply {reply}").as_str().into());
        }
        (Oddity::Size(input, cache_read), EventBody::Message(message)) => {
            message.usage = Some(Usage { input: *input, cache_read: *cache_read, ..Usage::default() });
        }
        (Oddity::Report(input), body) => {
            let usage = Some(Usage { input: *input, ..Usage::default() });
            *body = EventBody::Usage(UsageReport { usage, ..UsageReport::default() });
        }
        (Oddity::Total(input), body) => {
            let usage = Some(Usage { input: *input, ..Usage::default() });
            *body = EventBody::Usage(UsageReport { of: UsageScope::Run, usage, ..UsageReport::default() });
        }
        (Oddity::Empty, EventBody::Message(message)) => message.blocks.clear(),
        (Oddity::ByHarness, EventBody::Message(message)) => message.author = Author::Harness,
        (Oddity::Fails, EventBody::Message(message)) => message.outcome = ReplyOutcome::Error,
        _ => {}
    }
}

/// Reads `events` in pieces of the given lengths and compares with the whole after each. Returns how often session and
/// graph were not built anew.
fn check(
    events: &[SessionEvent],
    pieces: &[usize],
    history: History,
    tools: &ToolTable,
    name: &str,
) -> [usize; 2] {
    let mut log = EventLog::default();
    let mut growing = GrowingSession::build(&log, history, tools.clone());
    let mut timeline = GrowingTimeline::build(growing.session());
    let mut rest = events.iter();
    let mut n_extended = [0; 2];
    for piece in pieces.iter().cycle() {
        let kept = log.clone();
        let before = growing.clone();
        let known = kept.events().len();
        rest.by_ref().take((*piece).max(1)).for_each(|event| _ = log.push(event.clone()));
        let change = growing.extend(&log);
        let (whole, problems) = Session::build(&log, None, history, tools);
        let at = format!("{name}: from {known} to {} records", log.events().len());
        assert_eq!(*growing.session(), whole, "{at}");
        assert_eq!(growing.problems(), problems, "{at}");
        assert_eq!(*before.session(), Session::build(&kept, None, history, tools).0, "{at}: the past stays");
        n_extended[1] += usize::from(timeline.extend(growing.session(), change));
        let (graph, problems) = GraphTimeline::build(&whole);
        assert_eq!(*timeline.timeline(), graph, "{at}");
        assert_eq!(timeline.problems(&whole), problems, "{at}");
        if let SessionChange::From(first) = change {
            n_extended[0] += 1;
            let n_same = before
                .session()
                .blocks
                .range(0..first)
                .zip(&whole.blocks)
                .filter(|(one, other)| one == other);
            assert_eq!(n_same.count(), first, "{at}: blocks before the first changed one");
        }
        if rest.as_slice().is_empty() {
            return n_extended;
        }
    }
    n_extended
}

fn histories() -> impl Strategy<Value = History> {
    prop::sample::select(vec![History::AsRecorded, History::Unevicted, History::Full])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn a_log_in_pieces_gives_the_session_of_the_whole(
        beats in prop::collection::vec(beat(), 0..40),
        pieces in prop::collection::vec(1..6usize, 1..6),
        history in histories(),
    ) {
        let events = log_with(&beats, true).log.events().to_vec();
        check(&events, &pieces, history, &tools(), "beats");
    }

    #[test]
    fn an_odd_log_in_pieces_gives_the_session_of_the_whole(
        beats in prop::collection::vec((beat(), prop::option::weighted(0.7, oddity()), oddity()), 0..40),
        is_woven in any::<bool>(),
        pieces in prop::collection::vec(1..6usize, 1..6),
        history in histories(),
    ) {
        let plain: Vec<_> = beats.iter().map(|(beat, ..)| beat.clone()).collect();
        let mut events: Vec<SessionEvent> = Vec::new();
        let mut oddities = beats.iter().flat_map(|(_, one, other)| [one.as_ref(), Some(other).filter(|_| one.is_some())]);
        for event in log_with(&plain, true).log.events() {
            let mut event = event.clone();
            if let (true, Parent::Entry(parent)) = (is_woven, &event.parent) {
                event.parent = Parent::Woven(parent.clone());
            }
            for odd in oddities.by_ref().take(2).flatten() {
                apply_oddity(&events, &mut event, odd);
            }
            events.push(event);
        }
        check(&events, &pieces, history, &tools(), "odd");
    }
}

fn sample_logs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let entries =
        |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries(root).flat_map(entries).flat_map(entries).collect();
    found.retain(|path| {
        path.is_file() && path.file_name().is_some_and(|name| name == "input.jsonl" || name == "input.json")
    });
    found.sort();
    found
}

#[test]
fn every_sample_in_pieces_gives_the_session_of_the_whole() {
    let samples = sample_logs();
    assert!(samples.len() > 20);
    let (mut n_pieces, mut n_sessions, mut n_graphs) = (0, 0, 0);
    for path in samples {
        let bytes = std::fs::read(&path).unwrap();
        let format = cwl_formats::detect_format(&bytes[..bytes.len().min(64 * 1024)]).unwrap();
        let events: Vec<SessionEvent> =
            cwl_formats::parse_log(format, &bytes).0.into_iter().map(|parsed| parsed.event).collect();
        // Long samples in larger pieces: each piece builds the session anew, to compare.
        let piece = events.len() / 60 + 1;
        n_pieces += events.len().div_ceil(piece);
        let tools = cwl_formats::default_tools();
        let [sessions, graphs] =
            check(&events, &[piece], History::AsRecorded, &tools, &path.display().to_string());
        (n_sessions, n_graphs) = (n_sessions + sessions, n_graphs + graphs);
    }
    assert!(
        n_graphs * 2 > n_pieces,
        "of {n_pieces} pieces, {n_sessions} went on with the session, {n_graphs} with the graph"
    );
}
