//! A row of a data set as a log.

use serde_json::{Map, Value};

/// Columns that hold a session's messages; the first that a row has counts.
const MESSAGES: [&str; 3] = ["messages", "trajectory", "conversations"];
const TOOLS: &str = "tools";
/// Columns that tell whether the session's task was solved; the first that a row has counts.
const OUTCOMES: [&str; 5] = ["resolved", "solved", "success", "reward", "target"];
const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLog {
    #[error("none of its columns is called {}", MESSAGES.join(", "))]
    NoMessages,
    #[error("its column `{column}` is no list of messages with a role and a content")]
    NoChat { column: &'static str },
    #[error("it has no column `{column}`")]
    NoOutcome { column: String },
}

/// Makes the log of one row: a JSON document with its messages in the form of chat completions, the tools, the outcome as
/// `resolved`, and all other columns as `row`. `model` is written into the log, because few sets have it; `outcome` names the
/// column that tells whether the task was solved, if it is none of the usual ones.
///
/// # Errors
/// If the row has no messages in that form, or lacks the column `outcome`.
pub fn dataset_log(
    mut row: Map<String, Value>,
    model: Option<&str>,
    outcome: Option<&str>,
) -> Result<Value, NoLog> {
    let column = MESSAGES.into_iter().find(|name| row.contains_key(*name)).ok_or(NoLog::NoMessages)?;
    let messages = row.shift_remove(column).map(parse_nested).unwrap_or_default();
    let messages = as_chat(messages).ok_or(NoLog::NoChat { column })?;
    let resolved = match outcome {
        Some(name) => {
            Some(row.get(name).ok_or_else(|| NoLog::NoOutcome { column: name.to_owned() })?.clone())
        }
        None => OUTCOMES.iter().find_map(|name| row.get(*name)).cloned(),
    };
    let tools = row.shift_remove(TOOLS).map(|tools| without_nulls(parse_nested(tools)));
    let mut log = Map::new();
    log.extend(model.map(|model| ("model".to_owned(), Value::from(model))));
    log.extend(resolved.map(|resolved| ("resolved".to_owned(), resolved)));
    log.insert("messages".to_owned(), Value::Array(messages));
    log.extend(tools.filter(Value::is_array).map(|tools| (TOOLS.to_owned(), tools)));
    log.insert("row".to_owned(), Value::Object(row));
    Ok(Value::Object(log))
}

/// Some sets keep nested values as JSON text.
fn parse_nested(value: Value) -> Value {
    match &value {
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_array).unwrap_or(value),
        _ => value,
    }
}

fn as_chat(messages: Value) -> Option<Vec<Value>> {
    let Value::Array(messages) = without_nulls(messages) else { return None };
    let is_message = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        ROLES.contains(&role) && ["content", "tool_calls"].iter().any(|name| message.get(name).is_some())
    };
    messages.first().is_some_and(is_message).then_some(messages)
}

/// Leaves out fields that are null: a column has the fields of all its messages, and each message only some.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        Value::Array(values) => Value::Array(values.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn check(row: Value, expected: Result<Value, NoLog>) {
        let Value::Object(row) = row else { panic!("a row is an object") };
        assert_eq!(dataset_log(row, None, None), expected);
    }

    #[test]
    fn messages_lose_their_nulls_and_other_columns_stay() {
        check(
            json!({
                "instance_id": "a-1",
                "trajectory": [
                    {"role": "user", "content": "Fix it.", "tool_calls": null, "name": null},
                    {"role": "assistant", "content": null, "name": null, "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{\"a\":null}"}},
                    ]},
                ],
                "tools": [{"type": "function", "function": {"name": "run", "strict": null}}],
                "resolved": 1,
                "note": null,
            }),
            Ok(json!({
                "resolved": 1,
                "messages": [
                    {"role": "user", "content": "Fix it."},
                    {"role": "assistant", "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{\"a\":null}"}},
                    ]},
                ],
                "tools": [{"type": "function", "function": {"name": "run"}}],
                "row": {"instance_id": "a-1", "resolved": 1, "note": null},
            })),
        );
    }

    #[test]
    fn messages_may_be_text() {
        let messages = r#"[{"role":"user","content":"Hello"}]"#;
        check(
            json!({"messages": messages, "target": false}),
            Ok(
                json!({"resolved": false, "messages": [{"role": "user", "content": "Hello"}], "row": {"target": false}}),
            ),
        );
    }

    #[test]
    fn rows_that_are_no_sessions() {
        check(json!({"text": "a"}), Err(NoLog::NoMessages));
        let no_chat = Err(NoLog::NoChat { column: "messages" });
        check(json!({"messages": "no list"}), no_chat.clone());
        check(json!({"messages": []}), no_chat.clone());
        check(json!({"messages": [{"role": "ai", "text": "a"}]}), no_chat.clone());
        check(json!({"messages": null}), no_chat);
        let named = dataset_log(
            Map::from_iter([("messages".into(), json!([{"role": "user", "content": "a"}]))]),
            None,
            Some("passed"),
        );
        assert_eq!(named, Err(NoLog::NoOutcome { column: "passed".into() }));
    }

    #[test]
    fn a_model_and_an_outcome_can_be_named() {
        let row = json!({"messages": [{"role": "user", "content": "a"}], "resolved": 0, "passed": 1.0});
        let Value::Object(row) = row else { panic!() };
        let log = dataset_log(row, Some("m-1"), Some("passed")).unwrap();
        assert_eq!((&log["model"], &log["resolved"]), (&json!("m-1"), &json!(1.0)));
    }
}
