//! Undeclared dependencies in the samples.

use std::fmt::Write;
use std::path::Path;

use cwl_host::api::{UndeclaredAnswer, ViewRequest, ViewSettings};
use cwl_host::{LogInput, Tools, commands, load_file};

fn hints(input: &LogInput) -> UndeclaredAnswer {
    let opened = load_file(input, None, &Tools::builtin_tables()).unwrap();
    commands::undeclared(&opened, &ViewRequest { view: ViewSettings::counted("o200k") }).unwrap()
}

#[test]
fn hints_of_the_samples() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut told = String::new();
    for case in ["pi/quickstart", "pi/long", "claude-code/quickstart", "codex/quickstart"] {
        let found = hints(&LogInput::File(samples.join(case).join("input.jsonl")));
        writeln!(told, "{case}: {}", found.hints.len()).unwrap();
        for hint in found.hints.iter().take(6) {
            let problem = &hint.problem;
            let (line, severity) = (problem.line.unwrap(), &problem.severity);
            writeln!(told, "  {} {severity} line {line}: {}", problem.code, problem.message).unwrap();
            assert_eq!(hint.names.len(), (hint.n_names as usize).min(12));
        }
    }
    insta::assert_snapshot!(told);
}
