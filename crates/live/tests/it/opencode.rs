//! Lists in OpenCode's form: the same story gets the same decisions as in pi's form, and the session keeps them.

use cwl_formats::Format;
use serde_json::{Value, json};

use crate::recorded::{render_log, story, without_times};
use crate::story::Story;
use crate::{Client, edited};

fn settings(budget: &str) -> Value {
    json!({"policy": "cwl", "budget": budget, "messages": "opencode", "session": "ses_1"})
}

/// A story as OpenCode's messages: a reply has the results of its calls.
#[derive(Default)]
struct OpencodeStory(Vec<Value>);

impl OpencodeStory {
    fn from_pi(story: &Story) -> Self {
        let mut messages = Self::default();
        story.0.iter().for_each(|message| messages.push_pi(message));
        messages
    }

    fn push_pi(&mut self, message: &Value) {
        let id = format!("msg_{:03}", self.0.len());
        match message["role"].as_str().unwrap() {
            "user" => self.0.push(json!({
                "info": {"id": id, "sessionID": "ses_1", "role": "user", "time": {"created": self.0.len()}},
                "parts": message["content"],
            })),
            "assistant" => {
                let content = message["content"].as_array().unwrap().iter();
                let begin = std::iter::once(json!({"type": "step-start"}));
                let parts: Vec<Value> = begin.chain(content.map(part_from_pi)).collect();
                self.0.push(json!({
                    "info": {"id": id, "sessionID": "ses_1", "role": "assistant", "providerID": "lab", "modelID": "m",
                        "time": {"created": self.0.len(), "completed": 1}, "finish": "tool-calls"},
                    "parts": parts,
                }));
            }
            _ => {
                let parts = self.0.last_mut().unwrap()["parts"].as_array_mut().unwrap();
                let part = parts.iter_mut().find(|part| part["callID"] == message["toolCallId"]).unwrap();
                part["state"]["output"] = message["content"][0]["text"].clone();
            }
        }
    }

    /// The document that `opencode export` prints.
    fn export(&self) -> String {
        let info = json!({"id": "ses_1", "slug": "s", "projectID": "p", "directory": "/p", "title": "",
            "time": {"created": 0}});
        json!({"info": info, "messages": self.0}).to_string()
    }
}

fn part_from_pi(part: &Value) -> Value {
    match part["type"].as_str().unwrap() {
        "text" => part.clone(),
        "thinking" => json!({"type": "reasoning", "text": part["thinking"]}),
        _ => {
            json!({"type": "tool", "id": format!("prt_{}", part["id"]), "callID": part["id"], "tool": part["name"],
            "state": {"status": "completed", "input": part["arguments"], "output": "", "time": {}}})
        }
    }
}

