//! The folder of sessions in pi's settings.
//!
//! The file belongs to pi: it is read once, when the folders are determined, and never written.

use std::path::{Path, PathBuf};

use cwl_tail::TailError;
use serde_json::Value;

use crate::notices::Notice;
use crate::read_beginning;
use crate::roots::Surroundings;

/// Maximum number of bytes read from settings.
const LIMIT: u64 = 1 << 20;

/// The folder that pi's settings name, resolved as pi does, and a message about odd settings.
///
/// A relative folder exists below every folder that pi works in. Only the start folder's one is used, as pi
/// itself would.
pub(crate) fn sessions_folder(
    harness: &str,
    home: &Path,
    user: &Surroundings<'_>,
) -> (Option<PathBuf>, Option<Notice>) {
    let file = home.join("settings.json");
    let notice = |message: String, hint: &str| Notice::new(harness, &file, message, hint);
    let named = match session_dir(&file) {
        Ok(None) => return (None, None),
        Ok(Some(named)) => user.expand_tilde(&named),
        Err(why) => {
            let message = format!("the settings {why}, so a `sessionDir` in them is not known");
            return (None, Some(notice(message, "correct the file, then start again")));
        }
    };
    if named.is_absolute() {
        return (Some(named), None);
    }
    let message = format!(
        "`sessionDir` is {}, a folder below each folder that {harness} works in; only the one that this was \
         started in is looked into",
        named.display()
    );
    let folder = user.started_in.map(|here| here.join(&named));
    (folder, Some(notice(message, "start in the folder that the agent worked in, or name a log by its path")))
}

/// `None` without settings or without this setting. The error describes what is wrong with the file.
fn session_dir(file: &Path) -> Result<Option<String>, String> {
    let bytes = match read_beginning(file, LIMIT + 1) {
        Ok(bytes) => bytes,
        Err(TailError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(TailError::Read { source, .. }) => return Err(format!("cannot be read ({source})")),
        Err(TailError::NotAFile { what, .. }) => return Err(format!("are {what}, not a file")),
        Err(error) => return Err(format!("cannot be read ({error})")),
    };
    if bytes.len() as u64 > LIMIT {
        return Err(format!("are larger than {} MiB", LIMIT >> 20));
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let settings: Value =
        serde_json::from_slice(text).map_err(|error| format!("are no JSON (line {})", error.line()))?;
    let Value::Object(settings) = settings else { return Err("are no JSON object".to_owned()) };
    match settings.get("sessionDir") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(folder)) => Ok(Some(folder.trim().to_owned()).filter(|folder| !folder.is_empty())),
        Some(_) => Err("have a `sessionDir` that is no text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Resolves the folder with these settings; `H` stands for the home folder, `W` for the start folder.
    fn check(settings: &[u8], expected: Option<&str>, said: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        let (home, here) = (dir.path().join("h"), dir.path().join("w"));
        let agent = home.join(".pi/agent");
        std::fs::create_dir_all(&agent).unwrap();
        std::fs::write(agent.join("settings.json"), settings).unwrap();
        let user = Surroundings { home: Some(&home), started_in: Some(&here), variable: &|_| None };
        let (folder, notice) = sessions_folder("pi", &agent, &user);
        let spelled = |path: PathBuf| {
            let path = path.display().to_string();
            path.replace(home.to_str().unwrap(), "H").replace(here.to_str().unwrap(), "W")
        };
        let shown = String::from_utf8_lossy(settings);
        assert_eq!(folder.map(spelled).as_deref(), expected, "{shown}");
        let has_said = |notice: &Notice| {
            let is_said = notice.message.contains(said.unwrap_or("nothing"));
            assert!(is_said, "{shown}: {notice:?}");
            assert_eq!((notice.harness.as_str(), notice.hint.is_empty()), ("pi", false));
            assert!(notice.path.ends_with("settings.json"));
        };
        assert_eq!(notice.as_ref().map(has_said).is_some(), said.is_some(), "{shown}");
    }

    #[test]
    fn a_folder_of_sessions_is_where_pi_would_find_it() {
        check(br#"{"sessionDir":"/else/where"}"#, Some("/else/where"), None);
        check(br#"{"theme":"dark","sessionDir":"~/pi sessions"}"#, Some("H/pi sessions"), None);
        check(br#"{"sessionDir":"~"}"#, Some("H"), None);
        check(b"\xEF\xBB\xBF{\"sessionDir\":\"/a\"}", Some("/a"), None);
        check(
            br#"{"sessionDir":".pi/sessions"}"#,
            Some("W/.pi/sessions"),
            Some("each folder that pi works in"),
        );
        for nothing in [&b"{}"[..], br#"{"sessionDir":null}"#, br#"{"sessionDir":" "}"#, b"", b"\n"] {
            check(nothing, None, None);
        }
    }

    #[test]
    fn settings_that_are_broken_are_said_to_be() {
        check(br#"{"sessionDir":"/a""#, None, Some("no JSON (line 1)"));
        check(br#"["sessionDir"]"#, None, Some("no JSON object"));
        check(br#"{"sessionDir":["/a"]}"#, None, Some("no text"));
        check(b"\xFF\xFE{", None, Some("no JSON"));
        check(&"[".repeat(100_000).into_bytes(), None, Some("no JSON"));
        check(&vec![b' '; 2 << 20], None, Some("larger than 1 MiB"));
        let dir = tempfile::tempdir().unwrap();
        let user = Surroundings { home: None, started_in: None, variable: &|_| None };
        let (folder, notice) = sessions_folder("pi", dir.path(), &user);
        assert!(folder.is_none() && notice.is_none(), "there are no settings");
        std::fs::create_dir(dir.path().join("settings.json")).unwrap();
        let (_, notice) = sessions_folder("pi", dir.path(), &user);
        assert!(notice.unwrap().message.contains("are a folder, not a file"));
    }
}
