//! Verifier findings about a policy's passes.

use cwl_engine::Finding;

use crate::ApiError;
use crate::api::{FINDINGS_LISTED, FindingsAnswer, ViewRequest};
use crate::figures::saturate_u32;
use crate::measure::findings::{finding_row, listed_findings};
use crate::measure::opened::SessionSnapshot;

/// Verifies what a policy does over all turns.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn findings(opened: &SessionSnapshot, request: &ViewRequest) -> Result<FindingsAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let verification = opened.verify_run(&run)?;
    let n_turns = verification.loops.len();
    let listed = listed_findings(&verification.findings, FINDINGS_LISTED);
    Ok(FindingsAnswer {
        revision: opened.revision(),
        by_turn: by_turn(&verification.findings, n_turns),
        loops_before: verification.loops.iter().map(|loops| loops.before).collect(),
        loops_after: verification.loops.iter().map(|loops| loops.after).collect(),
        n_findings: saturate_u32(verification.findings.len()),
        findings: listed.map(|finding| finding_row(opened, &run, finding)).collect(),
    })
}

fn by_turn(findings: &[Finding], n_turns: usize) -> Vec<u32> {
    let mut begin = vec![0u32; n_turns + 1];
    let mut end = vec![0u32; n_turns + 1];
    for finding in findings {
        begin[finding.turn.at().min(n_turns)] += 1;
        end[finding.until.map_or(n_turns, |until| until.at().min(n_turns))] += 1;
    }
    let mut n_here = 0;
    begin
        .into_iter()
        .zip(end)
        .take(n_turns)
        .map(|(begin, end)| {
            n_here = n_here + begin - end;
            n_here
        })
        .collect()
}
