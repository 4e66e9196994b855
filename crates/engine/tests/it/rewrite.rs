//! Rewritten histories, woven trees, and usage in separate records.

use crate::common::{call, mark, text};
use cwl_engine::testing::{LogBuilder, Part, act, end, expl, tools};
use cwl_engine::{BlockIdx, Cut, EntryId, History, Presence, RewriteTarget, Session, Usage};

/// Expected form: the context at every turn as `record:index`, and codes of problems.
fn check(log: &LogBuilder, contexts: &[&str], codes: &[&str]) {
    check_with(log, History::AsRecorded, contexts, codes);
}

fn check_with(log: &LogBuilder, history: History, contexts: &[&str], codes: &[&str]) {
    let (session, problems) = Session::build(&log.log, None, history, &tools());
    let found: Vec<String> = (0..session.turns.len()).map(|turn| context(&session, turn)).collect();
    assert_eq!(found, contexts);
    let found: Vec<&str> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(found, codes);
}

fn context(session: &Session, turn: usize) -> String {
    let end = session.turns[turn].end;
    let mut gone = vec![false; session.blocks.len()];
    for replacement in session.replacements.iter().filter(|replacement| replacement.at <= end) {
        replacement.drops.iter().for_each(|block| gone[block.at()] = true);
        replacement.restores.iter().for_each(|block| gone[block.at()] = false);
    }
    let blocks = session.model_order(end).into_iter().flat_map(|message| session.blocks_of(message));
    let live: Vec<String> =
        blocks.filter(|(idx, _)| !gone[idx.at()]).map(|(_, block)| block.id.entry.to_string()).collect();
    live.join(" ")
}

#[test]
fn a_cleared_result_has_a_placeholder_in_its_place_from_then_on() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[call("c1", "read")]).result("c1", "long").reply(&[text(1)]);
    log.clearing("c1", "cleared").human("b").reply(&[text(2)]);
    check(&log, &["e1", "e1 e2 e3", "e1 e2 e5 e4 e6", "e1 e2 e5 e4 e6 e7"], &[]);
    let full = ["e1", "e1 e2 e3", "e1 e2 e3 e4 e6", "e1 e2 e3 e4 e6 e7"];
    check_with(&log, History::Full, &full, &[]);
    log.clearing("c1", "cleared again").clearing("c9", "nothing");
    check(&log, &["e1", "e1 e2 e3", "e1 e2 e5 e4 e6", "e1 e2 e8 e4 e6 e7"], &["L021"]);
}

#[test]
fn a_placeholder_belongs_to_the_episode_of_what_it_stands_for() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("m1", expl("look")), call("c1", "grep")], 50);
    log.step(&[mark("m2", end("seen"))], 1);
    log.step(&[mark("m3", act("do", &["look"]))], 1);
    log.clearing("c1", "cleared");
    log.step(&[mark("m4", end(""))], 1);
    let (session, growth, _) = log.build(1);
    let placeholder = session.messages.iter().find(|message| message.added).unwrap().blocks.start;
    let owner =
        growth.graph.episodes().find(|(_, e)| e.blocks.contains(&BlockIdx::new(placeholder))).unwrap();
    assert_eq!(owner.1.name.as_str(), "look");
    // A step that evicts a result evicts its placeholder.
    let played = crate::common::play(&log, 60, &[]);
    let state = played.state(Cut::end_of(session.last_turn()));
    assert!(matches!(
        state.presence(BlockIdx::new(placeholder)),
        Presence::Evicted(_) | Presence::ArrivedStripped(_)
    ));
}

