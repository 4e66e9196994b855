//! Quality: doubts about an annotation that breaks no protocol rule.
//!
//! Reading order: [`Thresholds`] are the numbers at which a rule applies. A [`Remark`] is one
//! doubt, with evidence, strength, and cost under a policy and budget. `course` prepares a session
//! for the rules. Each other file has the rules of one concept: changes, needs, repeats, wording,
//! size, bounds. [`AnnotationFigures`] sums up everything in a few figures.
//!
//! The rules are heuristics over texts and calls and may be wrong; `docs/lints.md` says how often.

mod course;
mod threshold;
mod remark;
mod undeclared;
mod change;
mod need;
mod repeat;
mod said;
mod size;
mod bound;
mod figures;

use alloc::vec::Vec;

use crate::{Absences, Facts, GraphTimeline, Material, ReacquisitionStory, Session, TokenTable};
use course::Course;
pub use figures::{
    AnnotationFigures, Breach, EarlyEviction, EdgeFigures, EdgeUse, JudgedEdge, LateRetention, MarkingCost,
    judged_edges,
};
pub use remark::{EVIDENCE_LISTED, NAMES_LISTED, Remark, RemarkKind};
pub use threshold::{THRESHOLDS, Threshold, ThresholdRow, Thresholds};
pub use undeclared::{Clue, UndeclaredExploration, UndeclaredUse, find_undeclared};

#[derive(Debug, Clone, Copy)]
pub struct QualityInput<'a> {
    pub session: &'a Session,
    pub growth: &'a GraphTimeline,
    pub table: &'a TokenTable,
    pub material: &'a Material,
    pub facts: &'a Facts,
    /// Evictions and reacquisitions; empty if no policy ran.
    pub absences: &'a Absences,
    /// The causes of the reacquisitions: no rule judges one by itself.
    pub stories: &'a [ReacquisitionStory],
    pub budget: u64,
    pub thresholds: &'a Thresholds,
}

/// Finds the doubts about an annotation, in block order.
///
/// No rule judges how inferred episodes are worded, since no agent chose the words.
pub fn find_remarks(input: &QualityInput<'_>) -> Vec<Remark> {
    let course = Course::from_input(*input);
    let QualityGround { needs } = QualityGround::of_course(&course);
    let mut found = Vec::new();
    change::find_remarks(&course, &mut found);
    need::find_remarks(&course, &mut found);
    repeat::find_remarks(&course, &mut found);
    said::find_remarks(&course, &needs, &mut found);
    size::find_remarks(&course, &mut found);
    bound::find_remarks(&course, &mut found);
    found.sort_by(|a, b| (a.at, a.kind.code(), a.on).cmp(&(b.at, b.kind.code(), b.on)));
    found
}

#[derive(Debug)]
pub struct QualityGround {
    needs: said::Needs,
}

impl QualityGround {
    /// Ignores the policy's evictions and the budget.
    pub fn from_input(input: &QualityInput<'_>) -> Self {
        Self::of_course(&Course::from_input(*input))
    }

    fn of_course(course: &Course<'_>) -> Self {
        Self { needs: said::Needs::from_course(course) }
    }
}

/// Counts the doubts that depend on the policy or its budget ([`RemarkKind::depends_on_policy`]).
///
/// The count equals theirs in [`find_remarks`], without the work for other kinds: a sweep counts
/// them for every budget with one `ground`.
pub fn count_remarks_of_policy(input: &QualityInput<'_>, ground: &QualityGround) -> usize {
    let course = Course::from_input(*input);
    let mut found = Vec::new();
    need::remarks_of_policy(&course, &mut found);
    repeat::remarks_of_policy(&course, &mut found);
    said::remarks_of_policy(&course, &ground.needs, &mut found);
    size::find_remarks(&course, &mut found);
    found.iter().filter(|remark| remark.kind.depends_on_policy()).count()
}
