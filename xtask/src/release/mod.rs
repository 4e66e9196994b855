//! `cargo xtask release` makes a release: version, changelog section, store fixture, packages, bills of
//! materials, checksums, and the proof that two builds in two folders give the same bytes.
//!
//! Everything is made in clones below `target/release-VERSION`. This tree gets the commit and the tag only
//! with `--yes`, and nothing is pushed.

pub(crate) mod compare;
pub(crate) mod sbom;
pub(crate) mod texts;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;

use semver::Version;

use crate::output_of;

pub(crate) const APPSTREAM: &str = "packaging/linux/dev.cwl_inspector.CwlInspector.metainfo.xml";

/// The arguments of `cargo xtask release`.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The version, as 0.2.0
    version: String,
    /// Put the release commit on this branch and tag it; without this nothing changes but files below target
    #[arg(long)]
    yes: bool,
    /// Leave out `make check`
    #[arg(long)]
    no_check: bool,
    /// Leave out the second build, and say so in REPRODUCIBLE.txt
    #[arg(long)]
    once: bool,
    /// The targets of make that leave artefacts in target/packages
    #[arg(long, default_value = "package sbom")]
    artefacts: String,
}

/// The arguments of `cargo xtask reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// The targets of make that leave artefacts in target/packages
    #[arg(long, default_value = "package")]
    artefacts: String,
    /// Report differences in REPRODUCIBLE.txt, and do not fail for them
    #[arg(long)]
    only_tell: bool,
}

/// Makes a release of the tree below `root`.
///
/// # Errors
/// Everything that prevents the release, before anything is made; later, the first failing step.
pub(crate) fn run(args: &ReleaseArgs, root: &Path, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let version = &texts::parse_version(&args.version)?;
    let against = against(root, version)?;
    if !against.is_empty() {
        bail!("{version} cannot be released:\n- {}", against.join("\n- "));
    }
    let folder = root.join(format!("target/release-{version}"));
    let base = git(root, &["rev-parse", "HEAD"])?;
    let made = folder.join("made-of");
    if std::fs::read_to_string(&made).is_ok_and(|known| known == base) {
        writeln!(out, "== {} was made of this commit before, and is taken", folder.display())?;
    } else {
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        make(args, root, version, &folder, out)?;
        std::fs::write(&made, &base)?;
    }
    let packages = folder.join("packages");
    writeln!(out, "\n== {version}: {}", packages.display())?;
    for file in compare::files(&packages)? {
        let size = packages.join(&file).metadata()?.len();
        writeln!(out, "{:>12}  {}", size, file.display())?;
    }
    writeln!(out, "\n{}", std::fs::read_to_string(packages.join(REPRODUCIBLE))?)?;
    if !args.yes {
        writeln!(
            out,
            "This tree is as it was. The same command with --yes puts the commit and the tag v{version} here."
        )?;
        return Ok(());
    }
    let commit = git(&folder.join(ONE), &["rev-parse", "HEAD"])?;
    git(root, &["fetch", "--quiet", &folder.join(ONE).display().to_string(), commit.trim()])?;
    git(root, &["merge", "--quiet", "--ff-only", commit.trim()])?;
    git(root, &["tag", "--annotate", "--message", &format!("release {version}"), &format!("v{version}")])?;
    let branch = git(root, &["rev-parse", "--abbrev-ref", "HEAD"])?;
    writeln!(
        out,
        "The commit and the tag v{version} are here. To publish: git push REMOTE {} v{version}",
        branch.trim()
    )?;
    Ok(())
}

/// Folders of the two builds, with paths of different length and depth.
const ONE: &str = "one";
const OTHER: &str = "another/place";
const REPRODUCIBLE: &str = "REPRODUCIBLE.txt";

