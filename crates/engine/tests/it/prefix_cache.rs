//! The prompt cache: what each request shares with the one before, told block by block.

use crate::common::random::{n_cases, setting};
use crate::common::{Played, call, mark, options_of, play, play_policy, text};
use cwl_engine::testing::{LogBuilder, expl};
use cwl_engine::*;
use proptest::prelude::*;

const EVERYTHING: CacheOptions = CacheOptions { minimum: 0, granularity: 1, lifetime_ms: 0 };

/// One element of a request, as the model sees it.
#[derive(Debug, Clone, PartialEq)]
enum Element {
    Beside(String),
    Block(BlockIdx, Option<Placeholder>),
}

/// The message (`None` for what stands beside the log), the element, its tokens or units.
type Elements = Vec<(Option<MessageIdx>, Element, u64)>;

fn elements(played: &Played, context: &RenderedContext) -> Elements {
    let mut elements = Vec::new();
    for message in &context.messages {
        match &message.origin {
            MessageOrigin::Residue { text, .. } => {
                elements.push((None, Element::Beside(format!("residue {text}")), message.tokens));
            }
            MessageOrigin::Summary { text, .. } => {
                elements.push((None, Element::Beside(format!("summary {text}")), message.tokens));
            }
            MessageOrigin::Log(idx) => {
                for item in &message.items {
                    let (placeholder, units) = match &item.fate {
                        Fate::Kept(_) => (None, played.table.units(item.block)),
                        Fate::Masked(placeholder, _) => {
                            (Some(*placeholder), played.table.placeholder(*placeholder))
                        }
                        Fate::Gone(_) => continue,
                    };
                    elements.push((Some(*idx), Element::Block(item.block, placeholder), units));
                }
            }
        }
    }
    elements
}

/// Counts what the second of two requests shares with the first, from the whole of both.
fn shared(played: &Played, old: &Elements, new: &Elements) -> u64 {
    let n_same = old.iter().zip(new).take_while(|(old, new)| old.1 == new.1).count();
    let mut tokens = 0;
    let mut at = 0;
    while at < n_same {
        let (message, _, size) = &new[at];
        let Some(message) = message else {
            tokens += size;
            at += 1;
            continue;
        };
        let from = at;
        while at < n_same && new[at].0 == Some(*message) {
            at += 1;
        }
        let units: u64 = new[from..at].iter().map(|(_, _, units)| units).sum();
        let goes_on = |elements: &Elements| elements.get(at).is_some_and(|next| next.0 == Some(*message));
        let in_part = at == n_same && (goes_on(old) || goes_on(new));
        tokens +=
            if in_part { units / u64::from(played.table.divisor()) } else { played.table.tokens(units) };
    }
    tokens
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 4))]

    #[test]
    fn what_is_shared_is_what_a_comparison_of_both_requests_finds(setting in setting()) {
        let policy = setting.policy;
        let played = setting.play();
        let input = played.input();
        let turns = prefix_cache(&input, &played.replay, &PromptLayout::of(&played.session), &EVERYTHING);
        let bands = [BandsBy::Episode, BandsBy::Content].map(|by| (by, composition(&input, &played.replay, by)));
        prop_assert_eq!(turns.len(), played.replay.turns.len());
        let mut before: Option<Elements> = None;
        for (at, turn) in turns.iter().enumerate() {
            let number = TurnIdx::new(u32::try_from(at + 1).unwrap());
            let context = played.context(Cut::end_of(number));
            for (by, bands) in &bands {
                prop_assert_eq!(composition_at(&input, &context, *by), bands[at], "one context as all of them");
            }
            let now = elements(&played, &context);
            let overhead = input.overhead.at(number);
            // A policy may count what is not sent.
            let is_unsent = |item: &RenderedItem| item.fate == Fate::Gone(GoneReason::Excluded);
            let unsent = context.messages.iter().filter(|message| message.items.iter().any(is_unsent));
            let unsent: u64 = unsent.map(|message| message.tokens).sum();
            let prompt = context.total - context.overhead - unsent + overhead;
            prop_assert_eq!(turn.prompt(), prompt, "{} turn {}: the whole prompt", policy.name, number);
            let was = input.overhead.at(TurnIdx::new(u32::try_from(at.max(1)).unwrap()));
            let expected = before.map_or(0, |before| match was {
                // The prompt begins with another overhead: what follows it stands elsewhere.
                less if less < overhead => less,
                _ => overhead + shared(&played, &before, &now),
            });
            prop_assert_eq!(turn.cached, expected.min(prompt), "{} turn {}: what is shared", policy.name, number);
            prop_assert_eq!(turn.fresh, 0);
            before = Some(now);
        }
    }
}

