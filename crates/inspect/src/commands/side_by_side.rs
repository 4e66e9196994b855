//! Two sessions side by side: common work, divergence point, and figures.

use cwl_engine::{
    Alignment, BlockIdx, EpisodeKind, RowDifference, SessionWork, TurnIdx, WorkKind, WorkUnit, got_again,
};

use crate::ApiError;
use crate::api::{
    CacheRules, CostFigures, DivergencePoint, FigureUnit, LintAnswer, PairedFigure, SessionSide,
    SideBySideAnswer, SideBySideRequest, SideRow, SideTurn, ViewRequest, ViewSettings, WorkUnitRow,
};
use crate::commands::lint::lint;
use crate::figures::{saturate_u32, shorten_line, with_commas};
use crate::measure::measured::{MeasureInputs, MeasuredReplay, Terms, n_requests};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::spent::Spending;
use crate::measure::work::{common_units, work_of};
use crate::present::work::{describe_unit, says_all, says_apart};

/// Compares two sessions: aligns turns by their work, and computes the figures of both.
///
/// # Errors
/// If a view is invalid, or a log's texts cannot be read.
pub fn side_by_side(
    a: &SessionSnapshot,
    b: &SessionSnapshot,
    request: &SideBySideRequest,
) -> Result<SideBySideAnswer, ApiError> {
    let a = SideOf::replay(a, &request.view, &request.cache)?;
    let b = SideOf::replay(b, &request.other_view, &request.cache)?;
    let aligned = Alignment::align(&a.work, &b.work, &common_units(&a.work, &b.work));
    let rows = aligned.rows.iter().map(|row| SideRow {
        differs: row.differs,
        a: row.a.map(|turn| a.turn_row(turn, &aligned.a_shared)),
        b: row.b.map(|turn| b.turn_row(turn, &aligned.b_shared)),
    });
    let n = |differs| saturate_u32(aligned.n_of(differs));
    let parting = aligned.divergence_row().map(|row| told_at(&a, &b, &aligned, row));
    let first_difference = aligned.first_difference().map(|row| told_at(&a, &b, &aligned, row));
    let says = summary_sentence(&aligned, parting.as_ref(), first_difference.as_ref());
    Ok(SideBySideAnswer {
        figures: paired_figures(&a, &b),
        n_same: n(RowDifference::Nothing),
        n_texts: n(RowDifference::Texts),
        n_marks: n(RowDifference::Marks),
        n_work: n(RowDifference::Work),
        rows: rows.collect(),
        parting,
        first_difference,
        says,
        a: a.head,
        b: b.head,
    })
}

const WHAT_CHARS: usize = 240;

struct SideOf<'a> {
    opened: &'a SessionSnapshot,
    run: ReplayRun,
    work: SessionWork,
    head: SessionSide,
    figures: Vec<SideFigure>,
}

type SideFigure = (&'static str, &'static str, FigureUnit, Option<u64>);

impl<'a> SideOf<'a> {
    fn replay(
        opened: &'a SessionSnapshot,
        view: &ViewSettings,
        cache: &CacheRules,
    ) -> Result<Self, ApiError> {
        let terms = Terms::look_up(opened, cache);
        let measures = MeasureInputs::prepare(opened, view, &terms)?;
        let work = work_of(opened, &measures.run.branch)?;
        let listed = lint(opened, &ViewRequest { view: view.clone() })?;
        let figures = side_figures(opened, &measures, &terms, &work, &listed)?;
        let run = measures.run;
        let format: &str = opened.about.format.into();
        let head = SessionSide {
            session: opened.session(),
            revision: opened.revision(),
            title: opened.display_title(),
            path: opened.about.path.clone(),
            format: format.to_owned(),
            model: opened.last_model(),
            source: run.branch.growth.source,
            policy: run.replay.policy.name.to_owned(),
            budget: run.replay.budget,
            counted_by: run.counted_by(),
            cache: terms.cache_used(),
            price: terms.price,
        };
        Ok(Self { opened, run, work, head, figures })
    }

