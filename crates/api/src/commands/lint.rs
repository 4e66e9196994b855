//! Lint: everything that is found about a log, its marks, its annotation and a policy's passes, in one list.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    AnnotationFigures, AnnotationSource, BlockId, BlockIdx, Breach, EpisodeIdx, JudgedEdge, Remark, Rule,
    Session, Thresholds, TurnIdx, judged_edges, remarks,
};

use crate::ApiError;
use crate::commands::edits::edit_dto;
use crate::commands::session::{code, problems_of};
use crate::dto::{
    DependencyDto, FindingDto, LintCountsDto, LintDto, LintItemDto, LintPlaceDto, ProblemDto, SeverityDto,
    ViewRequest,
};
use crate::figures::small;
use crate::measure::findings::dto as finding_dto;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::quality::{figures_note, figures_of};

/// Returns all findings under a view, by the thresholds of the program.
///
/// # Errors
/// Those of the view, of the store and of the disk.
pub fn lint(opened: &Opened, request: &ViewRequest) -> Result<LintDto, ApiError> {
    lint_by(opened, request, &Thresholds::default())
}

/// Returns all findings under a view, by given thresholds.
///
/// # Errors
/// Those of [`lint`].
pub fn lint_by(opened: &Opened, request: &ViewRequest, thresholds: &Thresholds) -> Result<LintDto, ApiError> {
    Ok(lint_and_edges(opened, request, thresholds)?.0)
}

/// Returns all findings under a view as [`lint`] does, and the dependencies that its figures count, in the order of the acts.
///
/// # Errors
/// Those of [`lint`].
pub fn lint_with_dependencies(
    opened: &Opened,
    request: &ViewRequest,
) -> Result<(LintDto, Vec<DependencyDto>), ApiError> {
    lint_and_edges(opened, request, &Thresholds::default())
}

fn lint_and_edges(
    opened: &Opened,
    request: &ViewRequest,
    thresholds: &Thresholds,
) -> Result<(LintDto, Vec<DependencyDto>), ApiError> {
    let run = opened.run(&request.view)?;
    let places = Places::of(&run.branch.session);
    let problems = problems_of(opened, &run.branch, &run.sizes.losses);
    let mut findings: Vec<LintItemDto> =
        problems.into_iter().map(|problem| of_problem(&run, &places, problem)).collect();
    let verification = opened.verified(&run)?;
    let verified = verification.findings.iter().map(|finding| finding_dto(opened, &run, finding));
    findings.extend(verified.map(|finding| of_finding(&run, &places, finding)));
    let breaches: Vec<Breach> = findings.iter().filter_map(breach).collect();
    let (remarks, figures, edges) = quality(opened, &run, thresholds, &breaches)?;
    findings.extend(remarks.iter().map(|remark| of_remark(opened, &run, remark)));
    findings.sort_by(|a, b| (a.line, &a.code, a.on, &a.message).cmp(&(b.line, &b.code, b.on, &b.message)));
    let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    let lint = LintDto {
        revision: opened.revision(),
        source: run.branch.growth.source.into(),
        codes: codes.into_iter().filter_map(Rule::find).map(|rule| code(&rule)).collect(),
        counts: LintCountsDto::of(&findings),
        findings,
        figures: figures_of(&figures, run.replay.policy.name),
        figures_note: figures_note(run.branch.growth.source),
    };
    let dependency = |edge: JudgedEdge| DependencyDto {
        act: small(edge.act.at()),
        on: small(edge.on.at()),
        usage: edge.usage.into(),
    };
    Ok((lint, edges.into_iter().map(dependency).collect()))
}

/// Returns a finding about the protocol as a breach of it; `None` for others.
fn breach(finding: &LintItemDto) -> Option<Breach> {
    let episode = finding.episode.map(|place| EpisodeIdx::new(place as usize));
    finding.code.starts_with('P').then(|| Breach { episode, severity: finding.severity.into() })
}