fn cached(played: &Played, options: &CacheOptions) -> Vec<[u64; 3]> {
    let turns = prefix_cache(&played.input(), &played.replay, &PromptLayout::of(&played.session), options);
    turns.iter().map(|turn| [turn.cached, turn.written, turn.fresh]).collect()
}

#[test]
fn what_only_grows_is_read_again_in_whole() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(1000));
    log.step(&[text(50), call("a", "read")], 450);
    log.step(&[call("b", "read")], 1000);
    log.reply(&[text(10)]);
    let played = play_policy("none", &log, u64::MAX, &[]);
    let check = |minimum, granularity, expected: &[[u64; 3]]| {
        let options = CacheOptions { minimum, granularity, lifetime_ms: 0 };
        assert_eq!(cached(&played, &options), expected, "{options:?}");
    };
    check(0, 1, &[[0, 1000, 0], [1000, 504, 0], [1504, 1004, 0], [2508, 10, 0]]);
    check(1024, 1, &[[0, 0, 1000], [0, 1504, 0], [1504, 1004, 0], [2508, 10, 0]]);
    check(1024, 128, &[[0, 0, 1000], [0, 1408, 96], [1408, 1024, 76], [2432, 0, 86]]);
    check(0, 0, &[[0, 1000, 0], [1000, 504, 0], [1504, 1004, 0], [2508, 10, 0]]);
    check(1 << 40, 1, &[[0, 0, 1000], [0, 0, 1504], [0, 0, 2508], [0, 0, 2518]]);
}

#[test]
fn an_eviction_moves_what_is_shared_to_its_place() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(100));
    log.step(&[mark("m1", expl("e1"))], 0);
    log.step(&[call("a", "grep")], 500);
    log.step(&[mark("m2", cwl_engine::testing::end("found"))], 0);
    log.step(&[mark("m3", expl("e2"))], 0);
    log.step(&[call("b", "read")], 300);
    log.reply(&[text(10)]);
    let played = play(&log, 700, &[]);
    let with = cached(&played, &EVERYTHING);
    let last_pass = played.steps().last().unwrap().turn;
    let at = last_pass.at();
    assert_eq!(with[at][0], 111, "the human's words and the start call with its result stay as they were");
    let whole = play_policy("none", &log, u64::MAX, &[]);
    let without = cached(&whole, &EVERYTHING);
    assert_eq!(without[at][0], whole.replay.turns[at - 1].after, "nothing was taken: all of it is shared");
}

/// Plays `tiers` on four reads, of which the last turns name two whose summaries alone have room.
fn paged(change: impl Fn(&mut LogBuilder)) -> Played {
    let mut log = LogBuilder::new();
    log.human("go").reply(&[call("late", "read")]);
    for id in ["a", "b", "c", "d"] {
        log.step(&[call(id, "read")], 60);
    }
    log.reply(&[call("use", "read")]).reply(&[]).reply(&[]).reply(&[]);
    change(&mut log);
    let settings = [("keep_turns", "1"), ("low", "1000"), ("page_in", "30"), ("stay", "2")];
    let material = |session: &Session| {
        let result = |call: &str| {
            let is_it =
                |block: &SessionBlock| matches!(&block.kind, BlockKind::Result(r) if r.call.as_str() == call);
            BlockIdx::new(session.blocks.iter().position(is_it).unwrap())
        };
        let by = session
            .blocks
            .iter()
            .position(|block| matches!(&block.kind, BlockKind::Call(call) if call.id.as_str() == "use"));
        let by = BlockIdx::new(by.unwrap());
        let held = [result("a"), result("b")];
        let line = |block| DigestLine::new(block, Slot::Facts, "x", 5);
        let uses = held.map(|held| Use { name: 0, by, held, again: None });
        let digest = held.map(line).to_vec();
        (Material { title_units: 5, digest, uses: uses.to_vec(), ..Material::default() }, Vec::new())
    };
    Played::with("tiers", &log, 150, 0, 1, &options_of("tiers", &settings), material)
}

