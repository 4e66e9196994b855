//! JSON documents match their schemas, and docs/schemas matches the code.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cwl_host::api::{BudgetOrigin, Document, ViewRequest, ViewSettings, schema_names, schema_of};
use cwl_host::{LogInput, Tools, commands, load_file};
use serde_json::Value;

fn docs() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas"))
}

/// Fails if a schema in the docs differs from the code. With `CWL_GEN` set, writes the schemas instead.
#[test]
fn schemas_are_those_of_the_docs() {
    let writes = std::env::var_os("CWL_GEN").is_some();
    let mut expected = BTreeSet::new();
    // Marks are no document of a command, but have a schema.
    for name in schema_names().into_iter().chain(["marks"]) {
        let schema = serde_json::to_string_pretty(&schema_of(name).unwrap()).unwrap() + "\n";
        let file = docs().join(format!("{name}.json"));
        if writes {
            std::fs::create_dir_all(docs()).unwrap();
            std::fs::write(&file, &schema).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(committed == schema, "{name} is out of date: run `make gen` and commit the file");
        expected.insert(file);
    }
    // The lines of `cwl live` are a protocol of their own, which the tests of `cwl-live` write.
    expected.insert(docs().join("live-protocol.json"));
    let found: BTreeSet<PathBuf> =
        std::fs::read_dir(docs()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(found, expected, "one file a document");
    assert_eq!(schema_of("graphs"), None);
}

#[test]
fn a_document_has_its_schema_and_what_it_is_about() {
    let log = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tame.jsonl");
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let view = ViewSettings { budget: "4k".into(), ..ViewSettings::counted("o200k") };
    let graph = commands::graph(&opened, &ViewRequest { view: view.clone() }).unwrap();
    let about = commands::about(&opened, &view, BudgetOrigin::User).unwrap();
    assert_eq!((about.policy.as_str(), about.budget), ("cwl", 4000));
    let document = serde_json::to_value(Document::new(graph).with_about(about)).unwrap();
    let required = |schema: &Value| -> BTreeSet<String> {
        let names = schema["required"].as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let schema = schema_of("graph").unwrap();
    let keys: BTreeSet<String> = document.as_object().unwrap().keys().cloned().collect();
    let missing: Vec<_> = required(&schema).difference(&keys).cloned().collect();
    assert_eq!(missing, Vec::<String>::new());
    let known: BTreeSet<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    let unknown: Vec<_> = keys.difference(&known).cloned().collect();
    assert_eq!(unknown, Vec::<String>::new());
    assert_eq!(document["schema"], serde_json::json!({"name": "graph", "version": 1}));
}

/// The head of a document and its answer share no member name.
#[test]
fn the_members_of_answers_have_other_names_than_those_of_the_head() {
    let head = |name: &str| matches!(name, "schema" | "about" | "about_each" | "budget_source");
    for name in schema_names() {
        let schema = schema_of(name).unwrap();
        let required = schema["required"].as_array().unwrap();
        let n_head = required.iter().filter(|member| member.as_str().is_some_and(head)).count();
        assert_eq!(n_head, 1, "{name}: only `schema` is always there");
    }
}
