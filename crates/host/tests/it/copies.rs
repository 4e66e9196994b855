//! Copies of a session, made by a harness for its own calls and opened by path.

use cwl_host::{LogInput, Tools, commands, load_file};

/// Opens the sample under another name, and returns the remark about the copy.
fn copy_under(name: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/claude-code/quickstart/input.jsonl");
    std::fs::copy(sample, &path).unwrap();
    let opened = load_file(&LogInput::File(path), None, &Tools::builtin_tables()).unwrap();
    let said = commands::session(&opened).unwrap().copy;
    assert_eq!(said, commands::copy_of(&opened));
    said.map(|said| said.replace(folder.path().to_str().unwrap(), ""))
}

#[test]
fn a_copy_says_of_which_session_it_is() {
    let own = "only the last messages are of this log";
    assert_eq!(
        copy_under("s1/subagents/agent-acompact-1f2e.jsonl"),
        Some(format!(
            "no session of its own: the harness copied session /s1.jsonl to have it summarised before a compaction; {own}"
        ))
    );
    let aside = copy_under("agent-aside_question-1f2e.jsonl").unwrap();
    assert!(aside.contains(" to answer a question aside; ") && !aside.contains("another one"), "{aside}");
    assert_eq!(copy_under("s1/subagents/agent-1f2e.jsonl"), None, "a subagent is none");
    assert_eq!(copy_under("s1.jsonl"), None);
}
