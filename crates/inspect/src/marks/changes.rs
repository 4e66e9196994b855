//! Differences between two sets of marks, as sentences.

use std::collections::{HashMap, HashSet};

use crate::api::{FileMark, MarksFile};
use crate::figures::with_commas;

/// Lists differences in log order, as sentences without full stop.
pub fn list_changes(before: &MarksFile, after: &MarksFile) -> Vec<String> {
    let olds = by_name(before);
    let news = by_name(after);
    // A new name counts as renaming a vanished one if both episodes begin with the same block.
    let went = before.episodes.iter().filter(|mark| !news.contains_key(mark.name.as_str()));
    let went: HashMap<(u64, Option<u32>), &FileMark> =
        went.map(|mark| ((mark.first, mark.first_block), mark)).collect();
    let came = after.episodes.iter().filter(|mark| !olds.contains_key(mark.name.as_str()));
    let renamed: HashMap<&str, &FileMark> = came
        .filter_map(|mark| Some((mark.name.as_str(), *went.get(&(mark.first, mark.first_block))?)))
        .collect();
    let new_names: HashMap<&str, &str> = renamed.iter().map(|(new, old)| (old.name.as_str(), *new)).collect();
    let mut said: Vec<(u64, String)> = Vec::new();
    for mark in &after.episodes {
        let name = mark.name.as_str();
        match (olds.get(name), renamed.get(name)) {
            (Some(old), _) => said.extend(of_one(old, mark, &new_names).map(|says| (mark.first, says))),
            (None, Some(old)) => {
                said.push((mark.first, format!("`{}` is called `{name}`", old.name)));
                said.extend(of_one(old, mark, &new_names).map(|says| (mark.first, says)));
            }
            (None, None) => {
                let says = format!("`{name}` is new: {}, {}", kind_of(mark), lines_of(mark));
                said.push((mark.first, says));
            }
        }
    }
    let is_gone = |mark: &&FileMark| {
        !news.contains_key(mark.name.as_str()) && !new_names.contains_key(mark.name.as_str())
    };
    said.extend(
        before
            .episodes
            .iter()
            .filter(is_gone)
            .map(|mark| (mark.first, format!("`{}` is no longer marked ({})", mark.name, lines_of(mark)))),
    );
    said.sort_by_key(|(line, _)| *line);
    said.into_iter().map(|(_, says)| says).collect()
}

fn by_name(marks: &MarksFile) -> HashMap<&str, &FileMark> {
    marks.episodes.iter().map(|mark| (mark.name.as_str(), mark)).collect()
}

fn of_one<'a>(
    old: &'a FileMark,
    new: &'a FileMark,
    new_names: &'a HashMap<&str, &str>,
) -> impl Iterator<Item = String> + use<'a> {
    let name = &new.name;
    let mut said = Vec::new();
    if old.kind != new.kind {
        said.push(format!("`{name}` is {} (it was {})", kind_of(new), kind_of(old)));
    }
    if (old.first, old.first_block) != (new.first, new.first_block) {
        said.push(moved_sentence(
            name,
            "begins",
            (Some(old.first), old.first_block),
            (Some(new.first), new.first_block),
        ));
    }
    if (old.last, old.last_block) != (new.last, new.last_block) {
        said.push(moved_sentence(name, "ends", (old.last, old.last_block), (new.last, new.last_block)));
    }
    let before: HashSet<&str> =
        old.dependencies.iter().map(|on| new_names.get(on.as_str()).copied().unwrap_or(on)).collect();
    let now: HashSet<&str> = new.dependencies.iter().map(String::as_str).collect();
    let added = new.dependencies.iter().filter(|on| !before.contains(on.as_str()));
    said.extend(added.map(|on| format!("`{name}` draws on `{on}`")));
    let dropped = old.dependencies.iter().map(|on| new_names.get(on.as_str()).copied().unwrap_or(on));
    said.extend(
        dropped.filter(|on| !now.contains(on)).map(|on| format!("`{name}` no longer draws on `{on}`")),
    );
    if old.description != new.description {
        said.push(match (&old.description, &new.description) {
            (_, None) => format!("`{name}` has no description any more"),
            (None, Some(_)) => format!("`{name}` has a description"),
            (Some(_), Some(_)) => format!("`{name}` has another description"),
        });
    }
    if old.confidence.is_some() && new.confidence.is_none() && said.is_empty() {
        said.push(format!("the start of `{name}` is accepted"));
    }
    said.into_iter()
}

