//! Events and problems of every sample, in `expected/events.snap` beside it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use cwl_engine::{EventLog, History, Problem, Session};
use cwl_formats::{Format, default_tools, detect_format, parse_log};

use crate::show::{show, show_problem};

/// Maximum line length in a snapshot, in characters.
const WIDTH: usize = 140;
/// Maximum number of lines in a snapshot: the two samples of a thousand lines show nothing new after that.
const LINES: usize = 400;

/// Returns the logs in `samples/*/*`: each `input.jsonl` or `input.json`, and subagents' transcripts beside
/// it.
pub(crate) fn sample_logs() -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = |folder: &Path| entries(folder).filter(|path| path.is_dir());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let is_log = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name == "input.json"
            || name == "input.jsonl"
            || (name.starts_with("agent-") && name.ends_with(".jsonl"))
    };
    let mut logs: Vec<PathBuf> = folders(&root)
        .flat_map(|format| folders(&format).collect::<Vec<_>>())
        .flat_map(|case| entries(&case))
        .filter(is_log)
        .collect();
    logs.sort();
    assert!(logs.len() > 60, "{} samples are found", logs.len());
    logs
}

fn shorten(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= WIDTH + 10 {
        return line.to_owned();
    }
    let begin: String = chars[..WIDTH - 30].iter().collect();
    let end: String = chars[chars.len() - 30..].iter().collect();
    format!("{begin} [… {} …] {end}", chars.len() - WIDTH)
}

fn session_of(format: Format, bytes: &[u8]) -> (Session, Vec<Problem>) {
    let mut log = EventLog::default();
    for parsed in parse_log(format, bytes).0 {
        log.push(parsed.event);
    }
    Session::build(&log, None, History::AsRecorded, &default_tools())
}

fn check(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let format = detect_format(&bytes[..bytes.len().min(64 << 10)]).unwrap();
    let (events, problems) = parse_log(format, &bytes);
    let (session, of_session) = session_of(format, &bytes);
    let listing: Vec<String> = show(&events, &problems).lines().map(shorten).collect();
    let more = listing.len().saturating_sub(LINES);
    let mut text = format!(
        "{format}: {} events, {} messages, {} turns, {} replacements\n{}\n",
        events.len(),
        session.messages.len(),
        session.turns.len(),
        session.replacements.len(),
        listing[..listing.len() - more].join("\n"),
    );
    if more > 0 {
        text += &format!("… {more} more lines\n");
    }
    let own: Vec<String> = of_session.iter().map(show_problem).collect();
    text += &format!("session problems:\n{}\n", own.join("\n"));
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let name = if stem == "input" { "events" } else { "subagent-events" };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(std::path::absolute(path.parent().unwrap().join("expected")).unwrap());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn every_sample_gives_its_events() {
    let logs = sample_logs();
    let wrong: Vec<&PathBuf> =
        logs.iter().filter(|path| catch_unwind(AssertUnwindSafe(|| check(path))).is_err()).collect();
    assert!(wrong.is_empty(), "other events than expected: {wrong:#?}");
}
