//! Marks as a person or a model hands them in: the JSON is found in prose, and its odd members are told.
//!
//! Code fences, a bare array of episodes, numbers as texts, and turns instead of lines are understood.

use serde_json::{Map, Value};

use super::read::{MOST_BYTES, MOST_MARKS, read_marks};
use super::turns::{FIRST_NUMBER, MarkPlace, TurnLines};
use crate::api::{FileMark, MarkProblem, MarksFile};
use crate::figures::saturate_u32;
use crate::{ApiError, ErrorCode};

const GIVEN: &str = "name, type, first, last, dependencies and description";
const MEMBERS: [&str; 12] = [
    "name",
    "type",
    "first",
    "last",
    "first_turn",
    "last_turn",
    "first_block",
    "last_block",
    "dependencies",
    "description",
    "confidence",
    "cues",
];
/// Members beside `episodes`: ours, and those that say which session and which turns the reader saw.
const BESIDE: [&str; 11] = [
    "$schema",
    "episodes",
    "made_by",
    "reader",
    "based_on",
    "guide_hash",
    "brief_hash",
    "session",
    "format",
    "source",
    "turns",
];
/// How deep an answer may be wrapped in texts of other JSON, as by `--output-format json`.
const MOST_WRAPS: usize = 2;

pub struct MarksDraft {
    pub marks: MarksFile,
    /// The number of each mark in the document, from 1. A mark that could not be read is missing.
    pub numbers: Vec<u32>,
    pub problems: Vec<MarkProblem>,
}

/// Reads marks from an answer: the last JSON object with `episodes`, else the last array of episodes.
///
/// # Errors
/// If there is no such JSON; the message names line and column.
pub fn read_draft(answer: &[u8], turns: &TurnLines) -> Result<MarksDraft, ApiError> {
    if answer.len() as u64 > MOST_BYTES {
        let message = format!("more than {} MiB are no marks of a session", MOST_BYTES >> 20);
        return Err(ApiError::new(ErrorCode::BadView, message));
    }
    let answer = String::from_utf8_lossy(answer);
    let Some(mut document) = find_marks(&answer, MOST_WRAPS) else {
        return Err(describe_absence(&answer));
    };
    let mut draft = MarksDraft { marks: MarksFile::default(), numbers: Vec::new(), problems: Vec::new() };
    let episodes = match document.remove("episodes") {
        Some(Value::Array(episodes)) if episodes.len() <= MOST_MARKS => episodes,
        Some(Value::Array(episodes)) => {
            let message = format!("{} marks are more than a session has episodes", episodes.len());
            return Err(
                ApiError::new(ErrorCode::BadView, message).with_hint(format!("{MOST_MARKS} are the most"))
            );
        }
        _ => {
            return Err(ApiError::new(ErrorCode::BadView, "`episodes` is no list")
                .with_hint("\"episodes\": [{\"name\": …}, …]"));
        }
    };
    let texts = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
    draft.marks.made_by = texts("made_by");
    draft.marks.reader = texts("reader");
    draft.marks.based_on = texts("based_on");
    draft.marks.guide_hash = texts("guide_hash");
    draft.marks.brief_hash = texts("brief_hash");
    for key in document.keys().filter(|key| !BESIDE.contains(&key.as_str())) {
        let message = format!("`{key}` beside `episodes` is unknown: leave it out");
        draft.problems.push(MarkProblem { mark: 0, name: String::new(), line: 0, message });
    }
    for (at, episode) in episodes.iter().enumerate() {
        let number = saturate_u32(at + 1);
        let mut reader = MarkReader { number, turns, mark: FileMark::default(), messages: Vec::new() };
        let is_usable = reader.read_mark(episode);
        let MarkReader { mark, messages, .. } = reader;
        let (name, line) = (mark.name.clone(), mark.first);
        let told = messages.into_iter();
        draft.problems.extend(told.map(|message| MarkProblem {
            mark: number,
            name: name.clone(),
            line,
            message,
        }));
        if is_usable {
            draft.marks.episodes.push(mark);
            draft.numbers.push(number);
        }
    }
    Ok(draft)
}

fn find_marks(text: &str, wraps: usize) -> Option<Map<String, Value>> {
    let (mut found, mut bare, mut at) = (None, None, 0);
    while let Some(step) = text[at..].find(['{', '[']) {
        at += step;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let value = values.next().and_then(Result::ok);
        let end = at + values.byte_offset();
        // Without marks of its own a value may still hold some, so only its bracket is passed.
        at += 1;
        match value {
            Some(Value::Object(object)) if object.contains_key("episodes") => {
                (found, at) = (Some(object), end);
            }
            Some(Value::Object(object)) if wraps > 0 => {
                let texts = object.values().filter_map(Value::as_str);
                let wrapped = texts.filter(|text| text.contains("\"episodes\""));
                found = wrapped.filter_map(|text| find_marks(text, wraps - 1)).next_back().or(found);
            }
            Some(Value::Array(list)) if is_list_of_marks(&list) => {
                (bare, at) = (Some(list), end);
            }
            _ => {}
        }
    }
    let as_object = |list| Map::from_iter([("episodes".to_owned(), Value::Array(list))]);
    found.or_else(|| bare.map(as_object))
}

