//! Logs of pi: two generated, three frozen.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{text, values};

fn log(name: &str) -> String {
    text(&format!("pi/{name}/input.jsonl"))
}

fn rows(name: &str) -> (Vec<Value>, usize) {
    values(&log(name))
}

fn role(row: &Value) -> &str {
    row["message"]["role"].as_str().unwrap_or_default()
}

fn kind(row: &Value) -> &str {
    row["type"].as_str().unwrap_or_default()
}

fn blocks<'a>(rows: &'a [Value], wanted: &'a str) -> impl Iterator<Item = &'a Value> {
    rows.iter()
        .filter_map(|row| row["message"]["content"].as_array())
        .flatten()
        .filter(move |block| block["type"] == wanted)
}

/// Counts a quarter of the UTF-16 units of texts, reasoning and calls.
fn tokens(rows: &[Value]) -> usize {
    let units: usize = ["text", "thinking", "toolCall"]
        .iter()
        .flat_map(|wanted| blocks(rows, wanted).map(move |block| (wanted, block)))
        .map(|(wanted, block)| match *wanted {
            "toolCall" => {
                block["name"].as_str().unwrap().len() + block["arguments"].to_string().encode_utf16().count()
            }
            key => block[key].as_str().unwrap().encode_utf16().count(),
        })
        .sum();
    units / 4
}

fn chunk_events<'a>(rows: &'a [Value], action: &'a str) -> impl Iterator<Item = &'a Value> {
    rows.iter()
        .map(|row| &row["message"]["details"]["chunkEvent"])
        .filter(move |event| event["action"] == action)
        .map(|event| &event["chunk"])
}

#[test]
fn only_the_damaged_log_is_damaged() {
    for name in ["quickstart", "long", "compacted", "v1", "v2"] {
        let (rows, n_torn) = rows(name);
        assert_eq!((rows.len(), n_torn), (log(name).lines().count(), 0), "{name}");
        assert!(log(name).ends_with("}\n"), "{name}");
    }
}

#[test]
fn sizes() {
    for (name, limit) in [
        ("quickstart", 124_000),
        ("long", 2_500_000),
        ("branches", 32 << 10),
        ("compacted", 16 << 10),
        ("v1", 32 << 10),
        ("v2", 32 << 10),
    ] {
        assert!(log(name).len() <= limit, "{name} has {} bytes", log(name).len());
    }
}

#[test]
fn parents_stand_before_their_children() {
    for name in ["quickstart", "long", "branches", "compacted", "v2"] {
        let (rows, _) = rows(name);
        let mut known = BTreeSet::new();
        for row in rows.iter().filter(|row| row.get("parentId").is_some()) {
            let parent = &row["parentId"];
            assert!(parent.is_null() || known.contains(parent.as_str().unwrap()), "{name}: {row}");
            assert!(known.insert(row["id"].as_str().unwrap()), "{name}: an id twice");
        }
        assert_eq!(
            rows.iter().filter(|row| row["parentId"].is_null() && row.get("parentId").is_some()).count(),
            1,
            "{name}: one root"
        );
    }
}

#[test]
fn every_call_has_its_result_directly_below() {
    for name in ["quickstart", "long", "v1", "v2"] {
        let (rows, _) = rows(name);
        let mut waiting: Vec<&Value> = Vec::new();
        for row in rows.iter().filter(|row| kind(row) == "message") {
            if role(row) == "toolResult" {
                assert_eq!(row["message"]["toolCallId"], waiting.remove(0)["id"], "{name}");
            } else {
                assert!(waiting.is_empty(), "{name}: {row}");
                waiting = blocks(std::slice::from_ref(row), "toolCall").collect();
            }
        }
        assert!(waiting.is_empty(), "{name}");
    }
}

