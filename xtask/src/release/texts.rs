//! Texts that a release changes: changelog, version in manifests and lock files, release list for software
//! centres.

use std::ops::Range;

use anyhow::{Context, bail};
use regex::NoExpand;
use semver::Version;

use crate::pattern;

pub(crate) fn parse_version(text: &str) -> anyhow::Result<Version> {
    match Version::parse(text) {
        Ok(version) if version.pre.is_empty() && version.build.is_empty() => Ok(version),
        _ => bail!("`{text}` is no version; write MAJOR.MINOR.PATCH, as 0.2.0"),
    }
}

pub(crate) fn newest(changelog: &str) -> Option<Version> {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split(']').next());
    headings.filter_map(|version| parse_version(version).ok()).max()
}

pub(crate) fn section<'a>(changelog: &'a str, name: &str) -> Option<&'a str> {
    let name = regex::escape(name);
    let section = pattern(&format!(r"(?ms)^## \[{name}\][^\n]*\n(.*?)(?:^## \[|\z)"));
    Some(section.captures(changelog)?.extract::<1>().1[0].trim())
}

/// Turns the unreleased section into the section of a release, with a new empty one above.
///
/// # Errors
/// If there is nothing to release.
pub(crate) fn released(changelog: &str, version: &Version, day: &str) -> anyhow::Result<String> {
    let open = "## [Unreleased]\n";
    if section(changelog, "Unreleased").unwrap_or_default().is_empty() {
        bail!("the changelog has nothing under [Unreleased]");
    }
    Ok(changelog.replacen(open, &format!("{open}\n## [{version}] - {day}\n"), 1))
}

pub(crate) fn of_workspace(manifest: &str) -> anyhow::Result<Version> {
    parse_version(&manifest[version_place(manifest)?])
}

