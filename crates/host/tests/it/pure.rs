//! Answers from a log's bytes alone are those of the host.

use std::path::Path;

use cwl_host::api::{ViewRequest, ViewSettings};
use cwl_host::{LogInput, Tools, commands, load_file};
use cwl_inspect::load::load_log;
use cwl_inspect::measure::opened::SessionSnapshot;

fn answers(opened: &SessionSnapshot) -> Vec<serde_json::Value> {
    let request =
        ViewRequest { view: ViewSettings { budget: "9k".into(), ..ViewSettings::counted("o200k") } };
    let json = |answer: Result<serde_json::Value, serde_json::Error>| answer.unwrap();
    vec![
        json(serde_json::to_value(commands::graph(opened, &request).unwrap())),
        json(serde_json::to_value(commands::overview(opened, &request).unwrap())),
        json(serde_json::to_value(commands::findings(opened, &request).unwrap())),
        json(serde_json::to_value(commands::lint(opened, &request).unwrap())),
        json(serde_json::to_value(commands::reacquisitions(opened, &request).unwrap())),
    ]
}

#[test]
fn a_log_answers_without_a_host() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for sample in ["pi/quickstart", "claude-code/compaction", "codex/quickstart"] {
        let log = samples.join(sample).join("input.jsonl");
        let tools = Tools::builtin_tables();
        let alone = load_log(&std::fs::read(&log).unwrap(), None, &log, &tools).unwrap();
        let hosted = load_file(&LogInput::File(log), None, &tools).unwrap();
        assert_eq!(answers(&alone), answers(&hosted), "{sample}");
    }
}
