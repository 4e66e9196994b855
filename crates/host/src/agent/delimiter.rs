//! Checks an agent's delimiter calls one at a time.
//!
//! Nothing is remembered between calls: one process may serve several subagents, and a call does not name its
//! author. A call is refused only for what is wrong in itself. Other faults, such as an end without a start
//! or an unknown dependency, remain in the log for the protocol rules.

use serde_json::{Map, Value};

const MOST_OF_NAME: usize = 120;

/// Checks a `delimiter` call against the paper's protocol; returns the confirmation.
///
/// # Errors
/// A sentence with the fault and the correct form of the call.
pub fn check_mark(arguments: &Map<String, Value>) -> Result<String, String> {
    let given = |key: &str| arguments.get(key).filter(|value| !value.is_null());
    match given("action").map(|action| action.as_str().unwrap_or_default()) {
        Some("start") => start_mark(&given),
        Some("end") => end_mark(&given),
        Some(_) => Err(r#""action" is "start" or "end""#.to_owned()),
        None => Err(r#""action" is missing: {"action":"start","name":"…","type":"expl"} begins an exploration, {"action":"end","description":"…"} ends it"#.to_owned()),
    }
}

fn text_argument<'a>(value: Option<&'a Value>, key: &str) -> Result<Option<&'a str>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(_) => Err(format!(r#""{key}" is a text"#)),
    }
}

