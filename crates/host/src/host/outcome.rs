//! The outcome of a session's task, from the log or a file beside it.

use std::fs;
use std::io::Read;

use cwl_formats::plain_beginning;
use cwl_tail::open_log;
use serde::Deserialize;
use serde_json::Value;

use crate::host::places::SessionPlace;

/// Size limit of a file with a reward, bytes.
const REWARD_SIZE: u64 = 64;
/// Size limit of a document, packed and unpacked, bytes.
const DOCUMENT_SIZE: usize = 256 << 20;

#[derive(Deserialize)]
struct DocumentOutcome {
    resolved: Option<Value>,
}

impl SessionPlace {
    /// Returns whether the session's task was solved: by a file beside the log ([`Self::reward_beside`]), else by the log
    /// ([`Self::outcome_in_log`]). `None` if neither tells.
    pub fn outcome(&self) -> Option<bool> {
        self.reward_beside().or_else(|| self.outcome_in_log())
    }

    /// Returns whether the task was solved by the field `resolved` of a document; numbers from 1 on are solved.
    pub fn outcome_in_log(&self) -> Option<bool> {
        let name = self.name.file_name()?.to_str()?;
        [".json", ".json.gz"].iter().find(|end| name.ends_with(*end))?;
        let mut bytes = Vec::new();
        open_log(&self.name).ok()?.take(DOCUMENT_SIZE as u64).read_to_end(&mut bytes).ok()?;
        let text = plain_beginning(&bytes, DOCUMENT_SIZE);
        // Serde takes a list, too, as the fields of a struct.
        text.trim_ascii_start().first().filter(|first| **first == b'{')?;
        let document: DocumentOutcome = serde_json::from_slice(&text).ok()?;
        match document.resolved? {
            Value::Bool(flag) => Some(flag),
            Value::Number(number) => is_solved(number.as_f64()?),
            _ => None,
        }
    }

    /// Returns whether the task was solved by the reward that Harbor keeps for a trial, `verifier/reward.txt` beside the
    /// folder of the log: a reward of 1 or more.
    pub fn reward_beside(&self) -> Option<bool> {
        let path = self.name.parent()?.parent()?.join("verifier").join("reward.txt");
        let metadata = fs::metadata(&path).ok()?;
        let text = (metadata.is_file() && metadata.len() <= REWARD_SIZE).then(|| fs::read_to_string(&path));
        let reward: f64 = text?.ok()?.trim().parse().ok()?;
        is_solved(reward)
    }
}

fn is_solved(reward: f64) -> Option<bool> {
    reward.is_finite().then_some(reward >= 1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn outcome_of(path: std::path::PathBuf) -> Option<bool> {
        SessionPlace { name: path }.outcome()
    }

    #[test]
    fn a_document_says_whether_its_task_was_solved() {
        let dir = tempfile::tempdir().unwrap();
        let check = |name: &str, text: &str, expected: Option<bool>| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            assert_eq!(outcome_of(path), expected, "{name}: {text}");
        };
        check("a.json", r#"{"messages":[],"resolved":1}"#, Some(true));
        check("a.json", r#"{"resolved":0}"#, Some(false));
        check("a.json", r#"{"resolved":0.5}"#, Some(false));
        check("a.json", r#"{"resolved":true}"#, Some(true));
        check("a.json", r#"{"resolved":null}"#, None);
        check("a.json", r#"{"resolved":"yes"}"#, None);
        check("a.json", r#"{"messages":[]}"#, None);
        check("a.json", "[1]", None);
        check("a.json", r#"{"resolved":1"#, None);
        check("a.jsonl", r#"{"resolved":1}"#, None);
        let packed = dir.path().join("b.json.gz");
        let mut file = GzBuilder::new().write(fs::File::create(&packed).unwrap(), Compression::fast());
        file.write_all(br#"{"resolved":true}"#).unwrap();
        file.finish().unwrap();
        assert_eq!(outcome_of(packed), Some(true));
        assert_eq!(outcome_of(dir.path().join("missing.json")), None);
    }

    #[test]
    fn a_reward_stands_beside_the_folder_of_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("agent/trajectory.json");
        for folder in ["agent", "verifier"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        fs::write(&log, r#"{"resolved":0}"#).unwrap();
        let check = |reward: &str, expected: Option<bool>| {
            fs::write(dir.path().join("verifier/reward.txt"), reward).unwrap();
            assert_eq!(SessionPlace { name: log.clone() }.reward_beside(), expected, "{reward}");
        };
        check("1\n", Some(true));
        check("0.0", Some(false));
        check("0.7", Some(false));
        check("NaN", None);
        check("passed", None);
        check(&"0".repeat(100), None);
        assert_eq!(outcome_of(log.clone()), Some(false), "the document says so, too");
    }
}