fn against(root: &Path, version: &Version) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let changed = git(root, &["status", "--porcelain"])?;
    if !changed.is_empty() {
        found
            .push(format!("the tree has changes that are not committed ({} files)", changed.lines().count()));
    }
    if git(root, &["rev-parse", "--quiet", "--verify", &format!("refs/tags/v{version}")]).is_ok() {
        found.push(format!("the tag v{version} is there"));
    }
    let changelog = read(root, "CHANGELOG.md")?;
    let tags = git(root, &["tag", "--list", "v*"])?;
    let tagged = tags.lines().filter_map(|tag| texts::parse_version(tag.strip_prefix('v')?).ok());
    let newest = tagged.chain(texts::newest(&changelog)).max();
    if let Some(newest) = newest.filter(|newest| newest >= version) {
        found.push(format!("it is not greater than {newest}, the newest release"));
    }
    let known = texts::of_workspace(&read(root, "Cargo.toml")?)?;
    if *version < known {
        found.push(format!("it is less than {known}, which Cargo.toml says"));
    }
    if texts::section(&changelog, "Unreleased").unwrap_or_default().is_empty() {
        found.push("the changelog has nothing under [Unreleased]".to_owned());
    }
    Ok(found)
}

fn make(
    args: &ReleaseArgs,
    root: &Path,
    version: &Version,
    folder: &Path,
    out: &mut dyn std::io::Write,
) -> anyhow::Result<()> {
    let one = folder.join(ONE);
    writeln!(out, "== the release commit of {version}")?;
    clone(root, &one)?;
    write_version(&one, version)?;
    step(&one, &["release-fixture"], out)?;
    for key in ["user.name", "user.email"] {
        if let Ok(value) = git(root, &["config", "--get", key]) {
            git(&one, &["config", key, value.trim()])?;
        }
    }
    git(&one, &["add", "--all"])?;
    git(&one, &["commit", "--quiet", "--message", &format!("release: {version}")])?;
    if !args.no_check {
        step(&one, &["check"], out)?;
    }
    let artefacts: Vec<&str> = args.artefacts.split_whitespace().collect();
    build(&one, &artefacts, out)?;
    let told = if args.once {
        "There was one build only (--once): whether another gives the same bytes was not looked at.\n"
            .to_owned()
    } else {
        build_again(&one, &folder.join(OTHER), &artefacts, out)?.to_string()
    };
    let packages = folder.join("packages");
    for file in compare::files(&one.join(PACKAGES))? {
        let target = packages.join(&file);
        std::fs::create_dir_all(target.parent().context("a folder")?)?;
        std::fs::copy(one.join(PACKAGES).join(&file), target)?;
    }
    std::fs::write(packages.join(REPRODUCIBLE), told)?;
    let changelog = read(&one, "CHANGELOG.md")?;
    let notes = texts::section(&changelog, &version.to_string()).unwrap_or_default();
    std::fs::write(packages.join("NOTES.md"), format!("{notes}\n"))?;
    write_checksums(&packages)
}

pub(crate) fn reproduce(
    args: &ReproduceArgs,
    root: &Path,
    out: &mut dyn std::io::Write,
) -> anyhow::Result<()> {
    let folder = root.join("target/reproduce");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let one = folder.join(ONE);
    clone(root, &one)?;
    let artefacts: Vec<&str> = args.artefacts.split_whitespace().collect();
    build(&one, &artefacts, out)?;
    let compared = build_again(&one, &folder.join(OTHER), &artefacts, out)?;
    write!(out, "{compared}")?;
    std::fs::write(folder.join(REPRODUCIBLE), compared.to_string())?;
    if !compared.differences.is_empty() && !args.only_tell {
        bail!("two builds of the same commit differ");
    }
    Ok(())
}

const PACKAGES: &str = "target/packages";

fn build_again(
    one: &Path,
    other: &Path,
    artefacts: &[&str],
    out: &mut dyn std::io::Write,
) -> anyhow::Result<compare::ComparisonReport> {
    clone(one, other)?;
    build(other, artefacts, out)?;
    compare::compare(&one.join(PACKAGES), &other.join(PACKAGES))
}

