//! Without a display: one line, exit code 2, no panic.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn start(display: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cwl-inspector"));
    command.args(arguments).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    if let Some(display) = display {
        command.env("DISPLAY", display).env("GDK_BACKEND", "x11");
    }
    command.output().unwrap()
}

fn check(display: Option<&str>, expected: &str) {
    let data_dir = std::env::temp_dir().join(format!("cwl-no-display-{}", std::process::id()));
    let output = start(display, &["some.jsonl", "--data-dir", data_dir.to_str().unwrap()]);
    let told = String::from_utf8(output.stderr).unwrap();
    let ours: Vec<&str> = told.lines().filter(|line| line.starts_with("cwl-inspector:")).collect();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert_eq!(ours.len(), 1, "{told}");
    assert!(ours[0].contains(expected) && ours[0].contains("`cwl"), "says what and the way out: {told}");
    assert!(!told.contains("panicked"), "{told}");
    assert!(!data_dir.exists(), "nothing was started");
}

#[test]
fn no_display_is_said_in_one_line() {
    check(None, "there is no display");
    check(Some(""), "there is no display");
    check(Some(":64999"), "the display :64999 cannot be opened");
}

#[test]
fn help_and_version_need_no_display() {
    let help = start(None, &["--help"]);
    assert!(help.status.success() && String::from_utf8(help.stdout).unwrap().contains("--budget"));
    assert!(start(None, &["--version"]).status.success());
    assert_eq!(start(None, &["--turn", "0"]).status.code(), Some(2), "bad usage");
}
