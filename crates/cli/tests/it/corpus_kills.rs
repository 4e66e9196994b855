//! `cwl corpus`, killed at several moments and continued, writes the same bytes as an undisturbed run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{Cwl, sample};
use tree::files;

#[path = "../../../corpus/tests/it/tree.rs"]
mod tree;

/// Parts of the corpus.
const N_PARTS: usize = 8;

/// Counts a folder's files with an ending; a missing folder has none.
fn n_of(folder: &Path, ending: &str) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(ending)).count()
}

#[test]
fn a_killed_run_leaves_nothing_that_the_next_one_does_not_mend() {
    let cwl = Cwl::new();
    let samples = Path::new(&sample("quickstart")).ancestors().nth(3).unwrap().display().to_string();
    let at = |name: &str| cwl.dir.path().join(name);
    for name in ["whole", "killed"] {
        std::fs::create_dir(at(name)).unwrap();
        let form = serde_json::json!({"version": cwl_corpus::VERSION, "n_parts": N_PARTS});
        std::fs::write(at(name).join("corpus.json"), form.to_string()).unwrap();
    }
    let asked = |out| ["corpus", samples.as_str(), "--out", out, "--key", "key", "--threads", "1"];
    cwl.ok(&asked("whole"));
    let expected = files(&at("whole"));
    let (parts, turns, losses) = (at("killed/parts"), at("killed/turns"), at("killed/losses"));
    // Moments of every run: its first table, its first part, some parts, a table of a later part.
    let moments: [(&str, &dyn Fn() -> bool); 5] = [
        ("a table without a part", &|| n_of(&turns, ".parquet") > 0),
        ("the last table of a part", &|| n_of(&losses, ".parquet") > 0),
        ("a part", &|| n_of(&parts, ".json") > 1),
        ("some parts", &|| n_of(&parts, ".json") > 3),
        ("a table beyond its part", &|| n_of(&turns, ".parquet") > 5),
    ];
    let mut n_killed = 0;
    for (moment, is_here) in moments {
        let mut run =
            cwl.command(&asked("killed")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ended = loop {
            if is_here() {
                break run.try_wait().unwrap();
            }
            if let Some(ended) = run.try_wait().unwrap() {
                break Some(ended);
            }
            std::thread::yield_now();
        };
        // On Unix this is SIGKILL, which no program can catch.
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(ended.is_none(), "{moment}: it ended by itself");
        n_killed += usize::from(n_of(&parts, ".json") < n_of(&at("whole/parts"), ".json"));
    }
    assert!(n_killed >= 3, "{n_killed} runs were killed before they were done");
    cwl.ok(&asked("killed"));
    let found = files(&at("killed"));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected), "no file more and none less");
    for (name, bytes) in &expected {
        assert!(found.get(name) == Some(bytes), "{} has other bytes", name.display());
    }
}
