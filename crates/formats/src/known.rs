//! The types of records that are known though nothing is read of them: data in `known.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use toml::Table;

/// The names of each list, by harness and list.
static LISTS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let table: Table = include_str!("../known.toml").parse().unwrap_or_default();
    let lists = table.iter().flat_map(|(harness, lists)| {
        let lists = lists.as_table().into_iter().flatten();
        lists.map(move |(list, names)| {
            let names = names.as_array().into_iter().flatten().filter_map(|name| name.as_str());
            (format!("{harness}.{list}"), names.map(str::to_owned).collect())
        })
    });
    lists.collect()
});

/// Tells whether a list such as `codex.events` holds a type.
pub(crate) fn is_known(list: &str, kind: &str) -> bool {
    LISTS.get(list).is_some_and(|names| names.contains(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_that_is_asked_for_is_there() {
        for (list, kind) in [
            ("claude-code.rows", "progress"),
            ("claude-code.system", "turn_duration"),
            ("claude-code.attachments", "queued_command"),
            ("codex.lines", "world_state"),
            ("codex.events", "web_search_end"),
        ] {
            assert!(is_known(list, kind), "{list}: {kind}");
            assert!(!is_known(list, "moon_phase"), "{list}");
        }
        assert_eq!(LISTS.len(), 5, "no list is left over");
    }
}
