//! Rows of Claude Code's session files: what every row carries, and the two messages.

use serde_json::{Map, Value, json};

use super::clock::iso;
use super::meter::Usage;
use super::rng::{BASE62, Rng};

/// The rows of one file, and where the next one hangs.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    text: String,
    rng: Rng,
    /// What every row says of its session.
    pub(crate) session: Session,
    /// The row that the next one continues.
    pub(crate) leaf: Option<String>,
}

/// What every row of a session repeats.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) cwd: String,
    pub(crate) version: &'static str,
    /// The session's nickname, which newer versions write.
    pub(crate) slug: Option<&'static str>,
    /// The subagent whose conversation it is.
    pub(crate) agent: Option<String>,
    /// True for rows of a subagent.
    pub(crate) sidechain: bool,
}

/// An answer of the model, of which each row holds one block.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The message's id, which its rows share.
    pub(crate) id: String,
    /// The request's id; old versions and some providers have none.
    pub(crate) request: Option<String>,
    pub(crate) model: String,
}

impl Rows {
    pub(crate) fn new(version: &'static str, cwd: &str, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let session = Session {
            id: uuid(&mut rng),
            cwd: cwd.to_owned(),
            version,
            slug: None,
            agent: None,
            sidechain: false,
        };
        Self { text: String::new(), rng, session, leaf: None }
    }

    /// Gives back what was written.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Makes an id for a row that is to be written.
    pub(crate) fn uuid(&mut self) -> String {
        uuid(&mut self.rng)
    }

    /// Makes the ids of an answer.
    pub(crate) fn answer(&mut self, model: &str) -> Answer {
        Answer {
            id: format!("msg_01{}", self.rng.text(BASE62, 22)),
            request: Some(format!("req_011C{}", self.rng.text(BASE62, 20))),
            model: model.to_owned(),
        }
    }

    /// Makes a signature as long as that of a thought of so many characters.
    pub(crate) fn signature(&mut self, n_chars: usize) -> String {
        let length = (88 + n_chars / 8 * 4).min(240);
        format!("{}==", self.rng.text(BASE62, length))
    }

    /// Writes a row below the leaf, makes it the leaf and returns its id.
    pub(crate) fn row(&mut self, at_ms: i64, kind: &str, fields: Value) -> String {
        let (id, parent) = (self.uuid(), self.leaf.clone());
        self.row_as(&id, parent.as_deref(), at_ms, kind, fields);
        id
    }

    /// Writes a row below another one, makes it the leaf and returns its id.
    pub(crate) fn row_below(&mut self, parent: &str, at_ms: i64, kind: &str, fields: Value) -> String {
        let id = self.uuid();
        self.row_as(&id, Some(parent), at_ms, kind, fields);
        id
    }

    /// Writes a row with its id and parent given, and makes it the leaf.
    pub(crate) fn row_as(&mut self, id: &str, parent: Option<&str>, at_ms: i64, kind: &str, fields: Value) {
        let mut row = Map::new();
        row.insert("parentUuid".into(), json!(parent));
        row.insert("isSidechain".into(), json!(self.session.sidechain));
        row.insert("userType".into(), json!("external"));
        row.insert("cwd".into(), json!(self.session.cwd));
        row.insert("sessionId".into(), json!(self.session.id));
        row.insert("version".into(), json!(self.session.version));
        row.insert("gitBranch".into(), json!("main"));
        if let Some(agent) = &self.session.agent {
            row.insert("agentId".into(), json!(agent));
        }
        if let Some(slug) = self.session.slug {
            row.insert("slug".into(), json!(slug));
        }
        row.insert("type".into(), json!(kind));
        if let Value::Object(fields) = fields {
            row.extend(fields);
        }
        row.insert("uuid".into(), json!(id));
        row.insert("timestamp".into(), json!(iso(at_ms)));
        self.bare(&Value::Object(row));
        self.leaf = Some(id.to_owned());
    }

    /// Writes a row that stands outside the tree.
    pub(crate) fn bare(&mut self, row: &Value) {
        self.raw(&row.to_string());
    }

    /// Writes a line as it is.
    pub(crate) fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes the newline of the last row away, so that the next row shares its line.
    pub(crate) fn glue(&mut self) {
        self.text.pop();
    }

    /// Writes a user row with that content.
    pub(crate) fn user(&mut self, at_ms: i64, content: Value, more: Value) -> String {
        self.row(at_ms, "user", user(content, more))
    }

    /// Writes one block of an answer.
    pub(crate) fn block(&mut self, at_ms: i64, answer: &Answer, block: Value, usage: Usage) -> String {
        self.row(at_ms, "assistant", assistant(answer, &[block], usage))
    }

    /// Writes the result of a call below the row of the call, as the harness does.
    pub(crate) fn result(
        &mut self,
        at_ms: i64,
        call: (&str, &str),
        content: Value,
        failed: bool,
        copy: Value,
    ) -> String {
        let (row, id) = call;
        let mut block = json!({ "tool_use_id": id, "type": "tool_result", "content": content });
        if failed {
            block["is_error"] = json!(true);
        }
        let more = json!({ "toolUseResult": copy, "sourceToolAssistantUUID": row });
        self.row_below(row, at_ms, "user", user(json!([block]), more))
    }
}

/// Makes the fields of a user row.
pub(crate) fn user(content: Value, more: Value) -> Value {
    merged(json!({ "message": { "role": "user", "content": content } }), more)
}

/// Makes the fields of an assistant row.
pub(crate) fn assistant(answer: &Answer, content: &[Value], usage: Usage) -> Value {
    let mut row = json!({ "message": {
        "model": answer.model,
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage_fields(usage),
    } });
    if let Some(request) = &answer.request {
        row["requestId"] = json!(request);
    }
    row
}

/// Adds the members of one object to another.
pub(crate) fn merged(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}

pub(crate) fn usage_fields(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation": { "ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0 },
        "output_tokens": usage.output,
        "service_tier": "standard",
    })
}

fn uuid(rng: &mut Rng) -> String {
    let (a, b, c, d, e) = (rng.hex(8), rng.hex(4), rng.hex(3), rng.hex(3), rng.hex(12));
    format!("{a}-{b}-4{c}-a{d}-{e}")
}
