//! Turns rows of OpenCode's database into the document printed by `opencode export`.

use crate::json::{Object, is_json, list, quoted};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpencodeSession {
    pub id: String,
    pub project: String,
    /// `parent_id`: the calling session.
    pub parent: Option<String>,
    pub slug: String,
    pub directory: String,
    pub title: String,
    pub version: String,
    /// JSON.
    pub revert: Option<String>,
    /// In milliseconds since 1970.
    pub created_ms: i64,
    /// In milliseconds since 1970.
    pub updated_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeMessage {
    pub id: String,
    /// The message's info as JSON, without its ids.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodePart {
    pub id: String,
    pub message: String,
    /// The part as JSON, without its ids.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeRows {
    pub session: OpencodeSession,
    /// Sorted by `(time_created, id)`.
    pub messages: Vec<OpencodeMessage>,
    /// Parts of all messages, in any order.
    pub parts: Vec<OpencodePart>,
}

/// Returns the document that `opencode export` would print, on one line.
///
/// Messages keep the given order; a message's parts are sorted by id. Data that is not a JSON object becomes
/// a string, which the document's reader reports.
pub fn opencode_export(rows: &OpencodeRows) -> String {
    let OpencodeRows { session, messages, parts } = rows;
    let mut by_message: Vec<&OpencodePart> = parts.iter().collect();
    by_message.sort_by_key(|part| (&part.message, &part.id));
    let documents: Vec<String> = messages
        .iter()
        .map(|message| {
            let first = by_message.partition_point(|part| part.message < message.id);
            let own = by_message[first..].iter().take_while(|part| part.message == message.id);
            let parts: Vec<String> = own
                .map(|part| {
                    let ids = [("id", &*part.id), ("sessionID", &*session.id), ("messageID", &*message.id)];
                    with_ids(&part.data, &ids)
                })
                .collect();
            let info = with_ids(&message.data, &[("id", &message.id), ("sessionID", &session.id)]);
            Object::new().json("info", &info).json("parts", &list(&parts)).done()
        })
        .collect();
    Object::new().json("info", &info_of(session)).json("messages", &list(&documents)).done()
}

fn info_of(session: &OpencodeSession) -> String {
    let time = Object::new()
        .json("created", &session.created_ms.to_string())
        .json("updated", &session.updated_ms.to_string());
    let revert = session.revert.as_deref().filter(|revert| is_json(revert)).map(str::trim);
    Object::new()
        .text("id", &session.id)
        .text("slug", &session.slug)
        .text("projectID", &session.project)
        .text("directory", &session.directory)
        .maybe_text("parentID", session.parent.as_deref())
        .text("title", &session.title)
        .text("version", &session.version)
        .json("time", &time.done())
        .maybe_json("revert", revert)
        .done()
}

fn with_ids(data: &str, ids: &[(&str, &str)]) -> String {
    let data = data.trim();
    let Some(members) = data.strip_suffix('}').filter(|_| data.starts_with('{') && is_json(data)) else {
        return quoted(data);
    };
    let begun = Object::begun(members.trim_end());
    ids.iter().fold(begun, |object, (key, id)| object.text(key, id)).done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_behind_what_a_row_says() {
        let out = [
            with_ids(" {\"a\": 1} ", &[("id", "x\"y")]),
            with_ids("{}", &[("id", "x")]),
            with_ids("{ }", &[("id", "x"), ("b", "c")]),
            with_ids("[1]", &[("id", "x")]),
            with_ids("{\"a\":", &[("id", "x")]),
        ]
        .concat();
        assert_eq!(out, r#"{"a": 1,"id":"x\"y"}{"id":"x"}{"id":"x","b":"c"}"[1]""{\"a\":""#);
    }
}
