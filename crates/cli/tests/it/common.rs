//! The program run on a sample, in a home of its own.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command on a sample, and returns the exit code, standard output and standard error.
pub(crate) fn run(command: &str, case: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_cwl"))
        .arg(command)
        .arg(log)
        .args(args)
        .env("CWL_DATA_DIR", home.path())
        .env("CWL_CONFIG_DIR", home.path())
        .env("HOME", home.path())
        .env_remove("CWL_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}
