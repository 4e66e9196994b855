//! Migrations: numbers without gaps, descriptive names, and a header that says which kind of tables they
//! concern.

use std::collections::BTreeMap;

use super::{Finding, TrackedFile};

/// A migration's header must have one of these words.
const KINDS: [&str; 4] = ["ground", "derived", "user", "view"];

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let name = crate::pattern(r"^(\d{4})_[a-z]+(_[a-z0-9]+)+\.sql$");
    let mut findings = Vec::new();
    let mut numbers: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_ending(&[".sql"])) {
        let Some(rest) = file.path.strip_prefix("migrations/") else { continue };
        let Some((database, file_name)) = rest.split_once('/') else {
            findings.push(Finding::error(&file.path, 0, "a migration is in the folder of its database"));
            continue;
        };
        let Some(number) = name.captures(file_name).and_then(|found| found[1].parse().ok()) else {
            findings.push(Finding::error(&file.path, 0, "a migration is named NNNN_verb_noun.sql"));
            continue;
        };
        numbers.entry(database).or_default().push((number, &file.path));
        let header = header(&file.text).to_lowercase();
        if !KINDS.iter().any(|kind| header.contains(kind)) {
            let message = "the header comment says whether the tables are ground, derived or user, and why";
            findings.push(Finding::error(&file.path, 1, message));
        }
    }
    for in_order in numbers.values_mut() {
        in_order.sort_unstable();
        let odd = (1..).zip(in_order.iter()).find(|(expected, (number, _))| number != expected);
        if let Some((expected, (_, path))) = odd {
            let message = format!("expected number {expected:04}: no gaps, none twice");
            findings.push(Finding::error(path, 0, message));
        }
    }
    findings
}

fn header(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with("--")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const HEADER: &str = "-- GROUND tables: kept.\nCREATE TABLE a (b) STRICT;\n";

    fn check_names(names: &[&str], expected: &[&str]) {
        let files: Vec<TrackedFile> =
            names.iter().map(|name| file(&format!("migrations/{name}"), HEADER)).collect();
        let found: Vec<String> = check(&files)
            .into_iter()
            .map(|finding| format!("{}: {}", finding.path, finding.message))
            .collect();
        assert_eq!(found, expected, "{names:?}");
    }

    #[test]
    fn numbers_and_names() {
        check_names(&["s/0001_create_ground.sql", "s/0002_add_fts.sql", "u/0001_create_notes.sql"], &[]);
        check_names(
            &["s/0001_create_a.sql", "s/0003_create_b.sql"],
            &["migrations/s/0003_create_b.sql: expected number 0002: no gaps, none twice"],
        );
        check_names(
            &["s/0001_create_a.sql", "s/0001_create_b.sql"],
            &["migrations/s/0001_create_b.sql: expected number 0002: no gaps, none twice"],
        );
        check_names(&["s/1_x.sql"], &["migrations/s/1_x.sql: a migration is named NNNN_verb_noun.sql"]);
        check_names(
            &["0001_create_a.sql"],
            &["migrations/0001_create_a.sql: a migration is in the folder of its database"],
        );
        check_names(&["README.md", "s/README.md"], &[]);
    }

    #[test]
    fn the_header_tells_what_the_tables_are() {
        let found = check(&[file("migrations/s/0001_create_a.sql", "CREATE TABLE ground (b);\n")]);
        assert_eq!(found.len(), 1, "a table's name is no header: {found:?}");
    }
}
