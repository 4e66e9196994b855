//! Segments: ranges of messages from a starting result to an ending result.
//!
//! The published harness reads only the events it recorded with results of the tool `delimiter`, whatever
//! became of the call. In other harnesses' logs, the tool table identifies such results; without recorded
//! events, a successful call counts as the event pi-cwl would have recorded.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::Range;

use super::columns::{NONE, SegmentColumns, to_u32};
use crate::graph::growth::{MarkNames, MarkedResult, mark_of_call};
use crate::{
    AnnotationSource, BlockIdx, BlockKind, DeclaredKind, DelimiterMark, DelimiterRule, EpisodeKind,
    EpisodeName, GraphTimeline, MarkField, Session, ToolClass,
};

pub(super) type NameNumber = u32;

pub(super) const MANY: u32 = NONE - 1;

pub(super) enum Event {
    Start {
        name: NameNumber,
        is_act: bool,
        lists: Range<usize>,
    },
    /// Ends the open segment with this name, or the newest open one.
    End(Option<NameNumber>),
    Whole {
        name: NameNumber,
        is_act: bool,
        lists: Range<usize>,
    },
}

impl Event {
    pub(super) fn ending_segment(&self) -> Option<Option<NameNumber>> {
        match self {
            Self::Start { .. } => None,
            Self::End(name) => Some(*name),
            Self::Whole { name, .. } => Some(Some(*name)),
        }
    }
}

pub(super) struct Events<'a> {
    /// `None` stands for an event without a name.
    pub(super) names: Vec<Option<&'a EpisodeName>>,
    pub(super) listed: Cow<'a, [NameNumber]>,
    events: Vec<(BlockIdx, Event)>,
}

impl<'a> Events<'a> {
    /// Collects a session's events. Under another annotation than the agent's own, a segment spans the
    /// messages from an episode's first block to its last, which the harness itself would not do.
    pub(super) fn from_columns(columns: &SegmentColumns<'a>, rule: DelimiterRule) -> Self {
        let growth = columns.growth;
        if growth.source != AnnotationSource::Declared {
            return Self::of_spans(growth);
        }
        let (session, facts) = (columns.session, columns.facts);
        let recorded = rule == DelimiterRule::Exact
            || facts.marked.iter().any(|marked| own_mark(session, marked.block, rule).is_some());
        let event = |marked: &MarkedResult| {
            let event = if recorded {
                event_of(own_mark(session, marked.block, rule)?, &marked.recorded, recorded)
            } else {
                event_of(mark_of_call(session, marked.block)?, &marked.called, recorded)
            };
            Some((marked.block, event?))
        };
        Self {
            names: facts.names.iter().map(Option::as_ref).collect(),
            listed: Cow::Borrowed(&facts.listed),
            events: facts.marked.iter().filter_map(event).collect(),
        }
    }

    fn of_spans(growth: &'a GraphTimeline) -> Self {
        let mut names = Numbers::default();
        let (mut listed, mut events) = (Vec::new(), Vec::new());
        let is_span = |kind: EpisodeKind| kind != EpisodeKind::Unannotated;
        for (idx, episode) in growth.graph.episodes().filter(|(_, episode)| is_span(episode.kind)) {
            let first = listed.len();
            let on = growth.graph.dependencies(idx).into_iter();
            listed.extend(on.map(|on| names.number_of(&growth.graph.episode(on).name)));
            let lists = first..listed.len();
            let name = names.number_of(&episode.name);
            let is_act = episode.kind == EpisodeKind::Action;
            let last = growth.members_of(idx).last().copied().filter(|_| !episode.is_open());
            if last == Some(episode.start) {
                events.push((episode.start, Event::Whole { name, is_act, lists }));
                continue;
            }
            events.push((episode.start, Event::Start { name, is_act, lists }));
            events.extend(last.map(|last| (last, Event::End(Some(name)))));
        }
        events.sort_by_key(|(block, _)| *block);
        Self { names: names.all, listed: Cow::Owned(listed), events }
    }

    pub(super) fn event_results(&self) -> impl Iterator<Item = BlockIdx> + '_ {
        self.events.iter().map(|(result, _)| *result)
    }

    pub(super) fn nth_result(&self, n: usize) -> Option<BlockIdx> {
        Some(self.events.get(n)?.0)
    }

    pub(super) fn event_at(&self, block: BlockIdx) -> Option<&Event> {
        let at = self.events.binary_search_by_key(&block, |(at, _)| *at).ok()?;
        Some(&self.events[at].1)
    }
}

#[derive(Default)]
struct Numbers<'a> {
    all: Vec<Option<&'a EpisodeName>>,
    known: BTreeMap<&'a EpisodeName, NameNumber>,
}

impl<'a> Numbers<'a> {
    fn number_of(&mut self, name: &'a EpisodeName) -> NameNumber {
        *self.known.entry(name).or_insert_with(|| {
            self.all.push(Some(name));
            to_u32(self.all.len() - 1)
        })
    }
}

