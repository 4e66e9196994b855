//! Generated pages of the book: commands, documents, and formats of logs as the samples show them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::Cwl;

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Fails if a page differs. With `CWL_GEN` set, writes the page instead.
fn compare(name: &str, expected: &str) {
    if std::env::var_os("CWL_GEN").is_some() {
        std::fs::write(docs(name), expected).unwrap();
    }
    let page = std::fs::read_to_string(docs(name)).unwrap_or_default();
    assert!(page == expected, "docs/{name} is out of date: run `make gen` and commit it");
}

/// Replaces the generated part of a page.
fn with_part(name: &str, table: &str) -> String {
    const BEGIN: &str = "<!-- seen: written by `make gen` -->\n";
    const END: &str = "<!-- seen: end -->\n";
    let page = std::fs::read_to_string(docs(name)).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (_, after) = rest.split_once(END).expect("the table has an end");
    format!("{before}{BEGIN}\n{table}\n{END}{after}")
}

/// Returns the help without trailing spaces.
fn help(cwl: &Cwl, words: &[&str]) -> String {
    // Without it, the shell's window width would be the page's.
    let output = cwl.command(&[words, &["--help"]].concat()).env_remove("COLUMNS").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Names of the commands listed in a help text.
fn commands(help: &str) -> Vec<String> {
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

#[test]
fn book_of_commands() {
    let cwl = Cwl::new();
    let whole = help(&cwl, &[]);
    let names = commands(&whole);
    assert!(names.len() > 20, "the commands are found in the help: {names:?}");
    let mut page = format!(
        "# Commands\n\n<!-- written by `make gen` -->\n\nThe help of the program and of each command, as `cwl COMMAND --help` prints it. \
         Options of policies stand in [Policies](policies.md#options).\n\n```text\n{whole}\n```\n"
    );
    for name in names {
        let text = help(&cwl, &[&name]);
        page.push_str(&format!("\n## cwl {name}\n\n```text\n{text}\n```\n"));
        for below in commands(&text) {
            page.push_str(&format!(
                "\n### cwl {name} {below}\n\n```text\n{}\n```\n",
                help(&cwl, &[&name, &below])
            ));
        }
    }
    compare("commands.md", &page);
}

#[test]
fn book_of_documents() {
    let cwl = Cwl::new();
    let mut page = "# JSON documents\n\n<!-- written by `make gen` -->\n\nEvery command with `--json` prints one of these documents; `cwl schema NAME` prints \
         its schema. The version rises when a member goes or changes its meaning; new members may come without that.\n\n\
         | document | version | members |\n|---|--:|---|\n"
        .to_owned();
    for name in cwl.ok(&["schema"]).lines() {
        let schema: Value = serde_json::from_str(&cwl.ok(&["schema", name])).unwrap();
        let version = schema["title"].as_str().unwrap().rsplit(' ').next().unwrap().to_owned();
        let members: Vec<String> =
            schema["properties"].as_object().unwrap().keys().map(|member| format!("`{member}`")).collect();
        page.push_str(&format!("| [{name}](schemas/{name}.json) | {version} | {} |\n", members.join(", ")));
    }
    compare("documents.md", &page);
}

/// Lists the logs of the samples.
fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The long sample shows nothing that the others lack, and takes as long as the others together.
        if path.is_dir() && !path.ends_with("pi/long") && !path.ends_with("expected") {
            logs(&path, found);
        } else if path.file_stem().is_some_and(|stem| stem == "input") {
            found.push(path);
        }
    }
}

/// A column of the table: its name, and whether a report shows the feature.
type Column = (&'static str, fn(&Value) -> bool);

fn some(list: &Value) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|one| !one.is_null()))
}

const COLUMNS: [Column; 7] = [
    ("model", |report| report["session"]["model"].is_string()),
    ("folder", |report| report["session"]["cwd"].is_string()),
    ("tokens as reported", |report| some(&report["history"]["reported"])),
    ("compactions", |report| some(&report["history"]["compactions"])),
    ("clearings", |report| some(&report["history"]["clearings"])),
    ("branches", |report| report["session"]["branches"].as_array().is_some_and(|list| list.len() > 1)),
    ("subagents", |report| {
        let branches = report["session"]["branches"].as_array();
        !report["session"]["subagent"].is_null()
            || branches.is_some_and(|list| list.iter().any(|branch| branch["subagent"] == true))
    }),
];

mod slow {
    use super::*;

    #[test]
    fn book_of_formats() {
        let cwl = Cwl::new();
        let mut paths = Vec::new();
        logs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples"), &mut paths);
        let mut seen: BTreeMap<String, (usize, BTreeSet<&str>)> = BTreeMap::new();
        for path in paths {
            let output = cwl.run(&["report", &path.display().to_string(), "--json"]);
            // Some samples are refused.
            let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else { continue };
            let format = report["session"]["format"].as_str().unwrap().to_owned();
            let (n_logs, columns) = seen.entry(format).or_default();
            *n_logs += 1;
            columns.extend(COLUMNS.iter().filter(|(_, shows)| shows(&report)).map(|(name, _)| *name));
        }
        let heads: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        let mut table = format!(
            "| format | samples | {} |\n|---|--:|{}\n",
            heads.join(" | "),
            "---|".repeat(heads.len())
        );
        let known: Value = serde_json::from_str(&cwl.ok(&["formats", "--json"])).unwrap();
        for format in known["formats"].as_array().unwrap() {
            let name = format["name"].as_str().unwrap();
            let (n_logs, columns) = seen.get(name).unwrap_or_else(|| panic!("{name} has no sample"));
            let cells: Vec<&str> =
                heads.iter().map(|head| if columns.contains(head) { "yes" } else { "–" }).collect();
            table.push_str(&format!("| `{name}` | {n_logs} | {} |\n", cells.join(" | ")));
        }
        compare("formats.md", &with_part("formats.md", &table));
    }
}