/// Every reply has text or calls; a reply with calls is followed by another one, a reply without ends the
/// run.
#[test]
fn replies_follow_each_other_as_in_a_run() {
    for name in ["quickstart", "long", "v1", "v2"] {
        let (rows, _) = rows(name);
        let messages: Vec<&Value> =
            rows.iter().filter(|row| ["user", "assistant", "toolResult"].contains(&role(row))).collect();
        for pair in messages.windows(2) {
            let stop = pair[0]["message"]["stopReason"].as_str();
            match (role(pair[0]), stop) {
                ("assistant", Some("stop")) => {
                    assert_eq!(role(pair[1]), "user", "{name}: {}", pair[0]);
                    assert_eq!(
                        blocks(std::slice::from_ref(pair[0]), "text").count(),
                        1,
                        "{name}: {}",
                        pair[0]
                    );
                }
                ("toolResult", _) => assert_ne!(role(pair[1]), "user", "{name}: {}", pair[1]),
                _ => {}
            }
        }
    }
}

#[test]
fn time_does_not_run_backwards() {
    for name in ["quickstart", "long", "v1", "v2"] {
        let (rows, _) = rows(name);
        let times: Vec<&str> = rows.iter().map(|row| row["timestamp"].as_str().unwrap()).collect();
        assert!(times.is_sorted(), "{name}");
    }
}

/// Each prompt holds the previous one, its reply and everything since; within five minutes it is read from
/// the cache.
#[test]
fn usage_follows_the_log_and_its_clock() {
    for (name, n_misses) in [("quickstart", 1), ("long", 17)] {
        let (rows, _) = rows(name);
        let answered = |row: &&Value| role(row) == "assistant" && row["message"]["stopReason"] != "error";
        let mut before: Option<(u64, i64)> = None;
        let mut found = 0;
        for message in rows.iter().filter(answered).map(|row| &row["message"]) {
            let [input, read, written] =
                ["input", "cacheRead", "cacheWrite"].map(|key| message["usage"][key].as_u64().unwrap());
            let (prompt, asked_ms) = (input + read + written, message["timestamp"].as_i64().unwrap());
            let alive = before.is_some_and(|(_, before_ms)| asked_ms - before_ms <= 300_000);
            let held = before.map_or(4_200, |(prompt, _)| prompt);
            assert!(prompt >= held, "{name}: {message}");
            assert!((if alive { held - 9..held } else { 0..1 }).contains(&read), "{name}: {message}");
            found += usize::from(!alive);
            before = Some((prompt, asked_ms));
        }
        assert_eq!(found, n_misses, "{name}");
    }
}

#[test]
fn quickstart_is_short_and_whole() {
    let (rows, _) = rows("quickstart");
    assert_eq!(rows.iter().filter(|row| role(row) == "user").count(), 3);
    assert!((25..=36).contains(&rows.iter().filter(|row| role(row) == "assistant").count()));
    assert!((13_500..25_000).contains(&tokens(&rows)), "{}", tokens(&rows));
    let of = |wanted: &str| chunk_events(&rows, "start").filter(|chunk| chunk["type"] == wanted).count();
    assert_eq!((of("expl"), of("act")), (6, 4));
    assert_eq!(chunk_events(&rows, "end").count(), 10);
}

#[test]
fn quickstart_reasons_in_every_exploration() {
    let (rows, _) = rows("quickstart");
    let mut open: Option<(String, usize)> = None;
    for row in &rows {
        if let Some((_, n_reasoning)) = open.as_mut() {
            *n_reasoning += blocks(std::slice::from_ref(row), "thinking").count();
        }
        let event = &row["message"]["details"]["chunkEvent"];
        if event["action"] == "start" && event["chunk"]["type"] == "expl" {
            open = Some((event["chunk"]["name"].as_str().unwrap().to_owned(), 0));
        } else if event["action"] == "end" && event["chunk"]["type"] == "expl" {
            let (name, n_reasoning) = open.take().unwrap();
            assert!(n_reasoning > 0, "{name}");
        }
    }
}

