//! The reported prompt cache: which requests missed it, by how much, and why.

use crate::common::{call, text};
use cwl_engine::testing::LogBuilder;
use cwl_engine::*;

const FIVE_MINUTES: CacheOptions =
    CacheOptions { minimum: 1024, granularity: 1, lifetime_ms: 300_000, matching: CacheMatch::Prefix };

/// Tokens read, written and neither; seconds since the previous request.
type Asked = (u64, u64, u64, i64);

/// Builds a session with the given usage per request; the model is `one`.
fn session(log: &LogBuilder, asked: &[Asked]) -> Session {
    let (mut session, _, _) = log.build(1);
    let replies: Vec<usize> = session.turns.iter().filter_map(|turn| Some(turn.message?.at())).collect();
    assert_eq!(replies.len(), asked.len(), "each request has its usage");
    let (mut from, mut now) = (0, 0);
    for (reply, (cache_read, cache_write, input, passed)) in replies.into_iter().zip(asked) {
        now += passed * 1000;
        (from..reply).for_each(|at| session.messages[at].at_ms = Some(now));
        from = reply;
        let usage = Usage {
            input: *input,
            output: 10,
            cache_read: *cache_read,
            cache_write: *cache_write,
            ..Usage::default()
        };
        session.messages[reply].usage = Some(usage);
        session.messages[reply].model = Some("one".into());
    }
    session
}

fn requests(n: usize) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    for at in 0..n {
        let id = format!("c{at}");
        log.reply(&[call(&id, "read")]).result(&id, "long");
    }
    log
}

fn found(session: &Session, branched: &[TurnIdx], lost: &[TurnIdx]) -> Vec<CacheRead> {
    reported_cache(&MissInput { session, options: &FIVE_MINUTES, branched, lost })
}

/// Expected form: turn, missed tokens, cause.
fn check(session: &Session, expected: &[(u32, u64, MissCause)]) {
    check_with(session, &[], &[], expected);
}

fn check_with(session: &Session, branched: &[u32], lost: &[u32], expected: &[(u32, u64, MissCause)]) {
    let turns = |turns: &[u32]| turns.iter().copied().map(TurnIdx::new).collect::<Vec<_>>();
    let reads = found(session, &turns(branched), &turns(lost));
    let misses: Vec<_> = reads
        .iter()
        .filter_map(|read| Some((read.turn.number(), read.missed_tokens(), read.cause?)))
        .collect();
    assert_eq!(misses, expected);
}

const STEADY: [Asked; 4] = [(0, 5000, 4, 0), (5000, 900, 4, 20), (5900, 800, 4, 20), (6700, 700, 4, 20)];

#[test]
fn the_first_request_finds_nothing_and_the_others_what_the_one_before_left() {
    let session = session(&requests(4), &STEADY);
    check(&session, &[(1, 5004, MissCause::First)]);
    let reads = found(&session, &[], &[]);
    assert_eq!(reads.iter().map(|read| read.expected).collect::<Vec<_>>(), [5004, 5000, 5900, 6700]);
    assert_eq!(reads[0].billed_instead(), CacheTurn { cached: 0, written: 5000, fresh: 4 });
}

#[test]
fn a_log_without_a_cache_has_no_misses() {
    assert_eq!(found(&session(&requests(2), &[(0, 0, 5000, 0), (0, 0, 6000, 9)]), &[], &[]), []);
    assert_eq!(found(&LogBuilder::new().build(1).0, &[], &[]), []);
}

#[test]
fn a_miss_of_less_than_counts_is_none() {
    let almost = [(0, 5000, 4, 0), (5000 - SMALLEST_MISS + 1, 1500, 4, 9), (6400, 10, 4, 9)];
    check(&session(&requests(3), &almost), &[(1, 5004, MissCause::First)]);
    let more = [(0, 5000, 4, 0), (5000 - SMALLEST_MISS, 1500, 4, 9), (5476, 10, 4, 9)];
    check(
        &session(&requests(3), &more),
        &[(1, 5004, MissCause::First), (2, SMALLEST_MISS, MissCause::Unknown)],
    );
}

#[test]
fn a_pause_longer_than_the_lifetime_is_the_cause_unless_a_longer_one_was_survived() {
    let mut paused = STEADY;
    paused[2] = (0, 6700, 4, 301);
    check(&session(&requests(4), &paused), &[(1, 5004, MissCause::First), (3, 5900, MissCause::Expired)]);
    paused[2].3 = 300;
    check(&session(&requests(4), &paused), &[(1, 5004, MissCause::First), (3, 5900, MissCause::Unknown)]);
    // The provider kept the prefix for an hour, so half an hour explains nothing.
    paused[2].3 = 1800;
    paused[3].3 = 3600;
    check(&session(&requests(4), &paused), &[(1, 5004, MissCause::First), (3, 5900, MissCause::Unknown)]);
}

#[test]
fn another_model_has_another_cache() {
    let mut other = STEADY;
    other[2] = (0, 6700, 4, 900);
    let mut session = session(&requests(4), &other);
    for turn in [2, 3] {
        let reply = session.turns[turn].message.unwrap();
        session.messages[reply.at()].model = Some("two".into());
    }
    check(&session, &[(1, 5004, MissCause::First), (3, 5900, MissCause::Model)]);
}

#[test]
fn what_the_harness_took_out_is_the_cause_with_its_first_block() {
    let asked = [(0, 5000, 4, 0), (5000, 900, 4, 20), (1000, 1200, 4, 20)];
    let causes = |log: &LogBuilder| {
        let session = session(log, &asked);
        let miss = found(&session, &[], &[])[2];
        (miss.cause.unwrap(), miss.missed_tokens(), session.blocks[miss.block.unwrap().at()].id.to_string())
    };
    let begun = || {
        let mut log = LogBuilder::new();
        log.human("go").reply(&[call("c1", "read")]).result("c1", "long").reply(&[text(1)]);
        log
    };
    // Only 2,204 of the 5,900 tokens are in the request.
    let mut log = begun();
    log.clearing("c1", "cleared").human("b").reply(&[text(2)]);
    assert_eq!(causes(&log), (MissCause::Cleared, 1204, "e3:0".into()));
    let mut log = begun();
    log.compaction("all of it", "e4").human("b").reply(&[text(2)]);
    assert_eq!(causes(&log), (MissCause::Compacted, 1204, "e1:0".into()));
    let mut log = begun();
    log.rewind(RewriteTarget::Entry("e3".into())).human("b").reply(&[text(2)]);
    assert_eq!(causes(&log).0, MissCause::Branch);
    let mut log = begun();
    log.revision("e1", "gone").human("b").reply(&[text(2)]);
    assert_eq!(causes(&log).0, MissCause::Revised);
}

#[test]
fn a_branch_and_a_hidden_loss_are_told_from_outside() {
    let mut missed = STEADY;
    missed[2] = (0, 6700, 4, 20);
    let session = session(&requests(4), &missed);
    let first = (1, 5004, MissCause::First);
    check_with(&session, &[3], &[], &[first, (3, 5900, MissCause::Branch)]);
    check_with(&session, &[], &[3], &[first, (3, 5900, MissCause::HiddenLoss)]);
    check_with(&session, &[2], &[4], &[first, (3, 5900, MissCause::Unknown)]);
}

#[test]
fn a_provider_that_reports_no_writes_keeps_whole_prompts() {
    let session = session(&requests(3), &[(0, 0, 4000, 0), (3900, 0, 1000, 9), (1000, 0, 5000, 9)]);
    check(&session, &[(1, 4000, MissCause::First), (3, 3900, MissCause::Unknown)]);
}
