//! Advice: what each code of the Lint tab means, and what to do about it.

use crate::dto::CodeDto;

/// Code, a short title, what it means, what to do.
type Row = (&'static str, &'static str, &'static str, &'static str);

const TABLE: &[Row] = &[
    (
        "L001",
        "Not JSON",
        "A line of the log could not be read; it is kept as it is and counts for nothing.",
        "A crash or a full disk may have cut it. Look at the line in the log.",
    ),
    (
        "L002",
        "Not an object",
        "A line is JSON but no record; it is kept as it is.",
        "Something else wrote into the log. Look at the line.",
    ),
    (
        "L003",
        "Several records on one line",
        "A line end is missing; every record on it was read.",
        "Nothing is lost.",
    ),
    (
        "L004",
        "Last line without an end",
        "The harness may still be writing it; it is read again when the log grows.",
        "Nothing to do.",
    ),
    (
        "L005",
        "Line too long",
        "The line is larger than what is loaded at once and was skipped.",
        "Look at it with another tool; what it held is missing here.",
    ),
    (
        "L006",
        "Bytes that are no text",
        "They were replaced by \u{fffd}; everything around them is as it was.",
        "A tool printed binary data. Nothing to do.",
    ),
    (
        "L007",
        "Unknown record",
        "The harness writes a kind of record that is not known here; it is kept and shows in the list.",
        "A newer version of the harness may have written it: look for a newer version of this program.",
    ),
    (
        "L008",
        "Unknown part",
        "A message has a kind of part that is not known here; it is kept and counted as it stands.",
        "A newer version of the harness may have written it: look for a newer version of this program.",
    ),
    (
        "L009",
        "Odd field",
        "A field of a known record is missing or of a wrong type; the rest of the record was used.",
        "Look at the line in the log.",
    ),
    (
        "L010",
        "Record id used twice",
        "Two records have one id; the later one stands apart.",
        "Two processes may have written into one log.",
    ),
    (
        "L011",
        "Unknown parent",
        "The record goes on after one that is not in the log; it begins a branch of its own.",
        "The start of the log may have been cut off.",
    ),
    (
        "L012",
        "Circle of parents",
        "Records go on after each other in a circle; it was cut at this one.",
        "The log is damaged. What is shown is one way through it.",
    ),
    (
        "L013",
        "Compaction keeps from an unknown record",
        "The record that it keeps from is not on this branch, so nothing before it is kept.",
        "Choose another branch at the top, or look at the line.",
    ),
    (
        "L014",
        "No header",
        "The first record is no session header, so folder, id and version are unknown.",
        "The start of the log may have been cut off.",
    ),
    (
        "L015",
        "Result without a call",
        "A result answers a call that the log does not have; it belongs to no episode.",
        "The log may have been cut. A provider would refuse such a result; the request body leaves it out and says so.",
    ),
    (
        "L016",
        "Call without a result",
        "The call was never answered.",
        "Normal while a tool runs. Otherwise the session was interrupted there.",
    ),
    (
        "L017",
        "Second result",
        "A call was answered twice; the first answer counts as its result.",
        "Look at both lines in the log.",
    ),
    (
        "L018",
        "Call id used twice",
        "Two calls have one id, so their results cannot be told apart for sure.",
        "Look at both lines in the log.",
    ),
    (
        "L019",
        "Newer version of the format",
        "The log was written by a newer version than what is known here; it was read as the newest known one.",
        "Look for a newer version of this program if something seems to be missing.",
    ),
    (
        "L020",
        "Missing parent",
        "The record goes on after one that is not in the log; it was taken to follow the one before it.",
        "A record may have been lost. Look at the lines around it.",
    ),
    (
        "L021",
        "Unknown target of a rewrite",
        "The harness takes something out of its history that is not there; nothing was taken.",
        "Look at the line in the log.",
    ),
    (
        "L022",
        "Unsure author",
        "The log does not tell whether the human or the harness wrote it; it is treated as the human's, which no policy takes.",
        "Nothing to do.",
    ),
    (
        "L023",
        "Unreadable summary",
        "Only the provider can read this summary, so what it says and its size are unknown.",
        "Totals after it are too small by its size.",
    ),
    (
        "L024",
        "Missing history",
        "The session goes on after something that is not in this log.",
        "Open the log that it continues, if it still exists. Totals do not hold what stood before.",
    ),
    (
        "L025",
        "Damaged compression",
        "The packed log cannot be unpacked from here on; nothing behind this place was read.",
        "Copy the file again, or unpack as much as possible with another tool.",
    ),
    (
        "P001",
        "Start while another is open",
        "Episodes do not nest: the open one was closed without a description, so nothing of it stays once it is evicted.",
        "Let the agent call the delimiter with `end` and a description before it starts the next episode.",
    ),
    (
        "P002",
        "End without a start",
        "The agent ended an episode while none was open; the call did nothing.",
        "Let the agent start an episode before it works, and end each only once.",
    ),
    (
        "P003",
        "Name used twice",
        "An episode with this name exists already, so the new one got another name; dependencies on the old name mean the first.",
        "Let the agent give every episode a name of its own.",
    ),
    (
        "P004",
        "Act without dependencies",
        "An act that names nothing is taken to need every exploration before it, which keeps more than it has to.",
        "Let the agent name the explorations that the act draws on.",
    ),
    (
        "P005",
        "Unknown dependency",
        "The act needs something that no episode is called, so nothing is kept for it.",
        "Look for a spelling that differs from the episode's name; the agent must use it to the letter.",
    ),
    (
        "P006",
        "Dependency on an act",
        "Acts depend on explorations only; this edge was left out.",
        "Let the agent name the exploration that both acts draw on.",
    ),
    (
        "P007",
        "Dependency that is not closed",
        "What it names is still open, comes later, or is the act itself; this edge was left out.",
        "Let the agent end the exploration before it starts the act.",
    ),
    (
        "P008",
        "Exploration without a description",
        "When it is evicted nothing of it stays: the model forgets that it ever looked.",
        "Let the agent say what it learned when it ends an exploration.",
    ),
    (
        "P009",
        "Description on an act",
        "Descriptions stay of explorations only; this one was not used.",
        "Nothing is lost. The agent may leave it out.",
    ),
    (
        "P010",
        "Dependencies on an exploration",
        "Only acts depend on others; these names were not used.",
        "Nothing is lost. The agent may leave them out.",
    ),
    (
        "P011",
        "Never closed",
        "The episode is still open, so no policy takes anything of it.",
        "Normal while the agent works. In a finished session the agent forgot to end it.",
    ),
    (
        "P012",
        "Malformed mark",
        "A field of the delimiter call is missing or of a wrong type, so the mark could not be used as it stands.",
        "Look at the call's JSON; the agent's tool description may differ from what is read here.",
    ),
    (
        "P013",
        "End of another episode",
        "The end names an episode that is not the open one; the open one was ended.",
        "Let the agent name the open episode, or no name at all.",
    ),
    (
        "T001",
        "Table of tools",
        "Something in your own table of tools was not understood; the rest of it is used.",
        "Correct the line in tools.toml.",
    ),
];

/// Returns what a code means; `None` for one that nobody has written about.
pub(crate) fn advice(code: &str) -> Option<CodeDto> {
    let (code, title, means, todo) = TABLE.iter().find(|(known, ..)| *known == code)?;
    let own = |text: &str| text.to_owned();
    Some(CodeDto { code: own(code), title: own(title), means: own(means), todo: own(todo) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_code_has_its_advice() {
        let source = include_str!("../../../engine/src/problem.rs");
        let codes = regex::Regex::new(r#"=> "([PL]\d{3})""#).unwrap();
        let codes: Vec<&str> =
            codes.captures_iter(source).map(|found| found.get(1).unwrap().as_str()).collect();
        assert!(codes.len() >= 38, "{codes:?}");
        for code in codes {
            let found = advice(code).unwrap_or_else(|| panic!("{code} has no advice"));
            assert!(found.means.ends_with('.') && found.todo.ends_with('.'), "{code}: sentences end");
        }
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0), "in order, and none twice");
        assert_eq!(advice("X999"), None);
    }
}
