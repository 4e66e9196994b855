//! A release of a small temporary repository, with real git and make.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;

/// Targets of its Makefile: they leave notes, and packages whose bytes depend on the folder if `DIFFERS`
/// exists.
const MAKEFILE: &str = "package:\n\t@mkdir -p target/packages; echo program > target/packages/cwl; echo \"$$SOURCE_DATE_EPOCH\" > target/packages/time; \
                        [ ! -e DIFFERS ] || pwd > target/packages/cwl\n\
                        sbom:\n\t@mkdir -p target/packages; echo bill > target/packages/cwl.cdx.json\n\
                        check:\n\t@[ ! -e RED ]\n\
                        release-fixture:\n\t@mkdir -p fixtures; sed -n 's/^version = \"\\(.*\\)\"/\\1/p' Cargo.toml > fixtures/version\n";

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (path, text) in [
            ("Cargo.toml", "[workspace.package]\nversion = \"0.1.0\"\n"),
            ("Cargo.lock", "[[package]]\nname = \"cwl-host\"\nversion = \"0.1.0\"\n"),
            ("fuzz/Cargo.lock", "[[package]]\nname = \"cwl-host\"\nversion = \"0.1.0\"\n"),
            ("ui/package.json", "{\n  \"name\": \"cwl-inspector-ui\",\n  \"version\": \"0.1.0\"\n}\n"),
            ("ui/package-lock.json", "{\n  \"name\": \"cwl-inspector-ui\",\n  \"version\": \"0.1.0\"\n}\n"),
            (APPSTREAM, "<component>\n</component>\n"),
            (
                "CHANGELOG.md",
                "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n",
            ),
            (".gitignore", "/target\n"),
            ("Makefile", MAKEFILE),
        ] {
            tree.write(path, text);
        }
        git(tree.root(), &["init", "--quiet", "--initial-branch=main"]).unwrap();
        git(tree.root(), &["config", "user.name", "Ann"]).unwrap();
        git(tree.root(), &["config", "user.email", "ann@example.com"]).unwrap();
        tree.commit();
        tree
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn commit(&self) {
        git(self.root(), &["add", "--all"]).unwrap();
        git(self.root(), &["commit", "--quiet", "--message", "change"]).unwrap();
    }

    fn state(&self) -> [String; 3] {
        let ask = |args: &[&str]| git(self.root(), args).unwrap();
        [ask(&["rev-parse", "HEAD"]), ask(&["tag"]), ask(&["status", "--porcelain"])]
    }

    fn release(&self, version: &str, yes: bool) -> Result<String, String> {
        let args = ReleaseArgs {
            version: version.to_owned(),
            yes,
            no_check: false,
            once: false,
            artefacts: "package sbom".to_owned(),
        };
        let mut out = Vec::new();
        run(&args, self.root(), &mut out).map_err(|error| format!("{error:#}"))?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[track_caller]
    fn check_refused(&self, version: &str, expected: &str) {
        let before = self.state();
        let error = self.release(version, true).unwrap_err();
        assert!(error.contains(expected), "{version}: {error}");
        assert_eq!(self.state(), before, "{version}: nothing was changed");
    }
}

#[test]
fn what_stands_against_a_release_is_told_and_nothing_is_made() {
    let tree = Tree::new();
    tree.check_refused("0.1.0", "it is not greater than 0.1.0, the newest release");
    tree.check_refused("0.0.9", "it is less than 0.1.0, which Cargo.toml says");
    tree.check_refused("1.0", "is no version");
    git(tree.root(), &["tag", "v0.3.0"]).unwrap();
    tree.check_refused("0.3.0", "the tag v0.3.0 is there");
    tree.check_refused("0.2.0", "it is not greater than 0.3.0");
    git(tree.root(), &["tag", "--delete", "v0.3.0"]).unwrap();
    tree.write("new", "");
    tree.check_refused("0.2.0", "changes that are not committed (1 files)");
    std::fs::remove_file(tree.root().join("new")).unwrap();
    assert!(!tree.root().join("target").exists(), "nothing was made");

    tree.write("RED", "");
    tree.commit();
    tree.check_refused("0.2.0", "make failed");
    std::fs::remove_file(tree.root().join("RED")).unwrap();
    tree.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n");
    tree.commit();
    tree.check_refused("0.2.0", "nothing under [Unreleased]");
}

