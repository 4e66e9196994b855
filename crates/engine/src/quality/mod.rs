//! Quality: doubts about an annotation that breaks no rule of the protocol.
//!
//! Read in this order. [`Thresholds`] are the numbers at which a rule speaks. A [`Remark`] is one doubt, with blocks as
//! its evidence, its strength and its cost under a policy and a budget. `course` is what the rules read of a session;
//! each other file has the rules of one concept: what episodes change, what acts need, what is acquired twice, what is
//! said, how large episodes are, and where they end. [`AnnotationFigures`] puts all of it in a few figures.
//!
//! All of it is told from texts and calls by rules of thumb, so it may be wrong; `docs/lints.md` says how often.

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

use crate::{Absences, Facts, GraphTimeline, Material, Session, TokenTable};
use course::Course;
pub use figures::{
    AnnotationFigures, Breach, EarlyEviction, EdgeFigures, EdgeUse, JudgedEdge, LateRetention, MarkingCost,
    judged_edges,
};
pub use remark::{EVIDENCE_LISTED, NAMES_LISTED, Remark, RemarkKind};
pub use threshold::{THRESHOLDS, Threshold, ThresholdRow, Thresholds};
pub use undeclared::{Clue, UndeclaredExploration, UndeclaredUse, find_undeclared};

/// All that the rules of quality read.
#[derive(Debug, Clone, Copy)]
pub struct QualityInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// The episodes.
    pub growth: &'a GraphTimeline,
    /// The sizes of its blocks.
    pub table: &'a TokenTable,
    /// The names in its texts.
    pub material: &'a Material,
    /// The effects of its calls.
    pub facts: &'a Facts,
    /// All that a policy took, and what was got again; empty if no policy ran.
    pub absences: &'a Absences,
    /// The budget τ, tokens.
    pub budget: u64,
    /// The numbers at which the rules speak.
    pub thresholds: &'a Thresholds,
}

/// Finds the doubts about an annotation, in the order of their places.
///
/// No rule judges the words of inferred episodes, which no agent chose.
pub fn find_remarks(input: &QualityInput<'_>) -> Vec<Remark> {
    let course = Course::from_input(*input);
    let QualityGround { changes, needs } = QualityGround::of_course(&course);
    let mut found = Vec::new();
    change::find_remarks(&course, &mut found);
    need::find_remarks(&course, &mut found);
    repeat::find_remarks(&course, &changes, &mut found);
    said::find_remarks(&course, &needs, &mut found);
    size::find_remarks(&course, &mut found);
    bound::find_remarks(&course, &mut found);
    found.sort_by(|a, b| (a.at, a.kind.code(), a.on).cmp(&(b.at, b.kind.code(), b.on)));
    found
}

/// All that the rules gather of a session and that no policy changes.
#[derive(Debug)]
pub struct QualityGround {
    changes: repeat::Changes,
    needs: said::Needs,
}

impl QualityGround {
    /// Gathers it; what a policy took and the budget are not looked at.
    pub fn from_input(input: &QualityInput<'_>) -> Self {
        Self::of_course(&Course::from_input(*input))
    }

    fn of_course(course: &Course<'_>) -> Self {
        Self { changes: repeat::Changes::from_course(course), needs: said::Needs::from_course(course) }
    }
}

/// Counts the doubts that depend on the policy or its budget ([`RemarkKind::depends_on_policy`]).
///
/// As many as [`find_remarks`] has of these kinds, without the work for the others: a sweep counts them for every budget, on one
/// ground.
pub fn count_remarks_of_policy(input: &QualityInput<'_>, ground: &QualityGround) -> usize {
    let course = Course::from_input(*input);
    let mut found = Vec::new();
    need::remarks_of_policy(&course, &mut found);
    repeat::remarks_of_policy(&course, &ground.changes, &mut found);
    said::remarks_of_policy(&course, &ground.needs, &mut found);
    size::find_remarks(&course, &mut found);
    found.iter().filter(|remark| remark.kind.depends_on_policy()).count()
}
