//! Sessions of OpenCode, as it exports them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{cases, text};

fn sessions() -> Vec<(String, Value)> {
    let read = |case: String| {
        let log = text(&format!("opencode/{case}/input.json"));
        (case, serde_json::from_str(&log).unwrap())
    };
    cases("opencode").into_iter().map(read).collect()
}

#[test]
fn ids_rise_and_are_used_once() {
    for (path, session) in sessions() {
        let mut ids = BTreeSet::new();
        let mut last = String::new();
        for message in session["messages"].as_array().unwrap() {
            let id = message["info"]["id"].as_str().unwrap().to_owned();
            assert!(id[4..16] > last[..], "{path}: {id} comes after {last}");
            last = id[4..16].to_owned();
            assert_eq!(message["info"]["sessionID"], session["info"]["id"], "{path}");
            for part in message["parts"].as_array().unwrap() {
                assert_eq!(part["messageID"].as_str(), Some(&*id), "{path}");
                assert!(ids.insert(part["id"].to_string()), "{path}: {}", part["id"]);
            }
            assert!(ids.insert(id));
        }
    }
}

#[test]
fn every_answer_names_the_message_that_it_answers() {
    for (path, session) in sessions() {
        let messages = session["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            let parent = &message["info"]["parentID"];
            let before = messages[..at].iter().any(|it| it["info"]["id"] == *parent);
            assert!(before || message["info"]["role"] != "assistant", "{path}: {parent}");
        }
    }
}