#[test]
fn a_rewind_takes_back_turns_or_everything_from_a_record_and_later_turns_go_on() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).human("b").reply(&[text(2)]).human("c").reply(&[text(3)]);
    log.rewind(RewriteTarget::Turns(2)).human("d").reply(&[text(4)]);
    check(&log, &["e1", "e1 e2 e3", "e1 e2 e3 e4 e5", "e1 e2 e8", "e1 e2 e8 e9"], &[]);
    log.rewind(RewriteTarget::From(EntryId::from("e2"))).human("f");
    check(&log, &["e1", "e1 e2 e3", "e1 e2 e3 e4 e5", "e1 e2 e8", "e1 e11"], &[]);
    log.rewind(RewriteTarget::All).rewind(RewriteTarget::From("e1".into())).rewind(RewriteTarget::Turns(0));
    check(&log, &["e1", "e1 e2 e3", "e1 e2 e3 e4 e5", "e1 e2 e8", ""], &["L021", "L021"]);
}

#[test]
fn a_rewind_is_no_compaction_the_full_history_has_it_too() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).human("b").rewind(RewriteTarget::Turns(1)).human("c");
    check_with(&log, History::Full, &["e1", "e1 e2 e5"], &[]);
}

#[test]
fn what_was_rolled_back_stays_gone_when_a_compaction_keeps_from_before_it() {
    let mut log = LogBuilder::new();
    log.human("a").reply(&[text(1)]).human("b").reply(&[text(2)]).rewind(RewriteTarget::Turns(1));
    log.human("c").compaction("sum", "").human("d").compaction("sum", "e1");
    check(&log, &["e1", "e1 e2 e3", "e9 e1 e2 e6 e8"], &[]);
}

#[test]
fn an_eviction_takes_parts_puts_texts_and_may_put_parts_back() {
    let part = |entry: &str, part| RewriteTarget::Part(entry.into(), part);
    let mut log = LogBuilder::new();
    log.human("a").step(&[text(1), call("c", "read")], 5).human("b");
    log.eviction(part("e2", 1)).eviction(part("e3", 0)).put_before(Some("e2"), "[x] y").reply(&[text(1)]);
    let evicted = "e1 e7 e2 e4";
    check(&log, &["e1", evicted, &format!("{evicted} e8")], &[]);
    let whole = ["e1", "e1 e2 e2 e3 e4", "e1 e2 e2 e3 e4 e8"];
    check_with(&log, History::Unevicted, &whole, &[]);
    check_with(&log, History::Full, &whole, &[]);
    log.eviction(RewriteTarget::PartBack("e2".into(), 1)).eviction(RewriteTarget::PartBack("e3".into(), 0));
    log.eviction(part("e7", 0)).put_before(None, "z");
    check(&log, &["e1", evicted, "e1 e2 e2 e3 e4 e8 e12"], &[]);
    // Nothing is put back twice, only an eviction is undone, and a record that is nowhere is told.
    log.eviction(RewriteTarget::PartBack("e3".into(), 0)).eviction(part("e9", 0)).eviction(part("e2", 7));
    log.put_before(Some("e99"), "lost").clearing("c", "cleared");
    log.eviction(RewriteTarget::PartBack("e3".into(), 0));
    check(&log, &["e1", evicted, "e1 e2 e2 e17 e4 e8 e12"], &["L021"]);
}

#[test]
fn what_was_evicted_stays_gone_through_a_compaction() {
    let mut log = LogBuilder::new();
    log.human("a").step(&[call("c", "read")], 5).eviction(RewriteTarget::Part("e2".into(), 0));
    log.eviction(RewriteTarget::Part("e3".into(), 0)).reply(&[text(1)]).compaction("sum", "e2").human("b");
    check(&log, &["e1", "e1", "e7 e6 e8"], &[]);
    check_with(&log, History::Unevicted, &["e1", "e1 e2 e3", "e7 e2 e3 e6 e8"], &[]);
}

#[test]
fn a_record_written_anew_stands_where_it_stood_and_marks_nothing() {
    let mut log = LogBuilder::new();
    log.human("a")
        .reply(&[text(1)])
        .human("b")
        .revision("e2", "other")
        .revision("e4", "again")
        .reply(&[text(2)]);
    check(&log, &["e1", "e1 e5 e3", "e1 e5 e3 e6"], &[]);
}

