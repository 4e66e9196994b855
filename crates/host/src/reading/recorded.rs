//! Recorded evictions: the trace that pi-cwl writes beside its session.
//!
//! The trace gives the harness's budget and context window, and what its passes did. Messages come from the
//! log alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_engine::ProblemKind;
use cwl_formats::{PiCwlTrace, read_cwl_trace};

use crate::SessionSnapshot;
use crate::api::{BudgetOrigin, ViewSettings};
use crate::reading::beside::read_file;

/// Returns `agent/cwl/NAME.json` for the log `agent/sessions/…/NAME.jsonl`.
pub(crate) fn trace_path(log: &Path) -> Option<PathBuf> {
    let sessions = log.ancestors().skip(1).find(|folder| folder.ends_with("agent/sessions"))?;
    let name = Path::new(log.file_name()?).with_extension("json");
    Some(sessions.parent()?.join("cwl").join(name))
}

/// Reads the trace beside a log. `None` if there is none, or if it is empty.
pub(crate) fn read_beside(log: &Path) -> Option<PiCwlTrace> {
    read_trace(log)?.0
}

/// Reads the trace again. pi-cwl rewrites it after every turn, not atomically: a half-written trace gives
/// `before`, otherwise the budget would jump to the default and back.
pub(crate) fn reread_if_changed(log: &Path, before: Option<&Arc<PiCwlTrace>>) -> Option<Arc<PiCwlTrace>> {
    match read_trace(log)? {
        (_, true) => before.cloned(),
        (trace, false) => trace.map(Arc::new),
    }
}

/// Returns the content of a trace, if any, and whether the file is half-written. `None` if there is no file.
fn read_trace(log: &Path) -> Option<(Option<PiCwlTrace>, bool)> {
    let bytes = read_file(&trace_path(log)?).ok()?;
    let (mut trace, odd) = read_cwl_trace(&bytes);
    let torn = odd.iter().any(|problem| problem.kind == ProblemKind::TornLine);
    // pi-cwl is switched off by a budget of 0, under which nothing is evicted.
    trace.budget = trace.budget.filter(|budget| *budget > 0);
    Some((Some(trace).filter(|trace| *trace != PiCwlTrace::default()), torn))
}

/// Returns the budget for a session, as users type it: `set` by the user, else recorded by the harness, else
/// the default.
pub fn budget_of(opened: &SessionSnapshot, set: Option<&str>) -> (String, BudgetOrigin) {
    let recorded = || opened.about.recorded.as_ref()?.budget;
    match (set, recorded()) {
        (Some(set), _) => (set.to_owned(), BudgetOrigin::User),
        (None, Some(tokens)) => (tokens.to_string(), BudgetOrigin::Trace),
        (None, None) => (ViewSettings::default().budget, BudgetOrigin::Default),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{LogInput, Tools, load_file};

    #[test]
    fn a_trace_stands_beside_the_sessions() {
        let check = |log: &str, expected: Option<&str>| {
            assert_eq!(trace_path(Path::new(log)), expected.map(PathBuf::from), "{log}");
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
        assert_eq!(read_beside(&log), None);
        let trace = trace_path(&log).unwrap();
        std::fs::create_dir_all(trace.parent().unwrap()).unwrap();
        for text in ["", "{", "[]", "{\"half\":"] {
            std::fs::write(&trace, text).unwrap();
            assert_eq!(read_beside(&log), None, "{text}");
        }
    }

    #[test]
    fn while_half_a_trace_is_written_the_one_before_stands() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("agent/sessions/--p--/a.jsonl");
        let trace = trace_path(&log).unwrap();
        std::fs::create_dir_all(trace.parent().unwrap()).unwrap();
        let whole = include_str!("../../../../samples/pi-cwl/loop/trace.json");
        let budget =
            |before: Option<&Arc<PiCwlTrace>>| reread_if_changed(&log, before).map(|trace| trace.budget);
        std::fs::write(&trace, whole.replace("\"threshold\": 900", "\"threshold\": 700")).unwrap();
        let before = reread_if_changed(&log, None);
        assert_eq!(before.as_ref().map(|trace| trace.budget), Some(Some(700)));
        for half in ["", &whole[..1], &whole[..whole.len() / 2]] {
            std::fs::write(&trace, half).unwrap();
            assert_eq!(budget(before.as_ref()), Some(Some(700)), "{} bytes", half.len());
            assert_eq!(budget(None), None, "{} bytes", half.len());
        }
        std::fs::write(&trace, whole).unwrap();
        assert_eq!(budget(before.as_ref()), Some(Some(900)));
        std::fs::remove_file(&trace).unwrap();
        assert_eq!(budget(before.as_ref()), None, "it is gone");
    }

    #[test]
    fn what_the_user_sets_goes_before_the_trace_and_that_before_the_default() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("agent/sessions/--p--/a.jsonl");
        let trace = trace_path(&log).unwrap();
        for file in [&log, &trace] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        std::fs::write(&log, include_str!("../../../../samples/pi-cwl/loop/input.jsonl")).unwrap();
        let check = |text: &str, set: Option<&str>, expected: (&str, BudgetOrigin)| {
            std::fs::write(&trace, text).unwrap();
            let opened = load_file(&LogInput::File(log.clone()), None, &Tools::builtin_tables()).unwrap();
            assert_eq!(budget_of(&opened, set), (expected.0.to_owned(), expected.1), "{text} {set:?}");
        };
        let of = |budget: u64| {
            let threshold = format!(r#""threshold":{{"default":{budget}}}"#);
            format!(r#"{{"sessionID":"s","trace":{{{threshold},"cleanups":{{"history":[]}}}}}}"#)
        };
        check("", None, ("80000", BudgetOrigin::Default));
        check("", Some("80000"), ("80000", BudgetOrigin::User));
        check(&of(64_000), None, ("64000", BudgetOrigin::Trace));
        check(&of(80_000), None, ("80000", BudgetOrigin::Trace));
        check(&of(64_000), Some("50%"), ("50%", BudgetOrigin::User));
        // Switched off: a budget of 0 would evict everything.
        check(&of(0), None, ("80000", BudgetOrigin::Default));
        check(&of(0), Some("0"), ("0", BudgetOrigin::User));
    }
}
