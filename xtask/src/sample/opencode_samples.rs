//! The samples of OpenCode: common stories, and small sessions of one quirk each.

use anyhow::Result;

use super::SampleFile;
use super::opencode_writer::OpencodeWriter;
use super::teller;

/// Makes every sample of OpenCode.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let logs = [
        ("branches", export(include_str!("texts/scripts/branches.txt"), 32)?, BRANCHES),
        ("child", include_str!("texts/opencode/child.json").to_owned(), CHILD),
        ("pruned", include_str!("texts/opencode/pruned.json").to_owned(), PRUNED),
        ("quickstart", export(include_str!("texts/scripts/quickstart.txt"), 31)?, QUICKSTART),
        ("quirks", include_str!("texts/opencode/quirks.json").to_owned(), QUIRKS),
        ("reverted", include_str!("texts/opencode/reverted.json").to_owned(), REVERTED),
    ];
    let files = logs.into_iter().flat_map(|(case, log, readme)| {
        let readme = SampleFile { path: format!("opencode/{case}/README.md"), text: readme.to_owned() };
        [readme, SampleFile { path: format!("opencode/{case}/input.json"), text: log }]
    });
    Ok(files.collect())
}

fn export(script: &str, seed: u64) -> Result<String> {
    let mut writer = OpencodeWriter::new(seed);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    writer.into_text()
}

const QUICKSTART: &str = "\
# quickstart

Invented. The story of `pi/quickstart` as `opencode export` gives it: a message for each step
of the model, call and result in one part, with the copies for the screen (`metadata`) and
what the step cost. The delimiter is a tool of an MCP server (`cwl_delimiter`).
";

const BRANCHES: &str = "\
# branches

Invented. The story of `pi/branches`. When the human writes on after going back, OpenCode
deletes what was left, so the first attempt is not in here. The human's own command is a
message of the harness with an answer that no model gave. The compaction asks for a summary
in a message of its own and keeps a tail (`tail_start_id`).
";

const PRUNED: &str = "\
# pruned

Invented, by hand. Two outputs of tools were cleared later on, one after the third answer, one
at the end: the stamp (`time.compacted`) tells since when.
";

const REVERTED: &str = "\
# reverted

Invented, by hand. The human went back before the second message (`revert`) and has not
written on yet, so the messages are still there and would not be sent.
";

const CHILD: &str = "\
# child

Invented, by hand. The session of a subagent (`parentID`) that the last command of `quirks`
started.
";

const QUIRKS: &str = "\
# quirks

Invented, by hand. A file and an image by `@`, text of the harness beside what was typed, text
that is not sent; encrypted reasoning; calls that failed, were interrupted, still run or have
not begun; an aborted and a failed answer; a part and a role of unknown type; a compaction
that failed and one that worked; a command that ran a subagent.
";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn sessions() -> Vec<(String, Value)> {
        let logs = samples().unwrap().into_iter().filter(|file| file.path.ends_with(".json"));
        logs.map(|file| (file.path, serde_json::from_str(&file.text).unwrap())).collect()
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
}
