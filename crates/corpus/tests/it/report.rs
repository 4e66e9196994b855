//! The report of a corpus: hostile texts are harmless, and odd tables are reported.

use std::path::{Path, PathBuf};

use cwl_corpus::{CorpusAsked, TextsAs, choose_setting, corpus_report};
use cwl_host::commands::RunsAsked;

use crate::common::{corpus_of, make, samples};

/// Logs, one of which has a hostile name and title.
fn logs(dir: &Path) -> PathBuf {
    let logs = dir.join("logs <b onclick='x'>&\"");
    std::fs::create_dir(&logs).unwrap();
    for case in ["pi/quickstart", "pi/forgotten", "codex/quickstart", "claude-code/compaction"] {
        let name = format!("{}.jsonl", case.replace('/', "-"));
        std::fs::copy(samples().join(case).join("input.jsonl"), logs.join(name)).unwrap();
    }
    let text = std::fs::read_to_string(logs.join("pi-quickstart.jsonl")).unwrap();
    let first = text.lines().find(|line| line.contains("\"role\":\"user\"")).unwrap();
    let typed: serde_json::Value = serde_json::from_str(first).unwrap();
    let words = typed["message"]["content"][0]["text"].as_str().unwrap();
    let words = serde_json::to_string(words).unwrap();
    let hostile = text.replace(&words, r#""</style><script>alert('x')</script>\u202e""#);
    assert_ne!(hostile, text);
    std::fs::write(logs.join("hostile.jsonl"), hostile).unwrap();
    std::fs::write(logs.join("odd.jsonl"), [0xff, 0xfe, 0x00, 0x01]).unwrap();
    logs
}

fn made(dir: &Path, runs: &str, texts: TextsAs) -> PathBuf {
    let folder = dir.join("tables");
    let runs = if runs.is_empty() { Vec::new() } else { vec![RunsAsked::parse_runs(runs).unwrap()] };
    let budget = Some("8k".to_owned());
    make(&CorpusAsked { runs, texts, budget, ..corpus_of(&logs(dir), &folder) });
    folder
}

fn page(folder: &Path) -> String {
    String::from_utf8(corpus_report(folder, None).unwrap()).unwrap()
}

#[test]
fn hostile_texts_do_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), "cwl,mask,mask:keep=1,none@4k,8k", TextsAs::Plain);
    let page = page(&folder);
    assert!(page.contains("mask:keep=1@4,000") && page.contains("mask:keep=1@8,000 less none"));
    let rules: Vec<(&str, &str)> = page
        .split("<td><code>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</td>")?.0.split_once("</code> "))
        .collect();
    assert!(!rules.is_empty());
    for (code, title) in rules {
        assert_eq!(title, cwl_host::escape_html(&cwl_host::commands::code_of(code).unwrap().title), "{code}");
    }
    for part in ["<script", "<b ", "onclick='", "\u{202e}"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; font-src data:"));
    assert!(page.contains("href=\"cwl-inspector://open?session=/"), "sessions are links");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for link in links {
        assert!(
            link.starts_with("cwl-inspector://open?session=") && link.contains("&amp;tau=8000"),
            "{link}"
        );
        assert!(
            !link.contains(['<', '>', ' ', '\'']) && link.contains("%3Cb%20onclick=%27x%27%3E%26%22"),
            "{link}"
        );
    }
    assert_eq!(
        page.matches("<svg").count(),
        page.matches("role=\"img\"><title>").count(),
        "each picture has a title"
    );
    assert!(page.matches("<svg").count() >= 6 && page.matches("<table>").count() >= 8);
    assert!(page.contains("1 log could not be read") && page.contains("with the seed 16"));
}

#[test]
fn hashed_tables_give_a_page_without_links_and_texts() {
    let dir = tempfile::tempdir().unwrap();
    let page = page(&made(dir.path(), "", TextsAs::Hashed));
    assert!(!page.contains("href=") && page.contains("Without full paths in the tables nothing is a link"));
    assert!(!page.contains("alert") && page.contains("No runs were asked for"));
}

#[test]
fn what_is_odd_about_the_tables_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), "cwl,none@4k", TextsAs::Hashed);
    let whole = page(&folder);
    // A part without its list was stopped; tables without any lists were given away.
    std::fs::rename(folder.join("parts/part-000000.json"), folder.join("list")).unwrap();
    let stopped = page(&folder);
    assert!(
        stopped.contains("1 part of the corpus is not finished") && stopped.contains("<h1>0 sessions</h1>")
    );
    assert!(choose_setting(&folder, &[]).is_err());
    std::fs::remove_dir(folder.join("parts")).unwrap();
    assert_eq!(page(&folder), whole);
    // Damage at any place is an error with its file, or lies outside the read columns; it is never a panic.
    let file = folder.join("sessions/part-000000.parquet");
    let bytes = std::fs::read(&file).unwrap();
    let mut n_refused = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 150) {
        for damaged in [bytes[..at].to_vec(), [&bytes[..at], &[bytes[at] ^ 0x55], &bytes[at + 1..]].concat()]
        {
            std::fs::write(&file, damaged).unwrap();
            if let Err(error) = corpus_report(&folder, None) {
                let said = error.to_string();
                assert!(
                    said.starts_with("cannot read this table") && said.ends_with("part-000000.parquet"),
                    "{said}"
                );
                n_refused += 1;
            }
        }
    }
    assert!(n_refused > 150, "every cut is refused: {n_refused}");
}
