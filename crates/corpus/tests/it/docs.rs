//! The reference of the tables in docs/corpus.md equals the generated one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cwl_corpus::{TABLES, write_reference};

const BEGIN: &str = "<!-- tables: written by `make gen` -->\n";
const END: &str = "<!-- tables: end -->\n";

/// Fails if the reference differs from the columns. With `CWL_GEN` set, writes it instead.
#[test]
fn tables_are_those_of_the_docs() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/corpus.md"));
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the reference");
    let (_, after) = rest.split_once(END).expect("the reference has an end");
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", write_reference());
    if std::env::var_os("CWL_GEN").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert!(page == expected, "docs/corpus.md is out of date: run `make gen` and commit it");
    }
}

#[test]
fn columns_have_one_name_each_and_every_table_names_its_log_first() {
    for table in TABLES {
        let names: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        assert_eq!(table.columns[0].name, "log", "{}", table.name);
        for column in table.columns {
            assert!(column.about.ends_with('.'), "{}.{}", table.name, column.name);
        }
    }
}