#[test]
fn long_passes_the_default_budget_several_times() {
    let (rows, _) = rows("long");
    assert!((300_000..450_000).contains(&tokens(&rows)), "{}", tokens(&rows));
    assert!((350..=500).contains(&rows.iter().filter(|row| role(row) == "assistant").count()));
    let starts: Vec<&Value> = chunk_events(&rows, "start").collect();
    assert!((60..=90).contains(&starts.len()), "{}", starts.len());
    let names: BTreeSet<&str> = starts.iter().map(|chunk| chunk["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), starts.len(), "names are unique");
}

#[test]
fn long_has_one_of_everything() {
    let (rows, _) = rows("long");
    for (what, found) in [
        ("compaction", rows.iter().filter(|row| kind(row) == "compaction").count() == 0),
        ("bashExecution", rows.iter().any(|row| role(row) == "bashExecution")),
        ("custom_message", rows.iter().any(|row| kind(row) == "custom_message")),
        ("model_change", rows.iter().filter(|row| kind(row) == "model_change").count() == 2),
        ("session_info", rows.iter().any(|row| kind(row) == "session_info")),
        ("label", rows.iter().any(|row| kind(row) == "label")),
        ("error", rows.iter().any(|row| row["message"]["stopReason"] == "error")),
        ("aborted", rows.iter().any(|row| row["message"]["stopReason"] == "aborted")),
        (
            "refused delimiter",
            rows.iter().any(|row| {
                row["message"]["toolName"] == "delimiter"
                    && row["message"]["isError"] == true
                    && row["message"].get("details").is_none()
            }),
        ),
        ("edit", blocks(&rows, "toolCall").any(|call| call["name"] == "edit")),
        ("write", blocks(&rows, "toolCall").any(|call| call["name"] == "write")),
        ("parallel calls", rows.iter().any(|row| blocks(std::slice::from_ref(row), "toolCall").count() > 3)),
        (
            "failed command",
            rows.iter().any(|row| row["message"]["toolName"] == "bash" && row["message"]["isError"] == true),
        ),
    ] {
        assert!(found, "{what}");
    }
    let days: BTreeSet<&str> = rows.iter().map(|row| &row["timestamp"].as_str().unwrap()[..10]).collect();
    assert!(days.len() >= 6, "{days:?}");
}

#[test]
fn long_has_its_slips_and_an_open_end() {
    let (rows, _) = rows("long");
    let mut open: Option<&Value> = None;
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let (mut n_over, mut n_unknown, mut n_humans_inside, mut n_outside) = (0, 0, 0, 0);
    for row in &rows {
        let event = &row["message"]["details"]["chunkEvent"];
        match event["action"].as_str() {
            Some("start") => {
                n_over += usize::from(open.is_some());
                let dependencies = event["chunk"]["dependencies"].as_array().into_iter().flatten();
                n_unknown += dependencies.filter(|name| !known.contains(name.as_str().unwrap())).count();
                known.insert(event["chunk"]["name"].as_str().unwrap());
                open = Some(&event["chunk"]);
            }
            Some(_) => open = None,
            None if open.is_some() => n_humans_inside += usize::from(role(row) == "user"),
            None => n_outside += usize::from(role(row) == "assistant"),
        }
    }
    let bare_acts = chunk_events(&rows, "start")
        .filter(|chunk| chunk["type"] == "act" && chunk.get("dependencies").is_none())
        .count();
    let mute = chunk_events(&rows, "end")
        .filter(|chunk| chunk["type"] == "expl" && chunk.get("description").is_none())
        .count();
    assert_eq!((n_over, n_unknown, bare_acts, mute), (1, 1, 1, 2));
    assert!(n_humans_inside > 0 && n_outside > 40, "{n_humans_inside} {n_outside}");
    assert_eq!(open.unwrap()["name"], "probe-tokenizer-with-garbage");
}

/// Decodes the base64 and checks every chunk and checksum of the PNG.
#[test]
fn the_image_is_a_real_png() {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (rows, _) = rows("long");
    let data = blocks(&rows, "image").next().unwrap()["data"].as_str().unwrap();
    let sextets = data
        .trim_end_matches('=')
        .bytes()
        .map(|byte| ALPHABET.iter().position(|it| *it == byte).unwrap() as u32);
    let (mut bits, mut n_bits, mut png) = (0_u32, 0, Vec::new());
    for sextet in sextets {
        bits = ((bits << 6) | sextet) & 0xffff;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            png.push((bits >> n_bits) as u8);
        }
    }
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let (mut at, mut kinds) = (8, Vec::new());
    while at < png.len() {
        let length = word(at) as usize;
        let body = &png[at + 4..at + 8 + length];
        let crc = !body.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
        });
        assert_eq!(crc, word(at + 8 + length));
        kinds.push(String::from_utf8_lossy(&body[..4]).into_owned());
        at += 12 + length;
    }
    assert_eq!(kinds, ["IHDR", "PLTE", "IDAT", "IEND"]);
}

