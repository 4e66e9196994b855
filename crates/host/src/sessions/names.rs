//! Short session names for typing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::path::Path;

use cwl_formats::layout::caller_of;

use crate::api::SessionListRow;
use crate::host::named::file_name;

/// Shortest displayed id prefix, in characters. It keeps names stable as sessions are added.
const LEAST_SHOWN: usize = 8;

/// Names each session by a unique prefix of its id, else by its file, number or path. A session known only as
/// a caller gets no name.
pub(crate) fn name_all(rows: &mut [SessionListRow]) {
    let mut taken = NameCounts::default();
    taken.count_names(rows);
    taken.name_rows(rows);
}

#[derive(Default)]
struct NameCounts {
    ids: BTreeSet<String>,
    /// Per id: all sessions, and those that have no caller.
    n_of_id: BTreeMap<String, (u32, u32)>,
    n_of_file: BTreeMap<String, u32>,
}

/// Claude Code's subagents carry their caller's id.
fn is_called(row: &SessionListRow) -> bool {
    caller_of(Path::new(&row.path)).is_some()
}

impl NameCounts {
    fn count_names(&mut self, rows: &[SessionListRow]) {
        for row in rows {
            self.ids.extend(row.id.clone());
            if let Some(id) = &row.id {
                let (n, n_main) = self.n_of_id.entry(id.clone()).or_default();
                *n += 1;
                *n_main += u32::from(!is_called(row));
            }
            if let Some(name) = file_name(Path::new(&row.path)) {
                *self.n_of_file.entry(name.to_owned()).or_default() += 1;
            }
            self.count_names(&row.children);
        }
    }

    fn name_rows(&self, rows: &mut [SessionListRow]) {
        for row in rows {
            row.name = self.name_of(row);
            self.name_rows(&mut row.children);
        }
    }

    fn name_of(&self, row: &SessionListRow) -> String {
        // Known only from its subagents.
        if row.gone && row.session.is_none() {
            return String::new();
        }
        let opens_it = |id: &&str| {
            let (n, n_main) = self.n_of_id.get(*id).copied().unwrap_or_default();
            !id.contains(['/', '\\']) && if is_called(row) { n == 1 } else { n_main == 1 }
        };
        if let Some(id) = row.id.as_deref().filter(opens_it) {
            return self.unique_beginning(id).to_owned();
        }
        let is_one = |name: &&str| self.n_of_file.get(*name) == Some(&1);
        if let Some(name) = file_name(Path::new(&row.path)).filter(is_one) {
            return name.to_owned();
        }
        row.session.map_or_else(|| row.path.clone(), |number| number.to_string())
    }

    fn unique_beginning<'i>(&self, id: &'i str) -> &'i str {
        let shared = |other: &str| id.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let before = self.ids.range::<str, _>((Unbounded, Excluded(id))).next_back();
        let after = self.ids.range::<str, _>((Excluded(id), Unbounded)).next();
        let [before, after] = [before, after].map(|other| other.map_or(0, |other| shared(other)));
        let least = before.max(after).saturating_add(1).max(LEAST_SHOWN);
        let end = (least..id.len()).find(|end| id.is_char_boundary(*end)).unwrap_or(id.len());
        // A dot would look like a file extension, so such an id is given in full.
        if id[..end].contains('.') { id } else { &id[..end] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, id: Option<&str>, session: Option<u32>) -> SessionListRow {
        SessionListRow {
            path: path.to_owned(),
            id: id.map(str::to_owned),
            session,
            ..SessionListRow::default()
        }
    }

    #[test]
    fn a_name_is_as_short_as_says_which() {
        let check = |rows: &[SessionListRow], expected: &[&str]| {
            let mut rows = rows.to_vec();
            name_all(&mut rows);
            let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(names, expected);
        };
        check(&[row("/a.jsonl", Some("0a789f64-8ecc"), None)], &["0a789f64"]);
        check(
            &[row("/a.jsonl", Some("019cec83-28c7"), None), row("/b.jsonl", Some("019cec83-2901"), None)],
            &["019cec83-28", "019cec83-29"],
        );
        check(&[row("/a.jsonl", Some("s1"), None)], &["s1"]);
        // One id is a prefix of another.
        check(
            &[row("/a.jsonl", Some("ses_abcdef"), None), row("/b.jsonl", Some("ses_abcdefgh"), None)],
            &["ses_abcdef", "ses_abcdefg"],
        );
        // Copies of a log share one id: files tell them apart, else numbers, else paths.
        check(
            &[
                row("/a/x.jsonl", Some("019cec83-28c7"), Some(1)),
                row("/a/y.jsonl", Some("019cec83-28c7"), None),
            ],
            &["x", "y"],
        );
        check(
            &[
                row("/a/x.jsonl", Some("019cec83-28c7"), Some(1)),
                row("/b/x.jsonl", Some("019cec83-28c7"), None),
            ],
            &["1", "/b/x.jsonl"],
        );
        check(&[row("/a/x.traj.gz", None, None)], &["x"]);
        check(&[row("/a.jsonl", Some("v1.2-of-a-long-id"), None)], &["v1.2-of-a-long-id"]);
        check(&[SessionListRow { gone: true, ..row("/a.jsonl", None, None) }], &[""]);
    }

    #[test]
    fn a_subagent_that_carries_its_callers_id_is_named_by_its_file() {
        let id = "0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0";
        let child = row(&format!("/p/{id}/subagents/agent-a7c4.jsonl"), Some(id), None);
        let mut rows =
            [SessionListRow { children: vec![child], ..row(&format!("/p/{id}.jsonl"), Some(id), None) }];
        name_all(&mut rows);
        assert_eq!((rows[0].name.as_str(), rows[0].children[0].name.as_str()), ("0a789f64", "agent-a7c4"));
    }
}
