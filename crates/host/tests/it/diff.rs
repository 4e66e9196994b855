//! The diff of two contexts with a real store: complete, and with correct sums.

use crate::common::{Host, story, view};
use serde_json::{Value, json};

async fn asked(
    host: &Host,
    session: &Value,
    view: &Value,
    cut: Value,
    against: &Value,
    open: &[Value],
) -> Value {
    let list = json!({"type": "diff", "against": against, "open": open});
    let args =
        json!({"session": session, "view": view, "cut": cut, "list": list, "offset": 0, "limit": 10_000});
    host.call("page", args).await
}

/// Lists the blocks and placeholders of a context, in order.
async fn sent(host: &Host, session: &Value, view: &Value, cut: &Value) -> Vec<(String, u64)> {
    let list = json!({"type": "context", "ghosts": false});
    let args =
        json!({"session": session, "view": view, "cut": cut, "list": list, "offset": 0, "limit": 10_000});
    let context = host.call("page", args).await;
    let items = context["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| (item["block"].as_str().unwrap().to_owned(), item["line"].as_u64().unwrap()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_what_is_sent_and_figures_add_up() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let other = json!({"type": "view", "view": view("1m")});
    let masked = json!({"type": "view", "view": {"policy": "mask", "budget": "0", "overhead": "0"}});
    for policy in ["cwl", "mask", "summary", "fold", "none"] {
        for budget in ["0", "300"] {
            let view = json!({"policy": policy, "budget": budget, "tokenizer": "o200k", "overhead": "0"});
            for turn in [1, 5, 99] {
                let cut = json!({"turn": turn});
                for against in [
                    &json!({"type": "full"}),
                    &json!({"type": "turnBefore"}),
                    &json!({"type": "stepBefore"}),
                    &json!({"type": "turn", "turn": 2}),
                    &json!({"type": "turn", "turn": 1_000}),
                    &other,
                    &masked,
                ] {
                    let said = format!("{policy} {budget} turn {turn} against {against}");
                    let folded = asked(&host, &session, &view, cut.clone(), against, &[]).await;
                    let n = |name: &str| folded[name].as_i64().unwrap();
                    assert_eq!(n("after") - n("before") - n("overhead"), n("added") - n("removed"), "{said}");
                    let rows = folded["items"].as_array().unwrap();
                    let n_of = |change: &str| -> u64 {
                        let of_change = rows.iter().filter(|row| row["difference"]["change"] == change);
                        of_change.map(|row| row["difference"]["n"].as_u64().unwrap()).sum()
                    };
                    for (change, name) in [
                        ("same", "n_same"),
                        ("added", "n_added"),
                        ("removed", "n_removed"),
                        ("changed", "n_changed"),
                    ] {
                        assert_eq!(n_of(change), folded[name].as_u64().unwrap(), "{said}");
                    }
                    let changed = |(_, row): &(usize, &Value)| row["difference"]["change"] != "same";
                    let places: Vec<usize> =
                        rows.iter().enumerate().filter(changed).map(|(at, _)| at).collect();
                    assert_eq!(folded["changes"], json!(places), "{said}");
                    // With every run expanded, everything but removals is the context itself.
                    let runs: Vec<Value> = rows.iter().map(|row| row["block"].clone()).collect();
                    let open = asked(&host, &session, &view, cut.clone(), against, &runs).await;
                    let here: Vec<(String, u64)> = open["items"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|row| row["difference"]["change"] != "removed")
                        .map(|row| (row["block"].as_str().unwrap().to_owned(), row["line"].as_u64().unwrap()))
                        .collect();
                    assert_eq!(here, sent(&host, &session, &view, &cut).await, "{said}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_does_not_differ_from_itself() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let against = json!({"type": "view", "view": view("300")});
    let same = asked(&host, &session, &view("300"), json!({}), &against, &[]).await;
    assert_eq!([&same["added"], &same["removed"], &same["n_items"]], [0, 0, 1], "{same}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_two_turns_can_be_compared() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let diff = async |here: u32, there: u32| {
        let against = json!({"type": "turn", "turn": there});
        asked(&host, &session, &view("300"), json!({"turn": here}), &against, &[]).await
    };
    let (there, back) = (diff(5, 2).await, diff(2, 5).await);
    assert_eq!(there["against"], "turn 2");
    assert_ne!(there["before"], there["after"]);
    assert_eq!([&there["before"], &there["after"]], [&back["after"], &back["before"]]);
    assert_eq!([&there["n_added"], &there["n_removed"]], [&back["n_removed"], &back["n_added"]]);
    assert_eq!(diff(5, 0).await["against"], "turn 1", "there is no turn 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_placeholder_stands_for_is_told_word_by_word() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let view = json!({"policy": "mask", "budget": "0", "overhead": "0", "options": {"keep": "0"}});
    let view = &view;
    let full = json!({"type": "full"});
    let diff = asked(&host, &session, view, json!({}), &full, &[]).await;
    let rows = diff["items"].as_array().unwrap();
    let changed: Vec<&Value> = rows.iter().filter(|row| row["difference"]["change"] == "changed").collect();
    assert!(!changed.is_empty(), "a cleared output says something else: {diff}");
    for row in changed {
        let of = |change: &str| -> String {
            let words = row["difference"]["words"].as_array().unwrap().iter();
            words.filter(|it| it["change"] != change).map(|it| it["text"].as_str().unwrap()).collect()
        };
        assert_eq!(of("removed"), row["placeholder"].as_str().unwrap());
        assert!(of("added").starts_with(&row["text"].as_str().unwrap()[..20]));
        assert_ne!(row["difference"]["why_not"], "", "it says why");
    }
}
