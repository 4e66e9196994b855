//! A reader who is played from its marks, for `cwl annotate LOG --reader 'cwl-judge answer d01.A'`.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use crate::marks::{Episode, Marks};

/// Answers a prompt with the marks of a reading, as `d01.A`. The marks hold no description, so each exploration gets its
/// name as one. If the prompt tells of calls that no episode covers, the episode before them goes that far.
///
/// # Errors
/// If there is no such reading.
pub(crate) fn answer_prompt(folder: &Path, reading: &str, prompt: &str) -> anyhow::Result<String> {
    let path = folder.join(format!("{reading}.json"));
    let text = std::fs::read_to_string(&path).with_context(|| format!("no reading is called {reading}"))?;
    let mut marks: Marks =
        serde_json::from_str(&text).with_context(|| format!("{} holds no marks", path.display()))?;
    let told = prompt.rsplit_once("This is wrong with it:").map_or("", |(_, told)| told);
    for (first, last) in told.lines().filter_map(parse_gap) {
        close_gap(&mut marks.episodes, first, last);
    }
    let episodes: Vec<Value> = marks.episodes.iter().map(write_mark).collect();
    Ok(serde_json::to_string_pretty(&json!({ "episodes": episodes }))?)
}

/// Reads the lines from `… calls on lines 3 to 9 belong to no episode: …`.
fn parse_gap(problem: &str) -> Option<(u64, u64)> {
    let (before, _) = problem.split_once(" to no episode:")?;
    let (_, place) = before.rsplit_once(" on line")?;
    let mut numbers = place.split_whitespace().filter_map(|word| word.parse().ok());
    let first = numbers.next()?;
    Some((first, numbers.next().unwrap_or(first)))
}

fn close_gap(episodes: &mut [Episode], first: u64, last: u64) {
    match episodes.iter().rposition(|episode| episode.first <= first) {
        Some(at) => episodes[at].last = episodes[at].last.max(last),
        None => episodes.iter_mut().take(1).for_each(|episode| episode.first = first),
    }
}

fn write_mark(episode: &Episode) -> Value {
    let Episode { name, kind, first, last, dependencies } = episode;
    let mut mark =
        json!({ "name": name, "type": kind, "first": first, "last": last, "dependencies": dependencies });
    if kind == "expl" {
        mark["description"] = name.replace('-', " ").into();
    }
    mark
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_answer_has_the_marks_and_closes_the_gaps_that_are_told() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("marks");
        let answer = |prompt: &str| -> Vec<Value> {
            let text = answer_prompt(&folder, "d01.A", prompt).unwrap();
            let answer: Value = serde_json::from_str(&text).unwrap();
            answer["episodes"].as_array().unwrap().clone()
        };
        let first = answer("the guide");
        assert_eq!((first.len(), &first[0]["last"]), (13, &json!(99)));
        assert!(first.iter().all(|mark| (mark["type"] == "expl") == mark["description"].is_string()));
        let problem =
            |what: &str| format!("This is wrong with it:\n\n1. line 1: {what} to no episode: mark an …\n");
        assert_eq!(answer(&problem("1 call on line 433 belongs"))[8]["last"], 433);
        assert_eq!(answer(&problem("3 calls on lines 432 to 436 belong"))[8]["last"], 436);
        assert_eq!(answer(&problem("2 calls on lines 2 to 3 belong"))[0]["first"], 2);
        assert!(answer_prompt(&folder, "d99.A", "").is_err());
    }
}
