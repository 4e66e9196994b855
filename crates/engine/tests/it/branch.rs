//! Branches of a log, and problems in its tree.

use crate::common::text;
use cwl_engine::testing::{LogBuilder, tools};
use cwl_engine::{BlockIdx, EntryId, History, Session};

fn check(log: &LogBuilder, leaf: Option<&str>, entries: &str, codes: &[&str]) -> Session {
    let leaf = leaf.map(|leaf| log.log.find_record(&EntryId::from(leaf)).unwrap());
    let (session, problems) = Session::build(&log.log, leaf, History::AsRecorded, &tools());
    let found: Vec<&str> = session.messages.iter().map(|message| message.entry.as_str()).collect();
    assert_eq!(found.join(" "), entries);
    let found: Vec<&str> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(found, codes);
    session
}

#[test]
fn the_last_record_is_the_tip_and_other_branches_can_be_chosen() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).human("b").reply(&[text(2)]);
    log.fork_at("e2").human("c").reply(&[text(3)]);
    check(&log, None, "e1 e2 e5 e6", &[]);
    check(&log, Some("e4"), "e1 e2 e3 e4", &[]);
    let tips: Vec<String> =
        log.log.tips().session.iter().map(|tip| log.log.record(*tip).entry.to_string()).collect();
    assert_eq!(tips, ["e4", "e6"]);
}

#[test]
fn what_ends_without_a_message_is_no_branch() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).reported(1).fork_at("e2").human("b").reported(2);
    let tips: Vec<String> =
        log.log.tips().session.iter().map(|tip| log.log.record(*tip).entry.to_string()).collect();
    assert_eq!(tips, ["e5"], "the last record is where the session stands");
}

#[test]
fn a_parent_that_is_not_there_makes_a_root() {
    let mut log = LogBuilder::new();
    log.human("a").fork_at("gone").human("b").reply(&[text(1)]);
    check(&log, None, "e2 e3", &["L011"]);
}

#[test]
fn a_circle_of_parents_is_cut() {
    let mut log = LogBuilder::new();
    log.fork_at("e2").human("a").human("b").reply(&[text(1)]);
    check(&log, None, "e1 e2 e3", &["L012"]);
    let mut log = LogBuilder::new();
    log.fork_at("e1").human("a");
    check(&log, None, "e1", &["L012"]);
}

#[test]
fn turns_are_requests_and_the_last_one_is_now() {
    let mut log = LogBuilder::new();
    let session = check(&log, None, "", &[]);
    assert_eq!(session.turns.len(), 1, "an empty log has one turn, now");
    log.human("a").reply(&[text(1)]).reply(&[text(2)]).human("b");
    let session = check(&log, None, "e1 e2 e3 e4", &[]);
    let ends: Vec<(usize, Option<usize>)> =
        session.turns.iter().map(|t| (t.end, t.message.map(|m| m.at()))).collect();
    assert_eq!(ends, [(1, Some(1)), (2, Some(2)), (4, None)]);
}

#[test]
fn records_that_stay_are_found_wherever_they_are() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).human("b").reply(&[text(2)]);
    log.compaction_of("sum", &["e2", "e3"]).reply(&[text(3)]).compaction_of("again", &["e4", "e5"]);
    log.compaction_of("last", &["nowhere"]);
    let session = check(&log, None, "e1 e2 e3 e4 e5 e6 e7 e8", &["L013"]);
    let messages = |blocks: &[BlockIdx]| -> Vec<&str> {
        blocks.iter().map(|block| session.message_of(*block).entry.as_str()).collect()
    };
    let [first, second, third] = &session.replacements[..] else { panic!("{:?}", session.replacements) };
    assert_eq!((messages(&first.drops), messages(&first.restores)), (vec!["e1", "e4"], vec![]));
    // Records removed by an earlier compaction are restored; its summary never is.
    assert_eq!(
        (messages(&second.drops), messages(&second.restores)),
        (vec!["e2", "e3", "e5", "e6"], vec!["e4"])
    );
    assert_eq!((messages(&third.drops), messages(&third.restores)), (vec!["e4", "e7"], vec![]));
    let order: Vec<&str> =
        session.model_order(8).into_iter().map(|at| session.messages[at.at()].entry.as_str()).collect();
    assert_eq!(order, ["e1", "e5", "e2", "e3", "e7", "e4", "e6", "e8"], "each summary before what stays");
}

#[test]
fn an_unknown_keep_drops_everything_and_says_so() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).compaction("sum", "nowhere").reply(&[text(2)]);
    let session = check(&log, None, "e1 e2 e3 e4", &["L013"]);
    assert_eq!(session.replacements[0].drops.len(), 2);
}