/// Builds artefacts so that none contains the folder's path.
fn build(tree: &Path, artefacts: &[&str], out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let tree = tree.canonicalize()?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let places: Vec<(String, &str)> = [(Some(tree.clone()), "/cwl-inspector"), (home, "/cargo")]
        .into_iter()
        .filter_map(|(place, name)| Some((place?.display().to_string(), name)))
        .collect();
    let mapped =
        |flag: &str| places.iter().map(|(place, name)| format!("{flag}={place}={name}")).collect::<Vec<_>>();
    // Cargo's separator for flags that may contain blanks.
    let rust = mapped("--remap-path-prefix").join("\u{1f}");
    let c =
        [vec![std::env::var("CFLAGS").unwrap_or_default()], mapped("-ffile-prefix-map")].concat().join(" ");
    let epoch = sbom::epoch(&tree)?.to_string();
    writeln!(out, "== make {} in {}", artefacts.join(" "), tree.display())?;
    out.flush()?;
    let mut command = make_in(&tree);
    command.args(artefacts).env("CARGO_ENCODED_RUSTFLAGS", rust).env("SOURCE_DATE_EPOCH", epoch);
    command.env("CFLAGS", c.trim()).env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS");
    succeed(&mut command)
}

fn step(tree: &Path, targets: &[&str], out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    writeln!(out, "== make {}", targets.join(" "))?;
    out.flush()?;
    succeed(make_in(tree).args(targets))
}

/// Prepares a call of make in a clone, without this tree's target folder and without cargo's variables for a
/// running program: a tool such as `cargo machete` would take these as a sign that cargo runs it.
fn make_in(tree: &Path) -> Command {
    let mut command = Command::new("make");
    command.current_dir(tree).env_remove("CARGO_TARGET_DIR");
    let told = std::env::vars_os().map(|(name, _)| name);
    let is_told = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for name in told.filter(|name| name.to_str().is_some_and(is_told)) {
        command.env_remove(name);
    }
    command
}

fn write_version(tree: &Path, version: &Version) -> anyhow::Result<()> {
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let known = texts::of_workspace(&read(tree, "Cargo.toml")?)?;
    let change = |path: &str, changed: &dyn Fn(&str) -> anyhow::Result<String>| -> anyhow::Result<()> {
        let text = changed(&read(tree, path)?).with_context(|| path.to_owned())?;
        Ok(std::fs::write(tree.join(path), text)?)
    };
    change("Cargo.toml", &|text| texts::in_workspace(text, version))?;
    change("Cargo.lock", &|text| Ok(texts::in_cargo_lock(text, &known, version)))?;
    change("fuzz/Cargo.lock", &|text| Ok(texts::in_cargo_lock(text, &known, version)))?;
    change("ui/package.json", &|text| texts::in_package_json(text, version))?;
    change("ui/package-lock.json", &|text| texts::in_package_json(text, version))?;
    change(APPSTREAM, &|text| texts::in_appstream(text, version, &day))?;
    change("CHANGELOG.md", &|text| texts::released(text, version, &day))
}

fn write_checksums(folder: &Path) -> anyhow::Result<()> {
    const SUMS: &str = "SHA256SUMS";
    let files: Vec<PathBuf> =
        compare::files(folder)?.into_iter().filter(|file| file != Path::new(SUMS)).collect();
    let sums = output_of(Command::new("sha256sum").args(&files).current_dir(folder))?;
    Ok(std::fs::write(folder.join(SUMS), sums)?)
}

fn clone(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to.parent().context("a folder")?)?;
    let (from, to) = (from.display().to_string(), to.display().to_string());
    git(Path::new("."), &["clone", "--quiet", &from, &to]).map(drop)
}

pub(crate) fn notes(version: &str, root: &Path, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let changelog = read(root, "CHANGELOG.md")?;
    let notes = texts::section(&changelog, version.trim_start_matches('v'));
    Ok(writeln!(out, "{}", notes.with_context(|| format!("the changelog tells of no release {version}"))?)?)
}

fn read(root: &Path, path: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| path.to_owned())
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{} failed ({status})", command.get_program().display());
    }
    Ok(())
}

pub(crate) fn git(root: &Path, args: &[&str]) -> anyhow::Result<String> {
    output_of(Command::new("git").args(args).current_dir(root))
}
