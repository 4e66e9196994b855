//! Finding texts in a real store: every block of every list, however long its text.

use crate::common::{Host, Log, reply, result, story, user, view};
use serde_json::{Value, json};

/// A session at a cut.
struct Asked {
    host: Host,
    args: Value,
}

impl Asked {
    async fn with_log(fill: impl Fn(&mut Log), budget: &str) -> Self {
        let host = Host::start().await;
        let mut log = host.log("a.jsonl");
        fill(&mut log);
        let session = host.open(&log).await["session"].clone();
        Self { host, args: json!({"session": session, "view": view(budget), "cut": {}}) }
    }

    async fn ask(&self, name: &str, more: Value) -> Value {
        let mut all = self.args.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.host.call(name, all).await
    }

    /// Finds a text in a list and compares with counts in the full texts of its items.
    async fn check(&self, list: Value, wanted: Value, items: &[Value], count: impl Fn(&str) -> usize) {
        let found = self.ask("find", json!({"list": list, "wanted": wanted})).await;
        let mut expected = (Vec::new(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            let n = count(&self.whole(item).await);
            if n > 0 {
                expected.0.push(at);
                expected.1.push(n);
            }
        }
        assert_eq!(found["at"], json!(expected.0), "{list} {wanted}");
        assert_eq!(found["counts"], json!(expected.1), "{list} {wanted}");
        assert_eq!(found["n_matches"], json!(expected.1.iter().sum::<usize>()));
        for at in expected.0 {
            let block = &items[at]["block"];
            let asked = json!({"block": block, "as_sent": false, "wanted": wanted});
            let marks = self.ask("matches", asked).await;
            let text: Vec<u16> = self.whole(&items[at]).await.encode_utf16().collect();
            let ranges = marks["ranges"].as_array().unwrap();
            assert_eq!(ranges.len(), count(&String::from_utf16(&text).unwrap()), "{block}");
            for range in ranges {
                let (from, to) = (range[0].as_u64().unwrap() as usize, range[1].as_u64().unwrap() as usize);
                assert_eq!(count(&String::from_utf16(&text[from..to]).unwrap()), 1, "{block}");
            }
            assert!(marks["snippet"].is_array());
        }
    }

    /// Returns the whole text of an item.
    async fn whole(&self, item: &Value) -> String {
        if matches!(item["kind"].as_str(), Some("residue" | "summary")) {
            return item["text"].as_str().unwrap().to_owned();
        }
        let asked = json!({"session": self.args["session"], "branch": null, "block": item["block"]});
        self.host.call("block", asked).await["text"].as_str().unwrap().to_owned()
    }

    async fn items(&self, list: &Value) -> Vec<Value> {
        let page = self.ask("page", json!({"list": list, "offset": 0, "limit": 10_000})).await;
        assert_eq!(page["type"], list["type"]);
        page["items"].as_array().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_is_searched_in_full() {
    let asked = Asked::with_log(story, "0").await;
    for ghosts in [true, false] {
        let list = json!({"type": "context", "ghosts": ghosts});
        let items = asked.items(&list).await;
        let low = |text: &str| text.to_lowercase().matches("retries").count();
        asked.check(list.clone(), json!({"query": "Retries"}), &items, low).await;
        let exact = |text: &str| text.matches("Retries").count();
        asked.check(list.clone(), json!({"query": "Retries", "case": true}), &items, exact).await;
        let lines = |text: &str| text.lines().filter(|line| line.ends_with("fn retry() {}")).count();
        let wanted = json!({"query": r"fn retry\(\) \{\}$", "regex": true});
        asked.check(list.clone(), wanted, &items, lines).await;
        asked.check(list, json!({"query": "nowhere"}), &items, |text| text.matches("nowhere").count()).await;
    }
    for sort in ["log", "size", "turn"] {
        let list = json!({"type": "evicted", "sort": sort, "only": null});
        let items = asked.items(&list).await;
        assert!(!items.is_empty());
        asked
            .check(list, json!({"query": "retry"}), &items, |t| t.to_lowercase().matches("retry").count())
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_far_behind_the_preview_is_found() {
    let fill = |log: &mut Log| {
        story(log);
        log.add(reply("One more.", &[("g2", "grep", json!({"pattern": "x"}))]));
        log.add(result("g2", "grep", &format!("{} the NEEDLE 😀 is here", "hay ".repeat(60_000))));
        log.add(user("Go on."));
    };
    let asked = Asked::with_log(fill, "1m").await;
    let list = json!({"type": "context", "ghosts": true});
    let items = asked.items(&list).await;
    let wanted = json!({"query": "needle 😀"});
    asked.check(list, wanted, &items, |text| text.to_lowercase().matches("needle 😀").count()).await;
    let only = json!({"query": "needle"});
    let evicted = asked.items(&json!({"type": "evicted", "only": only, "sort": "log"})).await;
    assert_eq!(evicted.len(), 0, "it is not evicted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_keeps_its_place_or_gives_it_to_a_neighbour() {
    let asked = Asked::with_log(story, "0").await;
    let all = asked.items(&json!({"type": "context", "ghosts": true})).await;
    let sent = asked.items(&json!({"type": "context", "ghosts": false})).await;
    for (ghosts, items) in [(true, &all), (false, &sent)] {
        let list = json!({"type": "context", "ghosts": ghosts});
        for item in &all {
            let wanted = json!({"list": list, "block": item["block"], "line": item["line"]});
            let place = asked.ask("place", wanted).await;
            let at = items.iter().position(|other| other["block"] == item["block"]);
            assert_eq!(place["exact"], json!(at.is_some()), "{}", item["block"]);
            let index = place["index"].as_u64().unwrap() as usize;
            if let Some(at) = at {
                assert_eq!(index, at);
            } else {
                let away =
                    |other: &Value| other["line"].as_u64().unwrap().abs_diff(item["line"].as_u64().unwrap());
                let least = items.iter().map(away).min().unwrap();
                assert_eq!(away(&items[index]), least, "the nearest one");
            }
        }
    }
    let by_size = json!({"type": "evicted", "only": null, "sort": "size"});
    let unknown = json!({"list": by_size, "block": "nowhere:0", "line": 3});
    assert_eq!(asked.ask("place", unknown).await, json!({"index": null, "exact": false}));
}
