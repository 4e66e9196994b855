//! The prompt cache: what each request shares with the previous one, computed block by block.

use crate::common::random::{n_cases, setting};
use crate::common::{Played, call, mark, options_of, play, play_policy, text};
use cwl_engine::testing::{LogBuilder, expl};
use cwl_engine::*;
use proptest::prelude::*;

const EVERYTHING: CacheOptions =
    CacheOptions { minimum: 0, granularity: 1, lifetime_ms: 0, matching: CacheMatch::Prefix };

#[derive(Debug, Clone, PartialEq)]
enum Element {
    Beside(String),
    Block(BlockIdx, Option<Placeholder>),
}

/// (message, or `None` for inserted ones; element; tokens or units).
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
                            (Some(*placeholder), played.table.placeholder_units(*placeholder))
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

/// Computes the common prefix of two whole requests, tokens.
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
        tokens += if in_part {
            units / u64::from(played.table.divisor())
        } else {
            played.table.tokens_from_units(units)
        };
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
        let turns = prefix_cache(&input, &played.replay, &PromptLayout::from_session(&played.session), &EVERYTHING);
        let bands = [BandsBy::Episode, BandsBy::Content].map(|by| (by, bands_by_turn(&input, &played.replay, by)));
        prop_assert_eq!(turns.len(), played.replay.turns.len());
        let mut before: Option<Elements> = None;
        for (at, turn) in turns.iter().enumerate() {
            let number = TurnIdx::new(u32::try_from(at + 1).unwrap());
            let context = played.context(Cut::end_of(number));
            for (by, bands) in &bands {
                prop_assert_eq!(composition_at(&input, &context, *by), bands[at], "one context as all of them");
            }
            let now = elements(&played, &context);
            let overhead = input.overhead.tokens_at(number);
            // A policy may count unsent blocks.
            let is_unsent = |item: &&RenderedItem| item.fate == Fate::Gone(GoneReason::Excluded);
            let unsent = |message: &RenderedMessage| {
                let unsent = message.items.iter().filter(is_unsent);
                let unsent: u64 = unsent.map(|item| played.table.units(item.block)).sum();
                let is_of = |of: &Option<MessageIdx>| of.is_some_and(|of| message.origin == MessageOrigin::Log(of));
                let units: u64 = now.iter().filter(|(of, ..)| is_of(of)).map(|(_, _, units)| units).sum();
                played.table.tokens_from_units(units + unsent) - played.table.tokens_from_units(units)
            };
            let unsent: u64 = context.messages.iter().map(unsent).sum();
            let prompt = context.total - context.overhead - unsent + overhead;
            prop_assert_eq!(turn.prompt_tokens(), prompt, "{} turn {}: the whole prompt", policy.name, number);
            let was = input.overhead.tokens_at(TurnIdx::new(u32::try_from(at.max(1)).unwrap()));
            let expected = before.map_or(0, |before| match was {
                // The overhead differs, so everything after it moves.
                less if less < overhead => less,
                _ => overhead + shared(&played, &before, &now),
            });
            prop_assert_eq!(turn.cached, expected.min(prompt), "{} turn {}: what is shared", policy.name, number);
            prop_assert_eq!(turn.fresh, 0);
            before = Some(now);
        }
    }
}

fn size_of(played: &Played, request: &Elements, n: usize) -> u64 {
    let (mut tokens, mut at) = (0, 0);
    while at < n {
        let (message, _, size) = &request[at];
        let Some(message) = message else {
            tokens += size;
            at += 1;
            continue;
        };
        let from = at;
        while at < n && request[at].0 == Some(*message) {
            at += 1;
        }
        let units: u64 = request[from..at].iter().map(|(_, _, units)| units).sum();
        let goes_on = request.get(at).is_some_and(|next| next.0 == Some(*message));
        tokens += if goes_on {
            units / u64::from(played.table.divisor())
        } else {
            played.table.tokens_from_units(units)
        };
    }
    tokens
}

/// The log messages around a residue or a summary.
#[derive(Debug, Clone, Copy, Default)]
struct Neighbours {
    before: Option<MessageIdx>,
    behind: Option<MessageIdx>,
}

/// Two places are equal if one neighbour is: a message may go or come beside the text.
impl PartialEq for Neighbours {
    fn eq(&self, other: &Self) -> bool {
        self.before == other.before || self.behind == other.behind
    }
}

fn neighbours(context: &RenderedContext) -> Vec<Neighbours> {
    let log_message = |message: &RenderedMessage| match message.origin {
        MessageOrigin::Log(idx) => Some(idx),
        MessageOrigin::Residue { .. } | MessageOrigin::Summary { .. } => None,
    };
    let messages = &context.messages;
    let inserted = (0..messages.len()).filter(|at| log_message(&messages[*at]).is_none());
    inserted
        .map(|at| Neighbours {
            before: messages[..at].iter().rev().find_map(log_message),
            behind: messages[at..].iter().find_map(log_message),
        })
        .collect()
}

