//! Questions whose answer the context held before a compaction and the agent used after it.

use std::collections::BTreeMap;

use cwl_engine::{DetailAtCut, DetailFate, DetailKind, Session, TurnIdx, command_head};

use crate::ApiError;
use crate::api::{DetailFateName, QuestionCounts, RecallQuestion};
use crate::figures::{saturate_u32, shorten_line};
use crate::measure::opened::SessionSnapshot;

const QUESTIONS_LISTED: usize = 60;
const AROUND_CHARS: usize = 50;
const GAP: &str = "____";
const SHOWN_CHARS: usize = 120;

/// Returns the first questions, those without an answer in the context first, and the numbers of all.
pub(crate) fn recall_questions(
    opened: &SessionSnapshot,
    session: &Session,
    details: &[DetailAtCut],
    fates: &[DetailFate],
    is_told: bool,
) -> Result<(Vec<RecallQuestion>, QuestionCounts), ApiError> {
    let mut n_asked: BTreeMap<String, u32> = BTreeMap::new();
    let names = details.iter().filter_map(|detail| name_question(detail.kind, &detail.text));
    names.for_each(|question| *n_asked.entry(question).or_default() += 1);
    let mut questions = Vec::new();
    let needed = details.iter().zip(fates).filter(|(detail, _)| detail.needed_by.is_some());
    for (detail, fate) in needed {
        let Some(told_by) = detail.said_by.last().copied() else { continue };
        let question = match detail.kind {
            // A question with two answers is none.
            DetailKind::File | DetailKind::Command => {
                name_question(detail.kind, &detail.text).filter(|question| n_asked.get(question) == Some(&1))
            }
            DetailKind::Number => {
                let text = opened.block_content(session, told_by)?.text;
                cloze(&text, &detail.text).map(|line| format!("Which number is missing in `{line}`?"))
            }
            _ => None,
        };
        let Some(question) = question else { continue };
        questions.push(RecallQuestion {
            kind: detail.kind,
            question,
            answer: shorten_line(&detail.text, SHOWN_CHARS),
            fate: match fate {
                DetailFate::Literal => DetailFateName::Literal,
                DetailFate::Named => DetailFateName::Named,
                DetailFate::Lost if is_told => DetailFateName::Lost,
                DetailFate::Lost => DetailFateName::Untold,
            },
            block: session.blocks[told_by.at()].id.to_string(),
            turn: detail.needed_turn(session).map_or(0, TurnIdx::number),
        });
    }
    let n_of = |fate| saturate_u32(questions.iter().filter(|one| one.fate == fate).count());
    let counts = QuestionCounts {
        n_all: saturate_u32(questions.len()),
        n_literal: n_of(DetailFateName::Literal),
        n_named: n_of(DetailFateName::Named),
        n_lost: is_told.then(|| n_of(DetailFateName::Lost)),
    };
    questions.sort_by_key(|one| (one.fate, one.turn));
    questions.truncate(QUESTIONS_LISTED);
    Ok((questions, counts))
}

fn name_question(kind: DetailKind, text: &str) -> Option<String> {
    match kind {
        DetailKind::File => {
            let (_, name) = text.rsplit_once('/')?;
            Some(format!("What is the path of `{}`?", shorten_line(name, SHOWN_CHARS)))
        }
        DetailKind::Command => {
            let head = command_head(text).filter(|head| head != text)?;
            Some(format!("How was `{}` run?", shorten_line(&head, SHOWN_CHARS)))
        }
        _ => None,
    }
}

/// Returns the part of a line around the first place of `number`, with a gap in its place; `None` if nothing else
/// stands there.
fn cloze(text: &str, number: &str) -> Option<String> {
    let is_gap = |one: Option<char>| one.is_none_or(|one| !one.is_alphanumeric());
    let at = text.match_indices(number).map(|(at, _)| at).find(|at| {
        is_gap(text[..*at].chars().next_back()) && is_gap(text[at + number.len()..].chars().next())
    })?;
    let (before, after) = (&text[..at], &text[at + number.len()..]);
    let before = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let after = after.split(['\n', '\r']).next().unwrap_or_default();
    let from = before.char_indices().rev().take(AROUND_CHARS).last().map_or(before.len(), |(at, _)| at);
    let end = after.char_indices().nth(AROUND_CHARS).map_or(after.len(), |(at, _)| at);
    let (before, after) = (&before[from..], &after[..end]);
    if !before.chars().chain(after.chars()).any(char::is_alphabetic) {
        return None;
    }
    Some(shorten_line(&format!("{before}{GAP}{after}").replace('`', "'"), SHOWN_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps() {
        let check = |text: &str, number: &str, expected: Option<&str>| {
            assert_eq!(cloze(text, number).as_deref(), expected, "{number} in {text:?}");
        };
        check("one\non port 8081, pid 4711\ntwo", "8081", Some("on port ____, pid 4711"));
        check("a18081 8081 b", "8081", Some("a18081 ____ b"));
        check("`port` 8081", "8081", Some("'port' ____"));
        check("8081", "8081", None);
        check("1: 8081", "8081", None);
        check("port 80812", "8081", None);
        check(&format!("{}8081é", "é".repeat(80)), "8081", None);
        let spaced = format!("{} 8081 é", "é".repeat(80));
        check(&spaced, "8081", Some(&format!("{} ____ é", "é".repeat(49))));
    }

    #[test]
    fn questions_by_a_part_of_the_name() {
        let check = |kind, text: &str, expected: Option<&str>| {
            assert_eq!(name_question(kind, text).as_deref(), expected, "{text:?}");
        };
        check(DetailKind::File, "src/a.rs", Some("What is the path of `a.rs`?"));
        check(DetailKind::File, "a.rs", None);
        check(DetailKind::Command, "cargo test -p app", Some("How was `cargo test` run?"));
        check(DetailKind::Command, "cargo test", None);
        check(DetailKind::Command, "ls", None);
        check(DetailKind::Number, "8081", None);
    }
}
