//! JSON objects and lists, written member by member.

use crate::json::push_text;

/// A JSON object that is being written, compact.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self("{".to_owned())
    }

    /// Begins an object that says what it is.
    pub(super) fn of(kind: &str) -> Self {
        Self::new().text("type", kind)
    }

    /// Adds a string.
    pub(super) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_text(&mut self.0, value);
        self
    }

    /// Adds a value that is JSON already.
    pub(super) fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key);
        self.0.push_str(json);
        self
    }

    /// Adds a value that is JSON already, if there is one.
    pub(super) fn maybe_json(self, key: &str, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.json(key, json),
            None => self,
        }
    }

    pub(super) fn flag(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    pub(super) fn done(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_text(&mut self.0, key);
        self.0.push(':');
    }
}

/// Writes a list of values that are JSON already.
pub(super) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// Writes a text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_text(&mut json, text);
    json
}

/// Writes what stands beside the messages and the messages; the messages alone where nothing does.
pub(super) fn body(beside: Vec<(&str, String)>, key: &str, messages: &[String]) -> String {
    if beside.is_empty() {
        return list(messages);
    }
    let object = beside.iter().fold(Object::new(), |object, (key, json)| object.json(key, json));
    object.json(key, &list(messages)).done()
}
