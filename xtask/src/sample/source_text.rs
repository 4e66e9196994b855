//! Source tree for `tidewater`, the invented project in the samples.

use std::collections::BTreeMap;

/// File bundles, each file below a line `=== PATH`.
const BUNDLES: [&str; 5] = [
    include_str!("texts/tree/ingest.txt"),
    include_str!("texts/tree/store.txt"),
    include_str!("texts/tree/api.txt"),
    include_str!("texts/tree/ui.txt"),
    include_str!("texts/tree/rest.txt"),
];

struct Resource {
    single: &'static str,
    plural: &'static str,
    type_name: &'static str,
    about: &'static str,
    extra: &'static str,
    extra_type: &'static str,
    extra_sample: &'static str,
}

/// Such modules look alike in real services too, so they are generated.
const RESOURCES: [Resource; 4] = [
    Resource {
        single: "folder",
        plural: "folders",
        type_name: "Folder",
        about: "where a person puts subscriptions",
        extra: "parent_id",
        extra_type: "Option<i64>",
        extra_sample: "None",
    },
    Resource {
        single: "label",
        plural: "labels",
        type_name: "Label",
        about: "coloured marks on entries",
        extra: "colour",
        extra_type: "String",
        extra_sample: "\"#3366cc\".into()",
    },
    Resource {
        single: "search",
        plural: "searches",
        type_name: "Search",
        about: "saved queries",
        extra: "query",
        extra_type: "String",
        extra_sample: "\"tide is:unread\".into()",
    },
    Resource {
        single: "filter",
        plural: "filters",
        type_name: "Filter",
        about: "rules that mark new entries as read",
        extra: "rule",
        extra_type: "String",
        extra_sample: "\"title:sponsored\".into()",
    },
];

pub(crate) fn initial_tree() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for bundle in BUNDLES {
        for (heading, text) in sections(bundle) {
            match heading.strip_prefix("template ") {
                None => {
                    files.insert(heading.to_owned(), text);
                }
                Some(path) => {
                    files.extend(
                        RESOURCES.iter().map(|resource| (fill(path, resource), fill(&text, resource))),
                    );
                }
            }
        }
    }
    files
}

fn sections(bundle: &str) -> Vec<(&str, String)> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in bundle.lines() {
        if let Some(heading) = line.strip_prefix("=== ") {
            sections.push((heading, String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    sections
}

fn fill(text: &str, resource: &Resource) -> String {
    text.replace("{single}", resource.single)
        .replace("{plural}", resource.plural)
        .replace("{Type}", resource.type_name)
        .replace("{about}", resource.about)
        .replace("{extra}", resource.extra)
        .replace("{extra_type}", resource.extra_type)
        .replace("{extra_sample}", resource.extra_sample)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn templates_become_one_module_per_resource() {
        let files = initial_tree();
        for resource in &RESOURCES {
            let store = &files[&format!("src/store/{}.rs", resource.plural)];
            assert!(store.contains(&format!("pub struct {} {{", resource.type_name)));
            assert!(files.contains_key(&format!("src/api/{}.rs", resource.plural)));
        }
        let leftover = files
            .values()
            .find(|text| ["{single}", "{plural}", "{Type}"].iter().any(|hole| text.contains(hole)));
        assert_eq!(leftover, None);
    }

    #[test]
    fn every_declared_module_is_a_file() {
        let files = initial_tree();
        for (path, text) in files.iter().filter(|(path, _)| path.starts_with("src/") && path.ends_with(".rs"))
        {
            let folder = path.strip_suffix("/mod.rs").or(path.strip_suffix("/lib.rs")).unwrap_or("");
            for name in text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
                let found = files.contains_key(&format!("{folder}/{name}.rs"))
                    || files.contains_key(&format!("{folder}/{name}/mod.rs"));
                assert!(found, "{path} declares {name}");
            }
        }
    }
}
