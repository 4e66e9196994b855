//! Rows of OpenCode's database to the document that `opencode export` makes of them.

use crate::json::{is_json, push_text};

/// A row of the table `session`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpencodeSession {
    /// `id`.
    pub id: String,
    /// `project_id`.
    pub project: String,
    /// `parent_id`: the session that called this one.
    pub parent: Option<String>,
    /// `slug`.
    pub slug: String,
    /// `directory`.
    pub directory: String,
    /// `title`.
    pub title: String,
    /// `version`, of OpenCode.
    pub version: String,
    /// `revert`, JSON.
    pub revert: Option<String>,
    /// `time_created`, milliseconds since 1970.
    pub created_ms: i64,
    /// `time_updated`, milliseconds since 1970.
    pub updated_ms: i64,
}

/// A row of the table `message`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeMessage {
    /// `id`.
    pub id: String,
    /// `data`: the message's info as JSON, without its ids.
    pub data: String,
}

/// A row of the table `part`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodePart {
    /// `id`.
    pub id: String,
    /// `message_id`.
    pub message: String,
    /// `data`: the part as JSON, without its ids.
    pub data: String,
}

/// A session with its messages and their parts, as their rows hold them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeRows {
    /// The session.
    pub session: OpencodeSession,
    /// Its messages, in the order of `(time_created, id)`.
    pub messages: Vec<OpencodeMessage>,
    /// The parts of all messages, in any order.
    pub parts: Vec<OpencodePart>,
}

/// Makes the document that `opencode export` would print of a session's rows, on one line.
///
/// Messages are taken in the order given, which is that of `(time_created, id)`; a message's parts in the order
/// of their ids. Data that is no JSON object is passed on as a text, so that a reader of the document says so.
pub fn opencode_export(rows: &OpencodeRows) -> String {
    let OpencodeRows { session, messages, parts } = rows;
    let mut by_message: Vec<&OpencodePart> = parts.iter().collect();
    by_message.sort_by_key(|part| (&part.message, &part.id));
    let mut out = String::from("{\"info\":");
    push_session(&mut out, session);
    out.push_str(",\"messages\":[");
    for (nth, message) in messages.iter().enumerate() {
        out.push_str(if nth == 0 { "{\"info\":" } else { ",{\"info\":" });
        push_data(&mut out, &message.data, &[("id", &message.id), ("sessionID", &session.id)]);
        out.push_str(",\"parts\":[");
        let first = by_message.partition_point(|part| part.message < message.id);
        let own = by_message[first..].iter().take_while(|part| part.message == message.id);
        for (nth, part) in own.enumerate() {
            if nth > 0 {
                out.push(',');
            }
            let ids = [("id", &*part.id), ("sessionID", &*session.id), ("messageID", &*message.id)];
            push_data(&mut out, &part.data, &ids);
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    out
}

fn push_session(out: &mut String, session: &OpencodeSession) {
    let texts = [
        ("id", Some(&*session.id)),
        ("slug", Some(&*session.slug)),
        ("projectID", Some(&*session.project)),
        ("directory", Some(&*session.directory)),
        ("parentID", session.parent.as_deref()),
        ("title", Some(&*session.title)),
        ("version", Some(&*session.version)),
    ];
    out.push('{');
    for (key, text) in texts {
        if let Some(text) = text {
            push_member(out, key, text);
            out.push(',');
        }
    }
    let (created, updated) = (session.created_ms, session.updated_ms);
    out.push_str(&format!("\"time\":{{\"created\":{created},\"updated\":{updated}}}"));
    if let Some(revert) = session.revert.as_deref().filter(|revert| is_json(revert)) {
        out.push_str(",\"revert\":");
        out.push_str(revert.trim());
    }
    out.push('}');
}

/// Appends an object with ids behind its own members.
fn push_data(out: &mut String, data: &str, ids: &[(&str, &str)]) {
    let data = data.trim();
    let Some(members) = data.strip_suffix('}').filter(|_| data.starts_with('{') && is_json(data)) else {
        return push_text(out, data);
    };
    let members = members.trim_end();
    out.push_str(members);
    for (nth, (key, id)) in ids.iter().enumerate() {
        if nth > 0 || members.len() > 1 {
            out.push(',');
        }
        push_member(out, key, id);
    }
    out.push('}');
}

fn push_member(out: &mut String, key: &str, text: &str) {
    push_text(out, key);
    out.push(':');
    push_text(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_behind_what_a_row_says() {
        let mut out = String::new();
        push_data(&mut out, " {\"a\": 1} ", &[("id", "x\"y")]);
        push_data(&mut out, "{}", &[("id", "x")]);
        push_data(&mut out, "{ }", &[("id", "x"), ("b", "c")]);
        push_data(&mut out, "[1]", &[("id", "x")]);
        push_data(&mut out, "{\"a\":", &[("id", "x")]);
        assert_eq!(out, r#"{"a": 1,"id":"x\"y"}{"id":"x"}{"id":"x","b":"c"}"[1]""{\"a\":""#);
    }
}
