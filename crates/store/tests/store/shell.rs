//! The documented views in the `sqlite3` program, as a person uses it: read-only, while the store is open and
//! afterwards.

use std::path::Path;
use std::process::Command;

use crate::views::store_with_rows;

const PAGE: &str = include_str!("../../../../docs/store.md");

fn ask(database: &Path, query: &str) -> String {
    let answer = Command::new("sqlite3")
        .args(["-readonly", "-header", "-separator", "|"])
        .arg(database)
        .arg(query)
        .output()
        .expect("the program sqlite3 is needed: .ci/setup test installs it");
    assert!(answer.status.success(), "{query}\n{}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8_lossy(&answer.stdout).into_owned()
}

fn queries() -> Vec<&'static str> {
    let blocks = PAGE.split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().trim()).collect()
}

/// Returns each documented view with the columns named first in each part of its list.
fn views() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, rest) = row.split_once('`').unwrap();
        let columns = rest.rsplit(" | ").next().unwrap();
        let code = columns.split('`').skip(1).step_by(2);
        (name, code.filter(|word| !["log", "protocol", "kept", "dropped"].contains(word)).collect())
    })
    .collect()
}

#[test]
fn every_example_answers() {
    let (_dir, store) = store_with_rows();
    let file = store.file_path().to_owned();
    let queries = queries();
    assert_eq!(queries.len(), 6, "the examples of the page are found");
    let answers = |when: &str| -> Vec<String> {
        let answers: Vec<String> = queries.iter().map(|query| ask(&file, query)).collect();
        for (query, answer) in queries.iter().zip(&answers) {
            assert!(answer.lines().count() > 1, "{when}: a row for {query}");
        }
        answers
    };
    let open = answers("while the store is open");
    insta::assert_snapshot!(open.join("\n"));
    drop(store);
    assert_eq!(answers("after it was closed"), open);
}

#[test]
fn the_page_names_the_columns_that_there_are() {
    let (_dir, store) = store_with_rows();
    let views = views();
    assert_eq!(views.len(), 6);
    for (view, documented) in views {
        let columns = ask(&store.file_path(), &format!("SELECT name FROM pragma_table_info('{view}')"));
        assert_eq!(columns.lines().skip(1).collect::<Vec<_>>(), documented, "{view}");
    }
}