fn version_place(manifest: &str) -> anyhow::Result<Range<usize>> {
    let version = pattern(r#"(?ms)^\[workspace\.package\]$.*?^version = "([^"]*)"$"#);
    let found = version.captures(manifest).and_then(|found| found.get(1));
    Ok(found.context("Cargo.toml names no version in [workspace.package]")?.range())
}

/// Sets `version` in the workspace's manifest.
///
/// # Errors
/// If there is no version to replace.
pub(crate) fn in_workspace(manifest: &str, version: &Version) -> anyhow::Result<String> {
    let mut changed = manifest.to_owned();
    changed.replace_range(version_place(manifest)?, &version.to_string());
    Ok(changed)
}

/// Sets `version` for our own packages in a cargo lock file; these have no source.
pub(crate) fn in_cargo_lock(lock: &str, known: &Version, version: &Version) -> String {
    let known = regex::escape(&known.to_string());
    let ours = pattern(&format!(
        "(\\[\\[package\\]\\]\nname = \"[^\"]*\"\nversion = \"){known}(\"\n(?:dependencies|\n|\\z))"
    ));
    ours.replace_all(lock, format!("${{1}}{version}${{2}}")).into_owned()
}

/// Sets `version` in `package.json`, or in the two places of `package-lock.json` about the page itself.
///
/// # Errors
/// If there is no version to replace.
pub(crate) fn in_package_json(text: &str, version: &Version) -> anyhow::Result<String> {
    // Both places follow the page's name.
    let ours = pattern(r#"("name": "cwl-inspector-ui",\s*(?:"private": true,\s*)?"version": ")[^"]*"#);
    if !ours.is_match(text) {
        bail!("the manifest of the page names no version");
    }
    Ok(ours.replace_all(text, format!("${{1}}{version}")).into_owned())
}

/// Adds a release to the AppStream data, newest first.
///
/// # Errors
/// If the data have no release list.
pub(crate) fn in_appstream(xml: &str, version: &Version, day: &str) -> anyhow::Result<String> {
    let release = format!("    <release version=\"{version}\" date=\"{day}\" />\n");
    if let Some((before, after)) = xml.split_once("  <releases>\n") {
        return Ok(format!("{before}  <releases>\n{release}{after}"));
    }
    let end = pattern(r"</component>\s*$");
    if !end.is_match(xml) {
        bail!("the AppStream data do not end with </component>");
    }
    let with = format!("  <releases>\n{release}  </releases>\n</component>\n");
    Ok(end.replace(xml, NoExpand(&with)).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LOG: &str = "# Changelog\n\nIt.\n\n## [Unreleased]\n\n### Added\n\n- One, in ## [x].\n\n## [0.1.0] - 2026-11-26\n\n- Old.\n";

    fn version(text: &str) -> Version {
        parse_version(text).unwrap()
    }

    #[test]
    fn versions_are_three_numbers_and_have_an_order() {
        for text in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.x", "1.2.", "1.02.3", "1.2.3-rc1", "1. 2.3"] {
            assert!(parse_version(text).is_err(), "{text}");
        }
        assert_eq!(version("0.10.2").to_string(), "0.10.2");
        assert!(version("0.10.0") > version("0.9.9") && version("1.0.0") > version("0.99.99"));
    }

    #[test]
    fn what_is_unreleased_becomes_a_release() {
        assert_eq!(newest(LOG), Some(version("0.1.0")));
        assert_eq!(section(LOG, "Unreleased"), Some("### Added\n\n- One, in ## [x]."));
        assert_eq!((section(LOG, "0.1.0"), section(LOG, "0.2.0")), (Some("- Old."), None));
        let log = released(LOG, &version("0.2.0"), "2026-12-01").unwrap();
        assert!(log.contains("## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n"), "{log}");
        assert_eq!(section(&log, "0.2.0"), section(LOG, "Unreleased"));
        assert_eq!((section(&log, "0.1.0"), newest(&log)), (Some("- Old."), Some(version("0.2.0"))));
        assert!(released(&log, &version("0.3.0"), "2026-12-02").is_err(), "nothing is new since");
        assert_eq!(newest("# Changelog\n\n## [Unreleased]\n"), None);
    }

    #[test]
    fn a_version_is_written_where_ours_stands_and_nowhere_else() {
        let manifest =
            "[workspace]\nversion = \"9.9.9\"\n[workspace.package]\nversion = \"0.1.0\"\nx = \"0.1.0\"\n";
        let bumped = in_workspace(manifest, &version("0.2.0")).unwrap();
        assert_eq!(bumped, manifest.replacen("version = \"0.1.0\"", "version = \"0.2.0\"", 1));
        assert_eq!(of_workspace(&bumped).unwrap(), version("0.2.0"));
        let lock = "# x\n[[package]]\nname = \"cwl-host\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"want\"\nversion = \"0.1.0\"\nsource = \"registry\"\n";
        let bumped = in_cargo_lock(lock, &version("0.1.0"), &version("0.2.0"));
        assert_eq!(bumped, lock.replacen("0.1.0", "0.2.0", 1));
        let package = "{\n  \"name\": \"cwl-inspector-ui\",\n  \"private\": true,\n  \"version\": \"0.1.0\",\n  \"x\": { \"version\": \"0.1.0\" }\n}\n";
        assert_eq!(
            in_package_json(package, &version("0.2.0")).unwrap(),
            package.replacen("0.1.0", "0.2.0", 1)
        );
        assert!(in_package_json("{}", &version("0.2.0")).is_err());
    }

    #[test]
    fn a_release_is_told_to_software_centres() {
        let first =
            in_appstream("<component>\n  <id>x</id>\n</component>\n", &version("0.1.0"), "2026-11-26")
                .unwrap();
        assert_eq!(
            first,
            "<component>\n  <id>x</id>\n  <releases>\n    <release version=\"0.1.0\" date=\"2026-11-26\" />\n  </releases>\n</component>\n"
        );
        let second = in_appstream(&first, &version("0.2.0"), "2026-12-01").unwrap();
        assert!(second.find("0.2.0") < second.find("0.1.0") && second.matches("<releases>").count() == 1);
        assert!(in_appstream("<x/>", &version("0.2.0"), "2026-12-01").is_err());
    }

    #[test]
    fn our_own_files_can_be_released() {
        let read = |path: &str| std::fs::read_to_string(crate::root().join(path)).unwrap();
        let (known, next) = (of_workspace(&read("Cargo.toml")).unwrap(), version("999.0.0"));
        assert_eq!(of_workspace(&in_workspace(&read("Cargo.toml"), &next).unwrap()).unwrap(), next);
        for (file, n_ours) in [("Cargo.lock", 15), ("fuzz/Cargo.lock", 3)] {
            let lock = in_cargo_lock(&read(file), &known, &next);
            assert!(lock.matches("\"999.0.0\"").count() >= n_ours, "{file}");
        }
        for (file, n) in [("ui/package.json", 1), ("ui/package-lock.json", 2)] {
            assert_eq!(
                in_package_json(&read(file), &next).unwrap().matches("\"999.0.0\"").count(),
                n,
                "{file}"
            );
        }
        let xml = in_appstream(&read(super::super::APPSTREAM), &next, "2026-12-01").unwrap();
        assert_eq!(xml.matches("999.0.0").count(), 1);
        assert!(section(&read("CHANGELOG.md"), "Unreleased").is_some());
    }
}
