use sha2::{Digest, Sha256};

use crate::json::{JsonType, Object, Value, list, sorted_json};

/// SHA-256 of JSON with sorted keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hash([u8; 32]);

impl Hash {
    pub(super) fn read(value: Option<Value<'_>>) -> Option<Self> {
        let letters = value?.string()?;
        let mut bytes = [0; 32];
        if letters.len() != 64 || !letters.bytes().all(|letter| letter.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(letters.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    pub(super) fn of_json(raw: &str) -> Option<Self> {
        Some(Self(Sha256::digest(sorted_json(raw)?).into()))
    }

    /// Hashes a message. Ignores `cache_control`, and treats a plain text as a list of one part.
    pub(super) fn of_message<'a>(role: &str, parts: impl Iterator<Item = Value<'a>>) -> Option<Self> {
        let parts: Vec<String> = parts.map(part_without_breakpoint).collect();
        Self::of_json(&Object::new().text("role", role).json("content", &list(&parts)).done())
    }

    /// The first 8 bytes, enough to align two lists.
    pub(super) fn key(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().take(6).try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

fn part_without_breakpoint(part: Value<'_>) -> String {
    if part.kind() == JsonType::Text {
        return Object::with_type("text").json("text", part.raw()).done();
    }
    let is_breakpoint = |key: Value<'_>| key.string_body() == Some("cache_control");
    if !part.members().any(|(key, _)| is_breakpoint(key)) {
        return part.raw().to_owned();
    }
    let members = part.members().filter(|(key, _)| !is_breakpoint(*key));
    members
        .fold(Object::new(), |object, (key, member)| {
            object.json(&key.string().unwrap_or_default(), member.raw())
        })
        .done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::parts_of;

    fn hash(message: &str) -> String {
        let message = Value::trusted(message, 0);
        let [role, content] = message.fields(["role", "content"]);
        let role = role.and_then(Value::string).unwrap_or_default();
        let hash = Hash::of_message(&role, parts_of(content).map(|(_, part)| part));
        hash.map(|hash| hash.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_message_has_one_hash_however_it_is_written() {
        let plain = hash(r#"{"role":"user","content":"Go on."}"#);
        assert_eq!(plain, "2ce2c42d5130");
        assert_eq!(plain, hash(r#"{"content":[{"text":"Go on.","type":"text"}],"role":"user"}"#));
        let marked = r#"{"role":"user","content":[{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}"#;
        assert_eq!(plain, hash(marked));
        assert_ne!(plain, hash(r#"{"role":"assistant","content":"Go on."}"#));
    }
}