fn is_list_of_marks(list: &[Value]) -> bool {
    let is_mark = |value: &Value| {
        value.get("name").is_some() && (value.get("first").is_some() || value.get("first_turn").is_some())
    };
    list.first().is_some_and(is_mark)
}

fn describe_absence(answer: &str) -> ApiError {
    let start = answer.rfind("\"episodes\"").and_then(|at| answer[..at].rfind('{'));
    let start = start.or_else(|| answer.find(['{', '[']));
    let read = read_marks(&answer.as_bytes()[start.unwrap_or(0)..]);
    let lines_before = answer[..start.unwrap_or(0)].matches('\n').count();
    match read {
        Err(error) if lines_before == 0 => error,
        Err(error) => ApiError {
            message: format!("{}, counted from line {} of the answer", error.message, lines_before + 1),
            ..error
        },
        Ok(_) => ApiError::new(ErrorCode::BadView, "the answer holds no object with `episodes`"),
    }
}

struct MarkReader<'a> {
    number: u32,
    turns: &'a TurnLines,
    mark: FileMark,
    messages: Vec<String>,
}

impl MarkReader<'_> {
    fn read_mark(&mut self, value: &Value) -> bool {
        let Some(object) = value.as_object() else {
            self.messages.push(format!("mark {} is no object: write {GIVEN}", self.number));
            return false;
        };
        let name = object.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
        self.mark.name = name.to_owned();
        for key in object.keys().filter(|key| !MEMBERS.contains(&key.as_str())) {
            self.messages.push(format!("`{key}` is unknown: a mark has {GIVEN}"));
        }
        let first = self.read_place(object, "first", "first_turn", true);
        let last = self.read_place(object, "last", "last_turn", false);
        let (first_block, last_block) =
            (self.read_number(object, "first_block"), self.read_number(object, "last_block"));
        self.read_kind(object);
        self.read_dependencies(object);
        self.read_description(object);
        self.read_evidence(object);
        if self.mark.name.is_empty() {
            self.messages.push("it has no `name`: give it a short one with hyphens".to_owned());
        }
        let Some(first) = first else {
            if !object.contains_key("first") && !object.contains_key("first_turn") {
                self.messages.push("it has no `first`: write the line of the log where it begins".to_owned());
            }
            return false;
        };
        self.mark.first = first.line;
        self.mark.last = last.map(|last| last.line);
        let as_block = |number: Option<u64>| number.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        self.mark.first_block = as_block(first_block).or(first.block);
        self.mark.last_block = as_block(last_block).or(last.and_then(|last| last.block));
        !self.mark.name.is_empty() && !self.mark.kind.is_empty()
    }

    /// Reads a place: a line as a number or a text (`12`, `line 12`, `7/3`), or a turn (`turn 5`, or the member
    /// `of_turn`).
    fn read_place(
        &mut self,
        object: &Map<String, Value>,
        key: &str,
        of_turn: &str,
        is_first: bool,
    ) -> Option<MarkPlace> {
        let (value, of_turn) = match (object.get(key), object.get(of_turn)) {
            (Some(Value::Null) | None, Some(turn)) if !turn.is_null() => (turn, true),
            (Some(value), _) if !value.is_null() => (value, false),
            _ => return None,
        };
        let text = match value {
            Value::String(text) => text.trim().to_lowercase(),
            other => other.to_string(),
        };
        let word = text.trim_start_matches("turn").trim_start_matches("line").trim();
        let of_turn = of_turn || text.starts_with("turn");
        let (line, block) = match word.split_once('/') {
            Some((line, block)) => (line.trim(), block.trim().parse().ok().map(Some)),
            None => (word, Some(None)),
        };
        let (Some(number), Some(block)) = (parse_whole(line), block) else {
            self.messages.push(format!("its `{key}` is {value}: write the line of the log as a number"));
            return None;
        };
        if !of_turn {
            return Some(MarkPlace { line: number, block });
        }
        let place = self.turns.place_of_turn(number, is_first);
        if place.is_none() {
            let last = self.turns.last_number();
            self.messages.push(format!("there is no turn {number}: the turns are {FIRST_NUMBER} to {last}"));
        }
        place
    }

    fn read_number(&mut self, object: &Map<String, Value>, key: &str) -> Option<u64> {
        let value = object.get(key).filter(|value| !value.is_null())?;
        let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
        let number = parse_whole(&text);
        if number.is_none() {
            self.messages.push(format!("its `{key}` is {value}: write a number from 0"));
        }
        number
    }

    fn read_kind(&mut self, object: &Map<String, Value>) {
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().trim().to_lowercase();
        self.mark.kind = match kind.as_str() {
            "expl" | "exploration" | "exploratory" => "expl".to_owned(),
            "act" | "action" => "act".to_owned(),
            _ => {
                let told = object.get("type").map_or("missing".to_owned(), ToString::to_string);
                self.messages.push(format!("its `type` is {told}: write \"expl\" or \"act\""));
                String::new()
            }
        };
    }

    fn read_dependencies(&mut self, object: &Map<String, Value>) {
        let names = match object.get("dependencies") {
            Some(Value::Array(names)) => names,
            None | Some(Value::Null) => {
                if self.mark.kind == "act" {
                    let way = "name the explorations that it uses, or write []";
                    self.messages.push(format!("it has no `dependencies`: {way}"));
                }
                return;
            }
            Some(_) => {
                self.messages.push("its `dependencies` is no list of names: write [\"…\"] or []".to_owned());
                return;
            }
        };
        for name in names {
            match name.as_str() {
                Some(name) => self.mark.dependencies.push(name.trim().to_owned()),
                None => self.messages.push(format!("its dependency {name} is no name: write a text")),
            }
        }
    }

    fn read_description(&mut self, object: &Map<String, Value>) {
        let description = object.get("description").filter(|value| !value.is_null());
        let text = description.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        self.mark.description = text.map(str::to_owned);
        if description.is_some_and(|value| !value.is_string()) {
            self.messages.push("its `description` is no text: write what was found in words".to_owned());
        } else if text.is_none() && self.mark.kind == "expl" {
            let way = "write what was found, with the paths, names and figures that later work needs";
            self.messages.push(format!("it has no `description`: {way}"));
        }
    }

    fn read_evidence(&mut self, object: &Map<String, Value>) {
        let confidence = self.read_number(object, "confidence");
        self.mark.confidence = confidence.map(|number| u16::try_from(number).unwrap_or(1000).min(1000));
        let cues = object.get("cues").and_then(Value::as_array).into_iter().flatten();
        self.mark.cues = cues.filter_map(Value::as_str).map(str::to_owned).collect();
    }
}

