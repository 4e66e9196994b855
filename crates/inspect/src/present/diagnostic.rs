//! Diagnostics on the wire.

use std::collections::BTreeSet;

use cwl_engine::{AnnotationSource, BlockIdx, Diagnostic, DiagnosticKind, EpisodeIdx, Rule, RuleGroup};

use crate::api::{LintFinding, LintPlace, ProblemRow, RuleExplanation, Severity};
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::measure::diagnostics::turn_of;
use crate::measure::opened::SessionSnapshot;

pub(crate) fn problem_row(problem: &Diagnostic) -> ProblemRow {
    ProblemRow {
        code: problem.rule().code.to_owned(),
        severity: problem.kind.severity(),
        message: problem.kind.to_string(),
        line: problem.place.line,
        block: problem.place.block.as_ref().map(ToString::to_string),
        episode: problem.episode.map(place_of_episode),
    }
}

/// Edits are left out: only a remark has any.
pub(crate) fn lint_item(opened: &SessionSnapshot, branch: &Branch, found: &Diagnostic) -> LintFinding {
    let ProblemRow { code, severity, message, line, block, episode } = problem_row(found);
    let session = &branch.session;
    let place = |block: &BlockIdx| LintPlace {
        block: session.blocks[block.at()].id.to_string(),
        line: opened.line_of(session, *block),
        turn: turn_of(session, *block).number(),
    };
    let doubt = is_doubt(branch, found);
    LintFinding {
        code,
        // A doubt about an inference is no accusation.
        severity: if doubt { Severity::Info } else { severity },
        doubt,
        message,
        line,
        turn: found.turn.map(|turn| turn.number()),
        block,
        episode,
        name: found.episode.map(|episode| branch.growth.graph.episode(episode).name.to_string()),
        on: found.on.map(place_of_episode),
        evidence: found.evidence.iter().map(place).collect(),
        strength: found.strength,
        cost: found.cost,
        edits: Vec::new(),
    }
}

fn is_doubt(branch: &Branch, found: &Diagnostic) -> bool {
    let growth = &branch.growth;
    matches!(found.kind, DiagnosticKind::Remark(_))
        && found.episode.is_some_and(|episode| {
            growth.source_of(growth.graph.episode(episode)) == AnnotationSource::Inferred
        })
}

fn place_of_episode(episode: EpisodeIdx) -> u32 {
    saturate_u32(episode.at())
}

pub fn is_protocol_code(code: &str) -> bool {
    Rule::find(code).is_some_and(|rule| rule.group == RuleGroup::Protocol)
}

pub(crate) fn explain_codes<'a>(codes: impl IntoIterator<Item = &'a str>) -> Vec<RuleExplanation> {
    let codes: BTreeSet<&str> = codes.into_iter().collect();
    codes.into_iter().filter_map(code_of).collect()
}

/// Explains a rule's code. `None` if no rule has it.
pub fn code_of(known: &str) -> Option<RuleExplanation> {
    Rule::find(known).map(|rule| RuleExplanation {
        code: rule.code.to_owned(),
        title: rule.title.to_owned(),
        means: rule.meaning.to_owned(),
        todo: rule.remedy.to_owned(),
    })
}
