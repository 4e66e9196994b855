//! `cwl export`: what is refused, and what is never written over. `e2e/exported.test.mjs` opens the pages.

use crate::common::{Cwl, sample};

/// A program with a template and an engine. The engine is written into the page, and nothing here opens it.
fn cwl_with_page() -> Cwl {
    let cwl = Cwl::new();
    std::fs::create_dir(cwl.dir.path().join("ui")).unwrap();
    for name in ["ui/index.html", "ui/export.html"] {
        cwl.file(name, b"<!doctype html><script id=\"export\" type=\"text/plain\"></script>");
    }
    cwl.file("engine.wasm", b"\0asm");
    cwl
}

const PAGE: [&str; 4] = ["--ui", "ui", "--budget", "6k"];
const ENGINE: [&str; 2] = ["--engine", "engine.wasm"];

#[test]
fn a_page_without_an_engine_is_refused_with_the_way_out() {
    let cwl = cwl_with_page();
    let log = sample("quickstart");
    let check = |engine: &[&str], expected: &[&str]| {
        let args = [&["export", &log, "--html", "page.html"], &PAGE[..], engine].concat();
        let said = cwl.refused(&args);
        for words in expected {
            assert!(said.contains(words), "{said}");
        }
        assert!(!cwl.dir.path().join("page.html").exists());
    };
    check(&[], &["no engine for exported pages", "--engine FILE", "make page-engine", "released `cwl`"]);
    check(&["--engine", &log], &["no engine of a page", "make page-engine"]);
    check(&["--engine", "gone.wasm"], &["cannot read the engine of the page", "gone.wasm"]);
}

#[test]
fn a_log_is_never_written_over_and_secrets_stay_only_for_those_who_insist() {
    let cwl = cwl_with_page();
    let log = std::fs::read(sample("quickstart")).unwrap();
    cwl.file("log.jsonl", &log);
    let export = |html: &'static str, more: &[&'static str]| {
        [&["export", "log.jsonl", "--html", html], &PAGE[..], &ENGINE, more].concat()
    };
    assert!(cwl.refused(&export("log.jsonl", &[])).contains("not written over"));
    assert_eq!(std::fs::read(cwl.dir.path().join("log.jsonl")).unwrap(), log);
    cwl.file("other.html", b"something else");
    assert!(cwl.refused(&export("other.html", &[])).contains("not written over"));
    assert!(cwl.refused(&export("page.html", &["--no-redact"])).contains("--i-know"));
    let page = |more: &[&'static str]| {
        cwl.ok(&export("page.html", more));
        std::fs::read_to_string(cwl.dir.path().join("page.html")).unwrap()
    };
    assert!(page(&["--no-redact", "--i-know"]).contains("\"redacted\":null"));
    assert!(page(&[]).contains("\"redacted\":{"), "a page is replaced by a page");
}
