//! The table of options in docs/policies.md: written from the registry, and compared with it.

use std::fmt::Write as _;
use std::path::PathBuf;

use cwl_api::commands;
use cwl_api::dto::OptionDto;

const BEGIN: &str = "<!-- options: written by `make gen` -->\n";
const END: &str = "<!-- options: end -->\n";

fn row(policies: &str, option: &OptionDto) -> String {
    let sentence = option.sentence.replace("{}", &format!("`{}`", option.key));
    let about = if option.about.is_empty() { String::new() } else { format!(": {}", option.about) };
    let values = option.values.replace('|', "\\|");
    format!("| {policies} | `{}` | {values} | {} | {sentence}{about} |\n", option.key, option.default)
}

fn table() -> String {
    let policies = commands::choices().policies;
    let mut table = "| policy | option | values | default | meaning |\n|---|---|---|---|---|\n".to_owned();
    let common = policies.first().into_iter().flat_map(|policy| &policy.options);
    for option in common.filter(|option| option.common) {
        table.push_str(&row("every policy", option));
    }
    for policy in &policies {
        for option in policy.options.iter().filter(|option| !option.common) {
            table.push_str(&row(&format!("`{}`", policy.name), option));
        }
    }
    table
}

/// Fails when the table in the docs differs from the registry; with `CWL_GEN` set it is written instead.
#[test]
fn policies_are_those_of_the_docs() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/policies.md"));
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (_, after) = rest.split_once(END).expect("the table has an end");
    let mut expected = String::new();
    write!(expected, "{before}{BEGIN}\n{}\n{END}{after}", table()).unwrap();
    if std::env::var_os("CWL_GEN").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert!(page == expected, "docs/policies.md is out of date: run `make gen` and commit it");
    }
    for policy in commands::choices().policies {
        let name = format!("`{}`", policy.name);
        let mut headings = page.lines().filter(|line| line.starts_with("## "));
        assert!(headings.any(|heading| heading.contains(&name)), "no section for {name}");
    }
}
