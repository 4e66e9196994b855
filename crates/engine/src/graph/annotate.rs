//! Assigns each block to its episode, by the delimiter protocol (paper 4.2) or by the spans of an
//! annotation.

mod past;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

pub(crate) use self::past::{WalkPast, WalkPoint};
use crate::session::pairing::pair_head;
use crate::{
    Annotation, BlockIdx, BlockKind, DeclaredKind, DelimiterMark, Dependency, Episode, EpisodeIdx,
    EpisodeKind, EpisodeName, Life, MarkField, Problem, ProblemKind, Session, Span, ToolClass, TurnIdx,
};

/// The mark takes effect when the call's successful result arrives.
pub(crate) struct AppliedMark<'a> {
    pub(crate) answered_at: usize,
    pub(crate) mark: &'a DelimiterMark,
}

/// Finds the delimiter calls with a successful result behind them, keyed by the call's block. The
/// first such result counts. Looks only at results from `first` on.
pub(crate) fn applied_marks(session: &Session, first: usize) -> BTreeMap<BlockIdx, AppliedMark<'_>> {
    let mut marks = BTreeMap::new();
    for (at, answer) in (first..).zip(session.blocks.range(first..session.blocks.len())) {
        let (BlockKind::Result(result), Some(asked)) = (&answer.kind, answer.pair) else { continue };
        let block = &session.blocks[asked.at()];
        let BlockKind::Call(call) = &block.kind else { continue };
        // A result that only repeats or replaces another one does not answer the call.
        let answers = block.pair == Some(BlockIdx::new(at)) || !session.messages[answer.message.at()].added;
        if block.class != Some(ToolClass::Delimiter)
            || !result.ok
            || !answers
            || block.stands_for.is_some()
            || marks.contains_key(&asked)
        {
            continue;
        }
        if let Some(mark) = result.mark.as_ref().or(call.mark.as_ref()) {
            marks.insert(asked, AppliedMark { answered_at: answer.message.at(), mark });
        }
    }
    marks
}

pub(crate) enum Marks<'a> {
    Calls(BTreeMap<BlockIdx, AppliedMark<'a>>),
    Spans(&'a [Span]),
}

impl<'a> Marks<'a> {
    pub(crate) fn from_annotation(session: &'a Session, annotation: &'a Annotation) -> Self {
        annotation.spans().map_or_else(|| Self::Calls(applied_marks(session, 0)), Self::Spans)
    }
}

pub(crate) enum AnnotatorEvent {
    Opened(usize),
    Owned(BlockIdx, usize),
    Closed(usize),
}

pub(crate) struct Annotator<'a> {
    session: &'a Session,
    marks: &'a Marks<'a>,
    pub(crate) past: WalkPast,
}

impl<'a> Annotator<'a> {
    pub(crate) fn new(session: &'a Session, marks: &'a Marks<'a>) -> Self {
        Self::resume(session, marks, WalkPast::default())
    }

    pub(crate) fn resume(session: &'a Session, marks: &'a Marks<'a>, past: WalkPast) -> Self {
        Self { session, marks, past }
    }

    /// A delimiter call counts only if its result stands before `known_end`.
    pub(crate) fn walk_messages(
        &mut self,
        messages: Range<usize>,
        known_end: usize,
        sink: &mut Vec<AnnotatorEvent>,
    ) {
        for message in self.session.messages.range(messages) {
            for block in message.blocks.clone().map(BlockIdx::new) {
                let may_be_owned =
                    message.class.is_evictable() && message.form.is_sent() && !self.is_of_human(block);
                self.begin_spans(block, sink);
                let owner = if may_be_owned { self.walk_block(block, known_end, sink) } else { None };
                if let Some(owner) = owner {
                    sink.push(AnnotatorEvent::Owned(block, owner));
                }
                self.past.owners.push(owner);
                self.end_span(block, sink);
            }
        }
    }

    /// An effective mark bounds an episode even if the human commented on another attempt of the same call.
    fn is_of_human(&self, block: BlockIdx) -> bool {
        let row = &self.session.blocks[block.at()];
        let is_mark = |call: BlockIdx| matches!(self.marks, Marks::Calls(calls) if calls.contains_key(&call));
        row.is_with_words && !is_mark(pair_head(self.session, block))
    }