    /// `shared` says for each unit whether the other side has it too.
    fn turn_row(&self, turn: TurnIdx, shared: &[bool]) -> SideTurn {
        let units = self.units_of_turn(turn, shared);
        let work = units.map(|(unit, shared)| WorkUnitRow {
            kind: unit.kind.into(),
            what: shorten_line(&unit.what, WHAT_CHARS),
            says: describe_unit(unit),
            shared,
            ok: unit.ok,
            block: self.block_id(unit.block),
            line: self.opened.line_of(&self.run.branch.session, unit.block),
        });
        SideTurn { turn: turn.number(), work: work.collect() }
    }

    fn units_of_turn<'b>(
        &'b self,
        turn: TurnIdx,
        shared: &'b [bool],
    ) -> impl Iterator<Item = (&'b WorkUnit, bool)> {
        let first = self.work.units.partition_point(|unit| unit.turn < turn);
        let units = self.work.of_turn(turn);
        units.iter().zip(&shared[first..first + units.len()]).map(|(unit, shared)| (unit, *shared))
    }

    fn block_id(&self, block: BlockIdx) -> String {
        self.run.branch.session.blocks[block.at()].id.to_string()
    }

    /// Says what a side does differently in a row: work the other side lacks, else the whole `turn`. A side
    /// without a turn in this row is described by its `next` one.
    fn say_difference(&self, turn: Option<TurnIdx>, next: Option<TurnIdx>, shared: &[bool]) -> String {
        let number = |turn: TurnIdx| with_commas(turn.number().into());
        match (turn, next) {
            (Some(turn), _) => {
                let alone =
                    says_all(self.units_of_turn(turn, shared).filter(|(_, is)| !is).map(|(unit, _)| unit));
                let all = || says_all(self.work.of_turn(turn));
                format!("turn {} {}", number(turn), if alone.is_empty() { all() } else { alone })
            }
            (None, Some(next)) => format!(
                "has no such turn; turn {}, its next, {}",
                number(next),
                says_all(self.work.of_turn(next))
            ),
            (None, None) => "has ended".to_owned(),
        }
    }
}

fn told_at(a: &SideOf<'_>, b: &SideOf<'_>, aligned: &Alignment, at: usize) -> DivergencePoint {
    let row = aligned.rows[at];
    let next_a = aligned.rows[at..].iter().find_map(|row| row.a);
    let next_b = aligned.rows[at..].iter().find_map(|row| row.b);
    let mut says = [
        a.say_difference(row.a, next_a, &aligned.a_shared),
        b.say_difference(row.b, next_b, &aligned.b_shared),
    ];
    let alone = |side: &SideOf<'_>, turn: Option<TurnIdx>, shared: &[bool]| {
        side.units_of_turn(turn?, shared).find(|(_, is)| !is).map(|(unit, _)| unit.clone())
    };
    let first = alone(a, row.a, &aligned.a_shared).zip(alone(b, row.b, &aligned.b_shared));
    // Long texts may begin alike.
    if let (true, Some((one, other))) = (says[0].split(' ').skip(2).eq(says[1].split(' ').skip(2)), first) {
        let [one, other] = says_apart(&one, &other);
        for (says, told) in says.iter_mut().zip([(next_a, one), (next_b, other)]) {
            *says = format!("turn {} {}", told.0.map_or(0, TurnIdx::number), told.1);
        }
    }
    let [told_a, told_b] = says;
    DivergencePoint {
        row: saturate_u32(at),
        a_turn: next_a.map(TurnIdx::number),
        b_turn: next_b.map(TurnIdx::number),
        a: told_a,
        b: told_b,
    }
}

fn summary_sentence(
    aligned: &Alignment,
    parting: Option<&DivergencePoint>,
    first: Option<&DivergencePoint>,
) -> String {
    let before = |row: u32| match row {
        0 => "they diverge at once".to_owned(),
        1 => "they diverge after 1 turn".to_owned(),
        n => format!("they diverge after {} turns", with_commas(n.into())),
    };
    let of = |n: usize, what: &str| match n {
        1 => format!("1 turn {what}"),
        n => format!("{} turns {what}", with_commas(n as u64)),
    };
    let same = aligned.n_of(RowDifference::Nothing)
        + aligned.n_of(RowDifference::Texts)
        + aligned.n_of(RowDifference::Marks);
    match (parting, first) {
        (None, None) => "there is no difference".to_owned(),
        (None, Some(_)) => format!(
            "both do the same work; {}, {}",
            of(aligned.n_of(RowDifference::Texts), "with other words or results"),
            of(aligned.n_of(RowDifference::Marks), "with other marks")
        ),
        (Some(parting), _) => format!(
            "{}: {}, {}",
            before(parting.row),
            of(same, "of the same work"),
            of(aligned.n_of(RowDifference::Work), "where one does what the other does not")
        ),
    }
}