#[test]
fn a_reply_in_parts_is_one_message_and_the_last_report_counts() {
    let check = |reports: &[u64], counts: u64| {
        let mut log = LogBuilder::new();
        log.human("a").reply(&[text(1)]).part_of("r").reply(&[call("c1", "read")]).part_of("r");
        log.result("c1", "x");
        for report in reports {
            log.reported(*report);
        }
        log.human("b");
        let (session, _) = Session::build(&log.log, None, History::AsRecorded, &tools());
        assert_eq!(session.turns.len(), 2);
        let reply = &session.messages[1];
        assert_eq!(reply.usage, Some(Usage { input: counts, ..Usage::default() }), "{reports:?}");
        assert_eq!(session.blocks_of(session.blocks[reply.blocks.start].message).count(), 2);
    };
    check(&[10, 12], 12);
    // A report of zeros says nothing and does not replace a real one.
    check(&[10, 0], 10);
    check(&[0, 12], 12);
    check(&[0], 0);
}

/// Checks the branch's entries in order, and the tips.
fn check_woven(log: &LogBuilder, entries: &str, tips: &[&str], codes: &[&str]) {
    let (session, problems) = Session::build(&log.log, None, History::AsRecorded, &tools());
    let mut found: Vec<&str> = session.blocks.iter().map(|block| block.id.entry.as_str()).collect();
    found.dedup();
    assert_eq!(found.join(" "), entries);
    let found: Vec<&str> =
        log.log.tips().session.iter().map(|tip| log.log.record(*tip).entry.as_str()).collect();
    assert_eq!(found, tips);
    let found: Vec<&str> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(found, codes);
}

fn parallel() -> LogBuilder {
    let mut log = LogBuilder::new();
    let one = |id: &str| [Part::Call(id.into(), "read".into())];
    log.human("a");
    log.reply(&one("c1")).part_of("r");
    log.reply(&one("c2")).part_of("r");
    // Each result hangs under its own call, and only the last one continues.
    log.fork_at("e2").result("c1", "x");
    log.fork_at("e3").result("c2", "y");
    log
}

#[test]
fn a_woven_branch_has_the_results_that_hang_beside_it() {
    let mut log = parallel();
    log.reply(&[text(1)]).part_of("s");
    check_woven(&log, "e1 e2 e3 e4 e5 e6", &["e6"], &[]);
    // The opposite: the chain goes through the first result and misses the second part.
    let mut log = parallel();
    log.fork_at("e4").reply(&[text(1)]).part_of("s");
    check_woven(&log, "e1 e2 e3 e4 e5 e6", &["e6"], &[]);
}

#[test]
fn a_true_fork_of_a_woven_tree_is_another_branch() {
    let mut log = parallel();
    log.reply(&[text(1)]).part_of("s");
    log.fork_at("e1").human("b").reply(&[text(2)]).part_of("t");
    check_woven(&log, "e1 e7 e8", &["e6", "e8"], &[]);
}

#[test]
fn a_woven_parent_that_is_not_there_is_the_record_before() {
    let mut log = parallel();
    log.fork_at("gone").human("b").reply(&[text(1)]).part_of("s");
    check_woven(&log, "e1 e2 e3 e4 e5 e6 e7", &["e7"], &["L020"]);
}

#[test]
fn a_conversation_aside_is_no_part_of_the_session() {
    let mut log = parallel();
    log.fork_at("e3").human("find it").aside().reply(&[text(1)]).part_of("u").aside();
    log.fork_at("e5").reply(&[text(1)]).part_of("s");
    check_woven(&log, "e1 e2 e3 e4 e5 e8", &["e8"], &[]);
    let side: Vec<&str> = log.log.tips().side.iter().map(|tip| log.log.record(*tip).entry.as_str()).collect();
    assert_eq!(side, ["e7"]);
    // A log of subagent records only is the subagent's own.
    let mut log = LogBuilder::new();
    log.human("find it").aside().reply(&[text(1)]).aside();
    check_woven(&log, "e1 e2", &["e2"], &[]);
    assert!(log.log.tips().side.is_empty());
}