    fn walk_block(
        &mut self,
        block: BlockIdx,
        known_end: usize,
        sink: &mut Vec<AnnotatorEvent>,
    ) -> Option<usize> {
        if let Some(original) = self.session.blocks[block.at()].stands_for {
            return self.past.owners[original.at()];
        }
        if let BlockKind::Result(_) = self.session.blocks[block.at()].kind {
            let call = self.session.blocks[block.at()].pair?;
            return self.past.owners[call.at()];
        }
        match self.marks {
            Marks::Calls(calls) => match calls.get(&block) {
                Some(applied) if applied.answered_at < known_end => {
                    self.apply_mark(block, applied.mark, sink)
                }
                _ => self.owner_of_plain(block, sink),
            },
            Marks::Spans(_) => self.owner_of_plain(block, sink),
        }
    }

    fn begin_spans(&mut self, block: BlockIdx, sink: &mut Vec<AnnotatorEvent>) {
        let Marks::Spans(spans) = self.marks else { return };
        if let Some(span) = spans.get(self.past.n_spans).filter(|span| span.first <= block) {
            self.past.n_spans += 1;
            let idx = self.start_episode(block, &span.name, span.kind, Some(&span.dependencies), sink);
            self.past.episodes[idx].evidence = span.evidence.clone();
        }
    }

    fn end_span(&mut self, block: BlockIdx, sink: &mut Vec<AnnotatorEvent>) {
        let (Marks::Spans(spans), Some(open)) = (self.marks, self.past.open) else { return };
        let Some(span) = spans.get(self.past.n_spans.wrapping_sub(1)) else { return };
        if span.last.is_some_and(|last| last <= block) {
            self.past.open = None;
            let description = span.description.as_ref().filter(|text| !text.trim().is_empty());
            let episode = &mut self.past.episodes[open];
            episode.state = Life::Closed;
            episode.description = description.filter(|_| episode.kind == EpisodeKind::Exploratory).cloned();
            sink.push(AnnotatorEvent::Closed(open));
        }
    }

    fn apply_mark(
        &mut self,
        block: BlockIdx,
        mark: &DelimiterMark,
        sink: &mut Vec<AnnotatorEvent>,
    ) -> Option<usize> {
        match mark {
            DelimiterMark::Malformed { field, .. } => {
                self.report_malformed(block, &[*field]);
                self.owner_of_plain(block, sink)
            }
            DelimiterMark::Open { name, kind, dependencies, odd } => {
                self.report_malformed(block, odd);
                Some(self.start_episode(block, name, *kind, dependencies.as_deref(), sink))
            }
            DelimiterMark::Close { name, description, odd } => {
                self.report_malformed(block, odd);
                let Some(open) = self.past.open.take() else {
                    self.report_problem(block, ProblemKind::EndWithoutOpen);
                    return self.owner_of_plain(block, sink);
                };
                self.close_episode(open, block, name.as_ref(), description.as_ref());
                sink.push(AnnotatorEvent::Closed(open));
                Some(open)
            }
        }
    }

    fn start_episode(
        &mut self,
        block: BlockIdx,
        declared: &EpisodeName,
        kind: DeclaredKind,
        dependencies: Option<&[EpisodeName]>,
        sink: &mut Vec<AnnotatorEvent>,
    ) -> usize {
        if let Some(open) = self.past.open.take() {
            let kind = ProblemKind::StartWhileOpen { open: self.past.episodes[open].name.clone() };
            self.report_problem(block, kind);
            self.past.episodes[open].state = Life::Closed;
            self.past.episodes[open].cut_off = true;
            sink.push(AnnotatorEvent::Closed(open));
        }
        if let Some(stretch) = self.past.stretch.take() {
            self.past.episodes[stretch].state = Life::Closed;
            sink.push(AnnotatorEvent::Closed(stretch));
        }
        self.past.prologue_end.get_or_insert(block);
        let kept = match kind {
            DeclaredKind::Action => {
                self.resolve_dependencies(block, declared, dependencies.unwrap_or_default())
            }
            DeclaredKind::Exploratory => {
                if dependencies.is_some_and(|list| !list.is_empty()) {
                    self.report_problem(block, ProblemKind::DependenciesOnExploration);
                }
                Vec::new()
            }
        };
        let name = self.unused_name(block, declared);
        let kind = match kind {
            DeclaredKind::Action => EpisodeKind::Action,
            DeclaredKind::Exploratory => EpisodeKind::Exploratory,
        };
        let idx = self.open_episode(name, declared.clone(), kind, block, sink);
        self.past.episodes[idx].dependencies = kept;
        self.past.by_declared.insert(declared.clone(), idx);
        self.past.open = Some(idx);
        idx
    }

