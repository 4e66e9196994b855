//! What the harness says of its own evictions: the trace that pi-cwl writes beside a session.
//!
//! It gives the budget and the window that the harness used and what its passes did. It is never the source of
//! messages.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use cwl_formats::{Trace, read_cwl_trace};

/// A trace that is longer is left alone, bytes.
const LONGEST: u64 = 64 << 20;

/// Returns where the trace of a log is kept: `agent/cwl/NAME.json` for `agent/sessions/…/NAME.jsonl`.
pub(crate) fn place(log: &Path) -> Option<PathBuf> {
    let sessions = log.ancestors().skip(1).find(|folder| folder.ends_with("agent/sessions"))?;
    let name = Path::new(log.file_name()?).with_extension("json");
    Some(sessions.parent()?.join("cwl").join(name))
}

/// Reads the trace beside a log; `None` where there is none, or none that says anything.
pub(crate) fn beside(log: &Path) -> Option<Trace> {
    let file = File::open(place(log)?).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LONGEST) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let (trace, _odd) = read_cwl_trace(&bytes);
    (trace != Trace::default()).then_some(trace)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_trace_stands_beside_the_sessions() {
        let check = |log: &str, expected: Option<&str>| {
            assert_eq!(place(Path::new(log)), expected.map(PathBuf::from), "{log}");
        };
        check("/h/.claude/agent/sessions/--p--/a_1.jsonl", Some("/h/.claude/agent/cwl/a_1.json"));
        check("/h/.claude/agent/sessions/a.jsonl", Some("/h/.claude/agent/cwl/a.json"));
        check("/h/.claude/projects/-p/a.jsonl", None);
        check("/h/sessions/a.jsonl", None);
    }

    #[test]
    fn what_is_no_trace_says_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("agent/sessions/--p--/a.jsonl");
        assert_eq!(beside(&log), None);
        let trace = place(&log).unwrap();
        std::fs::create_dir_all(trace.parent().unwrap()).unwrap();
        for text in ["", "{", "[]", "{\"half\":"] {
            std::fs::write(&trace, text).unwrap();
            assert_eq!(beside(&log), None, "{text}");
        }
    }
}
