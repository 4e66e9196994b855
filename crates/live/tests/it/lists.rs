//! Lists sent piece by piece, cut, and compacted.

use serde_json::{Value, json};

use crate::story::Story;
use crate::{Client, edited};

fn settings() -> Value {
    json!({"policy": "cwl", "budget": "300"})
}

/// Explorations with acts, some hundred tokens each.
fn story(n_rounds: usize) -> Story {
    let mut story = Story::default();
    story.human("the task");
    for round in 0..n_rounds {
        let name = format!("look-{round}");
        story.expl(&name).step(&["a grep"], 400).end("seen");
        story.act(&format!("do-{round}"), &[&name]).step(&["b edit"], 400).end("");
    }
    story
}

/// Drops the record, which depends on earlier answers.
fn without_record(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("record");
    answer
}

#[test]
fn a_list_that_grows_is_answered_like_one_that_comes_at_once() {
    let story = story(4);
    let mut growing = Client::greeted(&settings());
    let mut n_known = 0;
    for n_messages in (1..=story.0.len()).step_by(2) {
        let list = &story.0[..n_messages];
        let answer = growing.decide(list, n_known);
        let fresh = Client::greeted(&settings()).decide(list, 0);
        assert_eq!(without_record(answer), without_record(fresh), "{n_messages} messages");
        n_known = n_messages;
    }
}

#[test]
fn a_list_that_is_not_the_known_one_is_asked_for_again() {
    let story = story(2);
    let mut client = Client::greeted(&settings());
    client.decide(&story.0[..5], 0);
    let mut other = story.clone();
    other.0[3]["content"] = json!("something else");
    assert_eq!(client.decide(&other.0, 5)["type"], "resend");
    assert_eq!(client.decide(&story.0[..9], 8)["type"], "resend", "more than is known");
    let whole = client.decide(&other.0, 0);
    assert_eq!(whole["record"]["whole"], true);
    let fresh = Client::greeted(&settings()).decide(&other.0, 0);
    assert_eq!(without_record(whole), without_record(fresh));
}

#[test]
fn a_branch_goes_on_from_where_it_left() {
    let story = story(3);
    let mut client = Client::greeted(&settings());
    client.decide(&story.0, 0);
    let mut branch = Story(story.0[..13].to_vec());
    branch.human("another way").expl("new").step(&["x read"], 900);
    let answer = client.decide(&branch.0, 13);
    let fresh = Client::greeted(&settings()).decide(&branch.0, 0);
    assert_eq!(without_record(answer), without_record(fresh));
}

/// A compacted list keeps its history: dependencies of earlier acts stay known.
#[test]
fn a_compaction_is_no_new_session() {
    let story = story(3);
    let mut client = Client::greeted(&settings());
    client.decide(&story.0, 0);
    let summary =
        json!({"role": "compactionSummary", "summary": "what was", "tokensBefore": 900, "timestamp": 7});
    // The compaction keeps the last exploration; its act is then evicted with the exploration.
    let mut compacted = vec![summary];
    compacted.extend_from_slice(&story.0[25..]);
    let answer = client.decide(&compacted, 0);
    assert_eq!((&answer["type"], &answer["record"]["whole"]), (&json!("decision"), &json!(true)));
    let sent = edited(&compacted, &answer);
    assert_eq!(sent.last(), compacted.last());
    assert!(answer["tokens"]["sent"].as_u64().unwrap() <= 300, "{answer}");
    let mut more = Story(compacted.clone());
    more.step(&["z read"], 400);
    let answer = client.decide(&more.0, compacted.len());
    assert_eq!(answer["record"]["whole"], false, "{answer}");
    // The prompt may precede the summary and is then sent again with it.
    let prompt = json!({"role": "system", "content": "be brief", "timestamp": 0});
    let mut with_prompt = vec![prompt.clone()];
    with_prompt.extend_from_slice(&story.0);
    let mut client = Client::greeted(&settings());
    client.decide(&with_prompt, 0);
    let mut list = vec![prompt];
    list.extend_from_slice(&compacted);
    let answer = client.decide(&list, 1);
    assert_eq!(answer["type"], "decision", "{answer}");
    assert_eq!(edited(&list, &answer)[0]["role"], "system");
}
