//! The table of options in docs/policies.md, generated from the registry.

use std::path::PathBuf;

use cwl_engine::{OptionSpec, Policy};
use cwl_host::api::OptionRow;
use cwl_host::commands;

fn row(policies: &str, option: &OptionRow) -> String {
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
        let base =
            preset_of(&policy.name).and_then(|base| policies.iter().find(|policy| policy.name == base));
        let is_own = |option: &&OptionRow| {
            base.is_none_or(|base| {
                let is_same = |one: &OptionRow| one.key == option.key && one.default == option.default;
                !base.options.iter().any(is_same)
            })
        };
        for option in policy.options.iter().filter(|option| !option.common).filter(is_own) {
            table.push_str(&row(&format!("`{}`", policy.name), option));
        }
    }
    table
}

fn preset_of(policy: &str) -> Option<&'static str> {
    Policy::find(policy).and_then(|policy| policy.preset_of)
}

/// The table of rules that ship, each with what it is a preset of, its source, and what the source leaves open.
pub(crate) fn table_of_rules() -> String {
    let mut table =
        "| policy | is | with | source | looked up | open, or other here |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for policy in Policy::ALL.iter().filter(|policy| !policy.checked.is_empty()) {
        let base = policy.preset_of.and_then(Policy::find);
        let differs = |spec: &&OptionSpec| base.is_some_and(|base| !base.options.contains(spec));
        let options = policy.options.iter().filter(differs);
        let options: Vec<String> = options.map(|spec| format!("`{}={}`", spec.key, spec.default)).collect();
        let Policy { name, source, checked, differs, .. } = policy;
        let base =
            policy.preset_of.map_or_else(|| "a policy of its own".to_owned(), |base| format!("`{base}`"));
        table.push_str(&format!(
            "| `{name}` | {base} | {} | {source} | {checked} | {differs} |\n",
            options.join(", ")
        ));
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
