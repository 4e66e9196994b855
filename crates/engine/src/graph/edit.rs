//! Edits: one change to an annotation, or the reason for refusing it.
//!
//! An edit maps the spans of a session to new spans and keeps them sound: spans are in log order
//! without overlaps, names are unique, and an act draws only on earlier explorations. The log
//! never changes.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::{
    Annotation, BlockIdx, BlockKind, DeclaredKind, EpisodeKind, EpisodeName, GraphTimeline, MessageClass,
    Session, Span,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanEdge {
    First,
    Last,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// An act that becomes an exploration loses its dependencies; other acts no longer draw on an exploration
    /// that becomes an act.
    Retype {
        of: EpisodeName,
        kind: DeclaredKind,
    },
    Link {
        act: EpisodeName,
        on: EpisodeName,
    },
    Unlink {
        act: EpisodeName,
        on: EpisodeName,
    },
    /// Moves the first or the last block. If a neighbour touches this edge or would be overlapped,
    /// its own edge moves too; a neighbour keeps at least one block.
    Shift {
        of: EpisodeName,
        edge: SpanEdge,
        to: BlockIdx,
    },
    /// The second part gets a new name and copies the kind, dependencies and description; acts that draw on
    /// the first part also draw on the second.
    Split {
        of: EpisodeName,
        at: BlockIdx,
    },
    /// Joins an episode with the next one and the blocks between them. The result is an act if
    /// either part is.
    Merge {
        of: EpisodeName,
    },
    Close {
        of: EpisodeName,
    },
    Rename {
        of: EpisodeName,
        to: EpisodeName,
    },
    /// An empty text removes the description.
    Describe {
        of: EpisodeName,
        text: String,
    },
    Remove {
        of: EpisodeName,
    },
    Add {
        name: EpisodeName,
        kind: DeclaredKind,
        first: BlockIdx,
        last: BlockIdx,
    },
    Accept {
        /// `None` accepts all inferred episodes.
        of: Option<EpisodeName>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefusal {
    Unknown(EpisodeName),
    Taken(EpisodeName),
    Nameless,
    NoAct(EpisodeName),
    NoExploration(EpisodeName),
    Later { act: EpisodeName, on: EpisodeName },
    Backwards(EpisodeName),
    Swallowed(EpisodeName),
    Empty,
    LastOne(EpisodeName),
    Closed(EpisodeName),
    Accepted(EpisodeName),
    Same,
}

impl fmt::Display for EditRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "no marked episode is called `{name}`"),
            Self::Taken(name) => write!(f, "another episode is called `{name}` already"),
            Self::Nameless => write!(f, "an episode needs a name"),
            Self::NoAct(name) => write!(f, "`{name}` is an exploration, and only an act draws on others"),
            Self::NoExploration(name) => write!(f, "`{name}` is an act, not an exploration"),
            Self::Later { act, on } => {
                write!(f, "`{on}` does not begin before `{act}`, so that `{act}` cannot draw on it")
            }
            Self::Backwards(name) => write!(f, "`{name}` would end before it begins"),
            Self::Swallowed(name) => {
                write!(f, "nothing would be left of `{name}`; merge the two, or remove it")
            }
            Self::Empty => write!(f, "no block of the agent is there to begin with"),
            Self::LastOne(name) => write!(f, "no episode follows `{name}`"),
            Self::Closed(name) => write!(f, "`{name}` is closed already"),
            Self::Accepted(name) => write!(f, "the start of `{name}` is not a guess"),
            Self::Same => write!(f, "that changes nothing"),
        }
    }
}

impl core::error::Error for EditRefusal {}

