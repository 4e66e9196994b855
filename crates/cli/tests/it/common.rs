//! Runs the program on a sample, in a home of its own.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a command on a sample; returns exit code, standard output and standard error.
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

/// The program with its own home, store and settings.
pub(crate) struct Cwl {
    pub(crate) dir: tempfile::TempDir,
}

impl Cwl {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cwl"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("CWL_DATA_DIR", self.dir.path().join("data"))
            .env("CWL_CONFIG_DIR", self.dir.path().join("config"))
            .env("PI_CODING_AGENT_DIR", self.dir.path().join("agent"))
            .env("HOME", self.dir.path().join("home"))
            .env_remove("CWL_LOG")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail with code 2 and an empty standard output; returns the message.
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}: data goes to stdout, messages to stderr");
        said
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.dir.path().join(name), bytes).unwrap();
        name.to_owned()
    }
}

/// The log of a pi sample.
pub(crate) fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi").join(name).join("input.jsonl");
    path.display().to_string()
}
