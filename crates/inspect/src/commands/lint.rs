//! Lint: all findings about a log, its marks, its annotation and a policy's passes.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    AnnotationFigures, AnnotationSource, Blame, BlockId, BlockIdx, Breach, EpisodeIdx, JudgedEdge,
    ReacquisitionCause, Remark, RemarkKind, Rule, Session, Thresholds, TurnIdx, find_remarks, judged_edges,
    rank_blame,
};

use crate::ApiError;
use crate::commands::edits::edit_dto;
use crate::commands::session::{code_dto, problems_of};
use crate::dto::{
    DependencyDto, FindingDto, LintCountsDto, LintDto, LintItemDto, LintPlaceDto, ProblemDto, SeverityDto,
    ViewRequest,
};
use crate::figures::saturate_u32;
use crate::measure::causes::ReacquisitionCauses;
use crate::measure::findings::finding_dto;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::quality::{figures_note, figures_of};
use crate::present::story::StoryFacts;

/// Returns all findings under a view, by the default thresholds.
///
/// # Errors
/// If `request.view` is invalid, or the store or the disk cannot be read.
pub fn lint(opened: &SessionSnapshot, request: &ViewRequest) -> Result<LintDto, ApiError> {
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
) -> Result<LintDto, ApiError> {
    Ok(lint_and_edges(opened, request, thresholds)?.0)
}

/// Like [`lint`], with the dependencies behind its figures, in act order.
///
/// # Errors
/// Like [`lint`].
pub fn lint_with_dependencies(
    opened: &SessionSnapshot,
    request: &ViewRequest,
) -> Result<(LintDto, Vec<DependencyDto>), ApiError> {
    lint_and_edges(opened, request, &Thresholds::default())
}

fn lint_and_edges(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    thresholds: &Thresholds,
) -> Result<(LintDto, Vec<DependencyDto>), ApiError> {
    let run = opened.replay_view(&request.view)?;
    let places = BlockPlaces::from_session(&run.branch.session);
    let problems = problems_of(opened, &run.branch, &run.sizes.losses);
    let mut findings: Vec<LintItemDto> =
        problems.into_iter().map(|problem| of_problem(&run, &places, problem)).collect();
    let verification = opened.verify_run(&run)?;
    let verified = verification.findings.iter().map(|finding| finding_dto(opened, &run, finding));
    findings.extend(verified.map(|finding| of_finding(&run, &places, finding)));
    let breaches: Vec<Breach> = findings.iter().filter_map(protocol_breach).collect();
    let (remarks, figures, edges) = assess_quality(opened, &run, thresholds, &breaches)?;
    let said = said_causes(opened, &run, &remarks)?;
    let of_quality = remarks.iter().zip(said).map(|(remark, said)| of_remark(opened, &run, remark, said));
    findings.extend(of_quality);
    findings.sort_by(|a, b| (a.line, &a.code, a.on, &a.message).cmp(&(b.line, &b.code, b.on, &b.message)));
    let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    let lint = LintDto {
        revision: opened.revision(),
        source: run.branch.growth.source.into(),
        codes: codes.into_iter().filter_map(Rule::find).map(|rule| code_dto(&rule)).collect(),
        counts: LintCountsDto::from_findings(&findings),
        findings,
        figures: figures_of(&figures, run.replay.policy.name),
        figures_note: figures_note(run.branch.growth.source),
    };
    let dependency = |edge: JudgedEdge| DependencyDto {
        act: saturate_u32(edge.act.at()),
        on: saturate_u32(edge.on.at()),
        usage: edge.usage.into(),
    };
    Ok((lint, edges.into_iter().map(dependency).collect()))
}

/// Converts a finding about the protocol to a [`Breach`]; `None` for other findings.
fn protocol_breach(finding: &LintItemDto) -> Option<Breach> {
    let episode = finding.episode.map(|place| EpisodeIdx::new(place as usize));
    finding.code.starts_with('P').then(|| Breach { episode, severity: finding.severity.into() })
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

struct BlockPlaces<'a> {
    session: &'a Session,
    by_id: BTreeMap<&'a BlockId, BlockIdx>,
}