#[test]
fn a_dry_run_changes_nothing_and_consent_releases_what_it_made() {
    let tree = Tree::new();
    let before = tree.state();
    let said = tree.release("0.2.0", false).unwrap();
    assert!(said.contains("This tree is as it was."), "{said}");
    assert!(said.contains("3 files have the same bytes in both builds."), "{said}");
    assert_eq!(tree.state(), before);
    let packages = tree.root().join("target/release-0.2.0/packages");
    let made: Vec<_> =
        compare::files(&packages).unwrap().into_iter().map(|file| file.display().to_string()).collect();
    assert_eq!(made, ["NOTES.md", "REPRODUCIBLE.txt", "SHA256SUMS", "cwl", "cwl.cdx.json", "time"]);
    assert_eq!(std::fs::read_to_string(packages.join("NOTES.md")).unwrap(), "- New.\n");
    let checked =
        Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&packages).status();
    assert!(checked.unwrap().success());

    // This file survives only if the second run makes nothing anew.
    std::fs::write(packages.join("looked-at"), "").unwrap();
    let said = tree.release("0.2.0", true).unwrap();
    assert!(
        said.contains("was made of this commit before") && said.contains("git push REMOTE main v0.2.0"),
        "{said}"
    );
    assert!(packages.join("looked-at").exists());
    assert_eq!(tree.state()[1..], ["v0.2.0\n", ""].map(str::to_owned));
    assert_eq!(git(tree.root(), &["log", "-1", "--format=%s %an"]).unwrap(), "release: 0.2.0 Ann\n");
    assert_eq!(
        tree.read("fixtures/version"),
        "0.2.0\n",
        "the fixture is of the new version, and in the commit"
    );
    assert!(tree.read("CHANGELOG.md").contains("## [Unreleased]\n\n## [0.2.0] - 2"));
    for file in
        ["Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock", "ui/package.json", "ui/package-lock.json", APPSTREAM]
    {
        assert!(tree.read(file).contains("\"0.2.0\""), "{file}");
    }
    tree.check_refused("0.2.0", "the tag v0.2.0 is there");
}

#[test]
fn another_commit_is_made_anew_and_builds_that_differ_are_told() {
    let tree = Tree::new();
    tree.release("0.2.0", false).unwrap();
    tree.write("DIFFERS", "");
    tree.commit();
    let said = tree.release("0.2.0", false).unwrap();
    assert!(said.contains("These differ:\n- cwl:") && said.contains("2 files have the same bytes"), "{said}");
    let mut out = Vec::new();
    let asked = |only_tell| ReproduceArgs { artefacts: "package".to_owned(), only_tell };
    let reproduced = reproduce(&asked(false), tree.root(), &mut out);
    assert!(reproduced.unwrap_err().to_string().contains("differ"));
    reproduce(&asked(true), tree.root(), &mut out).unwrap();
    assert!(tree.read("target/reproduce/REPRODUCIBLE.txt").contains("These differ:\n- cwl:"));
    std::fs::remove_file(tree.root().join("DIFFERS")).unwrap();
    tree.commit();
    reproduce(&asked(false), tree.root(), &mut out).unwrap();
}

/// Cargo passes variables about a package to the program that it runs, and to tests.
#[test]
fn make_does_not_hear_of_the_package_of_this_program() {
    let removed: Vec<_> =
        super::make_in(Path::new(".")).get_envs().map(|(name, _)| name.to_owned()).collect();
    for name in ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"] {
        assert!(std::env::var_os(name).is_some(), "{name} is set where cargo runs tests");
        assert!(removed.iter().any(|one| one == name), "{name} reaches make");
    }
}