/// Parses a whole number from 0, also in the form `12.0`.
fn parse_whole(text: &str) -> Option<u64> {
    let whole = text.split_once('.').map_or(text, |(whole, rest)| {
        let is_zero = !rest.is_empty() && rest.bytes().all(|digit| digit == b'0');
        if is_zero { whole } else { text }
    });
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const GOOD: &str = r#"{"name":"look","type":"expl","first":4,"last":8,"description":"x"}"#;

    /// Three turns, 2 to 4, on lines 4 to 5, 6 to 8 and 9.
    fn turns() -> TurnLines {
        let place = |line| MarkPlace { line, block: None };
        TurnLines::from_places(vec![(place(4), place(5)), (place(6), place(8)), (place(9), place(9))])
    }

    fn draft(answer: &str) -> MarksDraft {
        read_draft(answer.as_bytes(), &turns()).unwrap_or_else(|error| panic!("{answer}: {error}"))
    }

    #[test]
    fn marks_are_found_in_what_a_model_says() {
        let check = |answer: &str, names: &[&str]| {
            let draft = draft(answer);
            let found: Vec<&str> = draft.marks.episodes.iter().map(|mark| mark.name.as_str()).collect();
            assert_eq!(found, names, "{answer}");
            assert_eq!(draft.problems, [], "{answer}");
        };
        let object = format!("{{\"episodes\": [{GOOD}]}}");
        let other = object.replace("look", "later");
        check(&object, &["look"]);
        check(&format!("\u{feff}{object}\n"), &["look"]);
        check(&format!("Here are the {{marks}} [1]:\n```json\n{object}\n```\nThat is all."), &["look"]);
        check(&format!("[{GOOD}]"), &["look"]);
        check(&format!("First try: {object}\nBetter: {other} and `{{}}`"), &["later"]);
        check(&format!("[{GOOD}] but rather {other}"), &["later"]);
        check(&format!("{{\"answer\": {object}}}"), &["look"]);
        // As harnesses print it that are told to print JSON.
        let wrapped = serde_json::json!({ "type": "result", "result": format!("```json\n{object}\n```") });
        check(&wrapped.to_string(), &["look"]);
        check("{\"episodes\": []}", &[]);
    }

    #[test]
    fn what_holds_no_marks_is_told_with_its_place() {
        let check = |answer: &str, says: &str| {
            let error = read_draft(answer.as_bytes(), &turns()).err().unwrap();
            assert!(error.message.contains(says), "{answer}: {}", error.message);
        };
        check("", "the marks are no JSON: EOF");
        check("I cannot do that.", "the marks are no JSON: expected value at line 1 column 1");
        check(
            "Here:\n\n{\"episodes\": [{\"name\":",
            "EOF while parsing a value at line 1 column 22, counted from line 3 of the answer",
        );
        check("{\"marks\": []}", "missing field `episodes`");
        check("{\"episodes\": 3}", "`episodes` is no list");
        check("[1, 2]", "not of the known form");
    }

    #[test]
    fn numbers_and_places_come_in_many_forms() {
        let check = |places: &str, expected: (u64, Option<u32>, Option<u64>, Option<u32>)| {
            let draft = draft(&format!(
                r#"{{"episodes":[{{"name":"a","type":"Action","dependencies":[],{places}}}]}}"#
            ));
            let mark = &draft.marks.episodes[0];
            assert_eq!((mark.first, mark.first_block, mark.last, mark.last_block), expected, "{places}");
            assert_eq!((draft.problems, mark.kind.as_str()), (Vec::new(), "act"), "{places}");
        };
        check(r#""first":"4","last":" 8 ""#, (4, None, Some(8), None));
        check(r#""first":4.0,"last":null"#, (4, None, None, None));
        check(r#""first":"line 4","last":"7/3""#, (4, None, Some(7), Some(3)));
        check(r#""first_turn":2,"last_turn":"3""#, (4, None, Some(8), None));
        check(r#""first":"turn 3","last":"Turn 4""#, (6, None, Some(9), None));
        check(r#""first":7,"first_block":"1","last":7,"last_block":2"#, (7, Some(1), Some(7), Some(2)));
    }

    #[test]
    fn each_fault_of_a_mark_is_told_with_the_way_out() {
        let check = |mark: &str, line: u64, says: &[&str]| {
            let draft = draft(&format!(r#"{{"episodes":[{mark}]}}"#));
            let told: Vec<&str> = draft.problems.iter().map(|one| one.message.as_str()).collect();
            assert_eq!(told, says, "{mark}");
            assert!(draft.problems.iter().all(|one| (one.mark, one.line) == (1, line)), "{mark}");
        };
        check(GOOD, 4, &[]);
        let unknown = GOOD.replace("\"type\"", "\"note\":1,\"type\"");
        check(
            &unknown,
            4,
            &["`note` is unknown: a mark has name, type, first, last, dependencies and description"],
        );
        let found = "write what was found, with the paths, names and figures that later work needs";
        check(
            r#"{"name":"a","type":"expl","first":4,"last":8}"#,
            4,
            &[&format!("it has no `description`: {found}")],
        );
        check(
            r#"{"name":"a","type":"act","first":4,"last":8}"#,
            4,
            &["it has no `dependencies`: name the explorations that it uses, or write []"],
        );
        check(
            r#"{"name":"a","type":"act","first":4,"dependencies":"look"}"#,
            4,
            &["its `dependencies` is no list of names: write [\"…\"] or []"],
        );
        check(
            r#"{"name":"a","type":"act","first":4,"dependencies":[3]}"#,
            4,
            &["its dependency 3 is no name: write a text"],
        );
        check(
            r#"{"name":"a","type":"plan","first":4,"dependencies":[]}"#,
            4,
            &["its `type` is \"plan\": write \"expl\" or \"act\""],
        );
        check(
            r#"{"name":"a","type":"act","dependencies":[]}"#,
            0,
            &["it has no `first`: write the line of the log where it begins"],
        );
        check(
            r#"{"name":"a","type":"act","first":"soon","dependencies":[]}"#,
            0,
            &["its `first` is \"soon\": write the line of the log as a number"],
        );
        check(
            r#"{"name":"a","type":"act","first":"turn 9","dependencies":[]}"#,
            0,
            &["there is no turn 9: the turns are 2 to 4"],
        );
        check(
            r#"{"type":"act","first":4,"dependencies":[]}"#,
            4,
            &["it has no `name`: give it a short one with hyphens"],
        );
        check("7", 0, &[&format!("mark 1 is no object: write {GIVEN}")]);
    }

    #[test]
    fn what_stands_beside_the_episodes_is_told_too() {
        let draft = draft(r#"{"episodes":[],"session":"x","made_by":"A","mood":"good"}"#);
        assert_eq!(draft.marks.made_by.as_deref(), Some("A"));
        let told: Vec<(u32, &str)> =
            draft.problems.iter().map(|one| (one.mark, one.message.as_str())).collect();
        assert_eq!(told, [(0, "`mood` beside `episodes` is unknown: leave it out")]);
    }
}
