//! Lint: all findings about a log, its marks, its annotation and a policy's passes.

use std::collections::BTreeMap;

use cwl_engine::{
    AnnotationFigures, Blame, BlockIdx, Breach, JudgedEdge, ReacquisitionCause, Remark, RemarkKind,
    Thresholds, find_remarks, judged_edges, rank_blame,
};

use crate::ApiError;
use crate::api::{JudgedDependency, LintAnswer, LintCounts, LintFinding, ViewRequest};
use crate::commands::edits::mark_edit;
use crate::figures::saturate_u32;
use crate::measure::causes::ReacquisitionCauses;
use crate::measure::diagnostics::{diagnose_finding, diagnose_remark, find_problems};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::diagnostic::{explain_codes, lint_item};
use crate::present::quality::{figures_note, figures_of};
use crate::present::story::StoryFacts;

/// Returns all findings under a view, by the default thresholds.
///
/// # Errors
/// If `request.view` is invalid, or the store or the disk cannot be read.
pub fn lint(opened: &SessionSnapshot, request: &ViewRequest) -> Result<LintAnswer, ApiError> {
    lint_by(opened, request, &Thresholds::default())
}

/// Returns all findings under a view, by the given thresholds.
///
/// # Errors
/// Like [`lint`].
pub fn lint_by(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    thresholds: &Thresholds,
) -> Result<LintAnswer, ApiError> {
    Ok(lint_and_edges(opened, request, thresholds)?.0)
}

/// Like [`lint`], with the dependencies behind its figures, in act order.
///
/// # Errors
/// Like [`lint`].
pub fn lint_with_dependencies(
    opened: &SessionSnapshot,
    request: &ViewRequest,
) -> Result<(LintAnswer, Vec<JudgedDependency>), ApiError> {
    lint_and_edges(opened, request, &Thresholds::default())
}

fn lint_and_edges(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    thresholds: &Thresholds,
) -> Result<(LintAnswer, Vec<JudgedDependency>), ApiError> {
    let run = opened.replay_view(&request.view)?;
    let mut found = find_problems(opened, &run.branch, &run.sizes.losses);
    let verification = opened.verify_run(&run)?;
    found.extend(verification.findings.iter().map(|finding| diagnose_finding(opened, &run, finding)));
    let of_protocol = found.iter().filter(|found| found.is_of_protocol());
    let breaches: Vec<Breach> =
        of_protocol.map(|found| Breach { episode: found.episode, severity: found.kind.severity() }).collect();
    let (remarks, figures, edges) = assess_quality(opened, &run, thresholds, &breaches)?;
    let said = said_causes(opened, &run, &remarks)?;
    let mut findings: Vec<LintFinding> =
        found.iter().map(|found| lint_item(opened, &run.branch, found)).collect();
    findings.extend(remarks.iter().zip(said).map(|(remark, said)| of_remark(opened, &run, remark, said)));
    findings.sort_by(|a, b| (a.line, &a.code, a.on, &a.message).cmp(&(b.line, &b.code, b.on, &b.message)));
    let lint = LintAnswer {
        revision: opened.revision(),
        source: run.branch.growth.source,
        codes: explain_codes(findings.iter().map(|finding| finding.code.as_str())),
        counts: LintCounts::from_findings(&findings),
        findings,
        figures: figures_of(&figures, run.replay.policy.name),
        figures_note: figures_note(run.branch.growth.source),
    };
    let dependency = |edge: JudgedEdge| JudgedDependency {
        act: saturate_u32(edge.act.at()),
        on: saturate_u32(edge.on.at()),
        usage: edge.usage,
    };
    Ok((lint, edges.into_iter().map(dependency).collect()))
}

fn assess_quality(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    thresholds: &Thresholds,
    breaches: &[Breach],
) -> Result<(Vec<Remark>, AnnotationFigures, Vec<JudgedEdge>), ApiError> {
    let chosen = run.selection();
    let material = opened.material(chosen)?;
    let facts = opened.quality_facts(&chosen.branch, chosen.unit.tokenizer())?;
    let absences = opened.find_absences(run)?;
    let causes = opened.find_causes(run)?;
    let input = run.quality_input(&material, &facts, &absences, &causes.stories, thresholds);
    let found = find_remarks(&input);
    let figures = AnnotationFigures::measure(&input, &found, breaches);
    let edges = judged_edges(&input, &found);
    Ok((found, figures, edges))
}

/// Returns for each remark about something read again the sentence with its cause, in the words of the list of what
/// was read again.
fn said_causes(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    remarks: &[Remark],
) -> Result<Vec<Option<String>>, ApiError> {
    let material = opened.material(run.selection())?;
    let ReacquisitionCauses { stories, same } = &*opened.find_causes(run)?;
    let told = StoryFacts { opened, run, material: &material };
    let session = &run.branch.session;
    let ranked = rank_blame(&run.branch.growth.graph, &material, run.policy_table(), stories);
    let of_call: BTreeMap<BlockIdx, usize> = (0..)
        .zip(stories)
        .filter_map(|(at, story)| Some((session.blocks[story.reacquisition.again.at()].pair?, at)))
        .collect();
    let said = |remark: &Remark| match &remark.kind {
        RemarkKind::AcquiredAfterEviction { .. } => {
            let at = *of_call.get(&remark.at)?;
            Some(format!("{}: {}", remark.kind, told.cause_sentence(stories.get(at)?, *same.get(at)?)))
        }
        RemarkKind::ThinDescription { .. } => {
            let is_thin =
                |at: &usize| matches!(stories[*at].cause, ReacquisitionCause::ThinDescription { .. });
            let of_episode = |blame: &&Blame| {
                blame.episode == Some(remark.episode) && blame.stories.first().is_some_and(is_thin)
            };
            let blame = ranked.iter().find(of_episode)?;
            Some(told.blame_sentence(stories, blame, run.policy_table().tokens_from_units(blame.units)))
        }
        _ => None,
    };
    Ok(remarks.iter().map(said).collect())
}

fn of_remark(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    remark: &Remark,
    said: Option<String>,
) -> LintFinding {
    let item = lint_item(opened, &run.branch, &diagnose_remark(opened, run, remark));
    let edit = remark.settled_by(&run.branch.growth.graph);
    LintFinding {
        message: said.unwrap_or(item.message),
        edits: edit.iter().map(|change| mark_edit(&run.branch, change)).collect(),
        ..item
    }
}
