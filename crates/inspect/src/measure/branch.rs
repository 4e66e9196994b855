//! Branches: the messages up to one record of a log, with their episodes.

use std::sync::{Arc, OnceLock};

use cwl_engine::{
    Annotation, AnnotationSource, BlockIdx, EpisodeKind, EventLog, GraphTimeline, GrowingBranch, Problem,
    ProblemList, PromptLayout, Session, ToolTable,
};

use crate::api::MarkProblem;
use crate::asked::view::BranchKey;

pub struct Branch {
    pub session: Arc<Session>,
    pub growth: GraphTimeline,
    pub annotation: Annotation,
    pub problems: Arc<[Problem]>,
    pub(crate) mark_problems: Vec<MarkProblem>,
    prompts: OnceLock<PromptLayout>,
}

impl Branch {
    /// Builds the branch of a key with the agent's own marks; `lapsing` finds the reasoning that is sent back only until
    /// the human speaks again.
    pub(crate) fn with_lapses(
        log: &EventLog,
        key: &BranchKey,
        tools: &ToolTable,
        lapsing: impl FnOnce(&Session) -> Vec<BlockIdx>,
    ) -> Self {
        let (session, problems) = Session::build(log, key.leaf, key.history, tools);
        let reasoning = lapsing(&session);
        Self::without_reasoning(session, problems, &reasoning)
    }

    /// Takes over the current branch of a followed log; `lapsing` as in [`Self::with_lapses`].
    pub(crate) fn from_growing(
        growing: &GrowingBranch,
        lapsing: impl FnOnce(&Session) -> Vec<BlockIdx>,
    ) -> Self {
        let (session, mut problems) = (growing.session().clone(), growing.session_problems());
        let reasoning = lapsing(&session);
        if !reasoning.is_empty() {
            return Self::without_reasoning(session, problems, &reasoning);
        }
        problems.extend(growing.mark_problems());
        Self::declared(session, growing.timeline().clone(), problems)
    }

    fn without_reasoning(mut session: Session, mut problems: Vec<Problem>, reasoning: &[BlockIdx]) -> Self {
        session.lapse_reasoning(reasoning);
        let (growth, of_protocol) = GraphTimeline::build(&session);
        problems.extend(of_protocol);
        Self::declared(session, growth, problems)
    }

    fn declared(session: Session, growth: GraphTimeline, problems: Vec<Problem>) -> Self {
        let problems = problems.into_iter().collect::<ProblemList>().into_problems();
        Self::with_annotation(Arc::new(session), growth, Annotation::Declared, problems.into())
    }

    fn with_annotation(
        session: Arc<Session>,
        growth: GraphTimeline,
        annotation: Annotation,
        problems: Arc<[Problem]>,
    ) -> Self {
        Self { session, growth, annotation, problems, mark_problems: Vec::new(), prompts: OnceLock::new() }
    }

    pub(crate) fn annotate_anew(&self, annotation: Annotation) -> Self {
        let (growth, _none) = GraphTimeline::build_annotated(&self.session, &annotation);
        Self::with_annotation(Arc::clone(&self.session), growth, annotation, Arc::clone(&self.problems))
    }

    /// Returns the branch as a provider's prompt cache sees it, computed on first use. `marked` returns the blocks
    /// known to carry a breakpoint in their first request.
    pub(crate) fn prompt_layout(&self, marked: impl FnOnce() -> Vec<BlockIdx>) -> &PromptLayout {
        self.prompts.get_or_init(|| PromptLayout::from_session(&self.session).with_breakpoints(marked()))
    }

    pub fn has_episodes(&self) -> bool {
        !self.growth.graph.episodes.is_empty()
    }

    pub(crate) fn is_declared(&self) -> bool {
        self.growth.source == AnnotationSource::Declared
    }

    pub fn n_answered(&self) -> usize {
        self.session.turns.iter().filter(|turn| turn.message.is_some()).count()
    }

    /// Counts the episodes except unannotated stretches and episodes removed by a compaction.
    pub fn n_marked_episodes(&self) -> usize {
        let episodes = self.growth.graph.episodes();
        episodes.filter(|(_, episode)| episode.kind != EpisodeKind::Unannotated).count()
    }
}
