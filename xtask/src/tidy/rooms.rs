//! Rooms: a crate's folders form layers, in the order of the `mod` lines in `lib.rs`.
//!
//! Code in a folder may name only folders whose `mod` line is above its own, so folders form no circle. Tests
//! may name everything.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, TrackedFile};
use crate::pattern;

const CRATES: [&str; 4] =
    ["crates/engine/src/", "crates/formats/src/", "crates/inspect/src/", "crates/host/src/"];

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    CRATES.iter().flat_map(|of_crate| check_crate(of_crate, files)).collect()
}

fn check_crate(of_crate: &str, files: &[TrackedFile]) -> Vec<Finding> {
    let declared = pattern(r"(?m)^(?:pub )?mod (\w+);");
    let exported = pattern(r"(?m)^pub use (\w+)::([^;]*);");
    let named = pattern(r"\bcrate::(?:(\w+)|\{((?:[^{}]|\{[^{}]*\})*)\})");
    let nested = pattern(r"::\{[^{}]*\}");
    let comment = pattern(r"//[^\n]*");
    let word = pattern(r"\w+");
    let sources: Vec<(&str, &TrackedFile)> =
        files.iter().filter_map(|file| Some((file.path.strip_prefix(of_crate)?, file))).collect();
    let Some((_, root)) = sources.iter().find(|(path, _)| *path == "lib.rs") else { return Vec::new() };
    let order: BTreeMap<&str, usize> = declared
        .captures_iter(&root.text)
        .enumerate()
        .map(|(at, found)| (found.extract::<1>().1[0], at))
        .collect();
    // A name exported by `lib.rs` counts as its folder.
    let mut folders: BTreeMap<&str, &str> = order.keys().map(|name| (*name, *name)).collect();
    for found in exported.captures_iter(&root.text) {
        let (_, [folder, names]) = found.extract();
        for name in word.find_iter(names) {
            folders.entry(name.as_str()).or_insert(folder);
        }
    }
    let mut findings = Vec::new();
    for (path, file) in sources.iter().filter(|(path, _)| *path != "lib.rs" && !path.ends_with("tests.rs")) {
        let own = path.split(['/', '.']).next().unwrap_or_default();
        let Some(own_at) = order.get(own) else { continue };
        let code = comment.replace_all(file.before_tests(), "");
        for found in named.captures_iter(&code) {
            let names = match (found.get(1), found.get(2)) {
                (None, Some(several)) => nested.replace_all(several.as_str(), ""),
                (one, _) => Cow::Borrowed(one.map_or("", |one| one.as_str())),
            };
            let first_words = names.split(',').filter_map(|one| word.find(one));
            let used: BTreeSet<&str> =
                first_words.filter_map(|name| folders.get(name.as_str()).copied()).collect();
            for folder in used.into_iter().filter(|folder| *folder != own && order.get(folder) > Some(own_at))
            {
                let message = format!("{own} may not use {folder}, which stands below it in lib.rs");
                let at = found.get(0).map_or(0, |whole| whole.start());
                let line = code[..at].matches('\n').count() + 1;
                findings.push(Finding::error(&format!("{of_crate}{path}"), line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const ROOT: &str =
        "mod error;\npub mod api;\nmod host;\npub use error::{Code, Failure};\npub use host::run::Host;\n";

    fn check_one(path: &str, text: &str, expected: &[&str]) {
        let files = [file("crates/host/src/lib.rs", ROOT), file(&format!("crates/host/src/{path}"), text)];
        let found: Vec<String> = check(&files)
            .into_iter()
            .map(|finding| format!("{}: {}", finding.line, finding.message))
            .collect();
        assert_eq!(found, expected, "{path}: {text}");
    }

    #[test]
    fn a_folder_names_only_those_above_it() {
        check_one(
            "host/run.rs",
            "use crate::api::A;\nuse crate::{Failure, api};\nuse crate::host::b;\n",
            &[],
        );
        check_one(
            "api/a.rs",
            "\nuse crate::host::run;\n",
            &["2: api may not use host, which stands below it in lib.rs"],
        );
        check_one(
            "api.rs",
            "fn a() { crate::host::a() }",
            &["1: api may not use host, which stands below it in lib.rs"],
        );
        check_one(
            "api/a.rs",
            "use crate::{Code, Host};",
            &["1: api may not use host, which stands below it in lib.rs"],
        );
        check_one(
            "error.rs",
            "use crate::{api::A, error::B};",
            &["1: error may not use api, which stands below it in lib.rs"],
        );
        check_one(
            "api/a.rs",
            "use crate::error::A;\nuse crate::{\n    api::{B, C},\n    host::{D},\n};",
            &["2: api may not use host, which stands below it in lib.rs"],
        );
        check_one("api/a.rs", "// see crate::host\n", &[]);
        check_one("api/a.rs", "#[cfg(test)]\nmod tests {\n    use crate::Host;\n}\n", &[]);
        check_one("api/kill_tests.rs", "use crate::Host;", &[]);
    }

    #[test]
    fn other_crates_have_no_layers() {
        assert_eq!(check(&[file("crates/new/src/lib.rs", ROOT)]), []);
    }
}
