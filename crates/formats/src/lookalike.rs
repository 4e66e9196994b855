//! Logs of unsupported programs, recognised so an error can name the program and a remedy.

use crate::json::{JsonType, Value, is_json};
use crate::known::is_known;

/// A program whose logs are recognised but not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookalike {
    /// The log with its article, such as "a session of Goose".
    pub name: &'static str,
    /// A clause without a full stop.
    pub remedy: &'static str,
}

const N_LINES: usize = 20;

/// Requests are supported, whatever program sends them.
const BODIES: &str = "the bodies of its requests to the model can be read, one after the other in a file, as a proxy \
                      such as LiteLLM writes them";

/// A log that begins with a header like pi's but continues differently.
pub(crate) const LIKE_PI: Lookalike = Lookalike {
    name: "a log with a header like pi's and rows that pi does not write",
    remedy: "if pi wrote it, force its format: --format pi; otherwise the bodies of its program's requests to the \
             model can be read, as a proxy such as LiteLLM writes them",
};

/// The event stream printed by pi, which is not a session.
const PI_STREAM: Lookalike = Lookalike {
    name: "what `pi --mode json` prints",
    remedy: "pi keeps the session itself below .pi/agent/sessions, unless it is told not to (--no-session)",
};

type LooksAlike = fn(Value<'_>) -> bool;

const ROWS: [(&str, LooksAlike); 3] = [
    ("a session of Goose", |row| {
        let [description, n_messages, kind] = row.fields(["description", "message_count", "type"]);
        is_text(description) && n_messages.is_some() && kind.is_none()
    }),
    ("a session of Grok", |row| {
        let [content, id, at, session] = row.fields(["content", "uuid", "timestamp", "sessionId"]);
        let is_bare = [id, at, session].iter().all(Option::is_none);
        row.text_of("type") == "system" && is_text(content) && is_bare
    }),
    (PI_STREAM.name, |row| {
        let kind = row.text_of("type");
        ["agent_start", "turn_start", "message_update", "message_start"].contains(&&*kind)
            && row.get("timestamp").is_none()
    }),
];

const DOCUMENTS: [(&str, LooksAlike); 4] = [
    ("a session of Continue", |document| {
        let [session, folder, history] = document.fields(["sessionId", "workspaceDirectory", "history"]);
        is_text(session) && (folder.is_some() || history.and_then(Value::list).is_some())
    }),
    ("a chat of Copilot in VS Code", |document| {
        let [asks, answers, requests] =
            document.fields(["requesterUsername", "responderUsername", "requests"]);
        asks.or(answers).is_some() && requests.is_some()
    }),
    ("messages of Cline or Roo Code", |document| {
        document.items().next().is_some_and(|first| {
            first.get("ts").is_some() && matches!(&*first.text_of("type"), "say" | "ask")
        })
    }),
    ("a trajectory of OpenHands", |document| {
        document.items().next().is_some_and(|first| {
            let [source, action, observation] = first.fields(["source", "action", "observation"]);
            is_text(source) && action.or(observation).is_some()
        })
    }),
];

const BEGINNINGS: [(&str, &str); 3] = [
    ("# aider chat started at ", "a chat history of Aider"),
    ("user:\n<user_query>", "an old transcript of Cursor, in plain text"),
    ("user:\r\n<user_query>", "an old transcript of Cursor, in plain text"),
];

pub fn list_lookalikes() -> Vec<&'static str> {
    let of_json = ROWS.iter().chain(&DOCUMENTS).map(|(name, _)| *name);
    let mut names: Vec<&str> = of_json.chain(BEGINNINGS.iter().map(|(_, name)| *name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_text(value: Option<Value<'_>>) -> bool {
    value.is_some_and(|value| value.kind() == JsonType::Text)
}

fn look_up(name: &'static str) -> Lookalike {
    if name == PI_STREAM.name {
        return PI_STREAM;
    }
    Lookalike { name, remedy: BODIES }
}

pub(crate) fn lookalike_of_row(row: Value<'_>) -> Option<Lookalike> {
    ROWS.iter().find(|(_, looks)| looks(row)).map(|(name, _)| look_up(name))
}

/// The beginning may be cut anywhere.
pub(crate) fn lookalike_of(head: &str) -> Option<Lookalike> {
    let begun = head.trim_start();
    if let Some((_, name)) = BEGINNINGS.iter().find(|(beginning, _)| begun.starts_with(beginning)) {
        return Some(look_up(name));
    }
    let mut rows = begun.lines().take(N_LINES).filter(|line| line.starts_with('{'));
    let row = rows.find_map(|line| lookalike_of_row(Value::trusted(line.trim_end(), 0)));
    let document = Value::trusted(begun, 0);
    row.or_else(|| DOCUMENTS.iter().find(|(_, looks)| looks(document)).map(|(name, _)| look_up(name)))
}

/// Returns true if the rows behind a header like pi's may be pi's: one of them is a record of pi, or none is
/// foreign.
///
/// The last record may be cut.
pub(crate) fn goes_on_like_pi(rest: &str) -> bool {
    let mut is_foreign = false;
    for line in rest.lines().map(str::trim).filter(|line| line.starts_with('{')) {
        let record = Value::trusted(line, 0);
        let [kind, message] = record.fields(["type", "message"]);
        let kind = kind.and_then(Value::string).unwrap_or_default();
        let has_role = || message.is_some_and(|message| message.get("role").is_some());
        if is_known("pi.tree", &kind) && (kind != "message" || has_role() || !is_json(line)) {
            return true;
        }
        is_foreign |= kind != "session" && is_json(line);
    }
    !is_foreign
}