/// Finds the doubts about the annotation of a run, and puts it in figures.
fn quality(
    opened: &Opened,
    run: &Run,
    thresholds: &Thresholds,
    breaches: &[Breach],
) -> Result<(Vec<Remark>, AnnotationFigures, Vec<JudgedEdge>), ApiError> {
    let chosen = run.chosen();
    let material = opened.material(chosen)?;
    let facts = opened.deeds(&chosen.branch, chosen.tokenizer)?;
    let absences = opened.absences(run)?;
    let input = run.quality_input(&material, &facts, &absences, thresholds);
    let found = remarks(&input);
    let figures = AnnotationFigures::of(&input, &found, breaches);
    let edges = judged_edges(&input, &found);
    Ok((found, figures, edges))
}

/// Where blocks are, by their ids.
struct Places<'a> {
    session: &'a Session,
    by_id: BTreeMap<&'a BlockId, BlockIdx>,
}

impl<'a> Places<'a> {
    fn of(session: &'a Session) -> Self {
        let by_id = (0..).map(BlockIdx::new).zip(&session.blocks).map(|(at, row)| (&row.id, at)).collect();
        Self { session, by_id }
    }

    /// Finds a block by its id as it is written.
    fn find(&self, id: Option<&str>) -> Option<BlockIdx> {
        let id = crate::asked::watch::read_block(id?)?;
        self.by_id.get(&id).copied()
    }

    fn turn(&self, id: Option<&str>) -> Option<u32> {
        self.find(id).map(|block| turn_of(self.session, block).number())
    }
}

/// Returns the turn whose reply or results have a block; of what stands before a request that turn.
fn turn_of(session: &Session, block: BlockIdx) -> TurnIdx {
    let row = &session.blocks[block.at()];
    let after = session.turn_after(row.message).number();
    let is_answered = matches!(
        session.messages[row.message.at()].class,
        cwl_engine::MessageClass::Assistant | cwl_engine::MessageClass::Tool
    );
    TurnIdx::new(if is_answered { after.saturating_sub(1) } else { after })
}

/// Returns a finding that has neither another episode nor evidence, strength, cost, change of marks.
fn plain(run: &Run, episode: Option<u32>, told: ProblemDto) -> LintItemDto {
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

fn of_problem(run: &Run, places: &Places<'_>, problem: ProblemDto) -> LintItemDto {
    let turn = places.turn(problem.block.as_deref());
    LintItemDto { turn, ..plain(run, problem.episode, problem) }
}

fn of_finding(run: &Run, places: &Places<'_>, finding: FindingDto) -> LintItemDto {
    let FindingDto { code, severity, turn, block, line, message, .. } = finding;
    let owner = places.find(block.as_deref()).and_then(|block| run.branch.growth.graph.owner(block));
    let episode = owner.map(|owner| small(owner.at()));
    let told = ProblemDto { code, severity, message, line, block, episode };
    LintItemDto { turn: Some(turn), ..plain(run, episode, told) }
}

fn of_remark(opened: &Opened, run: &Run, remark: &Remark) -> LintItemDto {
    let session = &run.branch.session;
    let growth = &run.branch.growth;
    let doubt = growth.source_of(growth.graph.get(remark.episode)) == AnnotationSource::Inferred;
    let place = |block: &BlockIdx| LintPlaceDto {
        block: session.blocks[block.at()].id.to_string(),
        line: opened.line_of(session, *block),
        turn: turn_of(session, *block).number(),
    };
    let LintPlaceDto { block, line, turn } = place(&remark.at);
    let episode = small(remark.episode.at());
    LintItemDto {
        code: remark.kind.code().to_owned(),
        // A doubt about an inference accuses no one.
        severity: if doubt { SeverityDto::Info } else { remark.kind.rule().severity.into() },
        doubt,
        message: remark.kind.to_string(),
        line: Some(line),
        turn: Some(turn),
        block: Some(block),
        episode: Some(episode),
        name: name_of(run, episode),
        on: remark.on.map(|on| small(on.at())),
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

fn name_of(run: &Run, episode: u32) -> Option<String> {
    let episode = run.branch.growth.graph.episodes.get(episode as usize)?;
    Some(episode.name.to_string())
}
