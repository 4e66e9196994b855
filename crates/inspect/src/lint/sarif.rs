//! SARIF 2.1.0: findings for code scanning services and editors.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::api::{LintFinding, LintReport, RuleExplanation, Severity};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const HELP: &str = "docs/lints.md";

pub fn sarif_report(report: &LintReport) -> Value {
    let place = |code: &str| report.codes.iter().position(|known| known.code == code);
    let results: Vec<Value> = report
        .logs
        .iter()
        .flat_map(|log| log.findings.iter().map(move |finding| (log.path.as_str(), finding)))
        .map(|(path, finding)| result_json(path, finding, place(&finding.code)))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cwl",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": report.codes.iter().map(rule_json).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule_json(code: &RuleExplanation) -> Value {
    json!({
        "id": code.code,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.means},
        "help": {"text": format!("{} {HELP} has examples.", code.todo)},
    })
}

fn result_json(path: &str, finding: &LintFinding, rule: Option<usize>) -> Value {
    let place = |line: u64| {
        let uri = uri_of(path);
        json!({"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}})
    };
    let mut location = finding
        .line
        .filter(|line| *line > 0)
        .map_or_else(|| json!({"physicalLocation": {"artifactLocation": {"uri": uri_of(path)}}}), place);
    if let Some(name) = &finding.name {
        location["logicalLocations"] = json!([{"name": name, "kind": "episode"}]);
    }
    // Several blocks may be on one line.
    let lines: BTreeSet<u64> = finding.evidence.iter().map(|at| at.line).filter(|line| *line > 0).collect();
    let related: Vec<Value> = lines.into_iter().map(place).collect();
    let block = finding.block.clone().unwrap_or_default();
    let mut value = json!({
        "ruleId": finding.code,
        "level": match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        },
        "message": {"text": finding.message},
        "locations": [location],
        "partialFingerprints": {"cwl/v1": format!("{}/{block}", finding.code)},
        "properties": {
            "doubt": finding.doubt,
            "turn": finding.turn,
            "strength": finding.strength,
            "costTokens": finding.cost,
        },
    });
    if let Some(rule) = rule {
        value["ruleIndex"] = json!(rule);
    }
    if !related.is_empty() {
        value["relatedLocations"] = json!(related);
    }
    value
}

fn uri_of(path: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let path = path.strip_prefix("./").unwrap_or(path);
    let written: String = path
        .replace('\\', "/")
        .bytes()
        .map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect();
    if written.starts_with('/') { format!("file://{written}") } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        let check = |path: &str, expected: &str| assert_eq!(uri_of(path), expected);
        check("logs/a b.jsonl", "logs/a%20b.jsonl");
        check("./logs/a.jsonl", "logs/a.jsonl");
        check("/home/me/größe.jsonl", "file:///home/me/gr%C3%B6%C3%9Fe.jsonl");
        check("opencode.db#ses_1", "opencode.db%23ses_1");
    }
}