/// A provider's entry: overhead, and every element with its place.
type Entry = (u64, Vec<(Element, Neighbours)>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 4))]

    /// The documented rule on whole requests: entries are prefixes, and 20 places are checked.
    #[test]
    fn a_request_reads_what_an_earlier_one_wrote_at_a_breakpoint(
        setting in setting(), head in any::<bool>(), last_messages in 1u8..=3, minimum in 0u64..3000,
    ) {
        let played = setting.play();
        let input = played.input();
        let matching = CacheMatch::Breakpoints(BreakpointHabit { head, last_messages });
        let options = CacheOptions { minimum, matching, ..EVERYTHING };
        let turns = prefix_cache(&input, &played.replay, &PromptLayout::from_session(&played.session), &options);
        let mut entries: Vec<Entry> = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let number = TurnIdx::new(u32::try_from(at + 1).unwrap());
            let context = played.context(Cut::end_of(number));
            let request = elements(&played, &context);
            let mut beside = neighbours(&context).into_iter();
            let placed: Vec<(Element, Neighbours)> = request.iter().map(|(message, element, _)| {
                let place = if message.is_some() { None } else { beside.next() };
                (element.clone(), place.unwrap_or_default())
            }).collect();
            let class = |at: usize| request[at].0.map(|message| played.session.messages[message.at()].class);
            let by_model = |at: usize| class(at) == Some(MessageClass::Assistant);
            let n_head = (0..request.len()).take_while(|at| class(*at) == Some(MessageClass::System)).count();
            let ends = (1..=request.len()).rev().filter(|end| *end == request.len() || by_model(*end) != by_model(end - 1));
            let breakpoints: Vec<usize> = ends.take(last_messages.into()).collect();
            let overhead = input.overhead.tokens_at(number);
            let is_written = |n: usize| entries.contains(&(overhead, placed[..n].to_vec()));
            let is_looked_at = |n: usize| breakpoints.iter().any(|end| (n..n + 20).contains(end)) || head && n == n_head;
            let read = (0..=request.len()).rev().find(|n| is_looked_at(*n) && is_written(*n));
            let size = |n: usize| overhead + size_of(&played, &request, n);
            let cached = read.map_or(0, size);
            let prompt = size(request.len());
            let is_long = |n: &usize| size(*n) >= minimum;
            let all: Vec<usize> = breakpoints.iter().copied().chain(head.then_some(n_head)).filter(is_long).collect();
            let written = all.iter().map(|n| size(*n)).max().unwrap_or(0).saturating_sub(cached);
            let expected = [cached, written, prompt - cached - written];
            prop_assert_eq!([turn.cached, turn.written, turn.fresh], expected, "{} turn {}", setting.policy.name, number);
            entries.extend(all.into_iter().map(|n| (overhead, placed[..n].to_vec())));
        }
    }
}

/// The examples of the provider's page: blocks 1 to 10, then 15, then 35, each with a breakpoint at the end.
#[test]
fn an_entry_twenty_blocks_back_is_out_of_sight() {
    let check = |n_added: usize, head: bool, expected: u64| {
        let mut log = LogBuilder::new();
        log.human("0123456789").reply(&[text(10)]);
        // Every human message is one block of ten tokens.
        for _ in 0..n_added {
            log.human("0123456789");
        }
        log.reply(&[text(10)]);
        let played = play_policy("none", &log, u64::MAX, &[]);
        let matching = CacheMatch::Breakpoints(BreakpointHabit { head, last_messages: 1 });
        let found = cached(&played, &CacheOptions { matching, ..EVERYTHING });
        assert_eq!(found[1][0], expected, "{n_added} blocks behind the reply, {head}");
    };
    check(1, true, 10);
    // The entry, the reply and 18 blocks: the breakpoint is the first of 20 places.
    check(18, true, 10);
    check(19, true, 0);
    check(19, false, 0);
    check(40, false, 0);
}

#[test]
fn after_an_eviction_far_back_no_entry_is_in_reach() {
    let mut log = LogBuilder::new();
    log.human(&"h".repeat(100));
    log.step(&[mark("m1", expl("e1"))], 0);
    log.step(&[call("a", "grep")], 500);
    log.step(&[mark("m2", cwl_engine::testing::end("found"))], 0);
    log.step(&[mark("m3", expl("e2"))], 0);
    for id in ["c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
        log.step(&[call(id, "read")], 1);
    }
    log.step(&[call("b", "read")], 300);
    log.reply(&[text(10)]);
    let played = play(&log, 800, &[]);
    let at = played.steps().last().unwrap().turn.at();
    let matching = CacheMatch::Breakpoints(BreakpointHabit::default());
    let found = cached(&played, &CacheOptions { matching, ..EVERYTHING });
    let shared = cached(&played, &EVERYTHING);
    assert!(shared[at][0] >= 100, "the words of the human are the same as before");
    assert_eq!([found[at][0], found[at][1]], [0, shared[at][0] + shared[at][1]], "and are written anew");
    assert_eq!(found[at - 1][0], shared[at - 1][0], "what only grew was read");
}

fn cached(played: &Played, options: &CacheOptions) -> Vec<[u64; 3]> {
    let turns =
        prefix_cache(&played.input(), &played.replay, &PromptLayout::from_session(&played.session), options);
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
        let options = CacheOptions { minimum, granularity, lifetime_ms: 0, matching: CacheMatch::Prefix };
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

/// Replays `tiers` on four reads. The last turns name two, and only their summaries fit.
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
        let line = |block| DigestLine::new(block, SummarySlot::Facts, "x", 5);
        let uses = held.map(|held| Use { name: 0, by, held, again: None });
        let digest = held.map(line).to_vec();
        (Material { title_units: 5, digest, uses: uses.to_vec(), ..Material::default() }, Vec::new())
    };
    Played::with("tiers", &log, 150, 0, 1, &options_of("tiers", &settings), material)
}

/// Summaries come and go between a call and its late result, without any other block changing.
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

/// The harness removes the content of the first of two equal summaries; the second then takes its position.
#[test]
fn a_summary_equal_to_the_one_that_goes_takes_its_place() {
    let played = paged(|log| {
        log.rewind(RewriteTarget::Results("a".into())).reply(&[]);
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
            // The previous reply came a moment earlier, but the human's answer counts.
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