fn event_of(mark: &DelimiterMark, names: &MarkNames, recorded: bool) -> Option<Event> {
    let (name, lists) = (names.own, names.lists.clone());
    match mark {
        DelimiterMark::Open { kind, .. } => {
            Some(Event::Start { name, is_act: *kind == DeclaredKind::Action, lists })
        }
        DelimiterMark::Close { .. } => Some(Event::End(recorded.then_some(name))),
        // Any action except `start` is an end.
        DelimiterMark::Malformed { field: MarkField::Action, .. } if recorded => Some(Event::End(Some(name))),
        // The tool refuses malformed calls, so only a missing type is possible.
        DelimiterMark::Malformed { field, is_act, .. } if recorded || *field == MarkField::Type => {
            Some(Event::Start { name, is_act: *is_act, lists })
        }
        DelimiterMark::Malformed { .. } => None,
    }
}

fn own_mark(session: &Session, result: BlockIdx, rule: DelimiterRule) -> Option<&DelimiterMark> {
    let row = &session.blocks[result.at()];
    let BlockKind::Result(result) = &row.kind else { return None };
    let is_exact = result.name.as_deref() == Some("delimiter");
    let is_meant = match (rule, row.class) {
        (DelimiterRule::Exact, _) | (_, None) => is_exact,
        (DelimiterRule::Table | DelimiterRule::Auto, Some(class)) => class == ToolClass::Delimiter,
    };
    result.mark.as_ref().filter(|_| is_meant)
}

#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) name: NameNumber,
    pub(super) is_act: bool,
    pub(super) start: BlockIdx,
    /// `None` if open; an open segment extends to the last message.
    pub(super) end: Option<BlockIdx>,
}

impl Segment {
    pub(super) fn message_range(&self, columns: &SegmentColumns<'_>, end: BlockIdx) -> Range<usize> {
        columns.message_of(self.start)..columns.message_of(end) + 1
    }

    pub(super) fn opened_by(&self, session: &Session, growth: &GraphTimeline) -> BlockIdx {
        let call = session.blocks[self.start.at()].pair;
        call.filter(|_| growth.source == AnnotationSource::Declared).unwrap_or(self.start)
    }
}

pub(super) struct Segments {
    pub(super) all: Vec<Segment>,
    /// The open segment per name. A newer start hides an older one, which can no longer end.
    open: Vec<u32>,
    begun: Vec<u32>,
    /// Per name: the closed segment with the earliest start, which is the one to evict.
    pub(super) first_closed: Vec<u32>,
    /// The closed segment over each message, [`NONE`] or [`MANY`].
    cover: Vec<u32>,
    lists: BTreeSet<(NameNumber, NameNumber)>,
    listed_by: BTreeSet<(NameNumber, NameNumber)>,
}

impl Segments {
    pub(super) fn new(n_names: usize, n_messages: usize) -> Self {
        Self {
            cover: alloc::vec![NONE; n_messages],
            all: Vec::new(),
            open: alloc::vec![NONE; n_names],
            begun: Vec::new(),
            first_closed: alloc::vec![NONE; n_names],
            lists: BTreeSet::new(),
            listed_by: BTreeSet::new(),
        }
    }

    pub(super) fn begin_segment(&mut self, name: NameNumber, is_act: bool, start: BlockIdx) {
        let number = to_u32(self.all.len());
        self.all.push(Segment { name, is_act, start, end: None });
        self.open[name as usize] = number;
        self.begun.push(number);
    }

    pub(super) fn end_segment(
        &mut self,
        name: Option<NameNumber>,
        end: BlockIdx,
        columns: &SegmentColumns<'_>,
    ) -> Option<u32> {
        let number = match name {
            Some(name) => self.open[name as usize],
            None => loop {
                let newest = self.begun.pop()?;
                if self.open[self.all[newest as usize].name as usize] == newest {
                    break newest;
                }
            },
        };
        let segment = self.all.get_mut(number as usize)?;
        segment.end = Some(end);
        self.open[segment.name as usize] = NONE;
        for cover in &mut self.cover[segment.message_range(columns, end)] {
            *cover = if *cover == NONE { number } else { MANY };
        }
        Some(number)
    }

    pub(super) fn covering_segment(&self, message: usize) -> u32 {
        self.cover[message]
    }

    pub(super) fn link_names(&mut self, by: NameNumber, on: NameNumber) -> bool {
        self.listed_by.insert((on, by));
        self.lists.insert((by, on))
    }

    pub(super) fn names_listed_by(&self, by: NameNumber) -> impl Iterator<Item = NameNumber> + '_ {
        self.lists.range((by, 0)..=(by, NONE)).map(|(_, on)| *on)
    }

    pub(super) fn dependents_of(&self, on: NameNumber) -> impl Iterator<Item = NameNumber> + '_ {
        self.listed_by.range((on, 0)..=(on, NONE)).map(|(_, by)| *by)
    }
}