/// Converts the marked episodes of a graph to spans, in the graph's order and with its names. Used
/// as an annotation, the spans give the same graph.
pub fn spans_of(session: &Session, growth: &GraphTimeline, annotation: &Annotation) -> Vec<Span> {
    let graph = &growth.graph;
    let marked = graph.episodes().filter(|(_, episode)| episode.kind != EpisodeKind::Unannotated);
    let given = annotation.spans();
    marked
        .enumerate()
        .map(|(at, (_, episode))| {
            // Spans are in log order, and each begins exactly one episode.
            let span = given.and_then(|spans| spans.get(at));
            let own = |block: &&BlockIdx| {
                let row = &session.blocks[block.at()];
                !matches!(row.kind, BlockKind::Result(_)) && row.stands_for.is_none()
            };
            let last = episode.blocks.iter().rev().find(own).copied().filter(|_| !episode.is_open());
            // A dependency without an edge must not be kept: unique names could turn it into one.
            let edges = episode.dependencies.iter().filter_map(|dependency| dependency.on);
            Span {
                name: episode.name.clone(),
                kind: match episode.kind {
                    EpisodeKind::Action => DeclaredKind::Action,
                    EpisodeKind::Exploratory | EpisodeKind::Unannotated => DeclaredKind::Exploratory,
                },
                first: episode.start,
                last: span.map_or(last, |span| span.last),
                dependencies: edges.map(|on| graph.episode(on).name.clone()).collect(),
                description: match span {
                    Some(span) => span.description.clone(),
                    None => episode.description.clone(),
                },
                evidence: span.and_then(|span| span.evidence.clone()),
            }
        })
        .collect()
}

/// Applies an edit to spans in log order with unique names.
///
/// # Errors
/// Returns the reason if the edit is not possible.
pub fn apply_edit(session: &Session, spans: &[Span], edit: &Edit) -> Result<Vec<Span>, EditRefusal> {
    let mut draft = SpanDraft { session, spans: spans.to_vec() };
    draft.apply_edit(edit)?;
    if draft.spans == spans { Err(EditRefusal::Same) } else { Ok(draft.spans) }
}

struct SpanDraft<'a> {
    session: &'a Session,
    spans: Vec<Span>,
}