fn start_mark<'a>(given: &impl Fn(&str) -> Option<&'a Value>) -> Result<String, String> {
    let Some(name) = text_argument(given("name"), "name")? else {
        return Err(r#"a start needs "name": a short one that says what the episode is for, as in "find-session-bug""#.to_owned());
    };
    if name.chars().count() > MOST_OF_NAME {
        return Err(format!(
            r#""name" has more than {MOST_OF_NAME} characters: a few words with hyphens are enough"#
        ));
    }
    let kind =
        match text_argument(given("type"), "type")? {
            Some(kind @ ("expl" | "act")) => kind,
            Some(_) => {
                return Err(
                    r#""type" is "expl" (it finds something out) or "act" (it changes something)"#.to_owned()
                );
            }
            None => return Err(
                r#"a start needs "type": "expl" (it finds something out) or "act" (it changes something)"#
                    .to_owned(),
            ),
        };
    if text_argument(given("description"), "description")?.is_some() {
        return Err(r#"a start has no "description": it belongs to the end of an exploration, when you know what you found"#.to_owned());
    }
    let names = name_list(given("dependencies"))?;
    match (kind, names) {
        ("expl", Some(names)) if !names.is_empty() => {
            Err(r#"an exploration has no "dependencies": leave them out; an act names the explorations that it draws on"#.to_owned())
        }
        ("expl", _) => Ok(format!("started exploration {name}; end it with a description of what you found")),
        (_, None) => Err(r#"the start of an act needs "dependencies": the names of the finished explorations that it draws on, or [] for none"#.to_owned()),
        (_, Some(names)) if names.contains(&name) => {
            Err(format!(r#""dependencies" names {name} itself: an act draws on explorations that ended before it"#))
        }
        (_, Some(names)) if names.is_empty() => Ok(format!("started act {name}")),
        (_, Some(names)) => Ok(format!("started act {name}, which draws on {}", names.join(", "))),
    }
}

fn name_list(value: Option<&Value>) -> Result<Option<Vec<&str>>, String> {
    let wrong = || r#""dependencies" is a list of names, as in ["find-session-bug"]"#.to_owned();
    let Some(value) = value else { return Ok(None) };
    let list = value.as_array().ok_or_else(wrong)?;
    let name = |one: &'_ Value| one.as_str().map(str::trim).filter(|name| !name.is_empty()).is_some();
    if !list.iter().all(name) {
        return Err(wrong());
    }
    Ok(Some(list.iter().filter_map(Value::as_str).map(str::trim).collect()))
}

fn end_mark<'a>(given: &impl Fn(&str) -> Option<&'a Value>) -> Result<String, String> {
    let description = text_argument(given("description"), "description")?;
    if name_list(given("dependencies"))?.is_some_and(|names| !names.is_empty()) {
        return Err(r#"an end has no "dependencies": they belong to the start of an act"#.to_owned());
    }
    match (text_argument(given("type"), "type")?, description) {
        (Some("expl"), None) => Err(r#"the end of an exploration needs "description": what you found, with the paths, names, figures and error texts that later work needs; it is all that stays of the exploration"#.to_owned()),
        (Some("act"), Some(_)) => Err(r#"the end of an act has no "description": what it did stands in the files; call {"action":"end"}"#.to_owned()),
        (_, Some(_)) => Ok("ended; the description stays".to_owned()),
        (Some("act"), None) => Ok("ended".to_owned()),
        (_, None) => Ok("ended, as an act: an exploration would need a description".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_refused_only_for_what_it_proves_wrong() {
        // Expects the beginning of the answer; `!` marks a refusal.
        let check = |call: &str, expected: &str| {
            let Ok(Value::Object(arguments)) = serde_json::from_str(call) else { panic!("{call}") };
            let answer = check_mark(&arguments).unwrap_or_else(|refusal| format!("!{refusal}"));
            assert!(answer.starts_with(expected), "{call}: {answer}");
        };
        check(r#"{"action":"start","name":"a","type":"expl"}"#, "started exploration a");
        check(r#"{"action":"start","name":"a","type":"expl","dependencies":[]}"#, "started exploration a");
        check(
            r#"{"action":"start","name":"b","type":"act","dependencies":["a"]}"#,
            "started act b, which draws on a",
        );
        check(r#"{"action":"start","name":"b","type":"act","dependencies":[]}"#, "started act b");
        check(r#"{"action":"end","description":"It is in a.rs:4."}"#, "ended; the description stays");
        check(r#"{"action":"end"}"#, "ended, as an act");
        check(r#"{"action":"end","name":"b","type":"act"}"#, "ended");
        check(r#"{"action":"end","description":null}"#, "ended, as an act");

        check("{}", r#"!"action" is missing"#);
        check(r#"{"action":"stop"}"#, r#"!"action" is "start" or "end""#);
        check(r#"{"action":7}"#, r#"!"action" is "start" or "end""#);
        check(r#"{"action":"start","type":"expl"}"#, r#"!a start needs "name""#);
        check(r#"{"action":"start","name":"  ","type":"expl"}"#, r#"!a start needs "name""#);
        check(r#"{"action":"start","name":["a"],"type":"expl"}"#, r#"!"name" is a text"#);
        check(r#"{"action":"start","name":"a"}"#, r#"!a start needs "type""#);
        check(r#"{"action":"start","name":"a","type":"explore"}"#, r#"!"type" is "expl""#);
        check(
            r#"{"action":"start","name":"a","type":"act"}"#,
            r#"!the start of an act needs "dependencies""#,
        );
        check(
            r#"{"action":"start","name":"a","type":"act","dependencies":"b"}"#,
            r#"!"dependencies" is a list"#,
        );
        check(
            r#"{"action":"start","name":"a","type":"act","dependencies":[1]}"#,
            r#"!"dependencies" is a list"#,
        );
        check(
            r#"{"action":"start","name":"a","type":"act","dependencies":["a"]}"#,
            r#"!"dependencies" names a itself"#,
        );
        check(
            r#"{"action":"start","name":"a","type":"expl","dependencies":["b"]}"#,
            "!an exploration has no",
        );
        check(r#"{"action":"start","name":"a","type":"expl","description":"x"}"#, "!a start has no");
        check(r#"{"action":"end","type":"expl"}"#, "!the end of an exploration needs");
        check(r#"{"action":"end","type":"act","description":"x"}"#, "!the end of an act has no");
        check(r#"{"action":"end","description":3}"#, r#"!"description" is a text"#);
        check(r#"{"action":"end","dependencies":["a"]}"#, "!an end has no");
        let long = format!(r#"{{"action":"start","name":"{}","type":"expl"}}"#, "x".repeat(121));
        check(&long, r#"!"name" has more than"#);
    }
}