/// Keeps an answer's decision in the human's last message, as the plugin does.
fn keep_decision(kept: &mut OpencodeStory, answer: &Value) {
    let ids: Vec<String> =
        kept.0.iter().map(|message| message["info"]["id"].as_str().unwrap().to_owned()).collect();
    let name = |position: &Value| {
        position.as_u64().map_or(Value::Null, |at| {
            let results = if at % 2 == 1 { "/results" } else { "" };
            format!("{}{results}", ids[at as usize / 2]).into()
        })
    };
    let record = &answer["record"];
    let parts = |member: &str| -> Vec<Value> {
        record[member].as_array().unwrap().iter().map(|part| json!([name(&part[0]), part[1]])).collect()
    };
    let inserted: Vec<Value> = record["inserted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!({"before": name(&one["before"]), "text": one["text"]}))
        .collect();
    let data = json!({
        "turn": answer["turn"], "whole": record["whole"], "evicted": parts("evicted"), "restored": parts("restored"),
        "replaced": [], "inserted": inserted, "removed": record["removed"],
    });
    let part = json!({"id": format!("prt_d{:03}", ids.len()), "type": "text", "text": "", "synthetic": true, "ignored": true,
        "metadata": {"customType": "cwl.decision", "after": ids.last(), "data": data}});
    let person = kept.0.iter_mut().rev().find(|message| message["info"]["role"] == "user").unwrap();
    person["parts"].as_array_mut().unwrap().push(part);
}

/// Role, and what the parts say, of each message in pi's form.
fn shape(list: &[Value]) -> Vec<String> {
    let part = |part: &Value| {
        let members = ["text", "thinking", "id"].into_iter().filter_map(|name| part[name].as_str());
        members.collect::<String>()
    };
    let shape = |message: &Value| {
        let parts: Vec<String> = message["content"].as_array().unwrap().iter().map(part).collect();
        format!("{} {}", message["role"].as_str().unwrap(), parts.join(" + "))
    };
    list.iter().map(shape).collect()
}

#[test]
fn a_story_is_decided_and_kept_as_in_pis_form() {
    let story = story();
    let mut pi = Client::greeted(&json!({"policy": "cwl", "budget": "300"}));
    let mut opencode = Client::greeted(&settings("300"));
    let (mut list, mut kept) = (OpencodeStory::default(), OpencodeStory::default());
    let (mut n_pi, mut n_opencode, mut n_evicting) = (0, 0, 0);
    for (at, message) in story.0.iter().enumerate() {
        list.push_pi(message);
        kept.push_pi(message);
        // A request follows the last result of a reply, or the human's words.
        let next = story.0.get(at + 1).map(|next| next["role"].as_str().unwrap());
        if message["role"] == "assistant" || next == Some("toolResult") {
            continue;
        }
        let (expected, answer) = (pi.decide(&story.0[..=at], n_pi), opencode.decide(&list.0, n_opencode));
        (n_pi, n_opencode) = (at + 1, list.0.len());
        for member in ["turn", "verdict", "tokens", "evicted"] {
            assert_eq!(answer[member], expected[member], "{member} of request {at}: {answer}");
        }
        let mut fresh = Client::greeted(&settings("300")).decide(&list.0, 0);
        fresh["record"] = answer["record"].clone();
        assert_eq!(answer, fresh, "a list that came at once is decided alike");
        n_evicting += usize::from(answer["verdict"] == "evict");
        keep_decision(&mut kept, &answer);
        let (shown, problems) = render_log(Format::Opencode, &kept.export());
        let sent = edited(&story.0[..=at], &expected);
        assert_eq!(shape(&without_times(shown)), shape(&sent), "before request {at}: {answer}");
        assert_eq!(problems, Vec::<String>::new(), "before request {at}");
    }
    assert!(n_evicting > 3, "{n_evicting} requests evict");
}

#[test]
fn a_changed_message_is_read_anew() {
    let mut list = OpencodeStory::from_pi(&story()).0;
    let mut client = Client::greeted(&settings("300"));
    client.decide(&list, 0);
    list[2]["parts"][2]["state"]["output"] = "cut".into();
    assert_eq!(client.decide(&list, list.len())["type"], "resend");
    let mut answer = client.decide(&list, 2);
    let fresh = Client::greeted(&settings("300")).decide(&list, 0);
    assert_eq!(answer["record"]["whole"], true);
    answer["record"] = fresh["record"].clone();
    assert_eq!(answer, fresh);
}

/// OpenCode lists a compaction before the messages that this one keeps.
#[test]
fn a_compaction_is_no_new_session() {
    let before = OpencodeStory::from_pi(&story()).0;
    let mut client = Client::greeted(&settings("300"));
    let turn = client.decide(&before, 0)["turn"].as_u64().unwrap();
    let kept = &before[before.len() - 3..];
    let time = json!({"created": 900, "completed": 901});
    let asked = json!({"type": "compaction", "auto": true, "tail_start_id": kept[0]["info"]["id"]});
    let question =
        json!({"info": {"id": "msg_900", "role": "user", "time": {"created": 900}}, "parts": [asked]});
    let summary = json!({"info": {"id": "msg_901", "role": "assistant", "parentID": "msg_900", "summary": true, "finish": "stop",
        "time": time}, "parts": [{"type": "text", "text": "what was"}]});
    let mut list = vec![question, summary];
    list.extend_from_slice(kept);
    list.push(json!({"info": {"id": "msg_902", "role": "user", "time": {"created": 902}}, "parts": [{"type": "text", "text": "on"}]}));
    let answer = client.decide(&list, 0);
    assert_eq!((&answer["type"], &answer["record"]["whole"]), (&json!("decision"), &json!(true)), "{answer}");
    assert!(answer["turn"].as_u64().unwrap() >= turn, "the turns before stay known: {answer}");
    let fresh = Client::greeted(&settings("300")).decide(&list, 0);
    assert_eq!(fresh["type"], "decision", "{fresh}");
    assert!(fresh["turn"].as_u64() < answer["turn"].as_u64(), "{fresh}");
    assert_eq!(fresh["tokens"]["whole"], answer["tokens"]["whole"], "the list is what would be sent");
}

#[test]
fn what_is_not_understood_passes_through() {
    let mut list = OpencodeStory::from_pi(&story()).0;
    list[3]["parts"].as_array_mut().unwrap().push(json!({"type": "oracle"}));
    let answer = Client::greeted(&settings("300")).decide(&list, 0);
    assert_eq!(answer["verdict"], "pass_through", "{answer}");
    assert!(answer["reason"].as_str().unwrap().contains("message 3 is not understood whole"), "{answer}");
}

#[test]
fn a_known_overhead_counts_until_the_prompt_is_known() {
    let mut client = Client::greeted(&json!({"overhead": 120, "tools": "12345678"}));
    assert_eq!(client.ask(&json!({"type": "set"}))["overhead"], 120);
    assert_eq!(client.ask(&json!({"type": "set", "system": "1234"}))["overhead"], 3);
}