impl SpanDraft<'_> {
    fn apply_edit(&mut self, edit: &Edit) -> Result<(), EditRefusal> {
        match edit {
            Edit::Retype { of, kind } => self.retype_span(of, *kind),
            Edit::Link { act, on } => self.link_spans(act, on),
            Edit::Unlink { act, on } => {
                let at = self.find_span(act)?;
                self.spans[at].dependencies.retain(|name| name != on);
                Ok(())
            }
            Edit::Shift { of, edge: SpanEdge::First, to } => self.move_start(of, *to),
            Edit::Shift { of, edge: SpanEdge::Last, to } => self.move_end(of, *to),
            Edit::Split { of, at } => self.split_span(of, *at),
            Edit::Merge { of } => self.merge_spans(of),
            Edit::Close { of } => {
                let at = self.find_span(of)?;
                if self.spans[at].last.is_some() {
                    return Err(EditRefusal::Closed(of.clone()));
                }
                self.spans[at].last = self.session.blocks.len().checked_sub(1).map(BlockIdx::new);
                Ok(())
            }
            Edit::Rename { of, to } => self.rename_span(of, to),
            Edit::Describe { of, text } => {
                let at = self.find_span(of)?;
                if self.spans[at].kind != DeclaredKind::Exploratory {
                    return Err(EditRefusal::NoExploration(of.clone()));
                }
                let text = text.trim();
                self.spans[at].description = (!text.is_empty()).then(|| Arc::from(text));
                Ok(())
            }
            Edit::Remove { of } => {
                let at = self.find_span(of)?;
                self.spans.remove(at);
                self.drop_dependencies(of);
                Ok(())
            }
            Edit::Add { name, kind, first, last } => self.add_span(name, *kind, *first, *last),
            Edit::Accept { of } => self.accept_spans(of.as_ref()),
        }
    }

    fn retype_span(&mut self, of: &EpisodeName, kind: DeclaredKind) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        if self.spans[at].kind == kind {
            return Err(EditRefusal::Same);
        }
        self.spans[at].kind = kind;
        match kind {
            DeclaredKind::Exploratory => self.spans[at].dependencies.clear(),
            DeclaredKind::Action => self.drop_dependencies(of),
        }
        Ok(())
    }

    fn link_spans(&mut self, act: &EpisodeName, on: &EpisodeName) -> Result<(), EditRefusal> {
        let (to, from) = (self.find_span(act)?, self.find_span(on)?);
        if self.spans[to].kind != DeclaredKind::Action {
            return Err(EditRefusal::NoAct(act.clone()));
        }
        if self.spans[from].kind != DeclaredKind::Exploratory {
            return Err(EditRefusal::NoExploration(on.clone()));
        }
        if from >= to {
            return Err(EditRefusal::Later { act: act.clone(), on: on.clone() });
        }
        let drawn = &mut self.spans[to].dependencies;
        if !drawn.contains(on) {
            drawn.push(on.clone());
        }
        Ok(())
    }

    fn move_start(&mut self, of: &EpisodeName, to: BlockIdx) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        let first = self.own_from(to).ok_or(EditRefusal::Empty)?;
        if self.spans[at].last.is_some_and(|last| first > last) {
            return Err(EditRefusal::Backwards(of.clone()));
        }
        if let Some(before) = at.checked_sub(1) {
            let touches = self.touches_next(before);
            if touches || self.spans[before].last.is_none_or(|last| last >= first) {
                let last = BlockIdx::new(first.at().saturating_sub(1));
                if first <= self.spans[before].first {
                    return Err(EditRefusal::Swallowed(self.spans[before].name.clone()));
                }
                self.spans[before].last = Some(last);
            }
        }
        self.spans[at].first = first;
        self.spans[at].evidence = None;
        Ok(())
    }

    fn move_end(&mut self, of: &EpisodeName, to: BlockIdx) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        if to < self.spans[at].first {
            return Err(EditRefusal::Backwards(of.clone()));
        }
        if at + 1 < self.spans.len() {
            let touches = self.touches_next(at);
            if touches || self.spans[at + 1].first <= to {
                let next = &self.spans[at + 1];
                let swallowed = || EditRefusal::Swallowed(next.name.clone());
                let first = self.own_from(BlockIdx::new(to.at() + 1)).ok_or_else(swallowed)?;
                if next.last.is_some_and(|last| first > last) {
                    return Err(swallowed());
                }
                self.spans[at + 1].first = first;
                self.spans[at + 1].evidence = None;
            }
        }
        self.spans[at].last = Some(to);
        Ok(())
    }

    fn split_span(&mut self, of: &EpisodeName, block: BlockIdx) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        let second = self.own_from(block).ok_or(EditRefusal::Empty)?;
        let whole = &self.spans[at];
        if second <= whole.first || whole.last.is_some_and(|last| second > last) {
            return Err(EditRefusal::Empty);
        }
        let part = Span { name: self.free_name(of), first: second, evidence: None, ..whole.clone() };
        self.spans[at].last = Some(BlockIdx::new(second.at() - 1));
        for act in &mut self.spans[at + 1..] {
            if act.dependencies.contains(of) {
                act.dependencies.push(part.name.clone());
            }
        }
        self.spans.insert(at + 1, part);
        Ok(())
    }

    fn merge_spans(&mut self, of: &EpisodeName) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        if at + 1 >= self.spans.len() {
            return Err(EditRefusal::LastOne(of.clone()));
        }
        let next = self.spans.remove(at + 1);
        let one = &mut self.spans[at];
        one.last = next.last;
        for on in next.dependencies {
            if on != *of && !one.dependencies.contains(&on) {
                one.dependencies.push(on);
            }
        }
        one.description = match (one.description.take(), next.description) {
            (Some(first), Some(second)) if first != second => Some(Arc::from(format!("{first} {second}"))),
            (first, second) => first.or(second),
        };
        if next.kind == DeclaredKind::Action {
            one.kind = DeclaredKind::Action;
        }
        let is_act = one.kind == DeclaredKind::Action;
        // Acts that drew on the second part now draw on the whole.
        for act in &mut self.spans[at + 1..] {
            let drew = act.dependencies.contains(&next.name);
            act.dependencies.retain(|on| *on != next.name);
            if drew && !act.dependencies.contains(of) {
                act.dependencies.push(of.clone());
            }
        }
        if is_act {
            self.drop_dependencies(of);
        }
        Ok(())
    }

    fn rename_span(&mut self, of: &EpisodeName, to: &EpisodeName) -> Result<(), EditRefusal> {
        let at = self.find_span(of)?;
        let to = EpisodeName::from(to.as_str().trim());
        if to.as_str().is_empty() {
            return Err(EditRefusal::Nameless);
        }
        if self.spans.iter().enumerate().any(|(other, span)| other != at && span.name == to) {
            return Err(EditRefusal::Taken(to));
        }
        self.spans[at].name = to.clone();
        for name in self.spans.iter_mut().flat_map(|span| &mut span.dependencies) {
            if name == of {
                *name = to.clone();
            }
        }
        Ok(())
    }

    fn add_span(
        &mut self,
        name: &EpisodeName,
        kind: DeclaredKind,
        first: BlockIdx,
        last: BlockIdx,
    ) -> Result<(), EditRefusal> {
        if name.as_str().trim().is_empty() {
            return Err(EditRefusal::Nameless);
        }
        let name = self.free_name(&EpisodeName::from(name.as_str().trim()));
        let first = self.own_from(first).filter(|first| *first <= last).ok_or(EditRefusal::Empty)?;
        let at = self.spans.partition_point(|span| span.first < first);
        let over = self.spans[..at].last().filter(|before| before.last.is_none_or(|last| last >= first));
        let over = over.or_else(|| self.spans.get(at).filter(|next| next.first <= last));
        if let Some(over) = over {
            return Err(EditRefusal::Swallowed(over.name.clone()));
        }
        let (dependencies, description, evidence) = (Vec::new(), None, None);
        let span = Span { name, kind, first, last: Some(last), dependencies, description, evidence };
        self.spans.insert(at, span);
        Ok(())
    }

    fn accept_spans(&mut self, of: Option<&EpisodeName>) -> Result<(), EditRefusal> {
        let Some(of) = of else {
            self.spans.iter_mut().for_each(|span| span.evidence = None);
            return Ok(());
        };
        let at = self.find_span(of)?;
        self.spans[at].evidence.take().map(drop).ok_or_else(|| EditRefusal::Accepted(of.clone()))
    }

    fn find_span(&self, name: &EpisodeName) -> Result<usize, EditRefusal> {
        let at = self.spans.iter().position(|span| span.name == *name);
        at.ok_or_else(|| EditRefusal::Unknown(name.clone()))
    }

    fn drop_dependencies(&mut self, name: &EpisodeName) {
        self.spans.iter_mut().for_each(|span| span.dependencies.retain(|on| on != name));
    }

    fn own_from(&self, from: BlockIdx) -> Option<BlockIdx> {
        (from.at()..self.session.blocks.len()).map(BlockIdx::new).find(|block| self.is_own(*block))
    }

    fn is_own(&self, block: BlockIdx) -> bool {
        let row = &self.session.blocks[block.at()];
        let message = self.session.message_of(block);
        let is_agent = message.class == MessageClass::Assistant && message.form.is_sent();
        is_agent && !message.added && row.stands_for.is_none() && !matches!(row.kind, BlockKind::Result(_))
    }

    fn touches_next(&self, at: usize) -> bool {
        let (Some(one), Some(next)) = (self.spans.get(at), self.spans.get(at + 1)) else { return false };
        let from = one.last.map_or(next.first, |last| BlockIdx::new(last.at() + 1));
        self.own_from(from).is_none_or(|own| own >= next.first)
    }

    fn free_name(&self, name: &EpisodeName) -> EpisodeName {
        let is_free = |name: &EpisodeName| self.spans.iter().all(|span| span.name != *name);
        if is_free(name) {
            return name.clone();
        }
        let mut number = 2usize;
        loop {
            let numbered = EpisodeName::from(format!("{name}-{number}").as_str());
            if is_free(&numbered) {
                return numbered;
            }
            number += 1;
        }
    }
}