type EdgePlace = (Option<u64>, Option<u32>);

fn moved_sentence(name: &str, does: &str, from: EdgePlace, to: EdgePlace) -> String {
    let place = |(line, block): EdgePlace, other: EdgePlace| match (line, block) {
        (None, _) => "at the end of the log".to_owned(),
        (Some(line), Some(block)) if other.0 == Some(line) => {
            format!("at block {} of line {}", block + 1, with_commas(line))
        }
        (Some(line), _) => format!("at line {}", with_commas(line)),
    };
    match (from.0, to.0) {
        (None, Some(_)) => format!("`{name}` {does} {} (it was open)", place(to, from)),
        _ => format!(
            "`{name}` {does} {} (it was {})",
            place(to, from),
            place(from, to).trim_start_matches("at ")
        ),
    }
}

fn kind_of(mark: &FileMark) -> &'static str {
    if mark.kind == "act" { "an act" } else { "an exploration" }
}

fn lines_of(mark: &FileMark) -> String {
    match mark.last {
        Some(last) if last == mark.first => format!("line {}", with_commas(last)),
        Some(last) => format!("lines {} to {}", with_commas(mark.first), with_commas(last)),
        None => format!("from line {} on", with_commas(mark.first)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Reads marks as `NAME KIND FIRST-LAST <ON,ON "description`, each apart by `; `.
    fn marks(text: &str) -> MarksFile {
        let one = |text: &str| {
            let (head, description) =
                text.split_once(" \"").map_or((text, None), |(head, says)| (head, Some(says.to_owned())));
            let words: Vec<&str> = head.split(' ').collect();
            let (first, last) = words[2].split_once('-').unwrap();
            let on = words.get(3).map_or("", |on| on.trim_start_matches('<'));
            FileMark {
                name: words[0].to_owned(),
                kind: words[1].to_owned(),
                first: first.parse().unwrap(),
                last: last.parse().ok(),
                dependencies: on.split(',').filter(|on| !on.is_empty()).map(str::to_owned).collect(),
                description,
                ..FileMark::default()
            }
        };
        MarksFile { episodes: text.split("; ").map(one).collect(), ..MarksFile::default() }
    }

    fn check(before: &str, after: &str, says: &[&str]) {
        assert_eq!(list_changes(&marks(before), &marks(after)), says);
    }

    #[test]
    fn every_difference_is_said() {
        let two = "look expl 4-8; fix act 9-14 <look";
        check(two, two, &[]);
        check(
            two,
            "look act 4-8; fix act 9-14",
            &["`look` is an act (it was an exploration)", "`fix` no longer draws on `look`"],
        );
        check(
            two,
            "look expl 4-6; fix act 7- <look",
            &[
                "`look` ends at line 6 (it was line 8)",
                "`fix` begins at line 7 (it was line 9)",
                "`fix` ends at the end of the log (it was line 14)",
            ],
        );
        check("a expl 4-", "a expl 4-1200", &["`a` ends at line 1,200 (it was open)"]);
        check(
            two,
            "read expl 4-8 \"found; fix act 9-14 <read",
            &["`look` is called `read`", "`read` has a description"],
        );
        check(
            two,
            "look expl 4-8; new expl 11-11",
            &["`fix` is no longer marked (lines 9 to 14)", "`new` is new: an exploration, line 11"],
        );
    }
}
