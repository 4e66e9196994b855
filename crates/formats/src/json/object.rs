pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    pub(crate) fn begun(json: &str) -> Self {
        Self(json.to_owned())
    }

    pub(crate) fn with_type(kind: &str) -> Self {
        Self::new().text("type", kind)
    }

    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.0.push_str(&quoted(value));
        self
    }

    pub(crate) fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key);
        self.0.push_str(json);
        self
    }

    pub(crate) fn maybe_json(self, key: &str, json: Option<&str>) -> Self {
        if let Some(json) = json { self.json(key, json) } else { self }
    }

    pub(crate) fn maybe_text(self, key: &str, value: Option<&str>) -> Self {
        if let Some(value) = value { self.text(key, value) } else { self }
    }

    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    pub(crate) fn done(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(key));
        self.0.push(':');
    }
}

pub(crate) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// Writes `text` as a JSON string; `serde_json` uses the same escapes as JavaScript.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