    fn open_episode(
        &mut self,
        name: EpisodeName,
        declared: EpisodeName,
        kind: EpisodeKind,
        start: BlockIdx,
        sink: &mut Vec<AnnotatorEvent>,
    ) -> usize {
        // `GraphTimeline` fills in the first turn later.
        self.past.episodes.push(Episode::new_empty(name, kind, start, TurnIdx::FIRST));
        self.past.declared.push(declared);
        sink.push(AnnotatorEvent::Opened(self.past.episodes.len() - 1));
        self.past.episodes.len() - 1
    }

    fn resolve_dependencies(
        &mut self,
        block: BlockIdx,
        own: &EpisodeName,
        declared: &[EpisodeName],
    ) -> Vec<Dependency> {
        if declared.is_empty() {
            self.report_problem(block, ProblemKind::ActWithoutDependencies);
        }
        let mut seen = BTreeSet::new();
        let mut kept = Vec::new();
        for name in declared.iter().filter(|name| seen.insert(*name)) {
            let on = match self.past.by_declared.get(name) {
                None if name == own => {
                    self.report_problem(block, ProblemKind::DependencyNotClosed { name: name.clone() });
                    None
                }
                // A later episode may still have this name; `all_problems` decides.
                None => {
                    self.report_problem(block, ProblemKind::UnknownDependency { name: name.clone() });
                    None
                }
                Some(&on) if self.past.episodes[on].kind == EpisodeKind::Action => {
                    self.report_problem(block, ProblemKind::DependencyOnAct { name: name.clone() });
                    None
                }
                Some(&on) => Some(EpisodeIdx::new(on)),
            };
            kept.push(Dependency { declared: name.clone(), on });
        }
        kept
    }

    fn close_episode(
        &mut self,
        open: usize,
        block: BlockIdx,
        name: Option<&EpisodeName>,
        description: Option<&Arc<str>>,
    ) {
        if let Some(name) = name
            && self.past.declared[open] != *name
        {
            self.report_problem(block, ProblemKind::EndNamesOther { name: name.clone() });
        }
        let description = description.filter(|text| !text.trim().is_empty());
        let episode = &mut self.past.episodes[open];
        episode.state = Life::Closed;
        episode.end_call = Some(block);
        match (episode.kind, description) {
            (EpisodeKind::Exploratory, Some(text)) => episode.description = Some(text.clone()),
            (EpisodeKind::Exploratory, None) => self.report_problem(block, ProblemKind::NoDescription),
            (EpisodeKind::Action, Some(_)) => self.report_problem(block, ProblemKind::DescriptionOnAct),
            (EpisodeKind::Action | EpisodeKind::Unannotated, _) => {}
        }
    }

    fn owner_of_plain(&mut self, block: BlockIdx, sink: &mut Vec<AnnotatorEvent>) -> Option<usize> {
        self.past.prologue_end?;
        if let Some(owner) = self.past.open.or(self.past.stretch) {
            return Some(owner);
        }
        self.past.n_stretches += 1;
        let name = EpisodeName::new(format!("~{}", self.past.n_stretches));
        let idx = self.open_episode(name.clone(), name, EpisodeKind::Unannotated, block, sink);
        self.past.stretch = Some(idx);
        Some(idx)
    }

    fn unused_name(&mut self, block: BlockIdx, declared: &EpisodeName) -> EpisodeName {
        let mut name = declared.clone();
        let mut number = 2u32;
        while !self.past.names.insert(name.clone()) {
            name = EpisodeName::new(format!("{declared}#{number}"));
            number += 1;
        }
        if name != *declared {
            self.report_problem(block, ProblemKind::NameReused { renamed: name.clone() });
        }
        name
    }

    fn report_malformed(&mut self, block: BlockIdx, fields: &[MarkField]) {
        for &field in fields {
            self.report_problem(block, ProblemKind::MalformedMark { field });
        }
    }

    /// Only the agent's own calls can break a protocol rule.
    fn report_problem(&mut self, block: BlockIdx, kind: ProblemKind) {
        if matches!(self.marks, Marks::Spans(_)) {
            return;
        }
        self.past.problems.push(Problem { place: self.session.place_of(block), kind });
    }
}