#[test]
fn branches_has_a_tree_and_its_damage() {
    let (rows, n_torn) = rows("branches");
    assert_eq!(n_torn, 1);
    assert!(!log("branches").ends_with('\n'));
    assert_eq!(log("branches").lines().filter(|line| line.is_empty()).count(), 1);
    assert_eq!(log("branches").lines().filter(|line| line.contains("}{\"type\":\"message\"")).count(), 2);
    assert_eq!(rows.iter().filter(|row| kind(row) == "window_title").count(), 1);
    let summary = rows.iter().find(|row| kind(row) == "branch_summary").unwrap();
    assert_eq!(summary["fromId"], summary["parentId"]);
    let siblings = rows.iter().filter(|row| row["parentId"] == summary["parentId"]).count();
    assert_eq!(siblings, 2);
    let compaction = rows.iter().find(|row| kind(row) == "compaction").unwrap();
    let kept = rows.iter().find(|row| row["id"] == compaction["firstKeptEntryId"]).unwrap();
    assert_eq!(role(kept), "assistant");
}

#[test]
fn compacted_keeps_the_end_first_and_then_nothing() {
    let (rows, _) = rows("compacted");
    let place = |wanted: &Value| rows.iter().position(|row| row["id"] == *wanted && !wanted.is_null());
    let compactions: Vec<usize> = (0..rows.len()).filter(|at| kind(&rows[*at]) == "compaction").collect();
    let [first, second] = compactions[..] else { panic!("two compactions") };
    let kept = place(&rows[first]["firstKeptEntryId"]).unwrap();
    assert_eq!((role(&rows[kept]), kept + 2), ("assistant", first), "the last call and its result stay");
    assert_eq!(rows[second]["firstKeptEntryId"], "");
    let reads = |path: &str, part: &[Value]| {
        part.iter()
            .filter(|row| {
                role(row) == "assistant" && row.to_string().contains(&format!("{{\"path\":\"{path}\"}}"))
            })
            .count()
    };
    let summary = rows[first]["summary"].as_str().unwrap();
    for (path, is_said, n_again) in
        [("src/poll/client.rs", true, 1), ("src/poll/schedule.rs", false, 1), ("docs/polling.md", false, 0)]
    {
        assert_eq!(summary.contains(path), is_said, "{path}");
        assert_eq!((reads(path, &rows[..first]), reads(path, &rows[first..])), (1, n_again), "{path}");
    }
}

#[test]
fn old_versions_look_old() {
    let (one, _) = rows("v1");
    assert!(one[0].get("version").is_none() && one.iter().skip(1).all(|row| row.get("id").is_none()));
    let compaction = one.iter().find(|row| kind(row) == "compaction").unwrap();
    let kept = &one[compaction["firstKeptEntryIndex"].as_u64().unwrap() as usize];
    assert!(kept["message"]["content"][0]["text"].as_str().unwrap().starts_with("Oh, you're right"));

    let (two, _) = rows("v2");
    assert_eq!(two[0]["version"], 2);
    assert_eq!(two.iter().filter(|row| role(row) == "hookMessage").count(), 2);
    assert_eq!(two.iter().filter(|row| kind(row) == "custom_message").count(), 0);
    assert_eq!(chunk_events(&two, "start").count(), 2);
}