fn side_figures(
    opened: &SessionSnapshot,
    measures: &MeasureInputs<'_>,
    terms: &Terms,
    work: &SessionWork,
    listed: &LintAnswer,
) -> Result<Vec<SideFigure>, ApiError> {
    use FigureUnit::{Count, Money, Tokens, Turn};
    let run = &measures.run;
    let session = &run.branch.session;
    let MeasuredReplay { measured, over_budget, .. } = measures.measure_own()?;
    let chosen = run.selection();
    let again = got_again(&*opened.material(chosen)?);
    let table = &run.sizes.table;
    let again_tokens = table.tokens_from_units(again.iter().map(|block| table.units(*block)).sum());
    let absences = opened.find_absences(run)?;
    let spending = Spending::add_up(session, terms);
    let reported = Some(spending.cost_figures()).filter(|_| spending.n_reported > 0);
    let priced = |cost: &CostFigures| (!cost.unpriced).then_some(cost.total_cost);
    let episodes = |kind: EpisodeKind| {
        run.branch.growth.graph.episodes().filter(|(_, episode)| episode.kind == kind).count() as u64
    };
    let found = |letter: char| {
        listed.findings.iter().filter(|one| one.code.starts_with(letter) && !one.doubt).count() as u64
    };
    let human = work.units.iter().filter(|unit| unit.kind == WorkKind::Human).count() as u64;
    let count = |name, title, n: u64| (name, title, Count, Some(n));
    let tokens = |name, title, n: u64| (name, title, Tokens, Some(n));
    Ok(vec![
        count("turns", "turns", n_requests(session).into()),
        count("human", "messages of the human", human),
        count("calls", "calls, without marks", work.n_calls() as u64),
        count("looks_before_edit", "looks before the first edit", work.n_looks_before_edit() as u64),
        ("first_edit", "first edit", Turn, work.first_edit().map(|turn| turn.number().into())),
        count("edits", "edits", work.n_edits() as u64),
        count("again", "things read again", again.len() as u64),
        tokens("again_tokens", "  their size", again_tokens),
        tokens("log_tokens", "the whole log", opened.n_tokens(run.unit)?),
        tokens("mean_request", "mean request under the policy", measured.mean_total),
        tokens("largest_request", "largest request under the policy", measured.max_total),
        count("over_budget", "requests over τ", over_budget.len() as u64),
        count("reacquisitions", "read again after eviction", absences.reacquisitions.len() as u64),
        tokens("reacquired_tokens", "  their size", measured.recall.reacquired_tokens),
        ("cost", "cost under the policy", Money, priced(&measured.cost)),
        ("reported_cost", "cost as reported", Money, reported.as_ref().and_then(priced)),
        count("explorations", "explorations", episodes(EpisodeKind::Exploratory)),
        count("acts", "acts", episodes(EpisodeKind::Action)),
        count("unannotated", "stretches without an episode", episodes(EpisodeKind::Unannotated)),
        count("found_log", "findings about the log (L)", found('L')),
        count("found_marks", "findings about the marks (P)", found('P')),
        count("found_quality", "findings about quality (Q)", found('Q')),
        count("found_passes", "findings about passes (V)", found('V')),
        count("doubts", "doubts about inferred episodes", listed.counts.doubts.into()),
    ])
}

fn paired_figures(a: &SideOf<'_>, b: &SideOf<'_>) -> Vec<PairedFigure> {
    let signed = |figure: u64| i64::try_from(figure).unwrap_or(i64::MAX);
    let pair = |(one, other): (&SideFigure, &SideFigure)| {
        let ((name, title, unit, a), b) = (*one, other.3);
        let more = a.zip(b).map(|(a, b)| signed(b) - signed(a));
        PairedFigure { name: name.to_owned(), title: title.to_owned(), unit, a, b, more }
    };
    a.figures.iter().zip(&b.figures).map(pair).collect()
}
