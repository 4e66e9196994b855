//! `cwl` without a command.

use crate::common::{Cwl, sample};

#[test]
fn alone_it_says_what_it_found_and_what_to_do_with_it() {
    let cwl = Cwl::new();
    let none = cwl.ok(&[]);
    assert!(none.starts_with("No sessions of coding agents in "), "{none}");
    assert!(none.contains("cwl serve --demo"), "{none}");
    let folder = cwl.dir.path().join("agent/sessions/--home-dev-tidewater--");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(sample("compacted"), folder.join("2026-05-12T14-20-00-000Z_1.jsonl")).unwrap();
    let one = cwl.ok(&[]);
    assert!(one.starts_with("1 session on this machine: 1 of pi."), "{one}");
    assert!(one.contains("compaction"), "{one}");
    // The suggested commands are valid, and name the session.
    let commands: Vec<&str> = one.lines().filter_map(|line| line.strip_prefix("  cwl ")).collect();
    assert_eq!(commands.len(), 3, "{one}");
    for line in commands {
        let words: Vec<&str> = line.split("  ").next().unwrap().split(' ').collect();
        if words[0] != "serve" {
            assert!(!cwl.ok(&words).is_empty(), "{line}");
        }
    }
}