impl<'a> BlockPlaces<'a> {
    fn from_session(session: &'a Session) -> Self {
        let by_id = (0..).map(BlockIdx::new).zip(&session.blocks).map(|(at, row)| (&row.id, at)).collect();
        Self { session, by_id }
    }

    fn find_block(&self, id: Option<&str>) -> Option<BlockIdx> {
        let id = crate::asked::watch::read_block(id?)?;
        self.by_id.get(&id).copied()
    }

    fn turn_of_block(&self, id: Option<&str>) -> Option<u32> {
        self.find_block(id).map(|block| turn_of(self.session, block).number())
    }
}

/// Turn whose reply or results hold `block`; for a block before a request, that request's turn.
fn turn_of(session: &Session, block: BlockIdx) -> TurnIdx {
    let row = &session.blocks[block.at()];
    let after = session.turn_after(row.message).number();
    let is_answered = matches!(
        session.messages[row.message.at()].class,
        cwl_engine::MessageClass::Assistant | cwl_engine::MessageClass::Tool
    );
    TurnIdx::new(if is_answered { after.saturating_sub(1) } else { after })
}

fn plain_finding(run: &ReplayRun, episode: Option<u32>, told: ProblemDto) -> LintItemDto {
    let ProblemDto { code, severity, message, line, block, .. } = told;
    LintItemDto {
        code,
        severity,
        doubt: false,
        message,
        line,
        turn: None,
        block,
        episode,
        name: episode.and_then(|episode| name_of(run, episode)),
        on: None,
        evidence: Vec::new(),
        strength: None,
        cost: None,
        edits: Vec::new(),
    }
}

fn of_problem(run: &ReplayRun, places: &BlockPlaces<'_>, problem: ProblemDto) -> LintItemDto {
    let turn = places.turn_of_block(problem.block.as_deref());
    LintItemDto { turn, ..plain_finding(run, problem.episode, problem) }
}

fn of_finding(run: &ReplayRun, places: &BlockPlaces<'_>, finding: FindingDto) -> LintItemDto {
    let FindingDto { code, severity, turn, block, line, message, .. } = finding;
    let owner = places.find_block(block.as_deref()).and_then(|block| run.branch.growth.graph.owner_of(block));
    let episode = owner.map(|owner| saturate_u32(owner.at()));
    let told = ProblemDto { code, severity, message, line, block, episode };
    LintItemDto { turn: Some(turn), ..plain_finding(run, episode, told) }
}

fn of_remark(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    remark: &Remark,
    said: Option<String>,
) -> LintItemDto {
    let session = &run.branch.session;
    let growth = &run.branch.growth;
    let doubt = growth.source_of(growth.graph.episode(remark.episode)) == AnnotationSource::Inferred;
    let place = |block: &BlockIdx| LintPlaceDto {
        block: session.blocks[block.at()].id.to_string(),
        line: opened.line_of(session, *block),
        turn: turn_of(session, *block).number(),
    };
    let LintPlaceDto { block, line, turn } = place(&remark.at);
    let episode = saturate_u32(remark.episode.at());
    LintItemDto {
        code: remark.kind.code().to_owned(),
        // A doubt about an inference is no accusation.
        severity: if doubt { SeverityDto::Info } else { remark.kind.rule().severity.into() },
        doubt,
        message: said.unwrap_or_else(|| remark.kind.to_string()),
        line: Some(line),
        turn: Some(turn),
        block: Some(block),
        episode: Some(episode),
        name: name_of(run, episode),
        on: remark.on.map(|on| saturate_u32(on.at())),
        evidence: remark.evidence.iter().map(place).collect(),
        strength: Some(remark.strength),
        cost: remark.cost,
        edits: remark
            .settled_by(&run.branch.growth.graph)
            .iter()
            .map(|change| edit_dto(&run.branch, change))
            .collect(),
    }
}

fn name_of(run: &ReplayRun, episode: u32) -> Option<String> {
    let episode = run.branch.growth.graph.episodes.get(episode as usize)?;
    Some(episode.name.to_string())
}
