//! Parts evicted by a decision, and parts it never touches.

use cwl_engine::Provider;
use cwl_inspect::{MessageEdit, PassThroughReason, SettingsRefusal, Verdict};

use crate::story::{Story, settings};

/// Renders edits as one line: `-3` removes a message, `3-1,2` removes parts, `3=text` replaces a part, `3+text`
/// inserts before a message, `3^` joins a message with the previous one.
fn said(edits: &[MessageEdit]) -> String {
    let edit = |edit: &MessageEdit| match edit {
        MessageEdit::Remove { message } => format!("-{message}"),
        MessageEdit::Change { message, parts } => {
            let part = |part: &cwl_inspect::PartEdit| match &part.replaced_by {
                None => format!("-{}", part.part),
                Some(text) => format!("={text}"),
            };
            format!("{message}{}", parts.iter().map(part).collect::<String>())
        }
        MessageEdit::Insert { before, text } => format!("{}+{text}", before.message),
        MessageEdit::Join { message } => format!("{message}^"),
    };
    edits.iter().map(edit).collect::<Vec<_>>().join(" ")
}

fn check(story: &Story, policy: &str, budget: u64, expected: &str) {
    check_for(story, policy, budget, Provider::Pi, expected);
}

fn check_for(story: &Story, policy: &str, budget: u64, provider: Provider, expected: &str) {
    let decision = story.decide(&settings(policy, budget, provider));
    let found = match &decision.verdict {
        Verdict::Keep => "keep".to_owned(),
        Verdict::PassThrough(reason) => reason.to_string(),
        Verdict::Evict => said(&decision.edits),
    };
    assert_eq!(found, expected, "{policy} at {budget}: {:?}", decision.figures);
}

/// Two searches and a read in an exploration, an act that uses them, and unfinished work.
fn story() -> Story {
    let mut story = Story::default();
    story.human("fix the login").expl("look"); // 0, 1 and 2
    story.step(&["!where is it", "a grep"], 300); // 3, 4
    story.step(&["b read"], 200).end("it is in a.rs"); // 5, 6; 7, 8
    story.human("go on").act("fix", &["look"]); // 9; 10, 11
    story.step(&["c edit"], 100).end(""); // 12, 13; 14, 15
    story.step(&["d read"], 50); // 16, 17
    story
}

#[test]
fn what_fits_goes_as_it_is() {
    check(&story(), "cwl", 10_000, "keep");
    check(&story(), "none", 1, "keep");
    let decision = story().decide(&settings("cwl", 10_000, Provider::Pi));
    assert_eq!(
        (decision.figures.whole, decision.edits, decision.evicted),
        (decision.figures.sent, vec![], vec![])
    );
}

#[test]
fn an_act_goes_first_then_its_exploration_level_by_level() {
    check(&story(), "cwl", 900, "-10 -11 -12 -13 -14 -15");
    check(&story(), "cwl", 700, "3-0 -10 -11 -12 -13 -14 -15");
    check(&story(), "cwl", 600, "-3 -4 -10 -11 -12 -13 -14 -15");
    check(&story(), "cwl", 200, "-3 -4 -5 -6 -10 -11 -12 -13 -14 -15");
    check(&story(), "cwl", 100, "1+[look] it is in a.rs -1 -2 -3 -4 -5 -6 -7 -8 -10 -11 -12 -13 -14 -15");
}

#[test]
fn figures_add_up() {
    let decision = story().decide(&settings("cwl", 100, Provider::Pi));
    let residue = "[look] it is in a.rs".len() as u64;
    let gone: u64 = decision.evicted.iter().map(|part| part.tokens).sum();
    assert_eq!(decision.figures.whole - gone + residue, decision.figures.sent);
    assert!(decision.figures.sent <= 100 && !decision.figures.over_budget);
    assert!(decision.evicted.is_sorted_by_key(|part| part.place));
}

#[test]
fn the_last_turn_and_the_humans_words_stay() {
    let mut story = Story::default();
    story.human("look").expl("look").step(&["a grep"], 300).end("seen");
    // The end of the act is the latest message, so it stays.
    check(&story, "cwl", 50, "1+[look] seen -1 -2 -3 -4");
    story.human("more words than the budget has, and none of them may go");
    check(&story, "cwl", 50, "1+[look] seen -1 -2 -3 -4 -5 -6");
}

#[test]
fn a_policy_that_needs_marks_says_so() {
    let mut story = Story::default();
    story.human("look").step(&["a grep"], 300);
    check(&story, "cwl", 100, "cwl goes by the marks of the agent, and this session has none so far");
    check(&story, "window", 100, "keep");
    story.step(&["b read"], 20);
    check(&story, "window", 100, "-1 -2");
}

#[test]
fn a_text_stands_in_place_of_an_output() {
    let mut story = Story::default();
    story.human("look").step(&["a grep"], 300).step(&["b read"], 300).step(&["c read"], 20);
    check(&story, "mask keep=1", 100, "2=[old tool output cleared] 4=[old tool output cleared]");
}

#[test]
fn reasoning_goes_with_what_it_was_tied_to() {
    let mut story = Story::default();
    story.human("go").expl("look").step(&["a read"], 10).end("seen");
    story
        .act("fix", &["look"])
        .step(&["?sign", "b grep"], 300)
        .step(&["c edit"], 10)
        .end("")
        .step(&["d read"], 10);
    check_for(&story, "cwl levels=2", 300, Provider::Pi, "9-1 -10");
    check_for(&story, "cwl levels=2", 300, Provider::Anthropic, "-9 -10");
}

#[test]
fn calls_of_gemini_follow_the_user() {
    let mut story = Story::default();
    story.human("go").expl("look").step(&["\"I look", "a grep"], 300).step(&["b read"], 10);
    story.end("seen").step(&["c read"], 10);
    check_for(&story, "cwl levels=2", 200, Provider::Pi, "3-1 -4");
    check_for(&story, "cwl levels=2", 200, Provider::Gemini, "3-1 -4 5^");
}

#[test]
fn what_stands_nowhere_in_the_list_lets_it_through() {
    let story = story();
    let settings = settings("cwl", 200, Provider::Pi);
    let nowhere = |row: &cwl_engine::SessionBlock| {
        Some(crate::story::place_of(row.event, row)).filter(|place| place.message != 4)
    };
    let decision = story.decide_with(&settings, &nowhere);
    let reason = PassThroughReason::UnknownPlace { block: "m4:0".to_owned() };
    assert_eq!((decision.verdict, decision.edits), (Verdict::PassThrough(reason), vec![]));
    assert_eq!(decision.figures.sent, decision.figures.whole);
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |policy: &str, budget, fixed| settings(policy, budget, Provider::Pi).check(fixed).err();
    assert_eq!(refused("cwl", 101, 100), None);
    let small = SettingsRefusal::BudgetTooSmall { budget: 100, fixed: 100, smallest: 101 };
    assert_eq!(refused("cwl", 100, 100), Some(small));
    assert_eq!(refused("none", 1, 100), None, "it keeps everything whatever τ is");
    assert_eq!(refused("summary", 100, 0), Some(SettingsRefusal::NeedsTexts { policy: "summary" }));
    assert_eq!(refused("pi-cwl", 100, 0), Some(SettingsRefusal::CutsPairs { policy: "pi-cwl" }));
}
