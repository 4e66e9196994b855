//! Turns rows of Hermes' database into the document of one session.

use crate::json::{Object, is_json, quoted};

/// The columns of the table `sessions` that the document has.
pub const HERMES_SESSION_COLUMNS: &[&str] = &[
    "id",
    "source",
    "started_at",
    "parent_session_id",
    "title",
    "cwd",
    "model",
    "model_config",
    "last_activity_at",
    "ended_at",
    "end_reason",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "actual_cost_usd",
    "estimated_cost_usd",
    "system_prompt",
    "billing_provider",
    "billing_base_url",
];

pub const HERMES_MESSAGE_COLUMNS: &[&str] = &[
    "id",
    "role",
    "content",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "timestamp",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "api_content",
    "display_kind",
    "_compressed_summary",
    "active",
    "compacted",
];

/// Columns whose text is JSON.
const OF_JSON: [&str; 3] = ["tool_calls", "reasoning_details", "codex_reasoning_items"];

/// The harness puts this before a content that is a list of parts.
const PARTS: &str = "\0json:";

#[derive(Debug, Clone, PartialEq)]
pub enum HermesValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

/// Values of a row with the names of their columns; older databases have fewer.
pub type HermesRow = Vec<(&'static str, HermesValue)>;

#[derive(Debug, Clone, PartialEq)]
pub struct HermesRows {
    pub id: String,
    pub session: HermesRow,
    /// Sorted by `id`.
    pub messages: Vec<HermesRow>,
}

/// Returns the document of a session, with the members that `hermes sessions export` gives it, and each message on
/// a line of its own.
pub fn hermes_export(rows: &HermesRows) -> String {
    let messages: Vec<String> = rows.messages.iter().map(|row| object_of(row).done()).collect();
    object_of(&rows.session).json("messages", &format!("[\n{}\n]", messages.join(",\n"))).done()
}

fn object_of(row: &HermesRow) -> Object {
    let told = row.iter().filter(|(_, value)| *value != HermesValue::Null);
    told.fold(Object::new(), |object, (name, value)| object.json(name, &json_of(name, value)))
}

fn json_of(name: &str, value: &HermesValue) -> String {
    match value {
        HermesValue::Null => "null".to_owned(),
        HermesValue::Integer(number) => number.to_string(),
        HermesValue::Real(number) if number.is_finite() => number.to_string(),
        HermesValue::Real(_) => "null".to_owned(),
        HermesValue::Text(text) => {
            let inner = match name {
                "content" => text.strip_prefix(PARTS),
                name => OF_JSON.contains(&name).then_some(text.as_str()),
            };
            inner.filter(|json| is_json(json)).map_or_else(|| quoted(text), |json| one_line(json.trim()))
        }
    }
}

/// A line feed in JSON stands between values, never in a text.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json_by_their_columns() {
        let text = |text: &str| HermesValue::Text(text.to_owned());
        let rows = HermesRows {
            id: "s".to_owned(),
            session: vec![
                ("id", text("s")),
                ("started_at", HermesValue::Real(1.5)),
                ("title", HermesValue::Null),
            ],
            messages: vec![
                vec![("id", HermesValue::Integer(7)), ("content", text("\0json:[1,\n2]"))],
                vec![
                    ("content", text("[1]")),
                    ("tool_calls", text("[{}]")),
                    ("timestamp", HermesValue::Real(f64::NAN)),
                ],
                vec![("content", text("\0json:[1")), ("tool_calls", text("[{"))],
            ],
        };
        let expected = concat!(
            r#"{"id":"s","started_at":1.5,"messages":["#,
            "\n",
            r#"{"id":7,"content":[1, 2]},"#,
            "\n",
            r#"{"content":"[1]","tool_calls":[{}],"timestamp":null},"#,
            "\n",
            r#"{"content":"\u0000json:[1","tool_calls":"[{"}"#,
            "\n]}"
        );
        assert_eq!(hermes_export(&rows), expected);
    }
}
