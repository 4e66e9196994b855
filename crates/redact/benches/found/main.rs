//! Redaction figures: how many test secrets from three public projects are hidden, and how much other text is
//! marked. `make secrets CORPORA=folder` prints the tables in docs/redaction.md.
//!
//! The folder holds checkouts with the projects' names. Nothing from them is written anywhere. Secrets with
//! an odd hash only appear in the figures, so no rule is tuned to one of them.
#![allow(clippy::print_stdout)]

mod commands;
mod go;
mod plain;
mod plant;
mod python;
mod set;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plain::{files, look_through};
use plant::{Planted, WAYS};

#[derive(Debug, Default)]
struct Corpus {
    formed: BTreeSet<Planted>,
    named: BTreeSet<Planted>,
    /// Tests whose input or secret is not literal.
    skipped: usize,
    stand_ins: usize,
}

impl Corpus {
    fn share_found(&self) -> f64 {
        let all = || self.formed.iter().chain(&self.named);
        let n_found = all().filter(|one| one.is_hidden(WAYS[0].1)).count();
        n_found as f64 / all().count().max(1) as f64
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        println!(
            "usage: make secrets CORPORA=folder (with checkouts of gitleaks, trufflehog, detect-secrets, hono, perfetto)"
        );
        return;
    };
    let shows = |what: &str| arguments.iter().any(|argument| argument == what);
    let foreign = [trufflehog(&folder.join("trufflehog")), detect_secrets(&folder.join("detect-secrets"))];
    let foreign = foreign.map(|mut corpus| {
        let n = corpus.formed.len() + corpus.named.len();
        corpus.formed.retain(|one| !one.is_stand_in());
        corpus.named.retain(|one| !one.is_stand_in());
        corpus.stand_ins = n - corpus.formed.len() - corpus.named.len();
        corpus
    });
    for (name, corpus) in ["trufflehog", "detect-secrets"].iter().zip(&foreign) {
        println!(
            "{name}: {} with a form, {} with a name, {:.1} % of both found as written; left out: {} stand-ins, {} that are short or not written out",
            corpus.formed.len(),
            corpus.named.len(),
            100.0 * corpus.share_found(),
            corpus.stand_ins,
            corpus.skipped
        );
    }
    let all = |of: fn(&Corpus) -> &BTreeSet<Planted>, unseen: bool| -> Vec<Planted> {
        foreign.iter().flat_map(of).filter(|one| one.is_unseen() == unseen).cloned().collect()
    };
    let own = gitleaks(&folder.join("gitleaks"));
    let columns: Vec<(&str, Vec<Planted>)> = vec![
        ("a form, seen", all(|corpus| &corpus.formed, false)),
        ("a form, unseen", all(|corpus| &corpus.formed, true)),
        ("a name, seen", all(|corpus| &corpus.named, false)),
        ("a name, unseen", all(|corpus| &corpus.named, true)),
        ("gitleaks", own.formed.into_iter().collect()),
    ];
    let heads: Vec<String> = columns.iter().map(|(name, all)| format!("{name} ({})", all.len())).collect();
    println!("\n| planted | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()));
    for (title, way) in WAYS {
        let mut cells = Vec::new();
        for (column, all) in &columns {
            let missed: Vec<&Planted> = all.iter().filter(|one| !one.is_hidden(way)).collect();
            cells.push(format!("{:.1} %", 100.0 * (1.0 - missed.len() as f64 / all.len().max(1) as f64)));
            if shows("--misses")
                && !column.contains("unseen")
                && (shows("--named") || column.contains("form"))
            {
                missed.iter().for_each(|one| eprintln!("{title}\t{column}\t{}\t{:?}", one.secret, one.input));
            }
        }
        println!("| {title} | {} |", cells.join(" | "));
    }
    // A secret missed as written is not learned, so it says nothing about finding learned ones again.
    for (title, settings, least) in [("cut", set::CUT, set::LEAST_CUT), ("set differently", set::SET, 8)] {
        let columns: Vec<(&str, Vec<&Planted>)> = columns
            .iter()
            .map(|(name, all)| {
                let is_learned = |one: &&Planted| one.secret.len() >= least && one.is_hidden(WAYS[0].1);
                (*name, all.iter().filter(is_learned).collect())
            })
            .collect();
        let heads: Vec<String> =
            columns.iter().map(|(name, all)| format!("{name} ({})", all.len())).collect();
        println!("\n| learned, {title} | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()));
        for setting in settings {
            let cell = |(name, all): &(&str, Vec<&Planted>)| {
                let missed: Vec<_> = all.iter().filter(|one| !set::is_hidden(one, setting)).collect();
                if shows("--leaks") && !name.contains("unseen") {
                    missed.iter().for_each(|one| eprintln!("{}\t{}\t{:?}", setting.0, one.secret, one.input));
                }
                format!("{:.1} %", 100.0 * missed.len() as f64 / all.len().max(1) as f64)
            };
            println!("| {} | {} |", setting.0, columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
        }
    }
    let (missed, n) = commands::missed();
    println!("\npasswords on command lines and in code: {} of {n} found", n - missed.len());
    missed.iter().for_each(|text| println!("  missed: {text}"));
    println!(
        "\n| no secrets in | MB | marks | marks per MB | share of characters |\n|---|---:|---:|---:|---:|"
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let typescript: &[&str] = &[".ts", ".tsx"];
    let plain = [
        ("the samples", root.join("samples"), &[".jsonl", ".json", ".md"][..]),
        ("`ui/src`", root.join("ui/src"), typescript),
        ("hono, `src`", folder.join("hono/src"), typescript),
        ("perfetto, `ui/src`", folder.join("perfetto/ui/src"), typescript),
    ];
    let more = arguments
        .iter()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .map(|path| (path.as_str(), PathBuf::from(path), &[""][..]));
    for (name, folder, ends) in plain.into_iter().chain(more) {
        let marked = look_through(&files(&folder, ends));
        let mb = marked.bytes as f64 / 1e6;
        let share = 100.0 * marked.taken as f64 / marked.bytes.max(1) as f64;
        println!(
            "| {name} | {mb:.1} | {} | {:.1} | {share:.4} % |",
            marked.marks,
            marked.marks as f64 / mb.max(1e-6)
        );
        if shows("--marks") {
            marked.examples.iter().for_each(|line| eprintln!("{name}\t{}", line.replace('\n', "\\n")));
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn trufflehog(folder: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    for path in files(&folder.join("pkg/detectors"), &["_test.go"]) {
        let detector = path.parent().unwrap_or(folder);
        let sources = files(detector, &[".go"])
            .into_iter()
            .filter(|path| !path.to_string_lossy().ends_with("_test.go"));
        let forms: Vec<_> = sources.flat_map(|path| go::forms(&read(&path))).collect();
        for case in go::cases(&read(&path)) {
            for secret in case.wanted.iter().map(|wanted| plant::secret_part(wanted)) {
                let Some(start) = case.input.find(&secret).filter(|_| secret.len() >= 8) else {
                    corpus.skipped += 1;
                    continue;
                };
                let range = start..start + secret.len();
                let has_form = forms.iter().any(|form| {
                    form.find_iter(case.input.as_bytes())
                        .any(|one| one.start() < range.end && one.end() > range.start)
                });
                let planted = Planted { secret, input: case.input.clone() };
                let list = if has_form { &mut corpus.formed } else { &mut corpus.named };
                list.insert(planted);
            }
        }
    }
    corpus
}

fn detect_secrets(folder: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    for path in files(&folder.join("tests/plugins"), &["_test.py"]) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(needs_name) = python::needs_name(&name) else { continue };
        let list = if needs_name { &mut corpus.named } else { &mut corpus.formed };
        list.extend(python::cases(&read(&path)).into_iter().map(|(input, secret)| Planted { secret, input }));
    }
    corpus
}

fn gitleaks(folder: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    for path in files(&folder.join("cmd/generate/config/rules"), &[".go"]) {
        let samples = go::listed(&read(&path), "tps").into_iter();
        let planted = samples.map(|input| Planted { secret: python::longest(&input), input });
        corpus.formed.extend(planted.filter(|one| one.secret.len() >= 8));
    }
    corpus
}
