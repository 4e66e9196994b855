//! The samples of trajectories and of bodies, as the events that come of them; each beside its sample.
#![allow(clippy::unwrap_used)]

mod show;

use std::path::{Path, PathBuf};

use cwl_engine::{EventLog, History, Session};
use cwl_formats::{default_tools, detect, parse};

const SAMPLES: [&str; 23] = [
    "anthropic/parts",
    "anthropic/quickstart",
    "anthropic/requests",
    "atif/continued",
    "atif/keystrokes",
    "atif/quickstart",
    "gemini/parts",
    "gemini/quickstart",
    "gemini/requests",
    "mini-swe-agent/bare",
    "mini-swe-agent/fenced",
    "mini-swe-agent/quickstart",
    "openai-chat/litellm",
    "openai-chat/parts",
    "openai-chat/quickstart",
    "openai-chat/requests",
    "openai-responses/previous",
    "openai-responses/quickstart",
    "openai-responses/requests",
    "openclaw/gateway",
    "pi-cwl/loop",
    "swe-agent/elided",
    "swe-agent/quickstart",
];

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case)
}

fn read(case: &str) -> Vec<u8> {
    let folder = folder(case);
    std::fs::read(folder.join("input.jsonl")).or_else(|_| std::fs::read(folder.join("input.json"))).unwrap()
}

/// Cuts a long line in the middle, which is where texts are alike.
fn short(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= 150 {
        return line.to_owned();
    }
    let (begin, end): (String, String) =
        (chars[..110].iter().collect(), chars[chars.len() - 30..].iter().collect());
    format!("{begin} [… {} …] {end}", chars.len() - 140)
}

#[test]
fn events_of_the_samples() {
    for case in SAMPLES.into_iter().chain(["swe-agent/thoughts"]) {
        let bytes = read(case);
        let format = detect(&bytes[..bytes.len().min(64 << 10)]).unwrap();
        let (events, problems) = parse(format, &bytes);
        let mut log = EventLog::default();
        for parsed in &events {
            log.push(parsed.event.clone());
        }
        let (session, of_session) = Session::build(&log, None, History::AsRecorded, &default_tools());
        let listing: Vec<String> = show::show(&events, &problems).lines().map(short).collect();
        let own: Vec<String> = of_session.iter().map(show::show_problem).collect();
        let text = format!(
            "{format}: {} events, {} messages, {} turns, {} replacements\n{}\nsession problems:\n{}\n",
            events.len(),
            session.messages.len(),
            session.turns.len(),
            session.replacements.len(),
            listing.join("\n"),
            own.join("\n"),
        );
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder(case).join("expected"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("events", text));
    }
}
