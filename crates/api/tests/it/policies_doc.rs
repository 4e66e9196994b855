//! The table of options in docs/policies.md, generated from the registry.

use std::path::PathBuf;

use cwl_api::commands;
use cwl_api::dto::OptionDto;

fn row(policies: &str, option: &OptionDto) -> String {
    let sentence = option.sentence.replace("{}", &format!("`{}`", option.key));
    let about = if option.about.is_empty() { String::new() } else { format!(": {}", option.about) };
    let values = option.values.replace('|', "\\|");
    format!("| {policies} | `{}` | {values} | {} | {sentence}{about} |\n", option.key, option.default)
}

pub(crate) fn table() -> String {
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

#[test]
fn every_policy_has_a_section() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/policies.md"));
    let page = std::fs::read_to_string(path).unwrap();
    for policy in commands::choices().policies {
        let name = format!("`{}`", policy.name);
        let mut headings = page.lines().filter(|line| line.starts_with("## "));
        assert!(headings.any(|heading| heading.contains(&name)), "no section for {name}");
    }
}