/// Summaries come in between a call and its late result, and go again, and no block comes or goes with them.
#[test]
fn a_summary_that_comes_in_alone_has_its_place() {
    let played = paged(|log| {
        log.result("late", "x");
    });
    let alone = played.steps().into_iter().filter(|step| matches!(step.subject, Subject::Span(..)));
    let alone: Vec<Action> = alone.map(|step| step.action).collect();
    assert!(alone.contains(&Action::PageIn), "{}", played.dump());
    let found: Vec<u64> = cached(&played, &EVERYTHING).iter().map(|parts| parts.iter().sum()).collect();
    let expected: Vec<u64> = played.replay.turns.iter().map(|turn| turn.after).collect();
    assert_eq!(found, expected, "{}", played.dump());
}

/// The harness drops what the first of two equal summaries covers; the other then stands where the first stood.
#[test]
fn a_summary_equal_to_the_one_that_goes_takes_its_place() {
    let played = paged(|log| {
        log.rewind(Target::Results("a".into())).reply(&[]);
    });
    let found: Vec<u64> = cached(&played, &EVERYTHING).iter().map(|parts| parts.iter().sum()).collect();
    let expected: Vec<u64> = played.replay.turns.iter().map(|turn| turn.after).collect();
    assert_eq!(found, expected, "{}", played.dump());
}

#[test]
fn a_prefix_lives_until_its_time_is_over() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(2000));
    for _ in 0..4 {
        log.reply(&[text(100)]);
        log.human(&"h".repeat(100));
    }
    let check = |times: [Option<i64>; 9], lifetime_ms, expected: [u64; 4]| {
        let mut timed = log.clone();
        timed.log = EventLog::default();
        for (event, at_ms) in log.log.events().iter().zip(times) {
            timed.log.push(SessionEvent { at_ms, ..event.clone() });
        }
        let played = play_policy("none", &timed, u64::MAX, &[]);
        let options = CacheOptions { lifetime_ms, ..CacheOptions::default() };
        let found: Vec<u64> = cached(&played, &options)[1..].iter().map(|turn| turn[0]).collect();
        assert_eq!(found, expected, "{times:?} {lifetime_ms}");
    };
    let at = |minutes: [i64; 5]| {
        let mut times = [None; 9];
        for (record, minute) in minutes.iter().enumerate() {
            times[record * 2] = Some(minute * 60_000);
            // The reply before it came a moment earlier; what counts is when the human answered.
            if let Some(before) = (record * 2).checked_sub(1) {
                times[before] = Some(minute * 60_000 - 1000);
            }
        }
        times
    };
    let default = CacheOptions::default().lifetime_ms;
    check([None; 9], default, [2000, 2200, 2400, 2600]);
    check(at([0, 1, 2, 3, 4]), default, [2000, 2200, 2400, 2600]);
    check(at([0, 5, 11, 12, 18]), default, [2000, 0, 2400, 0]);
    check(at([0, 5, 11, 12, 18]), 0, [2000, 2200, 2400, 2600]);
    check(at([0, 5, 11, 12, 18]), 3_600_000, [2000, 2200, 2400, 2600]);
    check(at([60, 5, 4, 3, 2]), default, [2000, 2200, 2400, 2600]);
    check(
        [Some(i64::MIN), None, Some(i64::MAX), None, None, None, None, None, None],
        default,
        [0, 2200, 2400, 2600],
    );
}
