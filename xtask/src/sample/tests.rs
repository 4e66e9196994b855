//! The generated samples are the same in every run, and equal those in the repository.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn two_runs_are_equal() {
    assert_eq!(samples().unwrap(), samples().unwrap());
}

#[test]
fn the_files_in_the_repository_are_up_to_date() {
    check(&crate::root().join("samples"), &samples().unwrap()).unwrap();
}

#[test]
fn check_names_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &'static str, text: &str| SampleFile { path, text: text.into() };
    write(folder.path(), &[file("a/x", "1\n2\n")]).unwrap();
    let error = check(folder.path(), &[file("a/x", "1\n3\n"), file("b", "")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "samples/a/x differs from line 2, samples/b is missing; run `cargo xtask sample`"
    );
    check(folder.path(), &[file("a/x", "1\n2\n")]).unwrap();
}
