//! The samples of Gemini CLI: common stories, and small recordings of one quirk after the other.

use anyhow::Result;

use super::SampleFile;
use super::gemini_tools::Generation;
use super::gemini_writer::GeminiWriter;
use super::teller;

/// Makes every sample of Gemini CLI.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let quickstart = include_str!("texts/scripts/quickstart.txt");
    let branches = include_str!("texts/scripts/branches.txt");
    let logs = [
        ("branches", "jsonl", recording(branches, Generation::Lines, 23)?, BRANCHES),
        ("document", "json", recording(quickstart, Generation::Document, 22)?, DOCUMENT),
        ("quickstart", "jsonl", recording(quickstart, Generation::Lines, 21)?, QUICKSTART),
        ("quirks", "jsonl", include_str!("texts/gemini/quirks.jsonl").to_owned(), QUIRKS),
        ("subagent", "jsonl", include_str!("texts/gemini/subagent.jsonl").to_owned(), SUBAGENT),
    ];
    let files = logs.into_iter().flat_map(|(case, ending, log, readme)| {
        let readme = SampleFile { path: format!("gemini-cli/{case}/README.md"), text: readme.to_owned() };
        [readme, SampleFile { path: format!("gemini-cli/{case}/input.{ending}"), text: log }]
    });
    Ok(files.collect())
}

fn recording(script: &str, generation: Generation, seed: u64) -> Result<String> {
    let mut writer = GeminiWriter::new(generation, seed);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    writer.into_text()
}

const QUICKSTART: &str = "\
# quickstart

Invented. The story of `pi/quickstart` as Gemini CLI records it since 0.40, a record per line:
a message is written again under its id whenever something comes to it (token counts, finished
calls), calls and their results share a record, thoughts are summaries with a subject, and the
delimiter is a tool of an MCP server (`cwl__delimiter`).
";

const DOCUMENT: &str = "\
# document

Invented. The story of `pi/quickstart` as older versions record it: one JSON document that is
written again as a whole on every change. The delimiter is a tool of its own name.
";

const BRANCHES: &str = "\
# branches

Invented. The story of `pi/branches`: the human goes back (`$rewindTo`; this harness keeps no
summary of what was left), runs a command of their own, and later the chat is compressed: a
`$set` puts in the whole list of messages anew, a `<state_snapshot>` first, and what is kept
comes back with its calls among the parts and their results as turns of the user.
";

const QUIRKS: &str = "\
# quirks

Invented, by hand. One record after the other: a file pulled in by `@` (`displayContent`), a
reply written three times, parallel calls with an image, one cancelled, one without a result,
rows for the screen only (info, warning, error), a call both among the parts and the calls, a
result that is a plain text, a record and a message of unknown type, content that is a plain
text, a rewind, an output masked through `$set`, a rewind to an id that is not there (which
drops everything), and a last line that is torn off.
";

const SUBAGENT: &str = "\
# subagent

Invented, by hand. The recording of a subagent (`kind`), which lies in a folder of its parent's
name: the task is in the user's slot, but no human wrote it.
";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    /// Adds up the records of a recording, as a reader would that only knows that the last one wins.
    fn last_of_each(log: &str) -> Vec<Value> {
        let mut places = BTreeMap::new();
        let mut last: Vec<Value> = Vec::new();
        for line in log.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let Some(id) = row["id"].as_str() else { continue };
            match places.get(id) {
                Some(&place) => last[place] = row,
                None => {
                    places.insert(id.to_owned(), last.len());
                    last.push(row);
                }
            }
        }
        last
    }

    #[test]
    fn both_generations_tell_the_same_story() {
        let script = include_str!("texts/scripts/quickstart.txt");
        let lines = last_of_each(&recording(script, Generation::Lines, 1).unwrap());
        let document: Value =
            serde_json::from_str(&recording(script, Generation::Document, 1).unwrap()).unwrap();
        let document = document["messages"].as_array().unwrap();
        // The lines begin with the context that the harness puts in.
        assert_eq!(lines.len(), document.len() + 1);
        for (new, old) in lines[1..].iter().zip(document) {
            assert_eq!(new["type"], old["type"]);
            let calls = |row: &Value| row["toolCalls"].as_array().map_or(0, Vec::len);
            assert_eq!(calls(new), calls(old));
        }
    }

    #[test]
    fn a_message_is_written_again_when_something_comes_to_it() {
        let log = recording(include_str!("texts/scripts/quickstart.txt"), Generation::Lines, 1).unwrap();
        let n_rows = log.lines().filter(|line| line.starts_with("{\"id\"")).count();
        assert!(n_rows > last_of_each(&log).len() + 5);
        assert!(log.contains("\"tokens\":null"));
    }

    #[test]
    fn a_compression_puts_in_the_whole_list() {
        let log = recording(include_str!("texts/scripts/branches.txt"), Generation::Lines, 1).unwrap();
        assert_eq!(log.matches("{\"$rewindTo\":").count(), 1);
        assert_eq!(log.matches("{\"$set\":{\"messages\":[").count(), 1);
        assert!(log.contains("<state_snapshot>"));
    }
}
